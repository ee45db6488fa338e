#pragma once

#include <cstdint>
#include <memory>

#include "base/quad.hpp"
#include "body/asset.hpp"

namespace turgor {

/// How the cpu back end cuts a body's particles up. Every loop runs over groups of `group`, so that
/// results do not depend on the width of the registers; prefix sums start anew in each block, so
/// that blocks can be summed by different threads.
struct CpuLayout {
    static constexpr std::uint32_t group = particle_group;
    static constexpr std::uint32_t block = 2048;
    /// Particles in whole groups.
    static constexpr std::size_t padded(std::size_t count) {
        return (count + group - 1) / group * group;
    }
};

/// What the cpu back end needs of a BodyAsset: single precision, in the order and the packing of
/// its loops. Arrays are padded to whole groups with particles that have no weight and touch
/// nothing.
struct CpuAsset {
    std::uint32_t count = 0;    ///< particles
    std::uint32_t padded = 0;   ///< rounded up to whole groups
    std::uint32_t surface = 0;  ///< of the particles, the first: corners of the surface
    std::uint32_t blocks = 0;

    AlignedVector<float> mass;      ///< [kg] for density 1
    AlignedVector<float> per_mass;  ///< 1/mass, 0 in the padding
    /// BodyAsset::volume_share, of corners of the surface in whole groups; empty: all alike.
    AlignedVector<float> volume_share;
    /// Closed walks around corners of the surface, neighbours in turn and the first again, two
    /// particles (2k and 2k + 1) side by side; the shorter walk stays at its end.
    std::vector<std::uint32_t> ring_starts;
    std::vector<std::array<std::uint32_t, 2>> ring;

    double whole_mass = 0;  ///< Σ mass
    float reach = 0;        ///< largest |x⁰| component, a power of two

    std::uint32_t rows() const { return padded + blocks; }
};

std::shared_ptr<const CpuAsset> make_cpu_asset(const BodyAsset& asset);
/// Memory that it uses [bytes].
std::size_t bytes(const CpuAsset& asset);

/// The particles of a block, padding included.
struct BlockRange {
    std::uint32_t begin, end;
    BlockRange(const CpuAsset& asset, std::uint32_t block)
        : begin(block * CpuLayout::block),
          end(begin + CpuLayout::block < asset.padded ? begin + CpuLayout::block : asset.padded) {}
};

/// Those of a block, in whole groups, that corners of the surface are among; may be empty.
struct SurfaceRange {
    std::uint32_t begin, end;
    SurfaceRange(const CpuAsset& asset, std::uint32_t block)
        : begin(BlockRange(asset, block).begin), end(begin) {
        const auto last = static_cast<std::uint32_t>(CpuLayout::padded(asset.surface));
        if (last > begin) end = begin + CpuLayout::block < last ? begin + CpuLayout::block : last;
    }
};

inline std::uint32_t row_of(std::uint32_t particle) {
    return particle + particle / CpuLayout::block;
}
/// The other way round.
inline std::uint32_t element_of(std::uint32_t row) {
    return row - row / (CpuLayout::block + 1);
}

}  // namespace turgor
