#pragma once

#include "body/source.hpp"

namespace turgor {

/// Each throws an Error with a sentence where a mesh cannot become a body.
/// Finite vertices and triangles that name three different ones of them.
void check_elements(const Mesh& mesh, const char* role);
/// Of what is shown: the same, or points alone.
void check_display(const Mesh& mesh, const char* role);
/// Masses and weights, where there are any, are one for each vertex and in their range.
void check_vertex_values(const BodySource& source);
/// Every edge has its one twin, every vertex a triangle.
void check_closed(const Mesh& mesh);

}  // namespace turgor
