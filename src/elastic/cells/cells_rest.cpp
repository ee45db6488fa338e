#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "elastic/cells/cells.hpp"

namespace turgor {
namespace {

/// The corner across the cell from corner k < 4.
constexpr std::uint32_t across(std::uint32_t k) {
    return 7 - k;
}

void find_edges(CellsRest& made) {
    std::vector<std::array<std::uint32_t, 2>> pairs;
    for (const CellsRest::Cell& cell : made.cells)
        for (std::uint32_t k = 0; k < 8; ++k)
            for (const std::uint32_t bit : {1u, 2u, 4u})
                if (!(k & bit)) {
                    const auto [a, b] = std::minmax(cell.corners[k], cell.corners[k | bit]);
                    pairs.push_back({a, b});
                }
    std::ranges::sort(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (i > 0 && pairs[i] == pairs[i - 1])
            made.edges.back().cells += 1;
        else
            made.edges.push_back({pairs[i][0], pairs[i][1]});
}

}  // namespace

CellsRest make_cells_rest(const Solid& solid, const SolidAsset& solid_asset) {
    CellsRest made;
    made.asset = solid_asset.asset;
    made.edge = solid.cell;
    made.size = solid.size;
    const std::vector<Vec3>& x = made.asset->rest;
    std::vector<double> share(x.size());
    for (const Solid::Cell& from : solid.cells) {
        made.places.push_back({from.place[0], from.place[1], from.place[2]});
        CellsRest::Cell& cell = made.cells.emplace_back();
        for (std::size_t k = 0; k < 8; ++k) {
            cell.corners[k] = solid_asset.particle_of_corner[from.corners[k]];
            share[cell.corners[k]] += 0.125;
        }
        const CellModes modes = cell_modes(corners_at(cell, x));
        cell.volume = cell_volume(modes);
        cell.hourglass = hourglass_rest(modes);
        for (std::uint32_t k = 0; k < 4; ++k)
            made.diagonals.push_back({cell.corners[k], cell.corners[across(k)]});
    }
    check_cancelled();
    find_edges(made);
    for (auto* springs : {&made.edges, &made.diagonals})
        for (CellSpring& spring : *springs)
            spring.length = norm(x[spring.first] - x[spring.second]);
    const double cell_volume = made.edge * made.edge * made.edge;
    for (std::size_t i = 0; i < x.size(); ++i)
        made.lightest = std::min(made.lightest, made.asset->mass[i] / (share[i] * cell_volume));
    made.isotropic_wobble = wobble_of_unit_density(made, {3, 1});
    return made;
}

std::size_t bytes(const CellsRest& rest) {
    return rest.places.capacity() * sizeof(CellGrid::Place) +
           rest.cells.capacity() * sizeof(CellsRest::Cell) +
           (rest.edges.capacity() + rest.diagonals.capacity()) * sizeof(CellSpring);
}

CellCorners corners_at(const CellsRest::Cell& cell, std::span<const Vec3> x) {
    CellCorners corners;
    for (std::size_t k = 0; k < 8; ++k) corners[k] = x[cell.corners[k]];
    return corners;
}

void add_spring_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                       std::span<Vec3> forces) {
    const auto add = [&](std::span<const CellSpring> springs, double stiffness) {
        for (const CellSpring& s : springs) {
            const Vec3 way = x[s.second] - x[s.first];
            const Vec3 force = stiffness * s.cells * (norm(way) - s.length) * normalized(way);
            forces[s.first] += force;
            forces[s.second] -= force;
        }
    };
    add(rest.edges, edge_stiffness(moduli, rest.edge));
    add(rest.diagonals, diagonal_stiffness(moduli, rest.edge));
}

void add_damping_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                        std::span<const Vec3> v, std::span<Vec3> forces) {
    const auto add = [&](std::span<const CellSpring> springs, double stiffness) {
        for (const CellSpring& s : springs) {
            const Vec3 along = normalized(x[s.second] - x[s.first]);
            const Vec3 force = stiffness * s.cells * dot(v[s.second] - v[s.first], along) * along;
            forces[s.first] += force;
            forces[s.second] -= force;
        }
    };
    add(rest.edges, edge_stiffness(moduli, rest.edge));
    add(rest.diagonals, diagonal_stiffness(moduli, rest.edge));
}

void limit_speeds(const CellsRest& rest, double h, std::span<const Vec3> x, std::span<Vec3> v) {
    const double most = 0.5 * rest.edge / h;
    const std::vector<double>& mass = rest.asset->mass;
    for (const auto* springs : {&rest.edges, &rest.diagonals})
        for (const CellSpring& s : *springs) {
            const Vec3 apart = v[s.second] - v[s.first];
            if (!(dot(apart, apart) > most * most)) continue;
            const Vec3 along = normalized(x[s.second] - x[s.first]);
            const double speed = dot(apart, along);
            if (!(std::abs(speed) > most)) continue;
            const double a = mass[s.first], b = mass[s.second];
            const Vec3 push = (speed - std::copysign(most, speed)) * a * b / (a + b) * along;
            v[s.first] += 1 / a * push;
            v[s.second] -= 1 / b * push;
        }
}

void add_hourglass_forces(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x,
                          std::span<Vec3> forces) {
    const double stiffness = hourglass_stiffness(moduli, rest.edge);
    for (const CellsRest::Cell& cell : rest.cells) {
        const CellCorners gradient =
            hourglass_gradient(cell.hourglass, cell_modes(corners_at(cell, x)));
        for (std::size_t k = 0; k < 8; ++k) forces[cell.corners[k]] -= stiffness * gradient[k];
    }
}

double elastic_energy(const CellsRest& rest, const CellModuli& moduli, std::span<const Vec3> x) {
    double energy = 0;
    const auto add = [&](std::span<const CellSpring> springs, double stiffness) {
        for (const CellSpring& s : springs) {
            const double longer = norm(x[s.second] - x[s.first]) - s.length;
            energy += 0.5 * stiffness * s.cells * longer * longer;
        }
    };
    add(rest.edges, edge_stiffness(moduli, rest.edge));
    add(rest.diagonals, diagonal_stiffness(moduli, rest.edge));
    for (const CellsRest::Cell& cell : rest.cells)
        energy += hourglass_stiffness(moduli, rest.edge) *
                  hourglass_energy(cell.hourglass, cell_modes(corners_at(cell, x)));
    return energy;
}

std::vector<double> volume_errors(const CellsRest& rest, std::span<const Vec3> x) {
    std::vector<double> errors;
    for (const CellsRest::Cell& cell : rest.cells)
        errors.push_back(cell_volume(cell_modes(corners_at(cell, x))) / cell.volume - 1);
    return errors;
}

double critical_step(const CellsRest& rest, const CellModuli& moduli, double density) {
    return rest.edge * std::sqrt(density * rest.lightest / (3 * moduli.largest()));
}

}  // namespace turgor
