#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "elastic/matching/matching_cpu.hpp"
#include "elastic/surface/plastic_regions.hpp"

namespace turgor {

/// Stage 2 of plastic bodies of the surface model for the cpu back end. The same sums over regions
/// by prefix sums as without plasticity, with the second powers of rest positions besides; regions
/// are fitted one by one in double precision, by the reference's own function.

/// The powers of a rest position x⁰ that functions of it are made of: 1, x, y, z, xx, yy, zz, xy,
/// yz, zx.
inline constexpr std::size_t position_powers = 10;
using PositionPowers = std::array<double, position_powers>;

struct PlasticCpuRest {
    /// For each particle w (xx, yy, zz, xy) and w (yz, zx, 0, 0), w being that of
    /// RegionCpuRest::fit.
    AlignedVector<Quad> squares;
    /// The functions φ of each region, as polynomials of x⁰.
    std::vector<std::array<PositionPowers, most_plane_bends>> function;
    /// Ranges of what regions draw their particles to: the linear part, the constant part beyond
    /// the region's mean [m], and the second powers [1/m].
    double linear_range = 1, shift_range = 0, square_range = 0;
};
std::shared_ptr<const PlasticCpuRest> make_plastic_cpu_rest(const BodyAsset& asset,
                                                            const SurfaceRest& rest,
                                                            const RegionCpuRest& cpu,
                                                            std::span<const RegionPlane> planes);
std::size_t bytes(const PlasticCpuRest& rest);

/// Quads of a row of second powers: (xx yy zz xy) for each component, then yz and zx of all three.
inline constexpr std::size_t plastic_row_quads = 5;

/// What the plastic form reads and writes besides.
struct PlasticCpuView {
    const PlasticRest& rest;
    const PlasticStep* step = nullptr;  ///< null: nothing flows
    std::span<RegionShape> shapes;
    std::span<FixedQuad> terms;       ///< scratch: rows() × plastic_row_quads
    std::span<FixedQuad> transforms;  ///< scratch: rows() × plastic_row_quads
    std::span<double> flowed;         ///< the most that any region of each block has flowed
};

/// Rows of PlasticCpuView::terms.
void plastic_terms(const RegionCpuView& body, const PlasticCpuView& plastic,
                   const RegionScales& scales, std::uint32_t block);
/// Rows of both `transforms`: the fits of all regions of a block, which flow.
void fit_plastic_regions(const RegionCpuView& body, const PlasticCpuView& plastic,
                         const RegionScales& scales, std::uint32_t block);
/// As move_to_goals.
void move_to_plastic_goals(const RegionCpuView& body, const PlasticCpuView& plastic,
                           const RegionScales& scales, float s, float h, float weight_stiffness,
                           Quad centre, std::uint32_t block, GoalSums& sums);

}  // namespace turgor
