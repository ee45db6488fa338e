#pragma once

#include "mesh/polygon_soup.hpp"
#include "mesh/surface.hpp"

namespace turgor {

/// The polygons of a file as triangles. Takes the soup apart to save memory.
Surface triangulated(PolygonSoup soup, std::string label);

/// The repairs and checks behind `load_mesh` and `make_mesh`, in their order.
Mesh close_surface(Surface surface, const MeshOptions& options, MeshReport& report);

}  // namespace turgor
