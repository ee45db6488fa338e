#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/list_of_lists.hpp"
#include "base/quad.hpp"
#include "body/cpu_asset.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// Overlapping sets of particles, one around each particle, that sums are taken over: row i lists
/// the particles of set i, ascending. An elastic model may match shapes over them; the volume stage
/// smooths its weights over the same sets.
using Regions = ListOfLists;

/// ℜᵢ for each i: all vertices within `width` edges of `graph`, i itself included, ascending.
/// Symmetric: j ∈ ℜᵢ ⇔ i ∈ ℜⱼ. More items than 32 bits can count are an Error.
Regions make_regions(const ListOfLists& graph, int width);

/// A run of consecutive particles of one block, as the two rows of a prefix array whose difference
/// is its sum. Row i + i/block holds the sum of the block's particles before i.
struct Run {
    std::uint32_t begin = 0, end = 0;
};

/// Quads of a row of sums: it fills a cache line.
inline constexpr std::size_t row_quads = 4;

/// Regions as the cpu back end sums over them: by differences of prefix sums over runs, or naively
/// particle by particle.
struct CpuRegions {
    std::vector<std::uint32_t> run_starts;  ///< region i is runs[run_starts[i] … run_starts[i+1])
    std::vector<Run> runs;
    /// The same regions particle by particle (rows), instead of runs, for naive summation.
    std::vector<std::uint32_t> member_starts, members;
    AlignedVector<float> share;  ///< 1/|ℜᵢ|, 0 in the padding
    float largest = 0;           ///< particles of the largest region
};

std::shared_ptr<const CpuRegions> make_cpu_regions(const Regions& regions, Summation summation);
/// Memory that they use [bytes].
std::size_t bytes(const Regions& regions);
std::size_t bytes(const CpuRegions& regions);

/// The mean number of runs of consecutive particles that a region consists of (Diziol et al. 2011,
/// section 4).
double intervals_per_region(const Regions& regions);

}  // namespace turgor
