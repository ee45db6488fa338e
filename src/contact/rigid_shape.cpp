#include "contact/rigid_shape.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "body/check.hpp"
#include "mesh/measures.hpp"

namespace turgor {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::size_t most_vertices = 4096;

void require_length(const char* what, double value) {
    if (!(value >= 1e-4 && value <= 1e4))
        fail(ErrorCode::bad_argument, "its {} is {} m but must be between 1e-4 and 1e4 m", what,
             value);
}

/// Points inside a segment, at most `spacing` apart.
void add_between(Vec3 a, Vec3 b, double spacing, double radius, std::vector<Probe>& probes) {
    constexpr double most = 32;
    const int parts = static_cast<int>(std::clamp(std::ceil(norm(b - a) / spacing), 1.0, most));
    for (int k = 1; k < parts; ++k) probes.push_back({a + (b - a) * (1.0 * k / parts), radius});
}

void add_capsule_probes(double radius, double height, std::vector<Probe>& probes) {
    const Vec3 tip{0, std::max(0.0, height / 2 - radius), 0};
    probes.push_back({tip, radius});
    if (tip.y == 0) return;
    probes.push_back({-tip, radius});
    add_between(-tip, tip, 0.5 * radius, radius, probes);
}

Vec3 box_corner(Vec3 half, int k) {
    return {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
}

void add_box_probes(Vec3 half, std::vector<Probe>& probes) {
    for (int k = 0; k < 8; ++k) probes.push_back({box_corner(half, k), 0});
    // The middles of its faces: corners alone do not tell two aligned boxes apart.
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
            Vec3 middle;
            middle[axis] = side * half[axis];
            probes.push_back({middle, 0});
        }
    const double spacing = std::max(0.5 * std::min({half.x, half.y, half.z}),
                                    0.125 * std::max({half.x, half.y, half.z}));
    for (int k = 0; k < 8; ++k)
        for (const int axis : {1, 2, 4})
            if (!(k & axis))
                add_between(box_corner(half, k), box_corner(half, k | axis), spacing, 0, probes);
}

void add_rim_probes(const Collider& cup, std::vector<Probe>& probes) {
    constexpr int around = 48;
    for (int k = 0; k < around; ++k) {
        const Vec3 out = rotate(Quat::about({0, 1, 0}, 2 * pi * k / around), {1, 0, 0});
        for (const double r : {cup.radius, cup.radius + cup.wall})
            probes.push_back({r * out + Vec3{0, cup.height, 0}, 0});
    }
}

void make_sphere(double r, RigidGeometry& g) {
    require_length("radius", r);
    g.shape = Collider::sphere({}, r);
    g.volume = 4.0 / 3 * pi * r * r * r;
    g.spread = 0.4 * r * r * Mat3::identity();
    g.drawn = shapes::icosphere(r, 3);
}

void make_box(Vec3 half, RigidGeometry& g) {
    for (int i = 0; i < 3; ++i) require_length("half extent", half[i]);
    g.shape = Collider::box({}, half);
    g.volume = 8 * half.x * half.y * half.z;
    const Vec3 square{half.x * half.x, half.y * half.y, half.z * half.z};
    g.spread =
        symmetric(Vec3{square.y + square.z, square.z + square.x, square.x + square.y} / 3, {});
    g.drawn.vertices.clear();
    // Corners of their own for each face, so that it is drawn flat.
    for (int axis = 0; axis < 3; ++axis)
        for (const int side : {0, 1}) {
            const auto first = static_cast<std::uint32_t>(g.drawn.vertices.size());
            const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = side << axis;
            for (const int k : {at, at | u, at | u | v, at | v})
                g.drawn.vertices.push_back(box_corner(half, k));
            const std::uint32_t b = side ? 1 : 3, d = side ? 3 : 1;
            g.drawn.triangles.push_back({first, first + b, first + 2});
            g.drawn.triangles.push_back({first, first + 2, first + d});
        }
}

void make_capsule(double r, double height, RigidGeometry& g) {
    require_length("radius", r);
    require_length("height", height);
    if (height < 2 * r)
        fail(ErrorCode::bad_argument, "its height must be at least twice its radius");
    g.shape = Collider::capsule({}, r, height);
    const double length = height - 2 * r, cylinder = pi * r * r * length;
    const double ball = 4.0 / 3 * pi * r * r * r;
    g.volume = cylinder + ball;
    const double along = (0.5 * cylinder + 0.4 * ball) * r * r / g.volume;
    const double across = (cylinder * (length * length / 12 + r * r / 4) +
                           ball * (0.4 * r * r + length * length / 4 + 0.375 * length * r)) /
                          g.volume;
    g.spread = symmetric({across, along, across}, {});
    g.drawn = shapes::capsule(r, height, 24);
}

/// Every corner is behind every face, up to a little.
void require_convex(const Mesh& mesh, const RigidGeometry& g, double diagonal) {
    const double little = 1e-4 * diagonal;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
            if (dot(mesh.vertices[i], g.normals[t]) > g.heights[t] + little)
                fail(ErrorCode::bad_mesh,
                     "its mesh '{}' is not convex: vertex {} is in front of triangle {}", mesh.name,
                     i, t);
}

void add_convex_probes(const Mesh& mesh, double spacing, std::vector<Probe>& probes) {
    for (const Vec3& p : mesh.vertices) probes.push_back({p, 0});
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k)
            if (t[k] < t[(k + 1) % 3]) edges.insert({t[k], t[(k + 1) % 3]});
    for (const auto& [a, b] : edges)
        if (probes.size() < 1024)
            add_between(mesh.vertices[a], mesh.vertices[b], spacing, 0, probes);
}

