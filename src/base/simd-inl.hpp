// Vectors of vectors for the cpu back end. Included once for each instruction set (Highway's
// foreach_target), hence no ordinary include guard.
#if defined(TURGOR_BASE_SIMD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_BASE_SIMD_INL_HPP
#undef TURGOR_BASE_SIMD_INL_HPP
#else
#define TURGOR_BASE_SIMD_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "base/quad.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// As many floats as the machine takes at once; never more than a group has.
using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using F = hn::Vec<Floats>;
using I = hn::Vec<Ints>;
using Mask = hn::Mask<Floats>;
inline constexpr std::size_t lanes = hn::MaxLanes(Floats());
inline constexpr std::size_t group = particle_group;
inline constexpr std::size_t parts =
    group / lanes;  ///< registers that hold one float of each particle of a group

/// One register of four, on every machine: for the sums over regions.
using Four = hn::FixedTag<float, 4>;
using FourInts = hn::FixedTag<std::int32_t, 4>;
using Fixed4 = hn::Vec<FourInts>;
using Float4 = hn::Vec<Four>;

HWY_INLINE F all(float v) {
    return hn::Set(Floats(), v);
}
HWY_INLINE F load(const float* p) {
    return hn::Load(Floats(), p);
}
HWY_INLINE void store(F v, float* p) {
    hn::Store(v, Floats(), p);
}

