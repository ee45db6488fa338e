#include "body/detail.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/mat3.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

struct SmoothTriangle {
    std::array<Vec3, 3> position, normal;

    Vec3 point(const double weight[3]) const {
        return weight[0] * position[0] + weight[1] * position[1] + weight[2] * position[2];
    }
    Vec3 normal_at(const double weight[3]) const {
        return weight[0] * normal[0] + weight[1] * normal[1] + weight[2] * normal[2];
    }
    Vec3 edge(std::uint32_t k) const { return position[(k + 1) % 3] - position[k]; }
    Vec3 face_normal() const { return normalized(cross(edge(0), edge(1))); }
};

SmoothTriangle corners_of(const Triangle& t, std::span<const Vec3> positions,
                          std::span<const Vec3> normals) {
    return {{positions[t[0]], positions[t[1]], positions[t[2]]},
            {normals[t[0]], normals[t[1]], normals[t[2]]}};
}

/// The frame (u, v, w) as columns. A trace of the face normal decides where the corners' normals
/// cancel out.
Mat3 frame_at(const SmoothTriangle& corners, const double weight[3], std::uint32_t edge) {
    const Vec3 w = normalized(corners.normal_at(weight) + 1e-3 * corners.face_normal());
    const Vec3 e = corners.edge(edge);
    const Vec3 u = normalized(e - dot(e, w) * w);
    return Mat3::from_columns(u, cross(w, u), w);
}

/// The edge that stands out most from the normal: with it the frame is best defined.
std::uint32_t edge_across(const SmoothTriangle& corners, Vec3 normal) {
    const Vec3 w = normalized(normal);
    std::array<double, 3> across;
    for (std::uint32_t k = 0; k < 3; ++k) across[k] = norm(cross(corners.edge(k), w));
    return static_cast<std::uint32_t>(std::max_element(across.begin(), across.end()) -
                                      across.begin());
}

/// p = q + offset · n_q with q at the barycentric coordinates (1 − b − c, b, c).
struct Line {
    double b = 1.0 / 3, c = 1.0 / 3, offset = 0;

    bool is_inside() const {
        constexpr double tolerance = 1e-9;
        return b >= -tolerance && c >= -tolerance && b + c <= 1 + tolerance;
    }
};

/// F = (p − q) × n_q = 0 (Diziol et al. 2011, section 6) with the offset as third unknown: q + d
/// n_q − p = 0, by Newton steps. Nothing where they lead far from the triangle or nowhere.
std::optional<Line> line_through(Vec3 p, const SmoothTriangle& t) {
    const Vec3 edge_b = t.position[1] - t.position[0], edge_c = t.position[2] - t.position[0];
    const Vec3 turn_b = t.normal[1] - t.normal[0], turn_c = t.normal[2] - t.normal[0];
    const double scale = std::max(norm(edge_b), norm(edge_c)) + norm(p - t.position[0]);
    Line line;
    for (int iteration = 0; iteration < 24; ++iteration) {
        const Vec3 n = t.normal[0] + line.b * turn_b + line.c * turn_c;
        const Vec3 rest = p - t.position[0] - line.b * edge_b - line.c * edge_c - line.offset * n;
        if (norm(rest) <= 1e-15 * scale) return line;
        const Vec3 by_b = edge_b + line.offset * turn_b, by_c = edge_c + line.offset * turn_c;
        const double determinant = dot(by_b, cross(by_c, n));
        if (!(std::abs(determinant) > 1e-12 * norm(by_b) * norm(by_c) * norm(n))) return {};
        const Line step{dot(rest, cross(by_c, n)) / determinant,
                        dot(by_b, cross(rest, n)) / determinant,
                        dot(by_b, cross(by_c, rest)) / determinant};
        line = {line.b + step.b, line.c + step.c, line.offset + step.offset};
        if (!(std::abs(line.b) < 10 && std::abs(line.c) < 10)) return {};
        if (std::abs(step.b) + std::abs(step.c) < 1e-15 && std::abs(step.offset) <= 1e-15 * scale)
            return line;
        if (iteration >= 8 && std::abs(step.b) + std::abs(step.c) < 1e-12) return line;
    }
    return {};
}

class Binder {
public:
    Binder(std::span<const Vec3> positions, std::span<const Vec3> normals,
           std::span<const Triangle> triangles)
        : tree_(positions, triangles) {
        for (const Triangle& t : triangles) corners_.push_back(corners_of(t, positions, normals));
        for (const SmoothTriangle& c : corners_) faces_.push_back(c.face_normal());
    }

    TriangleTree::Hit nearest(Vec3 point) const {
        const auto hit = tree_.nearest(point, [&](std::uint32_t t) { return faces_[t] != Vec3{}; });
        if (hit.triangle == TriangleTree::none)
            fail(ErrorCode::bad_mesh,
                 "Point ({}, {}, {}) of the display mesh cannot be bound: the mesh it should hang "
                 "on "
                 "has no triangle with an area, or the point is not finite.",
                 point.x, point.y, point.z);
        return hit;
    }

    bool is_behind(const TriangleTree::Hit& hit, Vec3 point_normal) const {
        return dot(faces_[hit.triangle], point_normal) < 0;
    }

