#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// What every body made of `mesh` (closed, manifold, outward: what make_mesh returns) has: its
/// vertices are the particles, in the given order. Where `display` is given it is bound to the
/// simulated mesh and shown in its place; both share their coordinates. A mesh that cannot be
/// simulated is an Error.
std::shared_ptr<const BodyAsset> make_body_asset(const Mesh& mesh,
                                                 std::vector<std::uint32_t> vertex_of_particle,
                                                 const Mesh* display = nullptr);

/// Memory that an asset uses [bytes].
std::size_t bytes(const BodyAsset& asset);

}  // namespace turgor
