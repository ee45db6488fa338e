#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "turgor/mesh.hpp"

/// Checks of meshes for tests: plain and independent of the code under test.
namespace turgor::checks {

using DirectedEdge = std::pair<std::uint32_t, std::uint32_t>;

/// The third corner of the triangle on the left of each directed edge; counts repeated edges.
struct EdgeMap {
    std::map<DirectedEdge, std::uint32_t> apex;
    std::size_t repeated = 0;

    explicit EdgeMap(const Mesh& mesh) {
        for (const Triangle& t : mesh.triangles)
            for (int k = 0; k < 3; ++k)
                repeated += !apex.try_emplace({t[k], t[(k + 1) % 3]}, t[(k + 2) % 3]).second;
    }
};

/// Closed, oriented consistently, one fan of triangles around each vertex, no unused vertex.
inline bool is_closed_manifold(const Mesh& mesh) {
    const auto n = static_cast<std::uint32_t>(mesh.vertices.size());
    std::vector<std::size_t> triangles_at(n, 0);
    for (const auto& [a, b, c] : mesh.triangles) {
        if (a >= n || b >= n || c >= n || a == b || b == c || c == a) return false;
        ++triangles_at[a], ++triangles_at[b], ++triangles_at[c];
    }
    const EdgeMap edges(mesh);
    if (edges.repeated > 0) return false;
    for (const auto& [edge, apex] : edges.apex)
        if (!edges.apex.contains({edge.second, edge.first})) return false;
    for (std::uint32_t v = 0; v < n; ++v) {
        const auto first = edges.apex.lower_bound({v, 0});
        if (first == edges.apex.end() || first->first.first != v) return false;
        std::size_t fan = 0;
        std::uint32_t w = first->first.second;
        do {
            w = edges.apex.at({v, w});
            ++fan;
        } while (w != first->first.second && fan <= triangles_at[v]);
        if (fan != triangles_at[v]) return false;
    }
    return true;
}

/// V − E + F of a closed mesh: 2 · components − 2 · genus.
inline long euler_characteristic(const Mesh& mesh) {
    const auto triangles = static_cast<long>(mesh.triangles.size());
    return static_cast<long>(mesh.vertices.size()) - triangles * 3 / 2 + triangles;
}

inline std::size_t component_count(const Mesh& mesh) {
    std::vector<std::uint32_t> root(mesh.vertices.size());
    for (std::uint32_t v = 0; v < root.size(); ++v) root[v] = v;
    auto find = [&](std::uint32_t v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    for (const auto& [a, b, c] : mesh.triangles) root[find(a)] = find(b), root[find(b)] = find(c);
    std::size_t count = 0;
    for (std::uint32_t v = 0; v < root.size(); ++v) count += root[v] == v;
    return count;
}

/// The handles of all components together.
inline long genus(const Mesh& mesh) {
    return static_cast<long>(component_count(mesh)) - euler_characteristic(mesh) / 2;
}

/// The smallest angle of each triangle [degrees].
inline std::vector<double> smallest_angles(const Mesh& mesh) {
    std::vector<double> angles;
    for (const Triangle& t : mesh.triangles) {
        double smallest = 180;
        for (int k = 0; k < 3; ++k) {
            const Vec3 corner = mesh.vertices[t[k]];
            const Vec3 u = mesh.vertices[t[(k + 1) % 3]] - corner;
            const Vec3 v = mesh.vertices[t[(k + 2) % 3]] - corner;
            smallest = std::min(smallest,
                                std::atan2(norm(cross(u, v)), dot(u, v)) * 180 / std::numbers::pi);
        }
        angles.push_back(smallest);
    }
    return angles;
}

inline std::vector<double> edge_lengths(const Mesh& mesh) {
    std::vector<double> lengths;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            if (t[k] < t[(k + 1) % 3])
                lengths.push_back(norm(mesh.vertices[t[k]] - mesh.vertices[t[(k + 1) % 3]]));
    return lengths;
}

/// The value that a share of `fraction` of the values lies below.
inline double percentile(std::vector<double> values, double fraction) {
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(fraction * static_cast<double>(values.size()));
    return values[std::min(at, values.size() - 1)];
}

inline Vec3 triangle_normal(const Mesh& mesh, const Triangle& t) {
    const Vec3 a = mesh.vertices[t[0]];
    return normalized(cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a));
}

}  // namespace turgor::checks
