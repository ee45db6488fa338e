#pragma once

#include <array>
#include <cmath>

#include "base/nearest_point.hpp"
#include "contact/collision_surface.hpp"

namespace turgor {

/// How triangles near something are looked for on a CollisionSurface.

/// The nearest point of a surface so far.
struct Nearest {
    std::uint32_t triangle = 0;
    Barycentric weight;
    double squared = 0;
    bool found = false;

    /// `may_be(candidate)` is asked where it would be the nearest.
    template <class MayBe>
    void offer(std::uint32_t candidate, const Corners& corners, Vec3 p, MayBe&& may_be) {
        const Barycentric w = nearest_on_triangle(corners, p);
        const double d2 = squared_distance(corners, w, p);
        // Of triangles that share the nearest point, the one with the lowest number.
        const bool nearer = d2 < squared || (d2 == squared && (!found || candidate < triangle));
        if (!nearer || !may_be(candidate)) return;
        squared = d2;
        weight = w;
        triangle = candidate;
        found = true;
    }
    void offer(std::uint32_t candidate, const Corners& corners, Vec3 p) {
        offer(candidate, corners, p, [](std::uint32_t) { return true; });
    }
};

inline Corners corners_of(const CollisionSurface& s, std::uint32_t triangle) {
    const auto& [a, b, c] = s.asset->triangles[triangle];
    return {s.at(a), s.at(b), s.at(c)};
}

/// Adds a vertex with its nearest point if that is near enough on its side.
void add_if_near(const CollisionSurface& b, std::uint32_t vertex, Vec3 p, const Nearest& nearest,
                 double margin, double depth, std::vector<NearVertex>& found);

/// Calls visit(leaf) for the leaves of triangles whose boxes come within `reach` of a box.
template <class Visit>
void for_each_leaf_near(const CollisionSurface& s, const FloatBox& box, float reach,
                        Visit&& visit) {
    const std::uint32_t leaves = s.tree->triangles.count;
    const auto& boxes = s.boxes->triangles;
    std::array<std::uint32_t, 64> stack;
    std::size_t size = 0;
    stack[size++] = 1;
    const float limit = reach * reach;
    while (size > 0) {
        const std::uint32_t node = stack[--size];
        if (squared_distance(boxes[node], box) > limit) continue;
        if (node >= leaves) {
            visit(node - leaves);
            continue;
        }
        stack[size++] = 2 * node + 1;
        stack[size++] = 2 * node;
    }
}

}  // namespace turgor
