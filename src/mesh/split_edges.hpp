#pragma once

#include <cstddef>

#include "turgor/mesh.hpp"

namespace turgor {

/// Splits edges longer than `longest` [m] in the middle until there are none, or until more
/// triangles would be more than `most_triangles`.
void split_long_edges(Mesh& mesh, double longest, std::size_t most_triangles);

}  // namespace turgor
