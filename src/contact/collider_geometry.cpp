#include "contact/collider_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "base/angle.hpp"
#include "base/errors.hpp"
#include "body/check.hpp"
#include "mesh/edge_table.hpp"
#include "mesh/load.hpp"

namespace turgor {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto no_skip = [](const auto&) { return false; };
constexpr auto any_triangle = [](std::uint32_t, const Corners&, Barycentric) { return true; };

/// Faces that differ by less than 18° stop a particle as one.
constexpr double elsewhere = 0.95;

Vec3 area_normal(const Corners& t) {
    return cross(t[1] - t[0], t[2] - t[0]);
}

bool is_face(const double (&w)[3]) {
    return w[0] > 0 && w[1] > 0 && w[2] > 0;
}

/// So close that the difference of two points is rounding.
bool is_at(double distance, Vec3 p) {
    return distance <= 1e-9 * (1e-3 + norm(p));
}

/// Of p and the nearest point of a surface; `face` is the normal of its triangle, `side` −1 inside.
Vec3 normal_at(const TreeHit& hit, Vec3 p, Vec3 face, double side) {
    if (face != Vec3{} && (is_face(hit.weight) || is_at(hit.distance, p))) return face;
    const Vec3 away = normalized(side * (p - hit.point));
    return away != Vec3{} ? away : Vec3{0, 1, 0};
}

std::optional<GeometryCrossing> crossed(const TreeHit& hit, Vec3 normal) {
    if (hit.triangle == TreeHit::none) return std::nullopt;
    return GeometryCrossing{hit.distance, hit.point, normal};
}

bool looks_elsewhere(Vec3 normal, std::span<const Vec3> normals) {
    return std::ranges::all_of(normals, [&](Vec3 n) { return dot(n, normal) < elsewhere; });
}

/// Whether p is in front of a triangle, not beside it.
bool is_in_front(Vec3 p, const Corners& t, Barycentric w, Vec3 normal) {
    const Vec3 away = p - point_at(t, w);
    const double height = dot(away, normal);
    const double rounding = 1e-12 * (1 + norm(p));
    return height >= -rounding && norm(away - height * normal) <= 1e-6 * height + rounding;
}

template <class Work>
std::shared_ptr<const ColliderGeometry> noting_problems(Work&& work) {
    auto surface = std::make_shared<ColliderGeometry>();
    try {
        work(*surface);
    } catch (const Error& e) {
        surface->problem = e.what();
    }
    return surface;
}

}  // namespace

MeshGeometry::MeshGeometry(Mesh mesh, bool closed)
    : mesh_(std::move(mesh)),
      closed_(closed),
      tree_(mesh_.vertices, mesh_.triangles),
      box_(bounds(mesh_)) {
    const auto& triangles = mesh_.triangles;
    const auto corners = [&](const Triangle& t) {
        return Corners{mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]};
    };
    for (const Triangle& t : triangles)
        face_normals_.push_back(normalized(area_normal(corners(t))));
    if (!closed_) return;
    edge_normals_.resize(3 * triangles.size());
    EdgeTable(mesh_.vertices.size(), triangles)
        .for_each([&](std::uint32_t, std::uint32_t, std::span<const std::uint32_t> half_edges) {
            Vec3 sum;
            for (const auto h : half_edges) sum += face_normals_[h / 3];
            for (const auto h : half_edges) edge_normals_[h] = sum;
        });
    vertex_normals_.resize(mesh_.vertices.size());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Corners t = corners(triangles[i]);
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = t[(k + 1) % 3] - t[k], b = t[(k + 2) % 3] - t[k];
            const double lengths = std::sqrt(dot(a, a) * dot(b, b));
            if (lengths > 0)
                vertex_normals_[triangles[i][k]] +=
                    angle_of(dot(a, b) / lengths) * face_normals_[i];
        }
    }
}

Vec3 MeshGeometry::outward(const TreeHit& hit) const {
    if (is_face(hit.weight)) return face_normals_[hit.triangle];
    for (std::uint32_t k = 0; k < 3; ++k)
        if (!(hit.weight[(k + 1) % 3] > 0) && !(hit.weight[(k + 2) % 3] > 0))
            return vertex_normals_[mesh_.triangles[hit.triangle][k]];
    for (std::uint32_t k = 0; k < 3; ++k)
        if (!(hit.weight[(k + 2) % 3] > 0)) return edge_normals_[3 * hit.triangle + k];
    return {};
}

