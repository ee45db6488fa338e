#pragma once

#include <filesystem>

#include "turgor/solid.hpp"

namespace turgor {

/// Whether solids are written with this ending: `.vtu` (VTK's XML, tetrahedra), `.msh` (Gmsh 2.2,
/// tetrahedra and the triangles of the surface as physical groups "solid" and "surface") or `.obj`
/// (the surface).
bool is_solid_file(const std::filesystem::path& file);

/// All of the file or nothing.
void save_solid(const Solid& solid, const std::filesystem::path& file);

}  // namespace turgor
