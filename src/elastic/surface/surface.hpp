#pragma once

#include <memory>
#include <span>
#include <vector>

#include "body/asset.hpp"
#include "body/bridges.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "elastic/regions.hpp"

namespace turgor {

/// Stage 2, the heart: shape matching over the overlapping regions of a surface mesh (Diziol et
/// al. 2011, sections 3 and 4; docs/methods.md).

inline constexpr int omega_max = 64;

/// How regions are fitted (Formulation::surface).
struct SurfaceSettings {
    int omega = 2;                   ///< region width in edges, 1 … omega_max
    bool share_mass = true;          ///< fit with m/|ℜ| (momentum is kept) rather than with m
    double normal_point_weight = 0;  ///< of the extra point above each region
};

/// What the fits of all regions need of the rest shape.
struct SurfaceRest {
    int omega = 0;
    std::shared_ptr<const Regions> regions;  ///< ℜᵢ: all particles within ω edges of i
    std::vector<Link> bridges;   ///< join parts that no edge connects; only regions follow them
    std::vector<double> weight;  ///< of a particle in every fit it takes part in
    std::vector<double> region_weight;  ///< Σ over the region, the extra normal point included
    std::vector<Vec3> region_centre;    ///< weighted mean of the rest positions
    std::vector<Vec3> normal_point;     ///< x⁰ᵢ + l n⁰ᵢ; empty where it has no weight
    std::vector<double> normal_length;  ///< l
    double normal_point_weight = 0;     ///< relative to the particle's own weight
    double wobble_share = 0;            ///< see find_wobble_share
    double intervals = 0;               ///< intervals_per_region
};

/// Links between parts of a mesh that no edge connects, by particles.
std::vector<Link> find_bridges(const Mesh& mesh, const BodyAsset& asset);
std::shared_ptr<const Regions> make_surface_regions(const BodyAsset& asset,
                                                    std::span<const Link> bridges, int omega);
/// Without the wobble's share.
SurfaceRest make_surface_rest(const BodyAsset& asset, std::shared_ptr<const Regions> regions,
                              const SurfaceSettings& settings);
std::size_t bytes(const SurfaceRest& rest);

/// Rest data of an asset that was made of `mesh`, for regions of one width.
std::shared_ptr<const SurfaceRest> bake_regions(const Mesh& mesh, const BodyAsset& asset,
                                                const SurfaceSettings& settings);

/// The asset and the rest data of a mesh, for those who need no body.
struct SurfaceBake {
    std::shared_ptr<const BodyAsset> asset;
    std::shared_ptr<const SurfaceRest> rest;
};
SurfaceBake bake_surface(const Mesh& mesh, const SurfaceSettings& settings = {},
                         const Mesh* display = nullptr);

/// What the cpu form needs of it.
std::shared_ptr<const RegionCpuRest> make_surface_cpu_rest(const BodyAsset& asset,
                                                           const SurfaceRest& rest,
                                                           std::shared_ptr<const CpuRegions>);

/// The share of the slowest wobble (elastic/matching/region_fit.hpp) with these regions.
double find_wobble_share(const BodyAsset& asset, const SurfaceRest& rest);

/// The blended goal position of every particle. `rotations` holds the last step's fits and takes
/// the new ones.
void match_regions(const BodyAsset& asset, const SurfaceRest& rest, std::span<const Vec3> x,
                   std::span<Quat> rotations, std::span<Vec3> goals);

/// The rigid velocity field of each region, blended over the regions like the goals.
void blend_rigid_velocities(const BodyAsset& asset, const SurfaceRest& rest,
                            std::span<const Vec3> x, std::span<const Vec3> v,
                            std::span<Vec3> blended);

}  // namespace turgor
