#pragma once

#include <cstdint>

#include "turgor/math.hpp"

namespace turgor {

/// SplitMix64 (Steele et al. 2014): the same numbers on every machine, which std:: distributions do
/// not promise.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    /// In [low, high).
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
    }
    Vec3 in_box(Vec3 lower, Vec3 upper) {
        const double x = between(lower.x, upper.x), y = between(lower.y, upper.y);
        return {x, y, between(lower.z, upper.z)};
    }
    /// In the cube [−1, 1)³.
    Vec3 in_cube() { return in_box({-1, -1, -1}, {1, 1, 1}); }
    /// Any rotation, all alike: a point in the unit ball of quaternions.
    Quat rotation() {
        for (;;) {
            const double w = between(-1, 1), x = between(-1, 1), y = between(-1, 1),
                         z = between(-1, 1);
            const double square = w * w + x * x + y * y + z * z;
            if (square > 0.01 && square < 1) return normalized(Quat{w, x, y, z});
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace turgor
