#pragma once

#include "base/quad.hpp"
#include "body/asset.hpp"

namespace turgor {

/// Inner particles that go along with corners of the surface where corrections of the volume move
/// these (docs/methods.md, "Lattices"): as many layers as its elastic model asks for, by shares
/// that fall to nothing over them. A corner and what goes along with it are a *clump*: corrections
/// have no momentum when each counts with its mass, at its centre.
struct VolumeFollowers {
    ListOfLists of_corner;            ///< particles
    std::vector<double> share;        ///< of the items of `of_corner`
    std::vector<double> mass_factor;  ///< of a clump, in masses of its corner

    /// |n̄| at rest. Where cells are drawn out, a corner has many times that for the same mass, and
    /// would be pushed through its neighbours: beyond it, area no longer counts.
    std::vector<double> rest_area;

    /// Of a clump, where particles are at x. `mass`: of particles.
    Vec3 centre(std::uint32_t corner, std::span<const Vec3> x, std::span<const double> mass) const;
};
/// Null where there are none.
std::shared_ptr<const VolumeFollowers> make_volume_followers(const BodyAsset& asset, int layers);

/// The same for the cpu back end.
struct CpuVolumeFollowers {
    struct Part {
        std::uint32_t particle;
        float share;
    };
    /// Of a clump's mass, what its corner and each of its followers have.
    AlignedVector<float> own;  ///< in whole groups
    std::vector<std::uint32_t> starts;
    std::vector<Part> parts;
    AlignedVector<float> mass_factor, rest_area;  ///< in whole groups
    /// The other way round: of inner particles, the corners that each follows.
    std::vector<std::uint32_t> corner_starts;
    std::vector<Part> corners;
};
std::shared_ptr<const CpuVolumeFollowers> make_cpu_volume_followers(
    const BodyAsset& asset, const VolumeFollowers& followers);

/// Memory [bytes].
std::size_t bytes(const VolumeFollowers& followers);
std::size_t bytes(const CpuVolumeFollowers& followers);

}  // namespace turgor
