#pragma once

#include "mesh/polygon_soup.hpp"
#include "mesh/source_file.hpp"

namespace turgor {

/// One reader per format. Each checks every number, index, count and offset of the file and refuses
/// what is wrong with a sentence that starts with the file's name.
PolygonSoup read_obj(const SourceFile& file);
PolygonSoup read_ply(const SourceFile& file);
PolygonSoup read_stl(const SourceFile& file);
PolygonSoup read_off(const SourceFile& file);
/// Both glTF (JSON) and GLB (binary).
PolygonSoup read_gltf(const SourceFile& file);

/// True where the file is a binary STL, whatever its first word says.
bool is_binary_stl(const SourceFile& file);

/// The reader for the file, by its ending or else by its content.
PolygonSoup read_polygons(const SourceFile& file);

}  // namespace turgor
