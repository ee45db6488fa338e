#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/cancel.hpp"
#include "elastic/lattice/lattice.hpp"

namespace turgor {
namespace {

/// The next element along an axis. Where a tear ends, an edge of cells forks: a run ends there.
std::vector<std::uint32_t> next_along(const Solid& solid, std::uint32_t axis,
                                      std::span<const std::uint32_t> element) {
    constexpr std::uint32_t forks = NestedSums::none - 1;
    std::vector<std::uint32_t> next(element.size(), NestedSums::none), before = next;
    const auto lead = [](std::uint32_t& from, std::uint32_t to) {
        from = from == NestedSums::none || from == to ? to : forks;
    };
    for (const Solid::Cell& cell : solid.cells)
        for (std::uint32_t k = 0; k < 8; ++k) {
            if (k >> axis & 1) continue;
            const std::uint32_t a = element[cell.corners[k]],
                                b = element[cell.corners[k | 1u << axis]];
            lead(next[a], b);
            lead(before[b], a);
        }
    for (std::uint32_t& b : next)
        if (b == forks || (b != NestedSums::none && before[b] == forks)) b = NestedSums::none;
    return next;
}

}  // namespace

LatticeCells make_lattice_cells(const Solid& solid, SolidAsset solid_asset) {
    LatticeCells lattice;
    lattice.asset = std::move(solid_asset.asset);
    lattice.cell = solid.cell;
    lattice.cells = solid.cells.size();
    const auto count = static_cast<std::uint32_t>(solid.corners.size());
    std::vector<std::uint32_t> corner(count), element(count);
    std::iota(corner.begin(), corner.end(), 0u);
    // Where a lattice is torn, a place has several corners.
    std::ranges::sort(corner, {}, [&](std::uint32_t c) { return std::pair(solid.places[c], c); });
    lattice.row_of_particle.resize(count);
    std::uint16_t plane = 0xffff;
    for (std::uint32_t k = 0; k < count; ++k) {
        element[corner[k]] = k;
        const std::uint32_t particle = solid_asset.particle_of_corner[corner[k]];
        lattice.particle_of_row.push_back(particle);
        lattice.row_of_particle[particle] = row_of(k);
        if (solid.places[corner[k]][0] == plane) continue;
        plane = solid.places[corner[k]][0];
        lattice.first_of_plane.push_back(k);
    }
    lattice.first_of_plane.push_back(count);
    for (std::uint32_t axis = 0; axis < 3; ++axis)
        lattice.next[axis] = next_along(solid, axis, element);
    return lattice;
}

std::size_t bytes(const LatticeCells& c) {
    std::size_t total = (c.particle_of_row.capacity() + c.row_of_particle.capacity() +
                         c.first_of_plane.capacity()) *
                        sizeof(std::uint32_t);
    for (const auto& next : c.next) total += next.capacity() * sizeof(std::uint32_t);
    return total;
}

LatticeRest make_lattice_rest(const LatticeCells& lattice, int half_width, Summation summation) {
    const BodyAsset& asset = *lattice.asset;
    const std::size_t n = asset.rest.size();
    LatticeRest rest;
    rest.sums = NestedSums(lattice.next, lattice.first_of_plane, half_width, summation);
    const NestedSums& sums = rest.sums;

    std::vector<std::uint32_t> regions_with(sums.rows()), size(sums.rows());
    for (std::size_t i = 0; i < n; ++i)
        regions_with[lattice.row_of_particle[i]] = size[lattice.row_of_particle[i]] = 1;
    sums.sum(regions_with, true);
    sums.sum(size, false);
    /// Σ w, Σ w x⁰ and Σ w |x⁰|² of a region.
    struct Moments {
        double weight = 0, square = 0;
        Vec3 first;
        Moments& operator+=(const Moments& o) {
            weight += o.weight, square += o.square, first += o.first;
            return *this;
        }
        Moments& operator-=(const Moments& o) {
            weight -= o.weight, square -= o.square, first -= o.first;
            return *this;
        }
    };
    std::vector<Moments> moments(sums.rows());
    rest.weight.resize(n);
    rest.regions_with.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = lattice.row_of_particle[i];
        rest.regions_with[i] = regions_with[row];
        // A particle's mass is shared out among the regions it is in: so momentum is kept.
        rest.weight[i] = asset.mass[i] / regions_with[row];
        const Vec3 x = asset.rest[i];
        moments[row] = {rest.weight[i], rest.weight[i] * dot(x, x), rest.weight[i] * x};
        rest.largest = std::max(rest.largest, size[row]);
    }
    check_cancelled();
    sums.sum(moments, false);
    rest.region_weight.resize(n);
    rest.region_centre.resize(n);
    rest.least_gyration = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        const Moments& m = moments[lattice.row_of_particle[i]];
        rest.region_weight[i] = m.weight;
        rest.region_centre[i] = m.first / m.weight;
        const double square =
            m.square / m.weight - dot(rest.region_centre[i], rest.region_centre[i]);
        rest.least_gyration =
            std::min(rest.least_gyration,
                     std::max(std::sqrt(std::max(0.0, square) / 4), 0.25 * lattice.cell));
    }
    return rest;
}

std::size_t bytes(const LatticeRest& r) {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return r.sums.bytes() + size(r.weight) + size(r.region_weight) + size(r.region_centre) +
           size(r.regions_with);
}

std::shared_ptr<const LatticeCpuRest> make_lattice_cpu_rest(const LatticeCells& lattice,
                                                            const LatticeRest& rest) {
    auto made = std::make_shared<LatticeCpuRest>();
    made->regions = make_region_cpu_rest(
        *lattice.asset, {rest.weight, rest.region_weight, rest.region_centre, rest.regions_with,
                         rest.largest, rest.least_gyration, lattice.particle_of_row});
    made->particle_of_row = lattice.particle_of_row;
    made->row_of_particle = lattice.row_of_particle;
    const auto count = static_cast<std::uint32_t>(lattice.particle_of_row.size());
    for (std::uint32_t k = count; k < CpuLayout::padded(count); ++k) {
        made->particle_of_row.push_back(k);
        made->row_of_particle.push_back(row_of(k));
    }
    return made;
}

std::size_t bytes(const LatticeCpuRest& r) {
    return bytes(r.regions) +
           (r.particle_of_row.capacity() + r.row_of_particle.capacity()) * sizeof(std::uint32_t);
}

}  // namespace turgor
