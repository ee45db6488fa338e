#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/for_each.hpp"
#include "solid/voxels.hpp"

namespace turgor {
namespace {

/// One of the 13 directions of the lattice: a ray goes one voxel along `main` and `step` of a voxel
/// along each of the two other axes at a time. Sheared by that, rays run along the main axis.
struct Direction {
    int main, first, second;  ///< axes
    std::array<int, 3> step;  ///< 1 for main, −1, 0 or 1 for the others
};

std::vector<Direction> all_directions() {
    std::vector<Direction> all;
    for (int b = -1; b <= 1; ++b)
        for (int c = -1; c <= 1; ++c) all.push_back({0, 1, 2, {1, b, c}});
    for (int c = -1; c <= 1; ++c) all.push_back({1, 0, 2, {0, 1, c}});
    all.push_back({2, 0, 1, {0, 0, 1}});
    return all;
}

/// Coordinates in 2⁻¹⁸ voxels: products of two differences fit into 64 bits.
using Fixed = std::int64_t;
constexpr int fraction_bits = 18;
constexpr Fixed one = Fixed{1} << fraction_bits, half = one / 2;

Fixed to_fixed(double voxels) {
    return static_cast<Fixed>(std::nearbyint(voxels * static_cast<double>(one)));
}
std::array<Fixed, 3> to_fixed(Vec3 p) {
    return {to_fixed(p.x), to_fixed(p.y), to_fixed(p.z)};
}

/// The sign of Σ wᵢ dᵢ of three products, up to 2⁶⁰ times 2³⁰.
int sign_of_sum(const std::array<Fixed, 3>& w, const std::array<Fixed, 3>& d) {
    constexpr int bits = 28;
    constexpr Fixed mask = (Fixed{1} << bits) - 1;
    Fixed high = 0, low = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        high += (w[i] >> bits) * d[i];
        low += (w[i] & mask) * d[i];
    }
    high += low >> bits;
    if (high != 0) return high > 0 ? 1 : -1;
    return (low & mask) != 0 ? 1 : 0;
}

Votes sum(Votes a, Votes b) {
    return {static_cast<std::uint8_t>(a.both + b.both)};
}

/// What the rays of one direction crossed: changes of side between voxels, and in their middles.
class Crossings {
public:
    /// Memory that is used again for the next direction.
    struct Counts {
        std::vector<std::uint8_t> change, tie, total, abstains;
    };

    Crossings(const VoxelGrid& grid, const Direction& direction, Counts& counts)
        : grid_(grid),
          d_(direction),
          change_(counts.change),
          tie_(counts.tie),
          total_(counts.total),
          abstains_(counts.abstains) {
        change_.assign(grid.count(), 0);
        tie_.assign(grid.count(), 0);
        const int length = size(d_.main);
        for (std::size_t k = 0; k < 2; ++k) {
            const int axis = k == 0 ? d_.first : d_.second, step = step_of(axis);
            lowest_[k] = step > 0 ? -(length - 1) : 0;
            lines_[k] = size(axis) + (step != 0 ? length - 1 : 0);
        }
        total_.assign(static_cast<std::size_t>(lines_[0]) * static_cast<std::size_t>(lines_[1]), 0);
        abstains_.assign(total_.size(), 0);
    }

    /// All rays through a triangle, each with the sign of the side that it comes from. Those that
    /// touch one of its `borders` abstain: on which side of it they pass must not depend on left
    /// and right.
    void add(const std::array<std::array<Fixed, 3>, 3>& triangle, std::uint8_t borders,
             bool oriented) {
        std::array<Fixed, 3> u, v, m;
        for (std::size_t i = 0; i < 3; ++i) {
            m[i] = triangle[i][static_cast<std::size_t>(d_.main)];
            u[i] = triangle[i][static_cast<std::size_t>(d_.first)] - step_of(d_.first) * m[i];
            v[i] = triangle[i][static_cast<std::size_t>(d_.second)] - step_of(d_.second) * m[i];
        }
        const Fixed area = (u[1] - u[0]) * (v[2] - v[0]) - (v[1] - v[0]) * (u[2] - u[0]);
        if (area == 0 && borders == 0) return;
        const int sign = area > 0 ? 1 : -1;
        if (area < 0) {
            std::swap(u[1], u[2]), std::swap(v[1], v[2]), std::swap(m[1], m[2]);
            borders =
                static_cast<std::uint8_t>((borders & 1) | (borders & 2) << 1 | (borders & 4) >> 1);
        }
        const auto [u_low, u_high] = lines_between(d_.first, u);
        const auto [v_low, v_high] = lines_between(d_.second, v);
        if (borders != 0)
            for (int a = u_low; a <= u_high; ++a)
                for (int b = v_low; b <= v_high; ++b)
                    if (touches(u, v, at_line(d_.first, a), at_line(d_.second, b), borders))
                        abstains_[line_of(a, b)] = 1;
        if (area == 0) return;
        for (int a = u_low; a <= u_high; ++a) {
            const Fixed pu = at_line(d_.first, a);
            for (int b = v_low; b <= v_high; ++b) {
                const Fixed pv = at_line(d_.second, b);
                std::array<Fixed, 3> w;
                if (!covers(u, v, pu, pv, w)) continue;
                cross(a, b, w, m, area < 0 ? -area : area, oriented ? sign : 1);
            }
        }
    }

