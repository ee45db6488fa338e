#pragma once

#include "turgor/mesh.hpp"

namespace turgor {

/// Each throws an Error with a sentence where a mesh cannot become a body.
/// Finite vertices and triangles that name three different ones of them.
void check_elements(const Mesh& mesh, const char* role);
/// Every edge has its one twin, every vertex a triangle.
void check_closed(const Mesh& mesh);

}  // namespace turgor
