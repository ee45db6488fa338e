// What damping and matching of regions share. Included once for each instruction set
// (Highway's foreach_target), hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_MATCHING_GROUP_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_MATCHING_GROUP_SUMS_INL_HPP
#undef TURGOR_ELASTIC_MATCHING_GROUP_SUMS_INL_HPP
#else
#define TURGOR_ELASTIC_MATCHING_GROUP_SUMS_INL_HPP
#endif

#include "base/simd-inl.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "elastic/region_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

constexpr float one = FixedQuad::one;

/// How rows are summed over regions.
enum class RowSums {
    fast,   ///< differences of prefix sums
    naive,  ///< row by row
    given   ///< rows are sums already: the model has its own way
};
constexpr Summation written(RowSums how) {
    return how == RowSums::fast ? Summation::fast : Summation::naive;
}
HWY_INLINE RowSums sums_of(const RegionCpuView& body) {
    if (!body.rest.regions) return RowSums::given;
    return body.summation == Summation::fast ? RowSums::fast : RowSums::naive;
}
/// Calls `work` with the way of summing as a constant.
template <class Work>
HWY_INLINE auto with_sums_of(const RegionCpuView& body, const Work& work) {
    switch (sums_of(body)) {
        case RowSums::fast:
            return work.template operator()<RowSums::fast>();
        case RowSums::naive:
            return work.template operator()<RowSums::naive>();
        default:
            return work.template operator()<RowSums::given>();
    }
}

template <int width>
HWY_INLINE const FixedQuad* at_row(const FixedQuad* rows, std::size_t row) {
    return rows + row * stride<width>;
}

/// The sum of one region.
template <RowSums how, int width>
HWY_INLINE void sum_rows(const RegionCpuView& body, const FixedQuad* rows, std::uint32_t region,
                         FixedQuad (&sum)[width]) {
    if constexpr (how == RowSums::given) {
        const FixedQuad* const row = at_row<width>(rows, row_of(region));
        for (int k = 0; k < width; ++k) sum[k] = row[k];
    } else {
        sum_region<written(how)>(*body.rest.regions, rows, region, sum);
    }
}

/// The sums of a group's regions, turned into floats.
template <RowSums how, int width>
HWY_INLINE void sum_rows_of_group(const RegionCpuView& body, const FixedQuad* rows,
                                  std::uint32_t first, Quad (&sums)[width][group]) {
    for (std::uint32_t p = 0; p < group; ++p) {
        alignas(64) FixedQuad sum[width];
        sum_rows<how>(body, rows, first + p, sum);
        for (int k = 0; k < width; ++k)
            store(hn::ConvertTo(Four(), load_fixed(sum[k])), sums[k][p]);
    }
}

/// What the regions that a group's particles are in add up to.
template <RowSums how, int width>
HWY_INLINE void blend_rows(const RegionCpuView& body, const FixedQuad* rows, std::uint32_t first,
                           Quad (&sums)[width][group]) {
    if constexpr (how == RowSums::given) {
        for (std::uint32_t p = 0; p < group; ++p) {
            const FixedQuad* const row = at_row<width>(rows, body.row_of_particle[first + p]);
            for (int k = 0; k < width; ++k)
                store(hn::ConvertTo(Four(), load_fixed(row[k])), sums[k][p]);
        }
    } else {  // a particle is in the regions that are in its own
        sum_rows_of_group<how>(body, rows, first, sums);
    }
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
