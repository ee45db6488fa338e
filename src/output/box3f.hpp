#pragma once

#include <algorithm>
#include <span>

#include "turgor/math.hpp"

namespace turgor {

/// The exact bounds of stored numbers, as the formats want them: in their own precision.
struct Box3f {
    Vec3f lower, upper;

    static Box3f around(std::span<const Vec3f> points) {
        Box3f box{points[0], points[0]};
        for (const Vec3f p : points) {
            box.lower = {std::min(box.lower.x, p.x), std::min(box.lower.y, p.y),
                         std::min(box.lower.z, p.z)};
            box.upper = {std::max(box.upper.x, p.x), std::max(box.upper.y, p.y),
                         std::max(box.upper.z, p.z)};
        }
        return box;
    }
};

}  // namespace turgor
