#pragma once

#include <algorithm>

#include "turgor/math.hpp"

namespace turgor {

inline bool boxes_overlap(const Bounds& a, const Bounds& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

inline int longest_axis(Vec3 extent) {
    if (extent.x >= extent.y && extent.x >= extent.z) return 0;
    return extent.y >= extent.z ? 1 : 2;
}

/// 0 inside.
inline double squared_distance(const Bounds& box, Vec3 p) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double outside = std::max(std::max(box.lower[k] - p[k], p[k] - box.upper[k]), 0.0);
        sum += outside * outside;
    }
    return sum;
}

}  // namespace turgor
