#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// For each vertex the vertex that stands for it: the first vertex within `distance` that stands
/// for itself. No vertex moves further than `distance`, so chains of close vertices do not collapse
/// into one. Vertices that are not `movable` stand for themselves and attract nobody.
std::vector<std::uint32_t> weld(std::span<const Vec3> vertices, const std::vector<bool>& movable,
                                double distance);

}  // namespace turgor
