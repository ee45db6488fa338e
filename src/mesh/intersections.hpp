#pragma once

#include <array>

#include "turgor/mesh.hpp"

namespace turgor {

enum class Touching { counts, ignored };

/// Whether two triangles cut through each other, by separating axes (exact but for rounding).
bool triangles_meet(const std::array<Vec3, 3>& p, const std::array<Vec3, 3>& q, Touching touching);

struct TrianglePair {
    std::uint32_t first = 0, second = 0;
};
/// Pairs of triangles of one mesh that cut through each other, ascending. A common vertex alone is
/// no cut; triangles with a common edge count where they are folded flat onto each other.
std::vector<TrianglePair> self_intersections(const Mesh& mesh);

}  // namespace turgor