    /// A ray changes sides somewhere from the middle of voxel `low` to that of `high`.
    void add_valley(std::size_t line, int low, int high) {
        const int a = static_cast<int>(line / static_cast<std::size_t>(lines_[1])) + lowest_[0],
                  b = static_cast<int>(line % static_cast<std::size_t>(lines_[1])) + lowest_[1];
        change(a, b, high + 1, 1);
        for (int i = low; i <= high; ++i) tie_[voxel(a, b, i)] += 1;
    }

    std::size_t lines() const { return total_.size(); }

    /// A row of voxels along z: voxel k of it is on line + k at `place`, or where rays run along
    /// it, on `line` at place k.
    struct Row {
        std::size_t voxel, line;
        int place;
        bool along_rays;
    };
    /// Visits all rows, so that each ray is met in its order.
    template <class Visit>
    void for_each_row(Visit&& visit) const {
        for (int i = 0; i < size(0); ++i) {
            check_cancelled();
            for (int j = 0; j < size(1); ++j) {
                const std::size_t voxel = grid_.index(i, j, 0);
                if (d_.main == 2) {
                    visit(Row{voxel, line_of(i, j), 0, true});
                    continue;
                }
                const int along = d_.main == 0 ? i : j;
                const int a = (d_.main == 0 ? j : i) - step_of(d_.first) * along;
                visit(Row{voxel, line_of(a, -step_of(2) * along), along, false});
            }
        }
    }

    /// Adds the votes of all voxels.
    void vote(bool oriented, std::vector<Votes>& votes) {
        const std::uint8_t mask = oriented ? 0xff : 1;
        for (std::size_t line = 0; line < lines(); ++line)
            if (abstains_[line]) total_[line] = 1;
        std::vector<std::uint8_t> crossed(lines());
        for_each_row([&](const Row& row) {
            row.along_rays ? vote_row<0>(row, mask, crossed.data(), votes.data())
                           : vote_row<1>(row, mask, crossed.data(), votes.data());
        });
    }

private:
    int size(int axis) const { return grid_.size[static_cast<std::size_t>(axis)]; }
    int step_of(int axis) const { return d_.step[static_cast<std::size_t>(axis)]; }

    /// Where line n is on the sheared axis: twice the middle of voxel 0 is 1 − size.
    Fixed at_line(int axis, int n) const {
        return (2 * n + 1 - size(axis) - step_of(axis) * (1 - size(d_.main))) * half;
    }
    std::pair<int, int> lines_between(int axis, const std::array<Fixed, 3>& p) const {
        const Fixed zero = at_line(axis, 0);
        const auto [low, high] = std::minmax({p[0], p[1], p[2]});
        // Shifts round down.
        return {static_cast<int>((low - zero + one - 1) >> fraction_bits),
                static_cast<int>((high - zero) >> fraction_bits)};
    }
    std::size_t line_of(int a, int b) const {
        return static_cast<std::size_t>(a - lowest_[0]) * static_cast<std::size_t>(lines_[1]) +
               static_cast<std::size_t>(b - lowest_[1]);
    }
    int length() const { return size(d_.main); }
    std::size_t voxel(int a, int b, int i) const {
        std::array<int, 3> p{};
        p[static_cast<std::size_t>(d_.main)] = i;
        p[static_cast<std::size_t>(d_.first)] = a + step_of(d_.first) * i;
        p[static_cast<std::size_t>(d_.second)] = b + step_of(d_.second) * i;
        return grid_.index(p[0], p[1], p[2]);
    }
    /// Narrows [first, last] to where a line is within the grid along an axis.
    void clip(int axis, int line, int& first, int& last) const {
        const int step = step_of(axis), n = size(axis);
        if (step > 0) first = std::max(first, -line), last = std::min(last, n - 1 - line);
        if (step < 0) first = std::max(first, line - n + 1), last = std::min(last, line);
    }