void make_convex(const Mesh& given, RigidGeometry& g) {
    check_elements(given, "its mesh");
    check_closed(given);
    if (given.vertices.size() > most_vertices)
        fail(ErrorCode::bad_mesh, "its mesh '{}' has {} vertices, and {} are the most; simplify it",
             given.name, given.vertices.size(), most_vertices);
    const double diagonal = bounds(given).diagonal();
    require_length("diagonal", diagonal);
    const MassProperties solid = mass_properties(given);
    if (!(solid.volume > 1e-6 * diagonal * diagonal * diagonal))
        fail(ErrorCode::bad_mesh, "its mesh '{}' is flat or inside out: it encloses {} m³",
             given.name, solid.volume);
    g.drawn = transformed(given, -solid.centre);
    g.volume = solid.volume;
    g.spread = solid.inertia;
    for (const auto& [a, b, c] : g.drawn.triangles) {
        const Vec3 p = g.drawn.vertices[a];
        g.normals.push_back(normalized(cross(g.drawn.vertices[b] - p, g.drawn.vertices[c] - p)));
        g.heights.push_back(dot(g.normals.back(), p));
    }
    require_convex(g.drawn, g, diagonal);
    g.faces = std::make_unique<TriangleTree>(g.drawn.vertices, g.drawn.triangles);
    // The thinnest it is across any of its faces.
    g.extent = diagonal;
    for (std::size_t t = 0; t < g.normals.size(); ++t) {
        double lowest = 0;
        for (const Vec3& p : g.drawn.vertices) lowest = std::min(lowest, dot(p, g.normals[t]));
        if (g.normals[t] != Vec3{}) g.extent = std::min(g.extent, g.heights[t] - lowest);
    }
    add_convex_probes(g.drawn, 0.25 * diagonal, g.probes);
}

}  // namespace

MassProperties mass_properties(const Mesh& mesh) {
    // Tetrahedra from the middle to each triangle; ∫ x xᵀ over one with corners 0 a b c is
    // det/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.
    const Vec3 middle = bounds(mesh).centre();
    MassProperties solid;
    Vec3 first;
    Mat3 second;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Vec3 a = mesh.vertices[i] - middle, b = mesh.vertices[j] - middle,
                   c = mesh.vertices[k] - middle, sum = a + b + c;
        const double det = dot(a, cross(b, c));
        solid.volume += det / 6;
        first += det / 24 * sum;
        second += det / 120 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c));
    }
    if (!(solid.volume > 0)) return solid;
    const Vec3 centre = first / solid.volume;
    solid.centre = middle + centre;
    second = 1 / solid.volume * second - outer(centre, centre);
    solid.inertia = trace(second) * Mat3::identity() - second;
    return solid;
}

Mat3 inverse(const Mat3& a) {
    const Vec3 x = cross(a.row(1), a.row(2)), y = cross(a.row(2), a.row(0)),
               z = cross(a.row(0), a.row(1));
    return 1 / dot(a.row(0), x) * Mat3::from_columns(x, y, z);
}

Mat3 rotated_tensor(Quat rotation, const Mat3& tensor) {
    const Mat3 r = to_matrix(rotation);
    return r * tensor * transpose(r);
}

std::vector<Probe> probes_of(const Collider& c) {
    std::vector<Probe> probes;
    if (c.shape == ColliderShape::sphere) probes.push_back({{}, c.radius});
    if (c.shape == ColliderShape::box) add_box_probes(c.half_extent, probes);
    if (c.shape == ColliderShape::capsule) add_capsule_probes(c.radius, c.height, probes);
    if (c.shape == ColliderShape::cup) add_rim_probes(c, probes);
    return probes;
}

