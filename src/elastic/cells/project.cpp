#include "elastic/cells/project.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/measures.hpp"

namespace turgor {
namespace {

/// (I − c n nᵀ) g with c such that applied twice it is I − hold n nᵀ: what is left of a push.
Vec3 half_mobility(const Support& support, Vec3 g) {
    if (is_held(support)) return {};
    // Pressure must reach another body that it touches: the contacts of the next sub-step pass it
    // on.
    if (support.shared) return g;
    const double c = 1 - std::sqrt(std::max(0.0, 1 - support.hold));
    return g - c * dot(g, support.normal) * support.normal;
}

/// The volumes at x, their gradients, and what is missing of them.
struct Volumes {
    std::vector<CellCorners> gradients;
    std::vector<double> missing;  ///< by slots [m³]
    double worst = 0;             ///< relative
};

/// Cells make up together for what the surface misses: their own sum is that of bilinear sides, not
/// of triangles.
Volumes measure(const CellsRest& rest, const PressureSystem& pressures, std::span<const Vec3> x) {
    Volumes v;
    v.missing.resize(pressures.grid().slots());
    double sum = 0, whole = 0;
    for (const CellsRest::Cell& cell : rest.cells) {
        const CellModes modes = cell_modes(corners_at(cell, x));
        v.gradients.push_back(volume_gradient(modes));
        const double missing = cell.volume - cell_volume(modes);
        v.missing[pressures.slot(v.gradients.size() - 1)] = missing;
        v.worst = std::max(v.worst, std::abs(missing) / cell.volume);
        sum += missing;
        whole += cell.volume;
    }
    const double more =
        (rest.asset->rest_volume - enclosed_volume(x, rest.asset->triangles) - sum) / whole;
    for (std::size_t c = 0; c < rest.cells.size(); ++c)
        v.missing[pressures.slot(c)] += more * rest.cells[c].volume;
    return v;
}

/// The pushes of all pressures on the particles. A cell that is far from its shape must not throw
/// its corners farther than its gradients are good for.
std::vector<Vec3> pushes_of(const CellsRest& rest, const PressureSystem& pressures,
                            const Volumes& volumes, std::span<const double> lambda) {
    const double farthest = 0.25 * rest.edge;
    const std::vector<double>& mass = rest.asset->mass;
    std::vector<Vec3> pushes(mass.size());
    for (std::size_t c = 0; c < rest.cells.size(); ++c) {
        const auto& corners = rest.cells[c].corners;
        const CellCorners& gradient = volumes.gradients[c];
        double most = 0;
        for (std::size_t k = 0; k < 8; ++k)
            most = std::max(most, norm(gradient[k]) / mass[corners[k]]);
        double pressure = lambda[pressures.slot(c)];
        if (std::abs(pressure) * most > farthest)
            pressure = std::copysign(farthest / most, pressure);
        for (std::size_t k = 0; k < 8; ++k) pushes[corners[k]] += pressure * gradient[k];
    }
    return pushes;
}

void assemble(const CellsRest& rest, const Volumes& volumes, std::span<const Support> supports,
              PressureSystem& pressures) {
    std::vector<CellCorners> weighted = volumes.gradients;
    for (std::size_t c = 0; c < weighted.size(); ++c)
        for (std::size_t k = 0; k < 8; ++k) {
            const std::uint32_t i = rest.cells[c].corners[k];
            weighted[c][k] =
                1 / std::sqrt(rest.asset->mass[i]) * half_mobility(supports[i], weighted[c][k]);
        }
    pressures.assemble(weighted);
}

void push(const CellsRest& rest, std::span<const Vec3> pushes, const ProjectPass& pass) {
    for (std::size_t i = 0; i < pushes.size(); ++i) {
        const Support& support = pass.supports[i];
        const double per_mass = 1 / rest.asset->mass[i];
        pass.x[i] += per_mass * half_mobility(support, half_mobility(support, pushes[i]));
        if (!support.shared)
            pass.pressed[i] +=
                per_mass * support.hold * std::max(0.0, -dot(pushes[i], support.normal));
    }
}

}  // namespace

int keep_volumes(const CellsRest& rest, PressureSystem& pressures, std::optional<double> tolerance,
                 const ProjectPass& pass) {
    constexpr int most_iterations = 20, most_rounds = 6, most_cycles = 4;
    constexpr double comfortable = 0.02;  // of a cell's volume: below it one V-cycle is enough
    std::vector<double> lambda(pressures.grid().slots());
    int iterations = 0;
    for (int round = 0; round < (tolerance ? most_rounds : most_cycles); ++round) {
        Volumes volumes = measure(rest, pressures, pass.x);
        if (!tolerance && round > 0 && volumes.worst < comfortable) break;
        if (tolerance && (volumes.worst < *tolerance || iterations >= most_iterations)) break;
        assemble(rest, volumes, pass.supports, pressures);
        if (tolerance) {
            const auto enough = [&](std::span<const double> missing) {
                for (std::size_t c = 0; c < rest.cells.size(); ++c)
                    if (std::abs(missing[pressures.slot(c)]) >
                        0.3 * *tolerance * rest.cells[c].volume)
                        return false;
                return true;
            };
            iterations +=
                pressures.solve(volumes.missing, lambda, most_iterations - iterations, enough);
        } else {
            pressures.v_cycle(volumes.missing, lambda);
            ++iterations;
        }
        push(rest, pushes_of(rest, pressures, volumes, lambda), pass);
    }
    return iterations;
}

}  // namespace turgor