    /// Whether a triangle turned to the left covers a point: of two with a common edge just one
    /// does.
    static bool covers(const std::array<Fixed, 3>& u, const std::array<Fixed, 3>& v, Fixed pu,
                       Fixed pv, std::array<Fixed, 3>& w) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            const Fixed du = u[k] - u[j], dv = v[k] - v[j];
            w[i] = du * (pv - v[j]) - dv * (pu - u[j]);
            if (w[i] < 0) return false;
            if (w[i] == 0 && !(dv > 0 || (dv == 0 && du < 0))) return false;
        }
        return true;
    }

    /// Whether a point is on one of a triangle's borders, its corners included.
    static bool touches(const std::array<Fixed, 3>& u, const std::array<Fixed, 3>& v, Fixed pu,
                        Fixed pv, std::uint8_t borders) {
        for (std::size_t i = 0; i < 3; ++i) {
            if ((borders >> i & 1) == 0) continue;
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            const auto [u_low, u_high] = std::minmax(u[j], u[k]);
            const auto [v_low, v_high] = std::minmax(v[j], v[k]);
            if (pu < u_low || pu > u_high || pv < v_low || pv > v_high) continue;
            if ((u[k] - u[j]) * (pv - v[j]) == (v[k] - v[j]) * (pu - u[j])) return true;
        }
        return false;
    }

    /// The ray of a line meets a triangle where Σ wᵢ mᵢ / Σ wᵢ is.
    void cross(int a, int b, const std::array<Fixed, 3>& w, const std::array<Fixed, 3>& m,
               Fixed area, int sign) {
        double at = 0;
        for (std::size_t i = 0; i < 3; ++i)
            at += static_cast<double>(w[i]) * static_cast<double>(m[i]);
        at /= static_cast<double>(area) * static_cast<double>(one);
        at += 0.5 * (length() - 1);  // in voxels from the middle of the first
        const double nearest = std::nearbyint(at);
        int next = static_cast<int>(std::floor(at)) + 1;
        if (std::abs(at - nearest) < 1e-6) {
            const int i = static_cast<int>(nearest);
            const Fixed middle = (2 * i + 1 - length()) * half;
            const int side = sign_of_sum(w, {m[0] - middle, m[1] - middle, m[2] - middle});
            next = side < 0 ? i : i + 1;
            if (side == 0) {
                auto& tie = tie_[voxel(a, b, i)];
                tie = static_cast<std::uint8_t>(tie + sign);
            }
        }
        change(a, b, next, sign);
    }
    void change(int a, int b, int voxel_after, int sign) {
        auto& count = total_[line_of(a, b)];
        count = static_cast<std::uint8_t>(count + sign);
        int first = 0, last = length() - 1;
        clip(d_.first, a, first, last);
        clip(d_.second, b, first, last);
        if (voxel_after > last) return;
        auto& at = change_[voxel(a, b, std::max(first, voxel_after))];
        at = static_cast<std::uint8_t>(at + sign);
    }

    template <std::size_t line_step>
    void vote_row(const Row& row, std::uint8_t mask, std::uint8_t* crossed, Votes* votes) const {
        const std::uint8_t *const change = &change_[row.voxel], *const tie = &tie_[row.voxel],
                                  *const total = &total_[row.line];
        crossed += row.line;
        votes += row.voxel;
        const auto n = static_cast<std::size_t>(size(2));
        for (std::size_t k = 0; k < n; ++k) {
            auto& count = crossed[k * line_step];
            count = static_cast<std::uint8_t>(count + change[k]);
            votes[k] = sum(votes[k], vote_of(count, tie[k], total[k * line_step], mask));
        }
    }
    static Votes vote_of(std::uint8_t state, std::uint8_t tie, std::uint8_t total,
                         std::uint8_t mask) {
        const bool forwards = (state & mask) != 0, backwards = ((state + tie) & mask) != 0,
                   ends_outside = (total & mask) == 0;
        return {static_cast<std::uint8_t>(
            ((ends_outside & forwards & backwards) ? Votes::one_in : 0) +
            ((ends_outside & !forwards & !backwards) ? Votes::one_out : 0))};
    }

    const VoxelGrid& grid_;
    Direction d_;
    std::array<int, 2> lowest_{}, lines_{};
    // Numbers of crossings, modulo 256: of a voxel those just before it and those in its middle, of
    // a line all.
    std::vector<std::uint8_t>&change_, &tie_, &total_, &abstains_;
};

