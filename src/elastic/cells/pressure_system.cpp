#include "elastic/cells/pressure_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cancel.hpp"

namespace turgor {
namespace {

using Place = CellGrid::Place;

/// A cell, and those after it in the order of z, y, x: the other half of the 27 are before it.
constexpr std::array<Place, 14> offsets{{{0, 0, 0},
                                         {1, 0, 0},
                                         {-1, 1, 0},
                                         {0, 1, 0},
                                         {1, 1, 0},
                                         {-1, -1, 1},
                                         {0, -1, 1},
                                         {1, -1, 1},
                                         {-1, 0, 1},
                                         {0, 0, 1},
                                         {1, 0, 1},
                                         {-1, 1, 1},
                                         {0, 1, 1},
                                         {1, 1, 1}}};

/// Of an offset that is in the list.
constexpr std::size_t index_of(const Place& o) {
    for (std::size_t k = 0; k < offsets.size(); ++k)
        if (offsets[k] == o) return k;
    return offsets.size();
}

Place operator+(const Place& a, const Place& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Place operator-(const Place& a, const Place& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Place operator-(const Place& a) {
    return Place{} - a;
}
Place half(const Place& p) {
    return {p[0] >> 1, p[1] >> 1, p[2] >> 1};
}

/// No axis has more cells on the coarsest level.
constexpr int coarsest = 4;
constexpr int levels_most = 8;
/// The smoother damps errors whose eigenvalue of ℓ1-Jacobi is in [least_smoothed, 1].
constexpr double least_smoothed = 0.25;

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<Place> coarse_places(std::span<const Place> fine) {
    std::vector<Place> places;
    for (const Place& p : fine) places.push_back(half(p));
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

}  // namespace

PressureSystem::PressureSystem(const Place& size, std::vector<Place> places) {
    // Room on both sides, so that cells are paired symmetrically about the middle on every level.
    const int longest = *std::ranges::max_element(size);
    int levels = 1;
    while (levels < levels_most && (longest + (1 << (levels - 1)) - 1) >> (levels - 1) > coarsest)
        ++levels;
    Place padded{}, shift{};
    const int grain = 1 << (levels - 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        padded[axis] = (size[axis] + grain - 1) / grain * grain;
        shift[axis] = (padded[axis] - size[axis]) / 2;
    }
    for (Place& p : places) p = p + shift;
    for (int k = 0; k < levels; ++k) {
        check_cancelled();
        Level& level = levels_.emplace_back();
        level.grid = CellGrid(padded, places);
        const std::size_t n = level.grid.slots();
        level.s.resize(n);
        for (auto* scratch : {&level.per_l1, &level.r, &level.x, &level.d, &level.image})
            scratch->assign(n, 0);
        places = coarse_places(places);
        padded = half(padded);
    }
    for (const Place& p : grid().places()) slots_.push_back(grid().slot(p));
}

void PressureSystem::assemble(std::span<const CellCorners> gradients) {
    Level& finest = levels_.front();
    std::vector<std::uint32_t> cell_of_slot(finest.grid.slots(), 0xffffffff);
    for (std::size_t c = 0; c < slots_.size(); ++c)
        cell_of_slot[slots_[c]] = static_cast<std::uint32_t>(c);
    for (std::size_t c = 0; c < slots_.size(); ++c) {
        const Place& place = finest.grid.places()[c];
        Row& row = finest.s[slots_[c]];
        for (std::size_t o = 0; o < offsets.size(); ++o) {
            row[o] = 0;
            const std::uint32_t other = cell_of_slot[finest.grid.slot(place + offsets[o])];
            if (other == 0xffffffff) continue;
            // Corner k of this cell is corner k − offset of the other one.
            for (int k = 0; k < 8; ++k) {
                const int x = (k & 1) - offsets[o][0], y = (k >> 1 & 1) - offsets[o][1],
                          z = (k >> 2 & 1) - offsets[o][2];
                if (((x | y | z) & ~1) != 0) continue;
                row[o] +=
                    turgor::dot(gradients[c][static_cast<std::size_t>(k)],
                                gradients[other][static_cast<std::size_t>(x + 2 * y + 4 * z)]);
            }
        }
    }
    find_l1(finest);
    for (std::size_t k = 1; k < levels_.size(); ++k) {
        coarsen(levels_[k - 1], levels_[k]);
        find_l1(levels_[k]);
    }
}

/// ½ Pᵀ S P with P constant on each coarse cell. Without the ½ twice as stiff: two coarse cells
/// share four times the area, at twice the distance.
void PressureSystem::coarsen(const Level& fine, Level& coarse) {
    for (Row& row : coarse.s) row = {};
    for (const Place& place : fine.grid.places()) {
        const Row& row = fine.s[fine.grid.slot(place)];
        const Place parent = half(place);
        for (std::size_t o = 0; o < offsets.size(); ++o) {
            const Place other = half(place + offsets[o]), way = other - parent;
            const std::size_t forward = index_of(way);
            // With itself: the pair counts from both sides. Towards a cell before it: there.
            if (forward == 0)
                coarse.s[coarse.grid.slot(parent)][0] += (o == 0 ? 0.5 : 1.0) * row[o];
            else if (forward < offsets.size())
                coarse.s[coarse.grid.slot(parent)][forward] += 0.5 * row[o];
            else
                coarse.s[coarse.grid.slot(other)][index_of(-way)] += 0.5 * row[o];
        }
    }
}

void PressureSystem::find_l1(Level& level) {
    for (const Place& place : level.grid.places()) {
        const std::uint32_t at = level.grid.slot(place);
        double sum = level.s[at][0];
        for (std::size_t o = 1; o < offsets.size(); ++o)
            sum += std::abs(level.s[at][o]) +
                   std::abs(level.s[level.grid.slot(place - offsets[o])][o]);
        level.per_l1[at] = sum > 0 ? 1 / sum : 0;
    }
}

void PressureSystem::apply(const Level& level, std::span<const double> x,
                           std::span<double> result) {
    for (const Place& place : level.grid.places()) {
        const std::uint32_t at = level.grid.slot(place);
        double sum = level.s[at][0] * x[at];
        for (std::size_t o = 1; o < offsets.size(); ++o) {
            const std::uint32_t after = level.grid.slot(place + offsets[o]),
                                before = level.grid.slot(place - offsets[o]);
            sum += level.s[at][o] * x[after] + level.s[before][o] * x[before];
        }
        result[at] = sum;
    }
}

void PressureSystem::apply(std::span<const double> lambda, std::span<double> result) const {
    apply(levels_.front(), lambda, result);
}

/// Chebyshev iteration of ℓ1-Jacobi on [least_smoothed, 1]; plain Jacobi diverges where cells are
/// flattened. Adds to x, and takes from r.
void PressureSystem::smooth(Level& level, int steps) {
    constexpr double middle = (1 + least_smoothed) / 2, reach = (1 - least_smoothed) / 2;
    double rho = reach / middle;
    for (int step = 0; step < steps; ++step) {
        const double next = 1 / (2 * middle / reach - rho);
        const double keep = step == 0 ? 0 : next * rho,
                     take = step == 0 ? 1 / middle : 2 * next / reach;
        if (step > 0) rho = next;
        for (const Place& place : level.grid.places()) {
            const std::uint32_t i = level.grid.slot(place);
            level.d[i] = keep * level.d[i] + take * level.per_l1[i] * level.r[i];
            level.x[i] += level.d[i];
        }
        apply(level, level.d, level.image);
        for (std::size_t i = 0; i < level.r.size(); ++i) level.r[i] -= level.image[i];
    }
}

/// Calls visit(coarse slot, weight) for the eight coarse cells around the middle of a fine one: ¾
/// and ¼ per axis. Where there is no coarse cell, the pressure is zero.
template <class Visit>
void each_parent(const CellGrid& coarse, const Place& place, const Visit& visit) {
    const Place parent = half(place);
    for (int k = 0; k < 8; ++k) {
        Place at = parent;
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool far = (k >> axis & 1) != 0;
            weight *= far ? 0.25 : 0.75;
            if (far) at[axis] += (place[axis] & 1) != 0 ? 1 : -1;
        }
        visit(coarse.slot(at), weight);
    }
}

void PressureSystem::restrict_to(const Level& fine, Level& coarse) {
    std::vector<double> sum(coarse.r.size());
    for (const Place& place : fine.grid.places()) {
        const double r = fine.r[fine.grid.slot(place)];
        each_parent(coarse.grid, place,
                    [&](std::uint32_t at, double weight) { sum[at] += weight * r; });
    }
    std::ranges::fill(coarse.r, 0.0);
    for (const Place& place : coarse.grid.places()) {
        const std::uint32_t at = coarse.grid.slot(place);
        coarse.r[at] = sum[at];
    }
}

void PressureSystem::prolong_from(const Level& coarse, Level& fine, std::span<double> correction) {
    for (const Place& place : fine.grid.places()) {
        double sum = 0;
        each_parent(coarse.grid, place,
                    [&](std::uint32_t at, double weight) { sum += weight * coarse.x[at]; });
        const std::uint32_t i = fine.grid.slot(place);
        correction[i] = fine.per_l1[i] > 0 ? sum : 0;
    }
}

/// Few cells: conjugate gradients, which take what is singular as it comes.
void PressureSystem::solve_coarsest(Level& level) {
    constexpr int most = 24;
    constexpr double enough = 1e-4;  // of the residual
    std::vector<double> z(level.r.size());
    double before = 0, first = 0;
    std::ranges::fill(level.d, 0.0);
    for (int k = 0; k < most; ++k) {
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = level.per_l1[i] * level.r[i];
        const double now = dot(z, level.r);
        if (k == 0) first = now;
        if (!(now > enough * enough * first)) return;
        for (std::size_t i = 0; i < z.size(); ++i)
            level.d[i] = z[i] + (k > 0 ? now / before : 0) * level.d[i];
        apply(level, level.d, level.image);
        const double stiffness = dot(level.d, level.image);
        if (!(stiffness > 0)) return;
        for (std::size_t i = 0; i < z.size(); ++i) {
            level.x[i] += now / stiffness * level.d[i];
            level.r[i] -= now / stiffness * level.image[i];
        }
        before = now;
    }
}

void PressureSystem::cycle(std::size_t k) {
    Level& level = levels_[k];
    std::ranges::fill(level.x, 0.0);
    std::ranges::fill(level.d, 0.0);
    if (k + 1 == levels_.size()) return solve_coarsest(level);
    smooth(level, 1);
    Level& coarse = levels_[k + 1];
    restrict_to(level, coarse);
    cycle(k + 1);
    // As far along the coarse correction as is best for this level.
    prolong_from(coarse, level, level.d);
    apply(level, level.d, level.image);
    const double stiffness = dot(level.d, level.image);
    const double share = stiffness > 0 ? dot(level.d, level.r) / stiffness : 0;
    for (std::size_t i = 0; i < level.x.size(); ++i) {
        level.x[i] += share * level.d[i];
        level.r[i] -= share * level.image[i];
    }
    smooth(level, 2);
}

void PressureSystem::v_cycle(std::span<const double> r, std::span<double> lambda) {
    Level& finest = levels_.front();
    std::ranges::copy(r, finest.r.begin());
    cycle(0);
    std::ranges::copy(finest.x, lambda.begin());
}

int PressureSystem::solve(std::span<double> r, std::span<double> lambda, int most,
                          const std::function<bool(std::span<const double>)>& enough) {
    const std::size_t n = r.size();
    std::vector<double> z(n), p(n), image(n), last_r(n);
    std::ranges::fill(lambda, 0.0);
    double before = 0;
    int taken = 0;
    while (taken < most && !enough(r)) {
        v_cycle(r, z);
        // Flexible: a V-cycle is not quite symmetric (Notay 2000).
        double now = 0, change = 0;
        for (std::size_t i = 0; i < n; ++i) {
            now += z[i] * r[i];
            change += z[i] * (r[i] - last_r[i]);
        }
        const double keep = taken > 0 && before > 0 ? change / before : 0;
        for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + keep * p[i];
        apply(p, image);
        const double stiffness = dot(p, image);
        if (!(stiffness > 0)) break;
        std::ranges::copy(r, last_r.begin());
        const double step = dot(p, r) / stiffness;
        for (std::size_t i = 0; i < n; ++i) {
            lambda[i] += step * p[i];
            r[i] -= step * image[i];
        }
        before = now;
        ++taken;
    }
    return taken;
}

std::size_t PressureSystem::bytes() const {
    std::size_t total = slots_.capacity() * sizeof(std::uint32_t);
    for (const Level& level : levels_)
        total += level.grid.bytes() + level.s.capacity() * sizeof(Row) +
                 5 * level.r.capacity() * sizeof(double);
    return total;
}

}  // namespace turgor
