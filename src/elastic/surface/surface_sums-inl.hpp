// What damping and matching of the surface model share. Included once for each instruction set
// (Highway's foreach_target), hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_SURFACE_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_SURFACE_SUMS_INL_HPP
#undef TURGOR_ELASTIC_SURFACE_SUMS_INL_HPP
#else
#define TURGOR_ELASTIC_SURFACE_SUMS_INL_HPP
#endif

#include "base/simd-inl.hpp"
#include "elastic/region_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

constexpr float one = FixedQuad::one;

/// The sums of a group's regions, turned into floats.
template <Summation summation, int width>
HWY_INLINE void sum_group(const CpuRegions& regions, const FixedQuad* rows, std::uint32_t first,
                          Quad (&sums)[width][group]) {
    for (std::uint32_t p = 0; p < group; ++p) {
        alignas(64) FixedQuad sum[width];
        sum_region<summation>(regions, rows, first + p, sum);
        for (int k = 0; k < width; ++k)
            store(hn::ConvertTo(Four(), load_fixed(sum[k])), sums[k][p]);
    }
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