/// Votes of all directions: find(crossings) finds what the rays of one cross.
template <class Find>
std::vector<Votes> votes_of(const VoxelGrid& grid, bool oriented, Scheduler* threads, Find&& find) {
    const std::vector<Direction> directions = all_directions();
    // Each share needs three bytes for each voxel: few of them.
    const auto shares =
        static_cast<std::uint32_t>(std::clamp(threads ? threads->threads() : 1, 1, 4));
    std::vector<std::vector<Votes>> votes(shares);
    for_each(threads, shares, [&](std::uint32_t share) {
        votes[share].resize(grid.count());
        Crossings::Counts counts;
        for (std::size_t d = share; d < directions.size(); d += shares) {
            Crossings crossings(grid, directions[d], counts);
            find(crossings);
            crossings.vote(oriented, votes[share]);
        }
    });
    for (std::uint32_t share = 1; share < shares; ++share)
        for (std::size_t i = 0; i < grid.count(); ++i)
            votes[0][i] = sum(votes[0][i], votes[share][i]);
    return std::move(votes[0]);
}

}  // namespace

std::vector<Votes> votes_of_crossings(const VoxelGrid& grid, const Polygons& polygons,
                                      Scheduler* threads) {
    const std::vector<Corners>& triangles = polygons.crossed;
    std::vector<std::array<std::array<Fixed, 3>, 3>> fixed(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) fixed[t][k] = to_fixed(triangles[t][k]);
    return votes_of(grid, polygons.oriented, threads, [&](Crossings& crossings) {
        for (std::size_t t = 0; t < fixed.size(); ++t) {
            check_cancelled();
            crossings.add(fixed[t], polygons.borders[t], polygons.oriented);
        }
    });
}

std::vector<Votes> votes_of_valleys(const VoxelGrid& grid, const DistanceBand& distances,
                                    double enter, double leave, Scheduler* threads) {
    const auto near = static_cast<int>(std::nearbyint(enter / distance_step)),
               far = static_cast<int>(std::nearbyint(leave / distance_step));
    return votes_of(grid, false, threads, [&](Crossings& crossings) {
        struct Valley {
            std::int16_t low = 0, high = 0;  ///< where it is deepest, first and last
            std::uint16_t depth = 0;
        };
        std::vector<Valley> valleys(crossings.lines());
        std::vector<std::uint8_t> is_in(crossings.lines());  // which of them a ray is in
        const auto look = [&](std::size_t line, int i, int d) {
            Valley& valley = valleys[line];
            if (d < near) {
                const auto at = static_cast<std::int16_t>(i);
                if (!is_in[line] || d < valley.depth)
                    valley = {at, at, static_cast<std::uint16_t>(d)}, is_in[line] = 1;
                else if (d == valley.depth)
                    valley.high = at;
            } else if (d > far && is_in[line]) {
                crossings.add_valley(line, valley.low, valley.high);
                is_in[line] = 0;
            }
        };
        const auto length = static_cast<std::size_t>(grid.size[2]);
        crossings.for_each_row([&](const Crossings::Row& row) {
            const std::uint16_t* const d = &distances[row.voxel];
            if (row.along_rays) {
                for (std::size_t k = 0; k < length; ++k) look(row.line, static_cast<int>(k), d[k]);
                return;
            }
            // Most are far from everything.
            constexpr std::size_t chunk = 16;
            const std::uint8_t* const in = &is_in[row.line];
            for (std::size_t begin = 0; begin < length; begin += chunk) {
                const std::size_t end = std::min(begin + chunk, length);
                bool any = false;
                for (std::size_t k = begin; k < end; ++k) any |= (d[k] < near) | (in[k] != 0);
                if (!any) continue;
                for (std::size_t k = begin; k < end; ++k) look(row.line + k, row.place, d[k]);
            }
        });
        for (std::size_t line = 0; line < valleys.size(); ++line)
            if (is_in[line]) crossings.add_valley(line, valleys[line].low, valleys[line].high);
    });
}

}  // namespace turgor
