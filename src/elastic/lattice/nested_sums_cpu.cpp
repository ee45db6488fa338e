#include <algorithm>

#include "elastic/lattice/nested_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/lattice/nested_sums_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

/// A row of `quads` quads in registers as wide as the machine has.
template <int quads>
class WideRow {
    using Wide = hn::CappedTag<std::int32_t, 4 * quads>;
    static constexpr int per_wide = hn::MaxLanes(Wide());
    static constexpr int wides = 4 * quads / per_wide;

public:
    HWY_INLINE WideRow() {
        for (auto& v : v_) v = hn::Zero(Wide());
    }
    HWY_INLINE explicit WideRow(const FixedQuad* row) {
        for (int k = 0; k < wides; ++k) v_[k] = hn::LoadU(Wide(), row->a + k * per_wide);
    }
    HWY_INLINE void add(const FixedQuad* row) {
        for (int k = 0; k < wides; ++k) v_[k] = v_[k] + hn::LoadU(Wide(), row->a + k * per_wide);
    }
    HWY_INLINE void subtract(const FixedQuad* row) {
        for (int k = 0; k < wides; ++k) v_[k] = v_[k] - hn::LoadU(Wide(), row->a + k * per_wide);
    }
    HWY_INLINE void store_to(FixedQuad* row) const {
        for (int k = 0; k < wides; ++k) hn::StoreU(v_[k], Wide(), row->a + k * per_wide);
    }

private:
    hn::Vec<Wide> v_[wides];
};

template <int quads>
void sum_chunk_of(const NestedSums& sums, const NestedSums::Axis& axis, std::uint32_t chunk,
                  const FixedQuad* in, FixedQuad* out) {
    const NestedSums::Chunk& c = axis.chunks[chunk];
    const auto at = [](auto* rows, std::size_t row) { return rows + row * quads; };
    for (std::uint32_t s = c.first_start; s < c.last_start; ++s) {
        const NestedSums::Start& start = axis.starts[s];
        WideRow<quads> total;
        for (std::uint32_t m = 0; m < start.count; ++m)
            total.add(at(in, axis.members[start.first + m]));
        total.store_to(at(out, start.row));
    }
    for (std::uint32_t s = c.first_segment; s < c.last_segment; ++s) {
        const NestedSums::Segment& g = axis.segments[s];
        const std::size_t enter = g.enters == sums.zero_row() ? 0 : quads,
                          leave = g.leaves == sums.zero_row() ? 0 : quads;
        const FixedQuad *enters = at(in, g.enters), *leaves = at(in, g.leaves);
        FixedQuad* row = at(out, g.row);
        if (g.before + 1 == g.row) {  // along the rows: the sum stays in its register
            WideRow<quads> total(at(out, g.before));
            for (std::uint32_t j = 0; j < g.count; ++j) {
                total.add(enters);
                total.subtract(leaves);
                total.store_to(row);
                enters += enter, leaves += leave, row += quads;
            }
        } else {
            const FixedQuad* before = at(out, g.before);
            for (std::uint32_t j = 0; j < g.count; ++j) {
                WideRow<quads> total(before);
                total.add(enters);
                total.subtract(leaves);
                total.store_to(row);
                before += quads, enters += enter, leaves += leave, row += quads;
            }
        }
    }
}

/// Every element of the region of a chunk's elements, one by one.
template <int quads>
void sum_naively(const NestedSums& sums, bool spread, std::uint32_t begin, std::uint32_t end,
                 const FixedQuad* in, FixedQuad* out) {
    const auto w = static_cast<std::uint32_t>(sums.half_width());
    const std::array<const NestedSums::Axis*, 3> axes{&sums.axis(spread ? 2 : 0), &sums.axis(1),
                                                      &sums.axis(spread ? 0 : 2)};
    const auto window = [&](const NestedSums::Axis& axis, std::uint32_t k, const auto& visit) {
        const std::uint32_t at = axis.place_in_run[k], first = axis.run_begin[k],
                            last = axis.run_end[k];
        for (std::uint32_t i = at - first > w ? at - w : first;
             i < (last - at > w ? at + w + 1 : last); ++i)
            visit(axis.run_rows[i]);
    };
    for (std::uint32_t k = begin; k < end; ++k) {
        WideRow<quads> total;
        window(*axes[0], k, [&](std::uint32_t a) {
            window(*axes[1], element_of(a), [&](std::uint32_t b) {
                window(*axes[2], element_of(b),
                       [&](std::uint32_t c) { total.add(in + std::size_t{c} * quads); });
            });
        });
        total.store_to(out + std::size_t{row_of(k)} * quads);
    }
}

template <int quads>
void sum_of(const NestedSums& sums, std::span<FixedQuad> rows, std::span<FixedQuad> other,
            bool spread, Summation summation, Scheduler* threads) {
    FixedQuad *in = rows.data(), *out = other.data();
    const auto clear = [&](FixedQuad* of, std::uint32_t first, std::uint32_t last) {
        std::fill(of + std::size_t{first} * quads, of + std::size_t{last} * quads, FixedQuad{});
    };
    const std::uint32_t padding = sums.count() > 0 ? row_of(sums.count() - 1) + 1 : 0;
    if (summation == Summation::naive) {
        constexpr std::uint32_t some = 64;
        for_each(threads, (sums.count() + some - 1) / some, [&](std::uint32_t c) {
            sum_naively<quads>(sums, spread, c * some, std::min(sums.count(), (c + 1) * some), in,
                               out);
        });
    } else {
        for (FixedQuad* const buffer : {in, out})
            clear(buffer, sums.zero_row(), sums.zero_row() + 1);
        const auto along = [&](int axis, std::uint32_t chunk, const FixedQuad* from,
                               FixedQuad* to) {
            sum_chunk_of<quads>(sums, sums.axis(axis), chunk, from, to);
        };
        // Runs along y and z stay within their chunk: both passes while it is in the cache.
        const auto across = static_cast<std::uint32_t>(sums.axis(0).chunks.size()),
                   planes = static_cast<std::uint32_t>(sums.axis(1).chunks.size());
        if (spread) {
            for_each(threads, across, [&](std::uint32_t c) { along(0, c, in, out); });
            for_each(threads, planes,
                     [&](std::uint32_t c) { along(1, c, out, in), along(2, c, in, out); });
        } else {
            for_each(threads, planes,
                     [&](std::uint32_t c) { along(2, c, in, out), along(1, c, out, in); });
            for_each(threads, across, [&](std::uint32_t c) { along(0, c, in, out); });
        }
    }
    clear(other.data(), padding, sums.rows());
}

}  // namespace

void SumNested(const NestedSums& sums, std::span<FixedQuad> rows, std::span<FixedQuad> other,
               int width, bool spread, Summation summation, Scheduler* threads) {
    if (width == 2)
        sum_of<2>(sums, rows, other, spread, summation, threads);
    else
        sum_of<4>(sums, rows, other, spread, summation, threads);
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(SumNested);

void NestedSums::sum(std::span<FixedQuad> rows, std::span<FixedQuad> other, int width, bool spread,
                     Summation summation, Scheduler* threads) const {
    HWY_DYNAMIC_DISPATCH(SumNested)(*this, rows, other, width, spread, summation, threads);
}

}  // namespace turgor
#endif
