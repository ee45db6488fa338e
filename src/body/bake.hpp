#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "body/asset.hpp"
#include "body/bake_cache.hpp"
#include "body/source.hpp"
#include "turgor/solid.hpp"

namespace turgor {

/// What every body made of `mesh` (closed, manifold, outward: what make_mesh returns) has: its
/// vertices are the particles, in the given order. Where `display` is given it is bound to the
/// simulated mesh and shown in its place; both share their coordinates. `relative_masses` of the
/// vertices may be empty: all alike. A mesh that cannot be simulated is an Error.
std::shared_ptr<const BodyAsset> make_body_asset(const Mesh& mesh,
                                                 std::vector<std::uint32_t> vertex_of_particle,
                                                 const Mesh* display = nullptr,
                                                 std::span<const double> relative_masses = {});

/// That of a source, checked, with its masses, its particles in the order of a sweep: made once for
/// all bodies of a model. Models keep it under their name and " asset".
std::shared_ptr<const BodyAsset> cached_swept_asset(const BodySource& source,
                                                    std::string_view model, BakeCache& cache);

/// What a body has whose particles are the corners of cells: its surface is what bounds them.
/// Masses go by how many cells a corner is of. `display` is bound to the cells, and drawn; it may
/// be open. Without followers, contact moves the corners of the surface alone.
struct SolidAsset {
    std::shared_ptr<const BodyAsset> asset;
    std::vector<std::uint32_t> particle_of_corner;
    double mass_scale = 0;  ///< what the masses that were asked for were multiplied by
};
struct SolidAssetOptions {
    std::span<const double> relative_masses{};  ///< of the corners; empty: all alike
    bool with_followers = true;
    /// That of the whole that this is a piece of; unset: masses add up to the volume.
    std::optional<double> mass_scale{};
};
SolidAsset make_solid_asset(const Solid& solid, const Mesh& display, std::uint64_t settings,
                            const SolidAssetOptions& options = {});
/// With a display that is bound to the solid's corners.
SolidAsset make_solid_asset(const Solid& solid, EmbeddedDisplay shown, std::uint64_t settings,
                            const SolidAssetOptions& options = {});

/// What a solid of a source is made from.
struct SolidSource {
    Solid solid;
    const Mesh& shown;
    std::vector<double> relative_masses;  ///< of the corners; may be empty
};
/// `cells` along the longest extent. An Error where that makes too many particles.
SolidSource make_solid_source(const BodySource& source, int cells);

/// Memory that an asset uses [bytes].
std::size_t bytes(const BodyAsset& asset);

}  // namespace turgor
