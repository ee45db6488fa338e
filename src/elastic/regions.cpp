#include "elastic/regions.hpp"

#include <algorithm>

#include "base/cancel.hpp"
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

}  // namespace

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
