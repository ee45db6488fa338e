#include "mesh/surface.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace turgor {

std::string Surface::vertex_name(std::uint32_t v) const {
    return fmt::format("vertex {}", vertex_source[v]);
}

std::string Surface::edge_name(std::uint32_t a, std::uint32_t b) const {
    const auto [low, high] = std::minmax(vertex_source[a], vertex_source[b]);
    return fmt::format("edge {}-{}", low, high);
}

std::string Surface::triangle_name(std::size_t t) const {
    if (triangle_source[t] == no_index) return "triangle of a repair";
    return fmt::format("{} {}", face, triangle_source[t]);
}

std::uint32_t Surface::add_vertex(Vec3 position, std::uint32_t v) {
    const auto added = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(position);
    vertex_source.push_back(vertex_source[v]);
    if (!colours.empty()) colours.push_back(colours[v]);
    return added;
}

void Surface::redirect(std::span<const std::uint32_t> target) {
    for (auto& triangle : triangles)
        for (auto& v : triangle) v = target[v];
}

void Surface::keep_triangles(const std::vector<bool>& keep) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (!keep[t]) continue;
        triangles[kept] = triangles[t];
        triangle_source[kept++] = triangle_source[t];
    }
    triangles.resize(kept);
    triangle_source.resize(kept);
}

std::size_t Surface::drop_collapsed_triangles() {
    std::vector<bool> keep(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto& [a, b, c] = triangles[t];
        keep[t] = a != b && b != c && c != a;
    }
    const std::size_t before = triangles.size();
    if (std::find(keep.begin(), keep.end(), false) != keep.end()) keep_triangles(keep);
    return before - triangles.size();
}

std::size_t Surface::drop_unused_vertices() {
    std::vector<std::uint32_t> target(vertices.size(), no_index);
    for (const auto& triangle : triangles)
        for (const auto v : triangle) target[v] = 0;
    std::uint32_t kept = 0;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
        if (target[v] == no_index) continue;
        vertices[kept] = vertices[v];
        vertex_source[kept] = vertex_source[v];
        if (!colours.empty()) colours[kept] = colours[v];
        target[v] = kept++;
    }
    const std::size_t dropped = vertices.size() - kept;
    if (dropped == 0) return 0;
    vertices.resize(kept);
    vertex_source.resize(kept);
    if (!colours.empty()) colours.resize(kept);
    redirect(target);
    return dropped;
}

double Surface::diagonal() const {
    Bounds box;
    for (const Vec3 p : vertices) box.add(p);
    return vertices.empty() ? 0 : box.diagonal();
}

}  // namespace turgor