    /// The nearest point on a triangle that faces the same way as the point's own normal; but not
    /// farther away than one more triangle, for a fold of the fine mesh may face anywhere.
    TriangleTree::Hit on_own_side(const TriangleTree::Hit& hit, Vec3 point,
                                  Vec3 point_normal) const {
        const auto other =
            tree_.nearest(point, [&](std::uint32_t t) { return dot(faces_[t], point_normal) > 0; });
        const SmoothTriangle& c = corners_[hit.triangle];
        const double longest = std::max({norm(c.edge(0)), norm(c.edge(1)), norm(c.edge(2))});
        return other.distance <= hit.distance + longest ? other : hit;
    }

    DetailBinding bind(Vec3 point, const TriangleTree::Hit& hit) const {
        // Lines a little longer than the shortest way are as good; lines that lean more than 70°
        // are not wanted.
        constexpr double good_enough = 1.05, longest = 3;
        const Vec3 side = corners_[hit.triangle].normal_at(hit.weight);
        Best best{hit.triangle, longest * hit.distance, {}};
        try_triangle(point, hit.triangle, side, best);
        if (best.line && best.length <= good_enough * hit.distance) return binding(point, best);
        const double reach = longest * hit.distance;
        const Bounds box{point - Vec3{reach, reach, reach}, point + Vec3{reach, reach, reach}};
        tree_.for_each_in(box, [&](std::uint32_t t) { try_triangle(point, t, side, best); });
        if (best.line) return binding(point, best);
        return binding(point, hit.triangle, hit.weight);
    }

private:
    struct Best {
        std::uint32_t triangle;
        double length;
        std::optional<Line> line;
    };

    void try_triangle(Vec3 point, std::uint32_t triangle, Vec3 side, Best& best) const {
        if (faces_[triangle] == Vec3{}) return;
        const auto line = line_through(point, corners_[triangle]);
        if (!line || !line->is_inside()) return;
        const double weight[3] = {1 - line->b - line->c, line->b, line->c};
        const Vec3 n = corners_[triangle].normal_at(weight);
        const double length = std::abs(line->offset) * norm(n);
        const bool better =
            length < best.length || (length == best.length && triangle < best.triangle);
        if (better && dot(n, side) > 0) best = {triangle, length, line};
    }

    DetailBinding binding(Vec3 point, const Best& best) const {
        const double weight[3] = {1 - best.line->b - best.line->c, best.line->b, best.line->c};
        return binding(point, best.triangle, weight);
    }

    /// Splits what leads from q to the point into the offset along n_q and the rest.
    DetailBinding binding(Vec3 point, std::uint32_t triangle, const double weight[3]) const {
        const SmoothTriangle& c = corners_[triangle];
        DetailBinding b{triangle, 0, {weight[0], weight[1], weight[2]}, 0, {}};
        const Vec3 n = c.normal_at(weight), way = point - c.point(weight);
        if (dot(n, n) > 0) b.offset = dot(way, n) / dot(n, n);
        const Vec3 left = way - b.offset * n;
        if (norm(left) <= 1e-14 * (norm(way) + norm(c.edge(0)))) return b;
        b.edge = edge_across(c, n);
        b.rest_error = transpose(frame_at(c, weight, b.edge)) * left;
        return b;
    }

    TriangleTree tree_;
    std::vector<SmoothTriangle> corners_;
    std::vector<Vec3> faces_;  ///< unit normals, zero for triangles without area
};

}  // namespace

std::vector<DetailBinding> bind_detail(std::span<const Vec3> points,
                                       std::span<const Vec3> point_normals,
                                       std::span<const Vec3> positions,
                                       std::span<const Vec3> normals,
                                       std::span<const Triangle> triangles) {
    const Binder binder(positions, normals, triangles);
    std::vector<TriangleTree::Hit> hits;
    for (const Vec3 p : points) {
        check_cancelled();
        hits.push_back(binder.nearest(p));
    }
    std::size_t behind = 0;
    for (std::size_t i = 0; i < point_normals.size(); ++i)
        behind += binder.is_behind(hits[i], point_normals[i]);
    // Where most normals disagree the fine mesh is inside out or a soup: they tell nothing.
    const bool trust_normals = 2 * behind < point_normals.size();
    std::vector<DetailBinding> bindings;
    for (std::size_t i = 0; i < points.size(); ++i) {
        check_cancelled();
        if (trust_normals && binder.is_behind(hits[i], point_normals[i]))
            hits[i] = binder.on_own_side(hits[i], points[i], point_normals[i]);
        bindings.push_back(binder.bind(points[i], hits[i]));
    }
    return bindings;
}

void place_detail(std::span<const DetailBinding> bindings, std::span<const Vec3> positions,
                  std::span<const Vec3> normals, std::span<const Triangle> triangles,
                  std::span<Vec3> points) {
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const DetailBinding& b = bindings[i];
        const SmoothTriangle c = corners_of(triangles[b.triangle], positions, normals);
        points[i] = c.point(b.weight) + b.offset * c.normal_at(b.weight);
        if (b.rest_error != Vec3{}) points[i] += frame_at(c, b.weight, b.edge) * b.rest_error;
    }
}

}  // namespace turgor
