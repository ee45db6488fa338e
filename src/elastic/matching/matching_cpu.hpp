#pragma once

#include <array>
#include <memory>
#include <span>

#include "elastic/cpu_pass.hpp"
#include "elastic/regions.hpp"

namespace turgor {

/// Shape matching over regions for the cpu back end: single precision, fixed-point sums over
/// regions (docs/methods.md, "In single precision"), many regions at once. Every function works on
/// one block of particles or regions; blocks may run at the same time, functions one after the
/// other.

/// What the cpu form needs of a body at rest besides: single precision, padded to whole groups with
/// particles that have no weight and touch nothing. Rows are in the order of the regions, which may
/// be another than that of the particles.
struct RegionCpuRest {
    AlignedVector<Quad> rest;  ///< of particles: x⁰; w: 1 / number of regions it is in
    AlignedVector<Quad> fit;  ///< of rows: (w x⁰, w), the weight in all fits; the heaviest region
                              ///< weighs 1
    AlignedVector<Quad> centre;  ///< of the region at rest; w: 1 / its weight
    AlignedVector<std::array<double, 4>> exact_centre;  ///< (centre, 0) in double precision
    std::shared_ptr<const CpuRegions> regions;          ///< null: rows are sums already
    float largest = 0;                                  ///< particles of the largest region
    float spin_limit = 0;  ///< no region of particles with speeds below 1 turns faster [1/m]
};

/// Regions of particles at rest, in double precision.
struct RegionFacts {
    std::span<const double> weight;         ///< of a particle in every fit it takes part in
    std::span<const double> region_weight;  ///< Σ over the region
    std::span<const Vec3> region_centre;
    std::span<const std::uint32_t> regions_with;  ///< how many regions a particle is in
    std::uint32_t largest = 0;                    ///< particles of the largest region
    double least_gyration = 0;  ///< smallest radius of gyration of any region about its centre [m]
    /// The particle that a row is of; empty: the row itself.
    std::span<const std::uint32_t> particle_of_row{};
};
RegionCpuRest make_region_cpu_rest(const BodyAsset& asset, const RegionFacts& facts);
std::size_t bytes(const RegionCpuRest& rest);

/// What stage 2 reads and writes of a body. What w says of particles is in body/cpu_particle.hpp.
struct RegionCpuView {
    const CpuAsset& asset;
    const RegionCpuRest& rest;
    Summation summation = Summation::fast;
    std::span<Quad> x;                ///< positions relative to the body's origin
    std::span<Quad> v;                ///< velocities relative to the frame's
    std::span<Quad> x_start;          ///< where the step began
    std::span<Quad> predicted_v;      ///< v before shape matching and all that follows
    std::span<Quad> rotation;         ///< last fit of each region, as (x, y, z, w)
    std::span<float> change;          ///< |cᵢ|
    std::span<FixedQuad> terms;       ///< scratch: rows() × row_quads
    std::span<FixedQuad> transforms;  ///< scratch: rows() × row_quads
    /// Where rows are sums already: the row of each particle.
    std::span<const std::uint32_t> row_of_particle{};
};

float power_of_two_above(float value);

/// The range that fixed-point terms must fit into.
struct RegionScales {
    float position = 1;  ///< no component of x is larger; a power of two
    float speed = 1;     ///< no component of v is larger; a power of two
};

/// Rows of `terms`: what the rigid velocity of each region is made of.
void damping_terms(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block);
/// Rows of `transforms`: the rigid velocity fields.
void damping_fields(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block);
/// Damps by `k`, changes the frame, and predicts. What was pressed goes from v to x_start.
void damp_and_integrate(const RegionCpuView& body, const RegionScales& scales, float k, float h,
                        const FrameChange& frame, std::uint32_t block, IntegrateSums& sums);
/// Rows of `terms`: what the fits are made of.
void matching_terms(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block);
/// Rows of `transforms`: the fits of all regions of a block; returns how many needed the slow,
/// certain way.
std::uint32_t fit_regions(const RegionCpuView& body, const RegionScales& scales,
                          std::uint32_t block);
/// x += s (goal − x), and v by the same over h; pinned particles stay. `change` becomes
/// `weight_stiffness` |goal − x|.
void move_to_goals(const RegionCpuView& body, const RegionScales& scales, float s, float h,
                   float weight_stiffness, Quad centre, std::uint32_t block, GoalSums& sums);

}  // namespace turgor
