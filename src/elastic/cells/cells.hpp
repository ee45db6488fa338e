#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "body/bake.hpp"
#include "elastic/cells/cell_grid.hpp"
#include "elastic/cells/cell_shape.hpp"
#include "elastic/cells/pressure_system.hpp"

namespace turgor {

/// Cells that keep their volume, each of them (Diziol, Bender, Bayer 2009; docs/methods.md,
/// "Cells"): springs along their edges and diagonals, and a pressure in each. Particles are the
/// corners.

/// What resists a change of length. Its stiffness is that of one cell times `cells`.
struct CellSpring {
    std::uint32_t first = 0, second = 0;  ///< particles
    double length = 0;                    ///< at rest [m]
    double cells = 1;                     ///< how many cells have it
};

/// What never changes about a body of cells. Cells are in the order of their places.
struct CellsRest {
    struct Cell {
        std::array<std::uint32_t, 8> corners{};  ///< particles, numbered as in Solid
        double volume = 0;                       ///< at rest [m³]
        HourglassRest hourglass;
    };
    std::shared_ptr<const BodyAsset> asset;
    double edge = 0;  ///< of an undeformed cell [m]
    CellGrid::Place size{};
    std::vector<CellGrid::Place> places;
    std::vector<Cell> cells;
    std::vector<CellSpring> edges, diagonals;
    /// The least of a particle's mass over that of its share of undeformed cells, for density 1:
    /// how long a step may be depends on it.
    double lightest = 1;
    double isotropic_wobble = 0;  ///< wobble_of_unit_density where E = 3 and G = 1 [1/s²]
};
CellsRest make_cells_rest(const Solid& solid, const SolidAsset& solid_asset);
std::size_t bytes(const CellsRest& rest);

/// How stiff the springs are: Young's modulus and shear modulus of an incompressible material [Pa].
struct CellModuli {
    double young = 0, shear = 0;
    double largest() const { return std::max(young / 3, shear); }
    double least() const { return std::min(young / 3, shear); }
};
/// The stiffness of a spring per cell [N/m]: E = 3 μₑ and G = μ_d for cubes of edge a.
inline double edge_stiffness(const CellModuli& moduli, double a) {
    return moduli.young / 3 * a / 2;
}
inline double diagonal_stiffness(const CellModuli& moduli, double a) {
    return 0.75 * moduli.shear * a;
}
/// What resists hourglass modes [N/m].
inline double hourglass_stiffness(const CellModuli& moduli, double a) {
    return 8.0 / 3 * moduli.least() * a;
}

CellCorners corners_at(const CellsRest::Cell& cell, std::span<const Vec3> x);
/// Adds the forces of all springs at x [N].
void add_spring_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                       std::span<Vec3> forces);
/// Adds what the velocities would be damped by if each spring had a damper of its own stiffness
/// for one second [N/s].
void add_damping_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                        std::span<const Vec3> v, std::span<Vec3> forces);
/// No spring changes its length by more than half an edge in a step of h: what is faster is lost,
/// as in an inelastic collision of its ends.
void limit_speeds(const CellsRest& rest, double h, std::span<const Vec3> x, std::span<Vec3> v);
/// Adds what resists hourglass modes at x [N].
void add_hourglass_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                          std::span<Vec3> forces);
/// Elastic energy at x, hourglass modes included [J].
double elastic_energy(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x);
/// V / V₀ − 1 of every cell.
std::vector<double> volume_errors(const CellsRest& rest, std::span<const Vec3> x);

/// The longest step that explicit springs are stable in, but for a factor, h_c = a √(ρ/3μ) [s].
double critical_step(const CellsRest& rest, const CellModuli& moduli, double density);

/// The square of the angular frequency of the slowest wobble for density 1 [1/s²]: of all
/// motions that keep the volume of every cell, are polynomials of third order, and are part of a
/// homogeneous strain, the softest.
double wobble_of_unit_density(const CellsRest& rest, const CellModuli& moduli);

}  // namespace turgor
