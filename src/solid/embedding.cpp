#include "solid/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/cancel.hpp"
#include "base/for_each.hpp"
#include "base/mat3.hpp"

namespace turgor {
namespace {

constexpr std::uint32_t no_cell = 0xffffffff;

/// The trilinear map of a cell, x(ξ) = Σ Nₖ(ξ) xₖ, 0 ≤ ξ ≤ 1.
struct Trilinear {
    std::array<double, 8> value{};
    std::array<Vec3, 8> gradient{};

    explicit Trilinear(Vec3 at) {
        for (std::size_t k = 0; k < 8; ++k) {
            const double sx = k & 1 ? 1 : -1, sy = k & 2 ? 1 : -1, sz = k & 4 ? 1 : -1;
            const double x = k & 1 ? at.x : 1 - at.x, y = k & 2 ? at.y : 1 - at.y,
                         z = k & 4 ? at.z : 1 - at.z;
            value[k] = x * y * z;
            gradient[k] = {sx * y * z, sy * x * z, sz * x * y};
        }
    }
};

struct CornersOfCell {
    std::array<Vec3, 8> x;
    Vec3 at(const Trilinear& t) const {
        Vec3 p;
        for (std::size_t k = 0; k < 8; ++k) p += t.value[k] * x[k];
        return p;
    }
    Mat3 jacobian(const Trilinear& t) const {
        Mat3 j;
        for (std::size_t k = 0; k < 8; ++k) j += outer(x[k], t.gradient[k]);
        return j;
    }
};

/// a⁻¹ b, or nothing where a turns space inside out or flattens it.
std::optional<Vec3> solve(const Mat3& a, Vec3 b) {
    const Vec3 u = a.column(0), v = a.column(1), w = a.column(2);
    const double volume = dot(u, cross(v, w));
    if (!(volume > 1e-6)) return std::nullopt;
    return Vec3{dot(b, cross(v, w)), dot(u, cross(b, w)), dot(u, cross(v, b))} / volume;
}

Vec3 clamped(Vec3 p, double low, double high) {
    return {std::clamp(p.x, low, high), std::clamp(p.y, low, high), std::clamp(p.z, low, high)};
}

double largest(Vec3 p) {
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
}

struct Choice {
    std::uint32_t cell = no_cell;
    Vec3 at;  ///< ξ
    bool inside = false, reached = false;
    double off = std::numeric_limits<double>::infinity();
};

/// Of a cell, in cells, from the lattice's origin.
CornersOfCell corners_of(const Solid& solid, std::uint32_t cell) {
    CornersOfCell c;
    for (std::size_t k = 0; k < 8; ++k)
        c.x[k] = (solid.corners[solid.cells[cell].corners[k]] - solid.origin) / solid.cell;
    return c;
}

/// x(ξ) = p by Newton's method, ξ kept within half a cell around the cell. Where that does not
/// lead to p, the point of the cell near it.
Choice invert(const Solid& solid, std::uint32_t cell, Vec3 p) {
    constexpr double slack = 1e-9, margin = 0.5;
    const CornersOfCell c = corners_of(solid, cell);
    Vec3 at{0.5, 0.5, 0.5};
    Choice found;
    found.cell = cell;
    for (int k = 0; k < 12; ++k) {
        const Trilinear t(at);
        const Vec3 left = p - c.at(t);
        if (largest(left) < slack) {
            found.reached = true;
            break;
        }
        const auto step = solve(c.jacobian(t), left);
        if (!step) break;
        const Vec3 next = clamped(at + *step, -margin, 1 + margin);
        if (next == at) break;
        at = next;
    }
    const Vec3 within = clamped(at, 0, 1);
    found.at = found.reached ? at : within;
    found.inside = found.reached && largest(at - within) <= slack;
    found.off = found.reached ? largest(at - within) : norm(p - c.at(Trilinear(within)));
    return found;
}

/// What of p is beyond x(ξ) follows the cell's deformation there: x(ξ) + J ρ.
CellBinding binding(const Solid& solid, const Choice& choice, Vec3 p) {
    CellBinding made;
    const CornersOfCell c = corners_of(solid, choice.cell);
    const Trilinear t(choice.at);
    made.corners = solid.cells[choice.cell].corners;
    made.weights = t.value;
    if (const auto rest = solve(c.jacobian(t), p - c.at(t)))
        for (std::size_t k = 0; k < 8; ++k) made.weights[k] += dot(t.gradient[k], *rest);
    return made;
}

/// Finds the cells of points. Lengths are in cells, places from the lattice's origin.
class Binder {
public:
    explicit Binder(const Solid& solid) : solid_(solid) {
        at_.assign(static_cast<std::size_t>(solid.size[0]) *
                       static_cast<std::size_t>(solid.size[1]) *
                       static_cast<std::size_t>(solid.size[2]),
                   no_cell);
        for (std::uint32_t c = 0; c < solid.cells.size(); ++c) {
            const auto& p = solid.cells[c].place;
            at_[index({p[0], p[1], p[2]})] = c;
        }
    }

