#pragma once

#include <memory>
#include <span>
#include <vector>

#include "body/bake.hpp"
#include "elastic/lattice/nested_sums.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "elastic/matching/region_fit.hpp"

namespace turgor {

/// Shape matching over the cubic regions of a lattice of cells (Rivers, James 2007;
/// docs/methods.md, "Lattices").

inline constexpr int half_width_max = 16;
inline constexpr double tear_stretch_min = 1.05, tear_stretch_max = 10;

/// The corners of cells: the particles of a lattice, and what of them is a neighbour of what.
struct LatticeCells {
    std::shared_ptr<const BodyAsset> asset;
    double cell = 0;                             ///< edge of a cell [m]
    std::size_t cells = 0;                       ///< how many
    std::vector<std::uint32_t> particle_of_row;  ///< of an element: x slowest, z fastest
    std::vector<std::uint32_t> row_of_particle;  ///< the row of its element (NestedSums)
    NestedSums::Bonds next;                      ///< of elements
    std::vector<std::uint32_t> first_of_plane;
};
LatticeCells make_lattice_cells(const Solid& solid, SolidAsset solid_asset);
std::size_t bytes(const LatticeCells& cells);

/// What the fits of all regions need of the rest shape. Lists are by particles.
struct LatticeRest {
    NestedSums sums;
    std::vector<double> weight;               ///< of a particle in every fit it takes part in
    std::vector<double> region_weight;        ///< Σ over the region
    std::vector<Vec3> region_centre;          ///< weighted mean of the rest positions
    std::vector<std::uint32_t> regions_with;  ///< how many regions it is in
    std::uint32_t largest = 0;                ///< particles of the largest region
    double least_gyration = 0;                ///< smallest radius of gyration of a region [m]
    double wobble_share = 0;                  ///< see find_wobble_share
};
/// Without the wobble's share.
LatticeRest make_lattice_rest(const LatticeCells& lattice, int half_width,
                              Summation summation = Summation::fast);
std::size_t bytes(const LatticeRest& rest);

/// The blended goal position of every particle. `rotations`, by particles, holds the last step's
/// fits and takes the new ones.
void match_lattice(const LatticeCells& lattice, const LatticeRest& rest, std::span<const Vec3> x,
                   std::span<Quat> rotations, std::span<Vec3> goals);
/// The rigid velocity field of each region, blended over the regions like the goals.
void blend_lattice_velocities(const LatticeCells& lattice, const LatticeRest& rest,
                              std::span<const Vec3> x, std::span<const Vec3> v,
                              std::span<Vec3> blended);

/// What the cpu form needs besides, with its rows in the order of the elements.
struct LatticeCpuRest {
    RegionCpuRest regions;
    std::vector<std::uint32_t>
        particle_of_row;  ///< of elements, padded: those stand for themselves
    std::vector<std::uint32_t> row_of_particle;  ///< padded likewise
};
std::shared_ptr<const LatticeCpuRest> make_lattice_cpu_rest(const LatticeCells& lattice,
                                                            const LatticeRest& rest);
std::size_t bytes(const LatticeCpuRest& rest);

}  // namespace turgor
