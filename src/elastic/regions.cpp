#include "elastic/regions.hpp"

#include <algorithm>
#include <limits>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "device/shared/constants.h"

namespace turgor {

static_assert(FixedQuad::one == static_cast<float>(TURGOR_FIXED_ONE));

namespace {

void append_runs(std::span<const std::uint32_t> region, std::vector<Run>& runs) {
    constexpr std::uint32_t block = CpuLayout::block;
    for (std::size_t k = 0; k < region.size();) {
        const std::uint32_t first = region[k];
        std::uint32_t last = first;
        while (++k < region.size() && region[k] == last + 1 && region[k] % block != 0) ++last;
        const std::uint32_t shift = first / block;
        runs.push_back({first + shift, last + 1 + shift});
    }
}

constexpr std::size_t items_max = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void fail_too_large(std::size_t particles, int width, std::size_t items) {
    fail(ErrorCode::bad_argument,
         "The regions of {} particles of width {} would have about {:.2g} entries, more than "
         "{:.2g}: take a "
         "smaller width or a coarser mesh.",
         particles, width, static_cast<double>(items), static_cast<double>(items_max));
}

/// Breadth-first searches of limited depth, one after the other.
class Rings {
public:
    Rings(const ListOfLists& graph, int width)
        : graph_(graph),
          width_(width),
          seen_(graph.size(), std::numeric_limits<std::uint32_t>::max()) {}

    /// Appends everything within `width` edges of `centre`; call it once for each centre.
    void append(std::uint32_t centre, std::vector<std::uint32_t>& items) {
        std::size_t at = items.size();
        seen_[centre] = centre;
        items.push_back(centre);
        for (int ring = 0; ring < width_; ++ring)
            for (const std::size_t end = items.size(); at < end; ++at)
                for (const std::uint32_t j : graph_[items[at]])
                    if (seen_[j] != centre) seen_[j] = centre, items.push_back(j);
    }

private:
    const ListOfLists& graph_;
    int width_;
    std::vector<std::uint32_t> seen_;  ///< the last centre that reached a vertex
};

/// The number of items to expect, from every so-many-th region: too many are refused before they
/// fill the memory.
std::size_t expected_items(const ListOfLists& graph, int width) {
    const std::size_t step = graph.size() / 256 + 1;
    Rings rings(graph, width);
    std::vector<std::uint32_t> row;
    std::size_t sum = 0, samples = 0;
    for (std::size_t i = 0; i < graph.size(); i += step, ++samples) {
        row.clear();
        rings.append(static_cast<std::uint32_t>(i), row);
        sum += row.size();
    }
    return samples > 0 ? sum * graph.size() / samples : 0;
}

}  // namespace

ListOfLists make_regions(const ListOfLists& graph, int width) {
    const std::size_t expected = expected_items(graph, width);
    if (expected > items_max) fail_too_large(graph.size(), width, expected);
    ListOfLists regions;
    regions.starts.reserve(graph.size() + 1);
    regions.items.reserve(std::min(expected + expected / 32 + 64, items_max));
    Rings rings(graph, width);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        check_cancelled();
        const auto begin = static_cast<std::ptrdiff_t>(regions.items.size());
        rings.append(i, regions.items);
        if (regions.items.size() > items_max)
            fail_too_large(graph.size(), width, regions.items.size());
        std::sort(regions.items.begin() + begin, regions.items.end());
        regions.end_row();
    }
    regions.shrink();
    return regions;
}

std::shared_ptr<const CpuRegions> make_cpu_regions(const Regions& regions, Summation summation) {
    auto made = std::make_shared<CpuRegions>();
    CpuRegions& r = *made;
    const std::size_t padded = CpuLayout::padded(regions.size());
    r.share.resize(padded);
    r.run_starts.push_back(0);
    r.member_starts.push_back(0);
    for (std::size_t i = 0; i < regions.size(); ++i) {
        check_cancelled();
        const auto region = regions[i];
        r.share[i] = static_cast<float>(1.0 / static_cast<double>(region.size()));
        r.largest = std::max(r.largest, static_cast<float>(region.size()));
        if (summation == Summation::fast)
            append_runs(region, r.runs);
        else
            for (const auto j : region) r.members.push_back(row_of(j));
        r.run_starts.push_back(static_cast<std::uint32_t>(r.runs.size()));
        r.member_starts.push_back(static_cast<std::uint32_t>(r.members.size()));
    }
    r.run_starts.resize(padded + 1, r.run_starts.back());
    r.member_starts.resize(padded + 1, r.member_starts.back());
    r.runs.shrink_to_fit();
    r.members.shrink_to_fit();
    return made;
}

std::size_t bytes(const Regions& regions) {
    return regions.starts.capacity() * sizeof(regions.starts[0]) +
           regions.items.capacity() * sizeof(regions.items[0]);
}

std::size_t bytes(const CpuRegions& r) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(r.run_starts) + size(r.runs) + size(r.member_starts) + size(r.members) +
           size(r.share);
}

double intervals_per_region(const Regions& regions) {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const auto region = regions[i];
        for (std::size_t k = 0; k < region.size(); ++k)
            runs += k == 0 || region[k] != region[k - 1] + 1;
    }
    return regions.size() > 0 ? static_cast<double>(runs) / static_cast<double>(regions.size()) : 0;
}

}  // namespace turgor
