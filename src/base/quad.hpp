#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// Four floats in one 128-bit register: a vector and something that belongs to it.
struct alignas(16) Quad {
    float x = 0, y = 0, z = 0, w = 0;
    Vec3 xyz() const { return {x, y, z}; }
    /// w stays.
    void set_xyz(Vec3 v) {
        x = static_cast<float>(v.x);
        y = static_cast<float>(v.y);
        z = static_cast<float>(v.z);
    }
};

struct Pair {
    float x = 0, y = 0;
};

/// Particles come in groups of so many, however wide the registers are.
inline constexpr std::uint32_t particle_group = 16;

/// Four terms or sums in fixed point. Addition wraps, so the order of summation does not matter and
/// a difference of two prefix sums is right whenever the true sum fits.
struct alignas(16) FixedQuad {
    /// 2³⁰ stands for the largest sum, which leaves room for the rounding of its terms.
    static constexpr float one = 1073741824.0f;
    std::int32_t a[4] = {};
};

inline Quad to_quad(Vec3 v, double w = 0) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z),
            static_cast<float>(w)};
}

/// Memory that begins with a cache line.
template <typename T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    CacheAligned() = default;
    template <typename U>
    CacheAligned(const CacheAligned<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const CacheAligned&) const { return true; }
};
template <typename T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace turgor
