// Sums over regions by prefix sums (Diziol et al. 2011, section 4), the one engine of the cpu back
// end for them: the surface model's fits and the volume stage's smoothing. Included once for each
// instruction set (Highway's foreach_target), hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_REGION_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_REGION_SUMS_INL_HPP
#undef TURGOR_ELASTIC_REGION_SUMS_INL_HPP
#else
#define TURGOR_ELASTIC_REGION_SUMS_INL_HPP
#endif

#include "base/simd-inl.hpp"
#include "elastic/regions.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

/// Adds up the rows of a region: sum.add_difference(end, begin) for each run of prefix sums, or
/// sum.add(row) for each particle of it.
template <Summation summation, class Sum>
HWY_INLINE void add_rows_of_region(const CpuRegions& regions, std::uint32_t region, Sum& sum) {
    if (summation == Summation::fast) {
        const Run* run = regions.runs.data() + regions.run_starts[region];
        const Run* const end = regions.runs.data() + regions.run_starts[region + 1];
        for (; run != end; ++run) sum.add_difference(run->end, run->begin);
    } else {
        for (std::uint32_t m = regions.member_starts[region]; m < regions.member_starts[region + 1];
             ++m)
            sum.add(regions.members[m]);
    }
}

/// Of rows of one number each.
struct NumberSum {
    const std::int32_t* rows;
    std::uint32_t sum = 0;
    HWY_INLINE void add(std::uint32_t row) { sum += static_cast<std::uint32_t>(rows[row]); }
    HWY_INLINE void add_difference(std::uint32_t upper, std::uint32_t lower) {
        sum += static_cast<std::uint32_t>(rows[upper]) - static_cast<std::uint32_t>(rows[lower]);
    }
};

/// Quads from row to row: a row of three starts a cache line, too.
template <int width>
constexpr std::size_t stride = width == 3 ? row_quads : width;

/// Writes the rows of one block: sums of all terms before, or the terms themselves.
template <Summation summation, int width>
class RowWriter {
public:
    HWY_INLINE RowWriter(FixedQuad* rows, std::uint32_t first)
        : out_(rows + std::size_t{row_of(first)} * stride<width>) {
        for (auto& s : sum_) s = hn::Zero(FourInts());
    }
    /// Quad k of a group's particles is terms[k][0 … group).
    HWY_INLINE void add_group(const FixedQuad (&terms)[width][group]) {
        for (std::size_t p = 0; p < group; ++p) {
            Fixed4 term[width];
            for (int k = 0; k < width; ++k) term[k] = load_fixed(terms[k][p]);
            for (int k = 0; k < width; ++k) {
                store_fixed(summation == Summation::fast ? sum_[k] : term[k], out_[k]);
                if (summation == Summation::fast) sum_[k] = sum_[k] + term[k];
            }
            out_ += stride<width>;
        }
    }
    HWY_INLINE void finish() {
        for (int k = 0; k < width; ++k) store_fixed(sum_[k], out_[k]);
    }

private:
    FixedQuad* out_;
    Fixed4 sum_[width];
};

/// A row of `width` quads, in registers as wide as the machine has.
template <int width>
class Row {
public:
    HWY_INLINE Row() {
        for (auto& v : wide_) v = hn::Zero(Wide());
        quad_ = hn::Zero(FourInts());
    }
    HWY_INLINE void add(const FixedQuad* row) {
        const std::int32_t* p = row->a;
        for (int k = 0; k < wides; ++k) wide_[k] = wide_[k] + hn::LoadU(Wide(), p + k * per_wide);
        if (rest) quad_ = quad_ + hn::Load(FourInts(), p + wides * per_wide);
    }
    HWY_INLINE void add_difference(const FixedQuad* upper, const FixedQuad* lower) {
        const std::int32_t *p = upper->a, *q = lower->a;
        for (int k = 0; k < wides; ++k)
            wide_[k] = wide_[k] +
                       (hn::LoadU(Wide(), p + k * per_wide) - hn::LoadU(Wide(), q + k * per_wide));
        if (rest)
            quad_ = quad_ + (hn::Load(FourInts(), p + wides * per_wide) -
                             hn::Load(FourInts(), q + wides * per_wide));
    }
    HWY_INLINE void store_to(FixedQuad (&out)[width]) const {
        for (int k = 0; k < wides; ++k) hn::StoreU(wide_[k], Wide(), out[0].a + k * per_wide);
        if (rest) hn::Store(quad_, FourInts(), out[width - 1].a);
    }

private:
    using Wide = hn::CappedTag<std::int32_t, 8>;
    static constexpr int per_wide = hn::MaxLanes(Wide());
    static constexpr int wides = 4 * width / per_wide;
    static constexpr bool rest = 4 * width % per_wide != 0;
    hn::Vec<Wide> wide_[wides];
    Fixed4 quad_;
};

/// The sum of a region's rows of quads.
template <Summation summation, int width>
HWY_INLINE void sum_region(const CpuRegions& regions, const FixedQuad* rows, std::uint32_t region,
                           FixedQuad (&out)[width]) {
    struct QuadSum {
        const FixedQuad* first;
        Row<width> sum{};
        HWY_INLINE const FixedQuad* row(std::uint32_t k) const {
            return first + std::size_t{k} * stride<width>;
        }
        HWY_INLINE void add(std::uint32_t k) { sum.add(row(k)); }
        HWY_INLINE void add_difference(std::uint32_t upper, std::uint32_t lower) {
            sum.add_difference(row(upper), row(lower));
        }
    } sum{rows};
    add_rows_of_region<summation>(regions, region, sum);
    sum.sum.store_to(out);
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
