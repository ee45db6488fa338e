#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/functions.hpp"
#include "mesh/primitives_subdivide.hpp"
#include "turgor/mesh.hpp"

namespace turgor::shapes {
namespace {

constexpr double max_vertices = 50e6;

void require_length(const char* shape, const char* what, double value) {
    if (!std::isfinite(value) || value <= 0)
        fail(ErrorCode::bad_argument, "{}: {} is {}, but it must be a positive number of metres.",
             shape, what, value);
}

void require_count(const char* shape, const char* what, int value, int least) {
    if (value < least)
        fail(ErrorCode::bad_argument, "{}: {} is {}, but it must be at least {}.", shape, what,
             value, least);
}

void require_vertices(const char* shape, double vertices) {
    if (!(vertices <= max_vertices))
        fail(ErrorCode::bad_argument,
             "{}: {:.3g} vertices are more than the {:.0f} million that are allowed; ask for a "
             "coarser mesh.",
             shape, vertices, max_vertices / 1e6);
}

/// Two triangles for the quad a b c d, counter-clockwise from outside, cut from a to c.
void add_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
}

/// As add_quad, cut from a to c or from b to d. Neighbouring quads that are cut in alternation give
/// a mesh without a preferred direction.
void add_alternating_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                          std::uint32_t d, bool cut_ac) {
    if (cut_ac)
        add_quad(mesh, a, b, c, d);
    else
        add_quad(mesh, b, c, d, a);
}

struct ProfilePoint {
    double radius, y;
};

/// A surface of revolution about y: circles from the upper to the lower pole.
Mesh revolve(const char* name, double top, const std::vector<ProfilePoint>& circles, double bottom,
             int segments) {
    Mesh mesh;
    mesh.name = name;
    const auto n = static_cast<std::uint32_t>(segments);
    const auto rings = static_cast<std::uint32_t>(circles.size());
    mesh.vertices.reserve(std::size_t{n} * rings + 2);
    mesh.triangles.reserve(std::size_t{n} * rings * 2);
    for (const ProfilePoint& circle : circles)
        for (int i = 0; i < segments; ++i) {
            const double angle = 2 * std::numbers::pi * i / segments;
            mesh.vertices.push_back({circle.radius * portable::sin(angle), circle.y,
                                     circle.radius * portable::cos(angle)});
        }
    const std::uint32_t north = n * rings, south = north + 1;
    mesh.vertices.push_back({0, top, 0});
    mesh.vertices.push_back({0, bottom, 0});

    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t right = (i + 1) % n;
        mesh.triangles.push_back({north, i, right});
        for (std::uint32_t r = 0; r + 1 < rings; ++r)
            add_alternating_quad(mesh, r * n + i, (r + 1) * n + i, (r + 1) * n + right,
                                 r * n + right, (r + i) % 2 == 0);
        mesh.triangles.push_back({south, (rings - 1) * n + right, (rings - 1) * n + i});
    }
    return mesh;
}

/// The points of an nx × ny × nz grid that lie on its surface, numbered as they come.
class GridSurface {
public:
    GridSurface(Vec3 size, int nx, int ny, int nz)
        : size_(size), points_{nx, ny, nz}, layer_(std::size_t(nx) * ny) {
        mesh_.vertices.reserve(static_cast<std::size_t>(vertex_count(nx, ny, nz)));
        first_.assign(layer_, 0), last_ = first_;
        sides_.assign(std::size_t(2 * (nx + ny)) * nz, 0);
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < ny; ++j) {
                const bool rim = k == 0 || k == nz - 1 || j == 0 || j == ny - 1;
                for (int i = 0; i < nx; i += rim ? 1 : nx - 1) add_vertex(i, j, k);
            }
        add_faces();
    }

    static double vertex_count(double nx, double ny, double nz) {
        return nx * ny * nz - (nx - 2) * (ny - 2) * (nz - 2);
    }
    Mesh take() { return std::move(mesh_); }

private:
    std::uint32_t& slot(int i, int j, int k) {
        const std::size_t in_layer = std::size_t(j) * points_[0] + i;
        if (k == 0) return first_[in_layer];
        if (k == points_[2] - 1) return last_[in_layer];
        const int nx = points_[0], ny = points_[1];
        const int rim = j == 0 ? i : j == ny - 1 ? nx + i : i == 0 ? 2 * nx + j : 2 * nx + ny + j;
        return sides_[std::size_t(k) * (2 * (nx + ny)) + rim];
    }

    void add_vertex(int i, int j, int k) {
        slot(i, j, k) = static_cast<std::uint32_t>(mesh_.vertices.size());
        const int at[3] = {i, j, k};
        Vec3 p;
        // written so that opposite grid points are exact mirror images
        for (int axis = 0; axis < 3; ++axis)
            p[axis] =
                size_[axis] * (2 * at[axis] - (points_[axis] - 1)) / (2 * (points_[axis] - 1));
        mesh_.vertices.push_back(p);
    }

    void add_faces() {
        for (int axis = 0; axis < 3; ++axis) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            for (int b = 0; b + 1 < points_[v]; ++b)
                for (int a = 0; a + 1 < points_[u]; ++a) {
                    add_cell(axis, a, b, 0);
                    add_cell(axis, a, b, points_[axis] - 1);
                }
        }
    }

    /// One grid cell of the face where coordinate `axis` is `level`. The cut joins the corners with
    /// an even sum of grid indices: symmetric under all symmetries of a cube with an odd number of
    /// points, under its rotations of order three and half of its reflections otherwise.
    void add_cell(int axis, int a, int b, int level) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        auto corner = [&](int da, int db) {
            int at[3];
            at[axis] = level, at[u] = a + da, at[v] = b + db;
            return slot(at[0], at[1], at[2]);
        };
        const bool even = (a + b + level) % 2 == 0;
        if (level > 0)
            add_alternating_quad(mesh_, corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1),
                                 even);
        else
            add_alternating_quad(mesh_, corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0),
                                 even);
    }

    Vec3 size_;
    int points_[3];
    std::size_t layer_;
    std::vector<std::uint32_t> first_, last_, sides_;
    Mesh mesh_;
};

