#pragma once

#include <vector>

#include "scene/read_values.hpp"
#include "scene/scene.hpp"

namespace turgor {

/// A list, or an object that says which colour or axis the numbers follow.
VertexNumbers read_vertex_numbers(const Node& node);

/// For the vertices of `simulated`, which is `fine` or a simplified form of it; `fine` is what the
/// scene speaks of. An Error where they do not fit it.
std::vector<double> numbers_for(const VertexNumbers& numbers, const Mesh& fine,
                                const Mesh& simulated);

}  // namespace turgor
