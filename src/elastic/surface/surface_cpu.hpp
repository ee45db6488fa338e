#pragma once

#include <array>
#include <memory>
#include <span>

#include "elastic/cpu_pass.hpp"
#include "elastic/regions.hpp"
#include "elastic/surface/surface.hpp"

namespace turgor {

/// Stage 2 for the cpu back end: single precision, fixed-point sums over regions by prefix sums
/// (docs/methods.md, "In single precision"), many regions at once. Every function works on one
/// block of particles or regions; blocks may run at the same time, functions one after the other.

/// What the cpu form needs of a body at rest besides: single precision, padded to whole groups with
/// particles that have no weight and touch nothing.
struct SurfaceCpuRest {
    AlignedVector<Quad> rest;  ///< x⁰; w: 1/|ℜᵢ|
    AlignedVector<Quad> fit;  ///< (w x⁰, w), the weight in all fits; the heaviest region weighs 1
    AlignedVector<Quad> centre;  ///< of the region at rest; w: 1 / its weight
    AlignedVector<std::array<double, 4>> exact_centre;  ///< (centre, 0) in double precision
    std::shared_ptr<const CpuRegions> regions;
    float spin_limit = 0;  ///< no region of particles with speeds below 1 turns faster [1/m]
};
std::shared_ptr<const SurfaceCpuRest> make_surface_cpu_rest(const BodyAsset& asset,
                                                            const SurfaceRest& rest,
                                                            std::shared_ptr<const CpuRegions>);
std::size_t bytes(const SurfaceCpuRest& rest);

/// What stage 2 reads and writes of a body. What w says of particles is in body/cpu_particle.hpp.
struct SurfaceCpuView {
    const CpuAsset& asset;
    const SurfaceCpuRest& rest;
    Summation summation = Summation::fast;
    std::span<Quad> x;                ///< positions relative to the body's origin
    std::span<Quad> v;                ///< velocities relative to the frame's
    std::span<Quad> x_start;          ///< where the step began
    std::span<Quad> predicted_v;      ///< v before shape matching and all that follows
    std::span<Quad> rotation;         ///< last fit of each region, as (x, y, z, w)
    std::span<float> change;          ///< |cᵢ|
    std::span<FixedQuad> terms;       ///< scratch: rows() × row_quads
    std::span<FixedQuad> transforms;  ///< scratch: rows() × row_quads
};

float power_of_two_above(float value);

/// The range that fixed-point terms must fit into.
struct SurfaceScales {
    float position = 1;  ///< no component of x is larger; a power of two
    float speed = 1;     ///< no component of v is larger; a power of two
};

/// Rows of `terms`: what the rigid velocity of each region is made of.
void damping_terms(const SurfaceCpuView& body, const SurfaceScales& scales, std::uint32_t block);
/// Rows of `transforms`: the rigid velocity fields.
void damping_fields(const SurfaceCpuView& body, const SurfaceScales& scales, std::uint32_t block);
/// Damps by `k`, changes the frame, and predicts. What was pressed goes from v to x_start.
void damp_and_integrate(const SurfaceCpuView& body, const SurfaceScales& scales, float k, float h,
                        const FrameChange& frame, std::uint32_t block, IntegrateSums& sums);
/// Rows of `terms`: what the fits are made of.
void matching_terms(const SurfaceCpuView& body, const SurfaceScales& scales, std::uint32_t block);
/// Rows of `transforms`: the fits of all regions of a block; returns how many needed the slow,
/// certain way.
std::uint32_t fit_regions(const SurfaceCpuView& body, const SurfaceScales& scales,
                          std::uint32_t block);
/// x += s (goal − x), and v by the same over h; pinned particles stay. `change` becomes
/// `weight_stiffness` |goal − x|.
void move_to_goals(const SurfaceCpuView& body, const SurfaceScales& scales, float s, float h,
                   float weight_stiffness, Quad centre, std::uint32_t block, GoalSums& sums);

}  // namespace turgor
