#pragma once

#include <cstdint>

#include "turgor/math.hpp"

namespace turgor {

/// A small generator (splitmix64) that gives the same numbers everywhere, which the standard distributions do not promise.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    /// Evenly in [low, high).
    double in(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53); }
    /// Evenly in the cube [−1, 1)³.
    Vec3 in_cube() {
        const double x = in(-1, 1), y = in(-1, 1), z = in(-1, 1);
        return {x, y, z};
    }

private:
    std::uint64_t state_;
};

}  // namespace turgor
