#include "mesh/implicit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "base/errors.hpp"

namespace turgor {

/// d = k (k − 1) / |p/r²| with k = |p/r|: exact on the surface to first order.
FieldSample Ellipsoid::operator()(Vec3 p) const {
    const Vec3 q = rotate(conjugate(turn), p - centre);
    const Vec3 r2{radii.x * radii.x, radii.y * radii.y, radii.z * radii.z};
    const Vec3 q2{q.x / r2.x, q.y / r2.y, q.z / r2.z};
    const Vec3 q4{q2.x / r2.x, q2.y / r2.y, q2.z / r2.z};
    const double k = std::sqrt(dot(q, q2)), m = norm(q2);
    if (!(m > 0)) return {-std::min({radii.x, radii.y, radii.z}), {}};
    const double value = k * (k - 1) / m;
    const Vec3 gradient = ((2 * k - 1) / (k * m)) * q2 - (value / (m * m)) * q4;
    return {value, rotate(turn, gradient)};
}

FieldSample RoundCone::operator()(Vec3 p) const {
    const Vec3 along = b - a;
    const double length2 = dot(along, along);
    const double t = std::clamp(dot(p - a, along) / length2, 0.0, 1.0);
    const Vec3 away = p - (a + t * along);
    const double widening = t > 0 && t < 1 ? (radius_b - radius_a) / length2 : 0;
    return {norm(away) - (radius_a + t * (radius_b - radius_a)),
            normalized(away) - widening * along};
}

/// The polynomial minimum of I. Quílez: b + (a − b) h − blend h (1 − h). Its derivative by h is
/// zero, so the gradient is the mixture of the gradients.
FieldSample smooth_union(FieldSample a, FieldSample b, double blend) {
    const double h = std::clamp(0.5 + 0.5 * (b.value - a.value) / blend, 0.0, 1.0);
    return {b.value + (a.value - b.value) * h - blend * h * (1 - h),
            b.gradient + h * (a.gradient - b.gradient)};
}

FieldSample smooth_intersection(FieldSample a, FieldSample b, double blend) {
    const FieldSample outside =
        smooth_union({-a.value, -a.gradient}, {-b.value, -b.gradient}, blend);
    return {-outside.value, -outside.gradient};
}

Vec3 project_to_zero(const Field& field, Vec3 point, Vec3 normal) {
    // of the value before the last step, whose square is about the error after it
    constexpr double tolerance = 1e-4;
    Vec3 p = point;
    for (int i = 0; i < 5; ++i) {
        const FieldSample sample = field(p);
        const double slope = norm(sample.gradient);
        if (!(slope > 1e-6)) break;
        p -= sample.value / (slope * slope) * sample.gradient;
        if (std::abs(sample.value) < tolerance * slope)
            return dot(sample.gradient, normal) > 0.5 * slope ? p : point;
    }
    return point;
}

namespace {

using Cell = std::array<int, 3>;

/// Kuhn's subdivision: the six tetrahedra of a cube are the six ways to walk from its lowest to its
/// highest corner along the edges. Neighbouring cubes agree on the diagonals of their faces.
class TetrahedronMarch {
public:
    TetrahedronMarch(const Field& field, const Bounds& box, double cell)
        : lower_(box.lower), cell_(cell) {
        for (int axis = 0; axis < 3; ++axis)
            points_[axis] = static_cast<int>(std::ceil(box.extent()[axis] / cell)) + 1;
        values_.reserve(std::size_t(points_[0]) * points_[1] * points_[2]);
        for (int k = 0; k < points_[2]; ++k)
            for (int j = 0; j < points_[1]; ++j)
                for (int i = 0; i < points_[0]; ++i) sample(field, {i, j, k});
    }

    Mesh run() {
        for (int k = 0; k + 1 < points_[2]; ++k)
            for (int j = 0; j + 1 < points_[1]; ++j)
                for (int i = 0; i + 1 < points_[0]; ++i) march_cube({i, j, k});
        return std::move(mesh_);
    }

private:
    using Index = std::uint32_t;

