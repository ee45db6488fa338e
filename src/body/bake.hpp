#pragma once

#include <cstddef>
#include <memory>

#include "body/asset.hpp"

namespace turgor {

struct BakeSettings {
    static constexpr int omega_max = 64;

    int omega = 2;                      ///< region width in edges, 1 … omega_max
    double strut_stiffness_min = 0.01;  ///< of the longest strut
    double strut_stiffness_max = 0.1;   ///< of the shortest
};

/// Prepares `mesh` (closed, manifold, outward: what make_mesh returns) for simulation. Where
/// `display` is given it is bound to the simulated mesh and shown in its place; both share their
/// coordinates. A mesh that cannot be simulated is an Error.
std::shared_ptr<const BodyAsset> bake(const Mesh& mesh, const BakeSettings& settings,
                                      const Mesh* display = nullptr);

/// The same body with regions of another width; everything else is shared work already done.
std::shared_ptr<const BodyAsset> with_omega(const BodyAsset& asset, int omega);

/// The mean number of runs of consecutive particles that a region consists of (A2); 2ω + 1 is
/// ideal.
double intervals_per_region(const BodyAsset& asset);

/// Memory that an asset uses [bytes].
std::size_t bytes(const BodyAsset& asset);

}  // namespace turgor
