#pragma once

#include <cstdint>
#include <functional>

#include "turgor/mesh.hpp"

namespace turgor {

/// Each triangle into four; `middle(a, b)` places the new vertex of the edge between vertices a <
/// b.
void subdivide(Mesh& mesh, const std::function<Vec3(std::uint32_t a, std::uint32_t b)>& middle);

}  // namespace turgor
