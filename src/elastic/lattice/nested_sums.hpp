#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/for_each.hpp"
#include "base/quad.hpp"
#include "body/cpu_asset.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// Sums over the cubic regions of a lattice in time that does not depend on their width (Rivers,
/// James 2007; docs/methods.md, "Lattices").
///
/// A run is a stretch of elements along an axis that bonds hold together. The region of an element:
/// all within `half_width` of it in its run along x, of each of these likewise along y, and of each
/// of those along z. Sums over regions are three passes, S = Sx Sy Sz, each of which adds what
/// comes into a window and takes off what leaves it; a pass is symmetric, so the regions that an
/// element is in are summed by the same passes in the other order, Sᵀ = Sz Sy Sx.
///
/// Elements are numbered with z fastest, x slowest. Element k has row k + k/block; where there is
/// no element, a row of nothing stands in.
class NestedSums {
public:
    static constexpr std::uint32_t none = 0xffffffff;
    /// The next element along an axis that a bond leads to, or none.
    using Bonds = std::array<std::vector<std::uint32_t>, 3>;

    NestedSums() = default;
    /// `first_of_plane`: the first element of each plane of one x, and the end. Naive summation
    /// needs tables of its own, which are kept where it is asked for.
    NestedSums(const Bonds& next, std::span<const std::uint32_t> first_of_plane, int half_width,
               Summation summation = Summation::fast);

    std::uint32_t count() const { return count_; }
    std::uint32_t rows() const { return rows_; }
    int half_width() const { return half_width_; }
    std::size_t bytes() const;

    /// Sums over the region of each element (`spread` = false), or over the regions that it is in:
    /// of rows of numbers in double precision, or whatever adds and subtracts. `rows` has rows() of
    /// them and takes the sums.
    template <class T>
    void sum(std::vector<T>& rows, bool spread) const {
        std::vector<T> other(rows.size());
        for (int pass = 0; pass < 3; ++pass) {
            const Axis& axis = axes_[spread ? pass : 2 - pass];
            rows[zero_row_] = {};
            for (const Chunk& chunk : axis.chunks) {
                for (std::uint32_t s = chunk.first_start; s < chunk.last_start; ++s) {
                    T total{};
                    const Start& start = axis.starts[s];
                    for (std::uint32_t m = 0; m < start.count; ++m)
                        total += rows[axis.members[start.first + m]];
                    other[start.row] = total;
                }
                for (std::uint32_t s = chunk.first_segment; s < chunk.last_segment; ++s) {
                    const Segment& g = axis.segments[s];
                    for (std::uint32_t j = 0; j < g.count; ++j) {
                        T total = other[g.before + j];
                        total += rows[g.enters + (g.enters == zero_row_ ? 0 : j)];
                        total -= rows[g.leaves + (g.leaves == zero_row_ ? 0 : j)];
                        other[g.row + j] = total;
                    }
                }
            }
            std::swap(rows, other);
        }
    }

    /// The same of rows of `width` fixed-point quads (3: with room for a fourth). `rows` and
    /// `other` change places three times: the sums end in `other`. Naive: every element of a region
    /// is looked at, to the same bits.
    void sum(std::span<FixedQuad> rows, std::span<FixedQuad> other, int width, bool spread,
             Summation summation, Scheduler* threads) const;

    // For the cpu form of `sum`.
    /// Consecutive rows, each the one `before` plus what enters its window less what leaves it.
    struct Segment {
        std::uint32_t row, before, enters, leaves, count;
    };
    /// The first of a run, or of a chunk, is summed afresh.
    struct Start {
        std::uint32_t row, first, count;
    };
    /// Elements that one thread sums.
    struct Chunk {
        std::uint32_t first_start, last_start, first_segment, last_segment;
    };
    struct Axis {
        std::vector<Chunk> chunks;
        std::vector<Start> starts;
        std::vector<Segment> segments;
        std::vector<std::uint32_t> members;  ///< rows
        // For naive summation only.
        /// Of each element, its place in its run: which rows are before and after it.
        std::vector<std::uint32_t> run_rows;            ///< rows, run after run
        std::vector<std::uint32_t> place_in_run;        ///< of an element, in run_rows
        std::vector<std::uint32_t> run_begin, run_end;  ///< of an element's run, in run_rows
    };
    const Axis& axis(int k) const { return axes_[static_cast<std::size_t>(k)]; }
    std::uint32_t zero_row() const { return zero_row_; }

private:
    std::array<Axis, 3> axes_;
    std::uint32_t count_ = 0, rows_ = 0, zero_row_ = 0;
    int half_width_ = 1;
};

}  // namespace turgor
