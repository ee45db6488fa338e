#pragma once

#include "mesh/polygon_soup.hpp"
#include "mesh/surface.hpp"

namespace turgor {

/// What cannot be closed, though it is a mesh: wrap() would put a cage around it.
struct NotClosed : Error {
    using Error::Error;
};

/// The polygons of a file as triangles, or its lines as triangles of two corners where it has no
/// polygons. Takes the soup apart to save memory.
Surface triangulated(PolygonSoup soup, std::string label);

/// The repairs and checks behind `load_mesh` and `make_mesh`, in their order.
Mesh close_surface(Surface surface, const MeshOptions& options, MeshReport& report);

/// Counts and sizes of a closed mesh.
void measure(const Mesh& mesh, MeshReport& report);

}  // namespace turgor