double RigidGeometry::size() const {
    return sphere_diameter(volume);
}

SignedDistance RigidGeometry::nearest_surface(Vec3 local) const {
    if (!faces) return turgor::nearest_surface(shape, local);
    const TriangleTree::Hit hit = faces->nearest(local);
    const Vec3 normal = normals[hit.triangle];
    bool outside = dot(local - hit.point, normal) > 0;
    // Beyond a sharp edge a point may be behind the face that it is nearest to.
    for (std::size_t t = 0; t < normals.size() && !outside; ++t)
        outside = dot(local, normals[t]) > heights[t];
    if (!outside) return {-hit.distance, normal};
    const bool touching = hit.distance <= 1e-9 * radius;
    return {hit.distance, touching ? normal : (local - hit.point) / hit.distance};
}

Bounds RigidGeometry::bounds(const Pose& pose) const {
    const Vec3 middle = pose.to_world(box.centre()), half = 0.5 * box.extent();
    const Mat3 r = to_matrix(pose.rotation);
    Vec3 reach;
    for (int i = 0; i < 3; ++i)
        reach[i] = std::abs(r.m[i][0]) * half.x + std::abs(r.m[i][1]) * half.y +
                   std::abs(r.m[i][2]) * half.z;
    if (shape.shape == ColliderShape::sphere && !faces) reach = half;
    return {middle - reach, middle + reach};
}

std::optional<double> RigidGeometry::first_on_ray(Vec3 origin, Vec3 direction,
                                                  double longest) const {
    if (faces) {
        const auto hit = faces->first_hit(origin, direction, 0);
        return hit && hit->distance <= longest ? std::optional(hit->distance) : std::nullopt;
    }
    const auto share =
        first_touch(shape, origin, origin + longest * direction, 1e-9 * (1 + norm(origin)));
    if (!share) return std::nullopt;
    const double distance = *share * longest;
    const double off = turgor::nearest_surface(shape, origin + distance * direction).distance;
    return off <= 1e-6 * (1 + norm(origin)) ? std::optional(distance) : std::nullopt;
}

std::shared_ptr<const RigidGeometry> make_geometry(const RigidBody& body) {
    auto g = std::make_shared<RigidGeometry>();
    switch (body.shape) {
        case RigidShape::sphere:
            make_sphere(body.radius, *g);
            g->core = 0;
            g->box = {-body.radius * Vec3{1, 1, 1}, body.radius * Vec3{1, 1, 1}};
            break;
        case RigidShape::box:
            make_box(body.half_extent, *g);
            g->box = {-body.half_extent, body.half_extent};
            break;
        case RigidShape::capsule: {
            make_capsule(body.radius, body.height, *g);
            g->core = body.height / 2 - body.radius;
            const Vec3 half{body.radius, body.height / 2, body.radius};
            g->box = {-half, half};
            break;
        }
        case RigidShape::convex:
            make_convex(body.mesh, *g);
            g->box = turgor::bounds(g->drawn);
            break;
    }
    if (!g->faces) {
        g->probes = probes_of(g->shape);
        const Vec3 extent = g->box.extent();
        g->extent = std::min({extent.x, extent.y, extent.z});
    }
    g->probes_are_all = body.shape == RigidShape::sphere;
    for (const Probe& p : g->probes) g->radius = std::max(g->radius, norm(p.at) + p.radius);
    g->per_spread = inverse(g->spread);
    return g;
}

RigidBody RigidBody::sphere(Vec3 centre, double radius) {
    RigidBody body;
    body.pose.position = centre;
    body.radius = radius;
    return body;
}

RigidBody RigidBody::box(Vec3 centre, Vec3 half_extent, Quat rotation) {
    RigidBody body;
    body.shape = RigidShape::box;
    body.pose = {centre, rotation};
    body.half_extent = half_extent;
    return body;
}

RigidBody RigidBody::capsule(Vec3 centre, double radius, double height, Quat rotation) {
    RigidBody body;
    body.shape = RigidShape::capsule;
    body.pose = {centre, rotation};
    body.radius = radius;
    body.height = height;
    return body;
}

RigidBody RigidBody::convex(const Mesh& mesh, Vec3 centre, Quat rotation) {
    RigidBody body;
    body.shape = RigidShape::convex;
    body.pose = {centre, rotation};
    body.mesh = mesh;
    return body;
}

}  // namespace turgor
