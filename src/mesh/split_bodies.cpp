#include <algorithm>
#include <numeric>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "mesh/intersections.hpp"
#include "mesh/nesting.hpp"
#include "mesh/surface.hpp"

namespace turgor {
namespace {

/// Joins the parts of a mesh that belong to one body.
class BodyGroups {
public:
    BodyGroups(const Mesh& mesh, const SurfaceParts& parts)
        : mesh_(mesh),
          parts_(parts),
          nesting_(mesh.vertices, mesh.triangles, parts),
          parent_(parts.count) {
        std::iota(parent_.begin(), parent_.end(), 0u);
        for (std::uint32_t part = 0; part < parts.count; ++part)
            for (const auto outer : nesting_.around(part)) unite(part, outer);
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) join_touching(t);
    }

    std::uint32_t find(std::uint32_t part) {
        while (parent_[part] != part) part = parent_[part] = parent_[parent_[part]];
        return part;
    }

private:
    void join_touching(std::uint32_t t) {
        check_cancelled();
        const auto corners = corners_of(t);
        Bounds box;
        for (const Vec3 p : corners) box.add(p);
        nesting_.tree().for_each_in(box, [&](std::uint32_t u) {
            const std::uint32_t a = find(parts_.of_triangle[t]), b = find(parts_.of_triangle[u]);
            if (a != b && triangles_meet(corners, corners_of(u), Touching::counts)) unite(a, b);
        });
    }
    std::array<Vec3, 3> corners_of(std::uint32_t t) const {
        const auto& [a, b, c] = mesh_.triangles[t];
        return {mesh_.vertices[a], mesh_.vertices[b], mesh_.vertices[c]};
    }
    void unite(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

    const Mesh& mesh_;
    const SurfaceParts& parts_;
    Nesting nesting_;
    std::vector<std::uint32_t> parent_;
};

Surface surface_of(const Mesh& mesh) {
    Surface surface;
    surface.vertices = mesh.vertices;
    surface.triangles = mesh.triangles;
    return surface;
}

/// Bodies in the order of their first triangles, vertices and triangles in the order of the mesh.
std::vector<Mesh> collect(const Mesh& mesh, const std::vector<std::uint32_t>& body_of_triangle,
                          std::size_t count) {
    std::vector<Mesh> bodies(count);
    std::vector<std::uint32_t> body_of_vertex(mesh.vertices.size(), no_index),
        moved(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const auto v : mesh.triangles[t]) body_of_vertex[v] = body_of_triangle[t];
    for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
        if (body_of_vertex[v] == no_index) continue;
        auto& vertices = bodies[body_of_vertex[v]].vertices;
        moved[v] = static_cast<std::uint32_t>(vertices.size());
        vertices.push_back(mesh.vertices[v]);
        if (!mesh.colours.empty()) bodies[body_of_vertex[v]].colours.push_back(mesh.colours[v]);
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        bodies[body_of_triangle[t]].triangles.push_back({moved[a], moved[b], moved[c]});
    }
    for (std::size_t i = 0; i < count; ++i)
        bodies[i].name = count == 1 ? mesh.name : fmt::format("{} {}", mesh.name, i + 1);
    return bodies;
}

}  // namespace

std::vector<Mesh> split_bodies(const Mesh& mesh) {
    if (mesh.triangles.empty()) return {};
    for (const auto& t : mesh.triangles)
        if (std::max({t[0], t[1], t[2]}) >= mesh.vertices.size())
            fail(ErrorCode::bad_mesh, "{}: a triangle names a vertex that does not exist",
                 mesh.name);
    const SurfaceParts parts = find_parts(scan_edges(surface_of(mesh)).opposite);
    if (parts.count == 1) return {mesh};
    BodyGroups groups(mesh, parts);
    std::vector<std::uint32_t> number(parts.count, no_index),
        body_of_triangle(mesh.triangles.size());
    std::uint32_t count = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        auto& body = number[groups.find(parts.of_triangle[t])];
        if (body == no_index) body = count++;
        body_of_triangle[t] = body;
    }
    return collect(mesh, body_of_triangle, count);
}

}  // namespace turgor
