#include "elastic/lattice/nested_sums.hpp"

#include <algorithm>

#include "base/cancel.hpp"

namespace turgor {
namespace {

/// Runs along y and z stay within their planes: chunks are so small that two passes find them in
/// the cache. Those along x are summed afresh where a chunk begins, so there are few.
constexpr std::uint32_t least_chunk_across = 8192, least_chunk_of_planes = 1024;

/// Chunks of whole planes.
std::vector<std::uint32_t> cut(std::span<const std::uint32_t> first_of_plane,
                               std::uint32_t least_chunk) {
    std::vector<std::uint32_t> at{0};
    for (const std::uint32_t first : first_of_plane)
        if (first - at.back() >= least_chunk) at.push_back(first);
    if (at.size() > 1 && first_of_plane.back() - at.back() < least_chunk) at.pop_back();
    if (at.back() != first_of_plane.back()) at.push_back(first_of_plane.back());
    return at;
}

/// The elements of each run, one run after the other, and where each element is.
void find_runs(const std::vector<std::uint32_t>& next, NestedSums::Axis& axis) {
    const auto count = static_cast<std::uint32_t>(next.size());
    std::vector<std::uint8_t> has_before(count);
    for (const std::uint32_t k : next)
        if (k != NestedSums::none) has_before[k] = 1;
    axis.place_in_run.resize(count);
    axis.run_begin.resize(count);
    axis.run_end.resize(count);
    for (std::uint32_t first = 0; first < count; ++first) {
        if (has_before[first]) continue;
        const auto begin = static_cast<std::uint32_t>(axis.run_rows.size());
        for (std::uint32_t k = first; k != NestedSums::none; k = next[k]) {
            axis.place_in_run[k] = static_cast<std::uint32_t>(axis.run_rows.size());
            axis.run_rows.push_back(row_of(k));
        }
        const auto end = static_cast<std::uint32_t>(axis.run_rows.size());
        for (std::uint32_t k = first; k != NestedSums::none; k = next[k]) {
            axis.run_begin[k] = begin;
            axis.run_end[k] = end;
        }
    }
}

/// Whether a row goes on where another ends, or both are the row of nothing.
bool goes_on(std::uint32_t row, std::uint32_t first, std::uint32_t count, std::uint32_t zero) {
    return first == zero ? row == zero : row == first + count;
}

}  // namespace

NestedSums::NestedSums(const Bonds& next, std::span<const std::uint32_t> first_of_plane,
                       int half_width, Summation summation)
    : count_(static_cast<std::uint32_t>(next[0].size())), half_width_(half_width) {
    const auto padded = static_cast<std::uint32_t>(CpuLayout::padded(count_));
    rows_ = padded + (padded + CpuLayout::block - 1) / CpuLayout::block;
    zero_row_ = std::min(padded, CpuLayout::block);  // what a block's rows end with
    const auto w = static_cast<std::uint32_t>(half_width);
    for (std::size_t a = 0; a < 3; ++a) {
        Axis& axis = axes_[a];
        const std::vector<std::uint32_t> cuts =
            cut(first_of_plane, a == 0 ? least_chunk_across : least_chunk_of_planes);
        find_runs(next[a], axis);
        for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
            check_cancelled();
            Chunk chunk{static_cast<std::uint32_t>(axis.starts.size()), 0,
                        static_cast<std::uint32_t>(axis.segments.size()), 0};
            for (std::uint32_t k = cuts[c]; k < cuts[c + 1]; ++k) {
                const std::uint32_t begin = axis.run_begin[k], end = axis.run_end[k],
                                    at = axis.place_in_run[k];
                const std::uint32_t first = at - begin > w ? at - w : begin,
                                    last = end - at > w ? at + w + 1 : end;
                if (at == begin || axis.run_rows[at - 1] < row_of(cuts[c])) {
                    axis.starts.push_back(
                        {row_of(k), static_cast<std::uint32_t>(axis.members.size()), last - first});
                    axis.members.insert(axis.members.end(), axis.run_rows.begin() + first,
                                        axis.run_rows.begin() + last);
                    continue;
                }
                const std::uint32_t before = axis.run_rows[at - 1],
                                    enters = end - at > w ? axis.run_rows[at + w] : zero_row_,
                                    leaves = at - begin > w ? axis.run_rows[at - w - 1] : zero_row_;
                if (axis.segments.size() > chunk.first_segment) {
                    Segment& s = axis.segments.back();
                    if (row_of(k) == s.row + s.count && before == s.before + s.count &&
                        goes_on(enters, s.enters, s.count, zero_row_) &&
                        goes_on(leaves, s.leaves, s.count, zero_row_)) {
                        ++s.count;
                        continue;
                    }
                }
                axis.segments.push_back({row_of(k), before, enters, leaves, 1});
            }
            chunk.last_start = static_cast<std::uint32_t>(axis.starts.size());
            chunk.last_segment = static_cast<std::uint32_t>(axis.segments.size());
            axis.chunks.push_back(chunk);
        }
        axis.starts.shrink_to_fit();
        axis.segments.shrink_to_fit();
        axis.members.shrink_to_fit();
        if (summation == Summation::naive) continue;
        for (auto* table : {&axis.run_rows, &axis.place_in_run, &axis.run_begin, &axis.run_end})
            std::vector<std::uint32_t>().swap(*table);
    }
}

std::size_t NestedSums::bytes() const {
    std::size_t total = sizeof *this;
    const auto add = [&](const auto& list) { total += list.capacity() * sizeof(list[0]); };
    for (const Axis& a : axes_) {
        add(a.chunks), add(a.starts), add(a.segments), add(a.members);
        add(a.run_rows), add(a.place_in_run), add(a.run_begin), add(a.run_end);
    }
    return total;
}

}  // namespace turgor
