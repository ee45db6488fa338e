#pragma once

#include <cstdint>
#include <memory>

#include "base/quad.hpp"
#include "body/asset.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// How the cpu back end cuts a body's particles up. Every loop runs over groups of `group`, so that
/// results do not depend on the width of the registers; prefix sums start anew in each block, so
/// that blocks can be summed by different threads.
struct FastLayout {
    static constexpr std::uint32_t group = particle_group;
    static constexpr std::uint32_t block = 2048;
    /// Particles in whole groups.
    static constexpr std::size_t padded(std::size_t count) {
        return (count + group - 1) / group * group;
    }
};

/// A run of consecutive particles of one block, as the two rows of a prefix array whose difference
/// is its sum. Row i + i/block holds the sum of the block's particles before i.
struct Run {
    std::uint32_t begin = 0, end = 0;
};

/// What the cpu back end needs of a BodyAsset: single precision, in the order and the packing of
/// its loops. Arrays are padded to whole groups with particles that have no weight and touch
/// nothing.
struct FastAsset {
    std::uint32_t count = 0;   ///< particles
    std::uint32_t padded = 0;  ///< rounded up to whole groups
    std::uint32_t blocks = 0;

    AlignedVector<Quad> rest;  ///< x⁰; w: 1/|ℜᵢ|
    AlignedVector<Quad> fit;  ///< (w x⁰, w), the weight in all fits; the heaviest region weighs 1
    AlignedVector<Quad> centre;  ///< of the region at rest; w: 1 / its weight
    AlignedVector<std::array<double, 4>> exact_centre;  ///< (centre, 0) in double precision
    AlignedVector<float> mass;                          ///< [kg] for density 1
    AlignedVector<float> per_mass;                      ///< 1/mass, 0 in the padding
    std::vector<std::uint32_t> run_starts;  ///< region i is runs[run_starts[i] … run_starts[i+1])
    std::vector<Run> runs;
    /// The same regions particle by particle (rows), instead of runs, for naive summation.
    std::vector<std::uint32_t> member_starts, members;
    /// Closed walks around particles, neighbours in turn and the first again, two particles (2k and
    /// 2k + 1) side by side; the shorter walk stays at its end.
    std::vector<std::uint32_t> ring_starts;
    std::vector<std::array<std::uint32_t, 2>> ring;
    AlignedVector<Pair> strut;  ///< rest length, stiffness
    std::vector<std::uint32_t> strut_partner;

    double whole_mass = 0;     ///< Σ mass
    float reach = 0;           ///< largest |x⁰| component, a power of two
    float largest_region = 0;  ///< particles of the largest region
    float spin_limit = 0;      ///< no region of particles with speeds below 1 turns faster [1/m]

    std::uint32_t rows() const { return padded + blocks; }
};

std::shared_ptr<const FastAsset> make_fast_asset(const BodyAsset& asset,
                                                 std::span<const double> fit_weight,
                                                 Summation summation);
/// Memory that it uses [bytes].
std::size_t bytes(const FastAsset& asset);

/// The particles of a block, padding included.
struct BlockRange {
    std::uint32_t begin, end;
    BlockRange(const FastAsset& asset, std::uint32_t block)
        : begin(block * FastLayout::block),
          end(begin + FastLayout::block < asset.padded ? begin + FastLayout::block : asset.padded) {
    }
};

inline std::uint32_t row_of(std::uint32_t particle) {
    return particle + particle / FastLayout::block;
}

}  // namespace turgor
