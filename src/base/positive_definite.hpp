#pragma once

#include <optional>

#include "base/mat3.hpp"

namespace turgor {

/// Solves the symmetric system h w = g by Cholesky; nothing where h is not safely positive
/// definite.
inline std::optional<Vec3> solve_positive_definite(const Mat3& h, Vec3 g, double least_pivot) {
    const double d0 = h.m[0][0];
    if (!(d0 > least_pivot)) return std::nullopt;
    const double l10 = h.m[1][0] / d0, l20 = h.m[2][0] / d0;
    const double d1 = h.m[1][1] - l10 * h.m[1][0];
    if (!(d1 > least_pivot)) return std::nullopt;
    const double c21 = h.m[2][1] - l20 * h.m[1][0];
    const double l21 = c21 / d1;
    const double d2 = h.m[2][2] - l20 * h.m[2][0] - l21 * c21;
    if (!(d2 > least_pivot)) return std::nullopt;
    const double y1 = g.y - l10 * g.x;
    const double y2 = g.z - l20 * g.x - l21 * y1;
    const double w2 = y2 / d2;
    const double w1 = y1 / d1 - l21 * w2;
    return Vec3{g.x / d0 - l10 * w1 - l20 * w2, w1, w2};
}

}  // namespace turgor