struct F3 {
    F x, y, z;
};
HWY_INLINE F3 operator+(F3 a, F3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HWY_INLINE F3 operator-(F3 a, F3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HWY_INLINE F3 operator*(F s, F3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
HWY_INLINE F dot(F3 a, F3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
HWY_INLINE F3 cross(F3 a, F3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE F3 all(Quad v) {
    return {all(v.x), all(v.y), all(v.z)};
}
HWY_INLINE F norm(F3 a) {
    return hn::Sqrt(dot(a, a));
}

/// Zero where the mask is not set, whatever was there.
HWY_INLINE F3 only(Mask mask, F3 a) {
    return {hn::IfThenElseZero(mask, a.x), hn::IfThenElseZero(mask, a.y),
            hn::IfThenElseZero(mask, a.z)};
}

/// `lanes` quads, turned: one register for each component.
struct F4 {
    F3 xyz;
    F w;
};
HWY_INLINE F4 load4(const Quad* p) {
    F4 v;
    hn::LoadInterleaved4(Floats(), &p->x, v.xyz.x, v.xyz.y, v.xyz.z, v.w);
    return v;
}
HWY_INLINE F3 load3(const Quad* p) {
    return load4(p).xyz;
}
struct F2 {
    F x, y;
};
HWY_INLINE F2 load2(const Pair* p) {
    F2 v;
    hn::LoadInterleaved2(Floats(), &p->x, v.x, v.y);
    return v;
}
HWY_INLINE void store4(F3 v, F w, Quad* p) {
    hn::StoreInterleaved4(v.x, v.y, v.z, w, Floats(), &p->x);
}

/// (y, z, x, w) of every four.
template <class V>
HWY_INLINE V yzx(V v) {
#if HWY_TARGET == HWY_WASM
    // Highway 1.0 looks bytes up one by one there.
    return V{wasm_i32x4_shuffle(v.raw, v.raw, 1, 2, 0, 3)};
#else
    alignas(16) static constexpr std::uint8_t order[16] = {4, 5, 6, 7, 8,  9,  10, 11,
                                                           0, 1, 2, 3, 12, 13, 14, 15};
    const hn::DFromV<V> d;
    const hn::Repartition<std::uint8_t, hn::DFromV<V>> bytes;
    return hn::BitCast(d,
                       hn::TableLookupBytes(hn::BitCast(bytes, v), hn::LoadDup128(bytes, order)));
#endif
}

/// Rounded to the nearest, ties to even.
HWY_INLINE I to_fixed(F v) {
    return hn::NearestInt(v);
}
HWY_INLINE void store_fixed(I x, I y, I z, I w, FixedQuad* p) {
    hn::StoreInterleaved4(x, y, z, w, Ints(), p->a);
}

HWY_INLINE Fixed4 load_fixed(const FixedQuad& q) {
    return hn::Load(FourInts(), q.a);
}
HWY_INLINE void store_fixed(Fixed4 v, FixedQuad& q) {
    hn::Store(v, FourInts(), q.a);
}
HWY_INLINE Float4 load(const Quad& q) {
    return hn::Load(Four(), &q.x);
}
HWY_INLINE void store(Float4 v, Quad& q) {
    hn::Store(v, Four(), &q.x);
}

#if HWY_HAVE_FLOAT64
/// Four sums in double precision.
class FourSums {
public:
    HWY_INLINE FourSums() {
        for (auto& v : sums_) v = hn::Zero(Doubles());
    }
    template <class V>
    HWY_INLINE void add(V four) {
        const Doubles d;
        if constexpr (doubles == 4 && sizeof(V) > 0) {
            sums_[0] = sums_[0] + hn::PromoteTo(d, four);
        } else {
            const hn::Half<hn::DFromV<V>> half;
            sums_[0] = sums_[0] + hn::PromoteTo(d, hn::LowerHalf(half, four));
            sums_[4 / doubles - 1] =
                sums_[4 / doubles - 1] + hn::PromoteTo(d, hn::UpperHalf(half, four));
        }
    }
    HWY_INLINE void store(double* to) const {
        for (std::size_t k = 0; k < 4 / doubles; ++k)
            hn::Store(sums_[k], Doubles(), to + k * doubles);
    }

private:
    using Doubles = hn::CappedTag<double, 4>;
    static constexpr std::size_t doubles = hn::MaxLanes(Doubles());
    hn::Vec<Doubles> sums_[4 / doubles];
};
#else
/// The same where Highway has no doubles, as in WebAssembly; the compiler finds the registers.
class FourSums {
public:
    HWY_INLINE void add(Float4 four) {
        alignas(16) float each[4];
        hn::Store(four, Four(), each);
        for (int k = 0; k < 4; ++k) sums_[k] += each[k];
    }
    HWY_INLINE void store(double* to) const {
        for (int k = 0; k < 4; ++k) to[k] = sums_[k];
    }

private:
    double sums_[4] = {};
};
#endif

/// The sum of N quantities over all particles, in an order that depends neither on the width of the
/// registers nor on who sums which block: of a group first lanes i and i + 8, then these and their
/// fourth next, in single precision; then group after group in double precision.
template <int N>
class GroupSums {
public:
    HWY_INLINE GroupSums() {}
    /// The values of part `part` of a group; parts come in their order.
    HWY_INLINE void add(int n, std::size_t part, F v) {
        F& eight = eights_[n][part % halves];
        eight = part < halves ? v : eight + v;
        if (part + 1 < parts) return;
        F all = eights_[n][0];
        if (halves == 2) all = all + eights_[n][halves - 1];
        sums_[n].add(fold(all));
    }
    HWY_INLINE void add(int n, std::size_t part, F3 v) {
        add(n, part, v.x);
        add(n + 1, part, v.y);
        add(n + 2, part, v.z);
    }
    HWY_INLINE void add_to(double* totals) const {
        for (int n = 0; n < N; ++n) {
            alignas(32) double each[4];
            sums_[n].store(each);
            totals[n] += (each[0] + each[1]) + (each[2] + each[3]);
        }
    }

private:
    static constexpr std::size_t halves = parts < 2 ? 1 : parts / 2;  ///< registers of eight lanes

    template <class V>
    static HWY_INLINE Float4 fold(V v) {
        using D = hn::DFromV<V>;
        if constexpr (hn::MaxLanes(D()) == 4)
            return v;
        else
            return fold(hn::LowerHalf(v) + hn::UpperHalf(hn::Half<D>(), v));
    }
    F eights_[N][halves];
    FourSums sums_[N];
};

HWY_INLINE float largest(F v) {
    return hn::GetLane(hn::MaxOfLanes(Floats(), v));
}
HWY_INLINE float smallest(F v) {
    return hn::GetLane(hn::MinOfLanes(Floats(), v));
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
