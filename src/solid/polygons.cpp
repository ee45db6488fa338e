#include "solid/polygons.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/errors.hpp"
#include "mesh/edge_table.hpp"
#include "solid/even_volume.hpp"

namespace turgor {
namespace {

/// The first of the vertices that are where each is.
std::vector<std::uint32_t> welded(std::span<const Vec3> vertices) {
    std::vector<std::uint32_t> order(vertices.size()), first(vertices.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t v) {
        return std::tuple(vertices[v].x, vertices[v].y, vertices[v].z);
    };
    std::ranges::stable_sort(order, [&](auto a, auto b) { return key(a) < key(b); });
    for (std::size_t k = 0; k < order.size(); ++k)
        first[order[k]] =
            k > 0 && key(order[k]) == key(order[k - 1]) ? first[order[k - 1]] : order[k];
    return first;
}

/// A triangle as it is met, and how often from either side.
struct Group {
    Triangle triangle{};
    bool forwards = false, backwards = false;
};

/// By their vertices, in the order of the first of each.
std::vector<Group> grouped(const std::vector<Triangle>& triangles) {
    std::vector<Triangle> sorted = triangles;
    std::vector<std::uint8_t> turned(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        auto& [a, b, c] = sorted[t];
        if (a > b) std::swap(a, b), turned[t] ^= 1;
        if (b > c) std::swap(b, c), turned[t] ^= 1;
        if (a > b) std::swap(a, b), turned[t] ^= 1;
    }
    std::vector<std::uint32_t> order(triangles.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return sorted[a] < sorted[b]; });
    std::vector<std::uint32_t> group_of(triangles.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        group_of[order[k]] =
            k > 0 && sorted[order[k]] == sorted[order[k - 1]] ? group_of[order[k - 1]] : order[k];
    std::vector<Group> groups;
    std::vector<std::size_t> at(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (group_of[t] == t) at[t] = groups.size(), groups.push_back({triangles[t]});
        Group& group = groups[at[group_of[t]]];
        (turned[t] == turned[group_of[t]] ? group.forwards : group.backwards) = true;
    }
    return groups;
}

/// Edges by how they are passed.
void look_at_edges(std::size_t vertices, const std::vector<Triangle>& triangles, Polygons& out) {
    const EdgeTable table(vertices, triangles);
    const auto is_even = [&](std::uint32_t from, std::span<const std::uint32_t> half_edges) {
        std::size_t up = 0;
        for (const std::uint32_t h : half_edges) up += half_edge_from(triangles, h) == from;
        return 2 * up == half_edges.size();
    };
    std::size_t edges = 0, shared = 0, even = 0;
    table.for_each([&](std::uint32_t a, std::uint32_t, std::span<const std::uint32_t> half_edges) {
        ++edges;
        shared += half_edges.size() > 1;
        even += is_even(a, half_edges);
    });
    out.closed = edges > 0 && even == edges;
    out.oriented = 2 * shared > edges && even >= 0.95 * static_cast<double>(shared);
    out.borders.resize(triangles.size());
    table.for_each([&](std::uint32_t a, std::uint32_t, std::span<const std::uint32_t> half_edges) {
        if (out.oriented ? is_even(a, half_edges) : half_edges.size() % 2 == 0) return;
        // Half-edge 3 t + k leads from corner k to the next: opposite is the one after that.
        for (const std::uint32_t h : half_edges)
            out.borders[h / 3] |= static_cast<std::uint8_t>(1 << (h % 3 + 2) % 3);
    });
}

}  // namespace

Polygons polygons_of(const Mesh& mesh) {
    Polygons out;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t v : mesh.triangles[t])
            if (v >= mesh.vertices.size())
                fail(ErrorCode::bad_mesh,
                     "mesh \"{}\": triangle {} names vertex {}, but there are {}.", mesh.name, t, v,
                     mesh.vertices.size());
    const std::vector<std::uint32_t> first = welded(mesh.vertices);
    std::vector<Triangle> triangles = mesh.triangles;
    for (Triangle& t : triangles)
        for (std::uint32_t& v : t) v = first[v];
    const std::vector<Group> groups = grouped(triangles);
    std::size_t from_both = 0;
    for (const Group& g : groups) from_both += g.forwards && g.backwards;
    // A mesh that lists every triangle from both sides means each once.
    const bool all_from_both = 2 * from_both > groups.size();
    const auto corners = [&](const Triangle& t) {
        return Corners{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
    };
    std::vector<Triangle> crossed;
    for (const Group& g : groups) {
        out.all.push_back(corners(g.triangle));
        const auto [a, b, c] = g.triangle;
        if (a == b || b == c || c == a) continue;
        if (g.forwards && g.backwards && !all_from_both) continue;
        crossed.push_back(g.triangle);
        out.crossed.push_back(corners(g.triangle));
    }
    for (const Corners& t : out.all) {
        const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
        out.have_area = out.have_area || dot(n, n) > 0;
    }
    if (mesh.triangles.empty())
        for (const Vec3& p : mesh.vertices) out.all.push_back({p, p, p});
    look_at_edges(mesh.vertices.size(), crossed, out);
    if (out.closed) {
        Bounds box;
        for (const Vec3& p : mesh.vertices) box.add(p);
        const Vec3 extent = box.extent();
        const double unit = std::max({extent.x, extent.y, extent.z}) / 256;
        std::vector<Vec3> about = mesh.vertices;
        for (Vec3& p : about) p = (p - box.centre()) / unit;
        out.volume = unit > 0 ? even_volume(about, crossed) * unit * unit * unit : 0;
    }
    return out;
}

}  // namespace turgor