    CellBinding bind(Vec3 point) const {
        const Vec3 p = (point - solid_.origin) / solid_.cell;
        std::array<int, 3> place{};
        for (int k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(k);
            place[a] = static_cast<int>(std::clamp(std::floor(p[k]), 0.0, solid_.size[a] - 1.0));
        }
        Choice best;
        look_at(place, p, best);
        // The point's own cell, where it is well inside; else the cells around it, and farther ones
        // where there are none.
        const int most = std::max({solid_.size[0], solid_.size[1], solid_.size[2]});
        for (int ring = 1; !best.inside && ring <= most && (ring == 1 || best.cell == no_cell);
             ++ring)
            for_each_in_ring(place, ring, [&](std::array<int, 3> q) { look_at(q, p, best); });
        return binding(solid_, best, p);
    }

private:
    std::size_t index(std::array<int, 3> p) const {
        return (static_cast<std::size_t>(p[0]) * static_cast<std::size_t>(solid_.size[1]) +
                static_cast<std::size_t>(p[1])) *
                   static_cast<std::size_t>(solid_.size[2]) +
               static_cast<std::size_t>(p[2]);
    }
    template <class Visit>
    void for_each_in_ring(std::array<int, 3> place, int ring, Visit&& visit) const {
        for (int dx = -ring; dx <= ring; ++dx)
            for (int dy = -ring; dy <= ring; ++dy) {
                const bool on_ring = std::max(std::abs(dx), std::abs(dy)) == ring;
                for (int dz = -ring; dz <= ring; dz += on_ring ? 1 : 2 * ring)
                    visit(std::array<int, 3>{place[0] + dx, place[1] + dy, place[2] + dz});
            }
    }

    void look_at(std::array<int, 3> place, Vec3 p, Choice& best) const {
        for (std::size_t k = 0; k < 3; ++k)
            if (place[k] < 0 || place[k] >= solid_.size[k]) return;
        const std::uint32_t cell = at_[index(place)];
        if (cell == no_cell) return;
        const Choice found = invert(solid_, cell, p);
        if (found.reached != best.reached ? found.reached : found.off < best.off) best = found;
    }

    const Solid& solid_;
    std::vector<std::uint32_t> at_;  ///< cells by place
};

}  // namespace

CellBinding bind_to_cell(const Solid& solid, std::uint32_t cell, Vec3 point,
                         std::array<bool, 3> within) {
    const Vec3 p = (point - solid.origin) / solid.cell;
    Vec3 at = invert(solid, cell, p).at;
    for (int k = 0; k < 3; ++k)
        if (within[static_cast<std::size_t>(k)]) at[k] = std::clamp(at[k], 0.0, 1.0);
    return {solid.cells[cell].corners, Trilinear(at).value};
}

std::vector<CellBinding> bind_to_cells(const Solid& solid, std::span<const Vec3> points,
                                       Scheduler* threads) {
    const Binder binder(solid);
    std::vector<CellBinding> bindings(points.size());
    constexpr std::size_t chunk = 256;
    for_each(threads, static_cast<std::uint32_t>((points.size() + chunk - 1) / chunk),
             [&](std::uint32_t c) {
                 check_cancelled();
                 for (std::size_t i = c * chunk; i < std::min(points.size(), (c + 1) * chunk); ++i)
                     bindings[i] = binder.bind(points[i]);
             });
    return bindings;
}

}  // namespace turgor
