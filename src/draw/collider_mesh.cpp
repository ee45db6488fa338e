#include "draw/collider_mesh.hpp"

#include <cmath>
#include <numbers>

#include "contact/collider_geometry.hpp"

namespace turgor {
namespace {

MeshToDraw smooth(const Mesh& mesh) {
    return {mesh.vertices, vertex_normals(mesh), mesh.triangles};
}

/// Every triangle with corners and a normal of its own.
MeshToDraw faceted(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    MeshToDraw drawn;
    for (const Triangle& t : triangles) {
        const auto first = static_cast<std::uint32_t>(drawn.positions.size());
        const Vec3 a = vertices[t[0]], b = vertices[t[1]], c = vertices[t[2]];
        drawn.positions.insert(drawn.positions.end(), {a, b, c});
        drawn.normals.insert(drawn.normals.end(), 3, normalized(cross(b - a, c - a)));
        drawn.triangles.push_back({first, first + 1, first + 2});
    }
    return drawn;
}

MeshToDraw box(Vec3 half) {
    Mesh cube = shapes::cube(2, 2);
    for (Vec3& p : cube.vertices) p = {p.x * half.x, p.y * half.y, p.z * half.z};
    return faceted(cube.vertices, cube.triangles);
}

/// A profile (distance from the axis, height) turned about y, smooth around, sharp at its corners.
MeshToDraw turned(std::span<const std::array<double, 2>> profile) {
    constexpr std::uint32_t segments = 96;
    MeshToDraw drawn;
    for (std::size_t k = 0; k + 1 < profile.size(); ++k) {
        const auto [r0, y0] = profile[k];
        const auto [r1, y1] = profile[k + 1];
        const double length = std::sqrt((r1 - r0) * (r1 - r0) + (y1 - y0) * (y1 - y0));
        const auto first = static_cast<std::uint32_t>(drawn.positions.size());
        for (std::uint32_t s = 0; s <= segments; ++s) {
            const double angle = 2 * std::numbers::pi * s / segments;
            const double x = std::sin(angle), z = std::cos(angle);
            const double out = (y1 - y0) / length, up = -(r1 - r0) / length;
            drawn.positions.insert(drawn.positions.end(),
                                   {{r0 * x, y0, r0 * z}, {r1 * x, y1, r1 * z}});
            drawn.normals.insert(drawn.normals.end(), 2, {out * x, up, out * z});
            if (s == segments) break;
            const std::uint32_t at = first + 2 * s;
            drawn.triangles.push_back({at, at + 2, at + 1});
            drawn.triangles.push_back({at + 1, at + 2, at + 3});
        }
    }
    return drawn;
}

/// The pose of a cup is at the middle of its inner floor.
MeshToDraw cup(const Collider& c) {
    const double outer = c.radius + c.wall;
    const std::array<double, 2> profile[] = {{0, -c.wall},      {outer, -c.wall},
                                             {outer, c.height}, {c.radius, c.height},
                                             {c.radius, 0},     {0, 0}};
    return turned(profile);
}

MeshToDraw surface(const ColliderGeometry& geometry) {
    if (const HeightGeometry* field = geometry.heights()) return smooth(field->grid().top());
    if (const MeshGeometry* mesh = geometry.mesh())
        return faceted(mesh->mesh().vertices, mesh->mesh().triangles);
    return {};
}

}  // namespace

MeshToDraw collider_mesh(const Collider& collider) {
    switch (collider.shape) {
        case ColliderShape::plane:
            return {};
        case ColliderShape::sphere:
            return smooth(shapes::icosphere(collider.radius, 4));
        case ColliderShape::box:
            return box(collider.half_extent);
        case ColliderShape::capsule:
            return smooth(shapes::capsule(collider.radius, collider.height, 48));
        case ColliderShape::cup:
            return cup(collider);
        case ColliderShape::mesh:
        case ColliderShape::height_field:
            return collider.geometry ? surface(*collider.geometry) : MeshToDraw{};
    }
    return {};
}

}  // namespace turgor