Mesh icosahedron() {
    const double g = std::numbers::phi;
    Mesh mesh;
    mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                     {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (Vec3& p : mesh.vertices) p = normalized(p);
    return mesh;
}

}  // namespace

Mesh uv_sphere(double radius, int segments, int rings) {
    require_length("uv_sphere", "radius", radius);
    require_count("uv_sphere", "segments", segments, 3);
    require_count("uv_sphere", "rings", rings, 1);
    require_vertices("uv_sphere", double(segments) * rings + 2);
    std::vector<ProfilePoint> circles;
    for (int r = 1; r <= rings; ++r) {
        const double angle = std::numbers::pi * r / (rings + 1);
        circles.push_back({radius * portable::sin(angle), radius * portable::cos(angle)});
    }
    return revolve("uv_sphere", radius, circles, -radius, segments);
}

Mesh icosphere(double radius, int subdivisions) {
    require_length("icosphere", "radius", radius);
    require_count("icosphere", "subdivisions", subdivisions, 0);
    require_vertices("icosphere", std::ldexp(10, 2 * std::min(subdivisions, 100)) + 2);
    Mesh mesh = icosahedron();
    const auto on_sphere = [&](std::uint32_t a, std::uint32_t b) {
        return normalized(mesh.vertices[a] + mesh.vertices[b]);
    };
    for (int i = 0; i < subdivisions; ++i) subdivide(mesh, on_sphere);
    for (Vec3& p : mesh.vertices) p *= radius;
    mesh.name = "icosphere";
    return mesh;
}

Mesh torus(double ring_radius, double tube_radius, int major, int minor) {
    require_length("torus", "ring radius", ring_radius);
    require_length("torus", "tube radius", tube_radius);
    require_count("torus", "major segments", major, 3);
    require_count("torus", "minor segments", minor, 3);
    require_vertices("torus", double(major) * minor);
    if (tube_radius >= ring_radius)
        fail(ErrorCode::bad_argument,
             "torus: the tube radius {} must be smaller than the ring radius {}, or the tube cuts "
             "through itself.",
             tube_radius, ring_radius);
    Mesh mesh;
    mesh.name = "torus";
    for (int i = 0; i < major; ++i)
        for (int j = 0; j < minor; ++j) {
            const double along = 2 * std::numbers::pi * i / major;
            const double around = 2 * std::numbers::pi * j / minor;
            const double r = ring_radius + tube_radius * portable::cos(around);
            mesh.vertices.push_back({r * portable::sin(along), tube_radius * portable::sin(around),
                                     r * portable::cos(along)});
        }
    for (int i = 0; i < major; ++i)
        for (int j = 0; j < minor; ++j) {
            auto at = [&](int di, int dj) {
                return static_cast<std::uint32_t>((i + di) % major * minor + (j + dj) % minor);
            };
            add_alternating_quad(mesh, at(0, 0), at(1, 0), at(1, 1), at(0, 1), (i + j) % 2 == 0);
        }
    return mesh;
}

Mesh bar(Vec3 size, int points) {
    for (int axis = 0; axis < 3; ++axis) require_length("bar", "a side", size[axis]);
    require_count("bar", "points", points, 2);
    require_vertices("bar", points);
    const double cell = std::max({size.x, size.y, size.z}) / (points - 1);
    auto along = [&](double side) { return std::max(2, int(std::lround(side / cell)) + 1); };
    const int nx = along(size.x), ny = along(size.y), nz = along(size.z);
    require_vertices("bar", GridSurface::vertex_count(nx, ny, nz));
    Mesh mesh = GridSurface(size, nx, ny, nz).take();
    mesh.name = "bar";
    return mesh;
}

Mesh cube(double side, int points) {
    require_length("cube", "side", side);
    require_count("cube", "points", points, 2);
    Mesh mesh = bar({side, side, side}, points);
    mesh.name = "cube";
    return mesh;
}

Mesh capsule(double radius, double height, int segments) {
    require_length("capsule", "radius", radius);
    require_length("capsule", "height", height);
    require_count("capsule", "segments", segments, 3);
    if (height < 2 * radius)
        fail(
            ErrorCode::bad_argument,
            "capsule: the height {} must be at least twice the radius {}, since it counts from tip "
            "to tip.",
            height, radius);
    const double quarter = radius * std::numbers::pi / 2, straight = height - 2 * radius;
    const double length = 2 * quarter + straight, edge = 2 * std::numbers::pi * radius / segments;
    require_vertices("capsule", length / edge * segments + 2);
    const int rings = std::max(3, int(std::lround(length / edge))) - 1;

    std::vector<ProfilePoint> circles;
    for (int r = 1; r <= rings; ++r) {
        // the arc length from the nearer tip, so that both halves are exact mirror images
        const double from_tip = length * std::min(r, rings + 1 - r) / (rings + 1);
        const double angle = std::min(from_tip, quarter) / radius;
        const double y =
            straight / 2 + radius * portable::cos(angle) - std::max(from_tip - quarter, 0.0);
        circles.push_back({radius * portable::sin(angle), 2 * r <= rings + 1 ? y : -y});
    }
    return revolve("capsule", height / 2, circles, -height / 2, segments);
}

}  // namespace turgor::shapes