std::optional<NearestOnGeometry> MeshGeometry::nearest(Vec3 p, double reach, bool shell) const {
    const TreeHit hit = nearest_in(tree_, p, reach, no_skip, any_triangle);
    if (hit.triangle == TreeHit::none) return std::nullopt;
    const Vec3 face = face_normals_[hit.triangle];
    if (shell) {
        const double front = dot(p - hit.point, face) < 0 ? -1 : 1;
        return NearestOnGeometry{hit.distance, normal_at(hit, p, front * face, 1),
                                 is_face(hit.weight)};
    }
    const double side = dot(p - hit.point, outward(hit)) < 0 ? -1 : 1;
    return NearestOnGeometry{side * hit.distance, normal_at(hit, p, face, side),
                             is_face(hit.weight)};
}

bool MeshGeometry::contains(Vec3 p) const {
    return boxes_overlap({p, p}, box_) && nearest(p, infinity, false)->distance < 0;
}

std::optional<GeometryCrossing> MeshGeometry::entered(Vec3 from, Vec3 to, double least,
                                                      bool shell) const {
    const Vec3 way = to - from;
    const TreeHit hit =
        first_hit_in(tree_, from, way, least, 1, [&](std::uint32_t triangle, const Corners&) {
            return shell || dot(face_normals_[triangle], way) < 0;
        });
    if (hit.triangle == TreeHit::none) return std::nullopt;
    const Vec3 normal = face_normals_[hit.triangle];
    return crossed(hit, dot(normal, way) > 0 ? -normal : normal);
}

std::optional<GeometryCrossing> MeshGeometry::left(Vec3 from, Vec3 to, double least) const {
    const Vec3 way = to - from;
    const TreeHit hit =
        first_hit_in(tree_, from, way, least, 1, [&](std::uint32_t triangle, const Corners&) {
            return dot(face_normals_[triangle], way) > 0;
        });
    return hit.triangle == TreeHit::none ? std::nullopt : crossed(hit, face_normals_[hit.triangle]);
}

std::optional<NearestOnGeometry> MeshGeometry::another_face(Vec3 p, double reach, bool shell,
                                                            std::span<const Vec3> normals) const {
    const auto towards = [&](std::uint32_t triangle, Vec3 from) {
        const Vec3 n = face_normals_[triangle];
        return shell && dot(p - from, n) < 0 ? -n : n;
    };
    const TreeHit hit = nearest_in(
        tree_, p, reach,
        [&](std::uint32_t node) {
            return std::ranges::any_of(normals,
                                       [&](Vec3 n) { return tree_.faces(node, n, shell); });
        },
        [&](std::uint32_t triangle, const Corners& t, Barycentric w) {
            const Vec3 n = towards(triangle, t[0]);
            return n != Vec3{} && looks_elsewhere(n, normals) && is_in_front(p, t, w, n);
        });
    if (hit.triangle == TreeHit::none) return std::nullopt;
    return NearestOnGeometry{hit.distance, towards(hit.triangle, hit.point)};
}

namespace {

Vec3 unit_normal(const Corners& t) {
    return normalized(area_normal(t));
}

}  // namespace

std::optional<NearestOnGeometry> HeightGeometry::nearest(Vec3 p, double reach, bool) const {
    Vec3 face;
    const TreeHit hit =
        nearest_in(grid_, p, reach, no_skip, [&](std::uint32_t, const Corners& t, Barycentric) {
            face = area_normal(t);
            return true;
        });
    const HeightGrid::SidePoint side = grid_.nearest_side(p, reach);
    const double sign = grid_.contains(p) ? -1 : 1;
    if (side.distance < hit.distance) {
        const Vec3 away = normalized(sign * (p - side.point));
        const bool at = is_at(side.distance, p) || away == Vec3{};
        return NearestOnGeometry{sign * side.distance, at ? side.normal : away};
    }
    if (hit.triangle == TreeHit::none) return std::nullopt;
    return NearestOnGeometry{sign * hit.distance, normal_at(hit, p, normalized(face), sign),
                             is_face(hit.weight)};
}

std::optional<GeometryCrossing> HeightGeometry::entered(Vec3 from, Vec3 to, double least,
                                                        bool) const {
    const Vec3 way = to - from;
    Vec3 face;
    const TreeHit hit =
        first_hit_in(grid_, from, way, least, 1, [&](std::uint32_t, const Corners& t) {
            if (!(dot(area_normal(t), way) < 0)) return false;
            face = area_normal(t);
            return true;
        });
    const HeightGrid::SidePoint side =
        grid_.first_side(from, way, least, hit.triangle == TreeHit::none ? 1 : hit.distance);
    if (side.distance <= 1) return GeometryCrossing{side.distance, side.point, side.normal};
    return crossed(hit, normalized(face));
}

