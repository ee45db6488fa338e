#include "mesh/nesting.hpp"

#include <algorithm>
#include <cmath>

namespace turgor {
namespace {

bool encloses(const Bounds& outer, const Bounds& inner) {
    for (int k = 0; k < 3; ++k)
        if (inner.lower[k] < outer.lower[k] || inner.upper[k] > outer.upper[k]) return false;
    return true;
}

}  // namespace

Nesting::Nesting(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                 const SurfaceParts& parts)
    : vertices_(vertices),
      parts_(parts),
      tree_(vertices, triangles),
      triangles_of_(parts.count),
      boxes_(parts.count) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const std::uint32_t part = parts.of_triangle[t];
        triangles_of_[part].push_back(triangles[t]);
        for (const auto v : triangles[t]) boxes_[part].add(vertices[v]);
    }
}

std::vector<std::uint32_t> Nesting::around(std::uint32_t part) {
    // Whatever contains a point has a triangle on the way from it to the far right.
    const Vec3 p = vertices_[triangles_of_[part][0][0]];
    Bounds way;
    way.add(p);
    way.add({1e300, p.y, p.z});
    std::vector<std::uint32_t> candidates;
    tree_.for_each_in(way, [&](std::uint32_t t) {
        const std::uint32_t other = parts_.of_triangle[t];
        if (other != part && encloses(boxes_[other], boxes_[part])) candidates.push_back(other);
    });
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::erase_if(candidates, [&](std::uint32_t outer) { return !contains(outer, part); });
    return candidates;
}

bool Nesting::contains(std::uint32_t outer, std::uint32_t inner) {
    auto& tree = part_trees_[outer];
    if (!tree) tree = std::make_unique<TriangleTree>(vertices_, triangles_of_[outer]);
    // Parts may cut through each other a little: the majority of a few corners decides.
    const auto& corners = triangles_of_[inner];
    const std::size_t samples = std::min<std::size_t>(9, corners.size());
    std::size_t inside = 0;
    for (std::size_t i = 0; i < samples; ++i) {
        const Vec3 p = vertices_[corners[i * corners.size() / samples][0]];
        inside += std::fabs(tree->winding_number(p)) > 0.5;
    }
    return 2 * inside > samples;
}

}  // namespace turgor
