#pragma once

#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// Stage 2, the heart: shape matching over the overlapping regions of a surface mesh (METHODS A1,
/// A3).

/// What the fits of all regions need of the rest shape.
struct SurfaceRest {
    std::vector<double> weight;         ///< of a particle in every fit it takes part in
    std::vector<double> region_weight;  ///< Σ over the region, the extra normal point included
    std::vector<Vec3> region_centre;    ///< weighted mean of the rest positions
    std::vector<Vec3> normal_point;     ///< x⁰ᵢ + l n⁰ᵢ; empty where it has no weight
    std::vector<double> normal_length;  ///< l
    double normal_point_weight = 0;     ///< relative to the particle's own weight
};

/// `share_mass`: fit with m/|ℜ| (momentum is kept) rather than with m as published.
SurfaceRest make_surface_rest(const BodyAsset& asset, bool share_mass, double normal_point_weight);

/// How much of the body's slowest wobble shape matching takes back at stiffness 1, 0 … 1. With it,
/// s = sin²(2πf h)/share gives a wobble of f. Found by stretching and shearing the rest shape a
/// little, letting that deformation relax towards the softest one it contains (rigid motion and
/// volume taken out), and taking its Rayleigh quotient.
double wobble_share(const BodyAsset& asset, const SurfaceRest& rest);

/// The blended goal position of every particle. `rotations` holds the last step's fits and takes
/// the new ones.
void match_regions(const BodyAsset& asset, const SurfaceRest& rest, std::span<const Vec3> x,
                   std::span<Quat> rotations, std::span<Vec3> goals);

/// The rigid velocity field of each region, blended over the regions like the goals.
void blend_rigid_velocities(const BodyAsset& asset, const SurfaceRest& rest,
                            std::span<const Vec3> x, std::span<const Vec3> v,
                            std::span<Vec3> blended);

}  // namespace turgor