    Vec3 point(Cell at) const {
        return lower_ + cell_ * Vec3{double(at[0]), double(at[1]), double(at[2])};
    }
    Index number(Cell at) const {
        return static_cast<Index>((std::size_t(at[2]) * points_[1] + at[1]) * points_[0] + at[0]);
    }
    Vec3 point(Index number) const {
        const int i = static_cast<int>(number % points_[0]),
                  rest = static_cast<int>(number / points_[0]);
        return point(Cell{i, rest % points_[1], rest / points_[1]});
    }

    void sample(const Field& field, Cell at) {
        values_.push_back(field(point(at)).value);
        bool border = false;
        for (int axis = 0; axis < 3; ++axis)
            border |= at[axis] == 0 || at[axis] == points_[axis] - 1;
        if (border && !(values_.back() > 0))
            fail(ErrorCode::failed, "an implicit shape reaches the border of its box.");
    }

    void march_cube(Cell at) {
        static constexpr int walks[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                            {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        for (int w = 0; w < 6; ++w) {
            std::array<Index, 4> corners;
            Cell corner = at;
            corners[0] = number(corner);
            for (int step = 0; step < 3; ++step) {
                ++corner[walks[w][step]];
                corners[step + 1] = number(corner);
            }
            // the odd permutations are mirror images
            if (w >= 3) std::swap(corners[2], corners[3]);
            march_tetrahedron(corners);
        }
    }

    /// `t` is positively oriented: (t1−t0)·((t2−t0)×(t3−t0)) > 0.
    void march_tetrahedron(const std::array<Index, 4>& t) {
        // even permutations that bring corner i to the front
        static constexpr int front[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
        std::array<bool, 4> inside;
        for (int i = 0; i < 4; ++i) inside[i] = values_[t[i]] < 0;
        const int count = inside[0] + inside[1] + inside[2] + inside[3];
        if (count == 0 || count == 4) return;
        if (count != 2) {
            const bool lone = count == 1;
            const auto i = std::find(inside.begin(), inside.end(), lone) - inside.begin();
            const auto& f = front[i];
            const Index a = cut(t[f[0]], t[f[1]]), b = cut(t[f[0]], t[f[2]]),
                        c = cut(t[f[0]], t[f[3]]);
            mesh_.triangles.push_back(lone ? Triangle{a, b, c} : Triangle{a, c, b});
            return;
        }
        // an even permutation with the two inside corners first
        static constexpr int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                            {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
        const auto& p = *std::find_if(std::begin(pairs), std::end(pairs), [&](const int(&q)[4]) {
            return inside[q[0]] && inside[q[1]];
        });
        const Index a = cut(t[p[0]], t[p[2]]), b = cut(t[p[0]], t[p[3]]);
        const Index c = cut(t[p[1]], t[p[3]]), d = cut(t[p[1]], t[p[2]]);
        mesh_.triangles.push_back({a, b, c});
        mesh_.triangles.push_back({a, c, d});
    }

    /// The vertex on the grid edge from a to b, kept off its ends so that no triangle degenerates.
    Index cut(Index a, Index b) {
        if (a > b) std::swap(a, b);
        const auto [entry, is_new] = cuts_.try_emplace(std::uint64_t{a} << 32 | b,
                                                       static_cast<Index>(mesh_.vertices.size()));
        if (is_new) {
            const double t = std::clamp(values_[a] / (values_[a] - values_[b]), 0.1, 0.9);
            mesh_.vertices.push_back(point(a) + t * (point(b) - point(a)));
        }
        return entry->second;
    }

    Vec3 lower_;
    double cell_;
    int points_[3];
    std::vector<double> values_;
    std::unordered_map<std::uint64_t, Index> cuts_;
    Mesh mesh_;
};

}  // namespace

Mesh polygonise(const Field& field, const Bounds& box, double cell) {
    return TetrahedronMarch(field, box, cell).run();
}

}  // namespace turgor
