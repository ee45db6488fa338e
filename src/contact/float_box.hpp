#pragma once

#include <algorithm>

#include "base/quad.hpp"

namespace turgor {

/// In single precision relative to the surface's origin, and a little too large rather than too
/// small.
struct FloatBox {
    Quad lower{1e30f, 1e30f, 1e30f, 0}, upper{-1e30f, -1e30f, -1e30f, 0};

    void add(Quad p) {
        lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z), 0};
        upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z), 0};
    }
    /// Also where the other is a box around nothing.
    void add(const FloatBox& other) {
        const Quad l = other.lower, u = other.upper;
        lower = {std::min(lower.x, l.x), std::min(lower.y, l.y), std::min(lower.z, l.z), 0};
        upper = {std::max(upper.x, u.x), std::max(upper.y, u.y), std::max(upper.z, u.z), 0};
    }
    FloatBox grown(float by) const {
        return {{lower.x - by, lower.y - by, lower.z - by, 0},
                {upper.x + by, upper.y + by, upper.z + by, 0}};
    }
    FloatBox moved(Quad by) const {
        return {{lower.x + by.x, lower.y + by.y, lower.z + by.z, 0},
                {upper.x + by.x, upper.y + by.y, upper.z + by.z, 0}};
    }
};
inline bool boxes_overlap(const FloatBox& a, const FloatBox& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
inline float squared_distance(const FloatBox& box, const FloatBox& other) {
    const auto along = [](float a0, float a1, float b0, float b1) {
        const float apart = std::max(std::max(a0 - b1, b0 - a1), 0.0f);
        return apart * apart;
    };
    return along(box.lower.x, box.upper.x, other.lower.x, other.upper.x) +
           along(box.lower.y, box.upper.y, other.lower.y, other.upper.y) +
           along(box.lower.z, box.upper.z, other.lower.z, other.upper.z);
}

}  // namespace turgor