std::optional<GeometryCrossing> HeightGeometry::left(Vec3 from, Vec3 to, double least) const {
    const Vec3 way = to - from;
    Vec3 face;
    const TreeHit hit =
        first_hit_in(grid_, from, way, least, 1, [&](std::uint32_t, const Corners& t) {
            if (!(dot(area_normal(t), way) > 0)) return false;
            face = area_normal(t);
            return true;
        });
    return crossed(hit, normalized(face));
}

std::optional<NearestOnGeometry> HeightGeometry::another_face(Vec3 p, double reach, bool,
                                                              std::span<const Vec3> normals) const {
    // Where nothing is steeper than 6° there is nothing that looks elsewhere than up.
    const bool up = std::ranges::any_of(normals, [](Vec3 n) { return n.y > 0.99; });
    const auto flat = [&](const HeightGrid::Node& node) { return up && grid_.slope(node) < 0.1; };
    Vec3 face;
    const TreeHit hit =
        nearest_in(grid_, p, reach, flat, [&](std::uint32_t, const Corners& t, Barycentric w) {
            const Vec3 n = unit_normal(t);
            if (!looks_elsewhere(n, normals) || !is_in_front(p, t, w, n)) return false;
            face = n;
            return true;
        });
    if (hit.triangle == TreeHit::none) return std::nullopt;
    return NearestOnGeometry{hit.distance, face};
}

namespace {

void build(ColliderGeometry& surface, Mesh mesh, bool closed) {
    check_elements(mesh, "collider's mesh");
    if (closed) check_closed(mesh);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!(norm(mesh.vertices[i]) <= 1e9))
            fail(ErrorCode::bad_mesh, "vertex {} of its mesh is more than 1e9 m away", i);
    surface.shape.emplace(MeshGeometry(std::move(mesh), closed));
}

}  // namespace

std::shared_ptr<const ColliderGeometry> restored_geometry(Mesh mesh, bool closed) {
    return noting_problems(
        [&](ColliderGeometry& surface) { build(surface, std::move(mesh), closed); });
}

std::shared_ptr<const ColliderGeometry> solid_geometry(Mesh mesh) {
    return noting_problems([&](ColliderGeometry& surface) {
        constexpr const char* advice = "close it, or make a wall of it with Collider::shell";
        MeshReport report;
        try {
            mesh = closed_mesh(std::move(mesh), {}, report);
        } catch (const Error& e) {
            fail(e.code(), "{}; {}", e.what(), advice);
        }
        // A crate without a lid is not meant to be full.
        if (std::ranges::find(report.repairs, "closed_holes", &MeshFinding::kind) !=
            report.repairs.end())
            fail(ErrorCode::bad_mesh, "its mesh is not closed; {}", advice);
        build(surface, std::move(mesh), true);
    });
}

std::shared_ptr<const ColliderGeometry> shell_geometry(Mesh mesh) {
    std::erase_if(mesh.triangles,
                  [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
    return restored_geometry(std::move(mesh), false);
}

std::shared_ptr<const ColliderGeometry> height_geometry(std::size_t columns, std::size_t rows,
                                                        std::vector<double> heights,
                                                        double spacing_x, double spacing_z) {
    constexpr std::size_t most = 4096;
    return noting_problems([&](ColliderGeometry& surface) {
        if (columns < 2 || rows < 2 || columns > most || rows > most)
            fail(ErrorCode::bad_argument,
                 "its height field has {} × {} heights, but 2 to {} along each side are possible",
                 columns, rows, most);
        if (heights.size() != columns * rows)
            fail(ErrorCode::bad_argument, "its height field needs {} × {} = {} heights, not {}",
                 columns, rows, columns * rows, heights.size());
        for (const double spacing : {spacing_x, spacing_z})
            if (!(spacing >= 1e-6 && spacing <= 1e6))
                fail(ErrorCode::bad_argument,
                     "the spacing of its heights must be between 1e-6 and 1e6 m, not {} m",
                     spacing);
        for (std::size_t i = 0; i < heights.size(); ++i)
            if (!(std::abs(heights[i]) <= 1e9))
                fail(ErrorCode::bad_argument,
                     "height {} in row {} of its height field must be between -1e9 and 1e9 m, not "
                     "{} m",
                     i % columns, i / columns, heights[i]);
        surface.shape.emplace(HeightGeometry(HeightGrid(static_cast<std::uint32_t>(columns),
                                                        static_cast<std::uint32_t>(rows),
                                                        std::move(heights), spacing_x, spacing_z)));
    });
}

}  // namespace turgor
