#include "seams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/errors.hpp"

namespace turgor::web {
namespace {

void require_sound(std::span<const float> positions, std::span<const std::uint32_t> indices) {
    const std::size_t vertices = positions.size() / 3;
    const std::size_t corners = indices.empty() ? vertices : indices.size();
    if (positions.empty()) fail(ErrorCode::bad_mesh, "the geometry has no positions");
    if (positions.size() % 3 != 0 || corners % 3 != 0)
        fail(ErrorCode::bad_mesh,
             "the geometry has {} numbers for positions and {} corners; both must be multiples of "
             "three",
             positions.size(), corners);
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (!std::isfinite(positions[i]))
            fail(ErrorCode::bad_mesh, "vertex {} of the geometry is not finite", i / 3);
    for (std::size_t k = 0; k < indices.size(); ++k)
        if (indices[k] >= vertices)
            fail(ErrorCode::bad_mesh, "triangle {} names vertex {}, but there are {}", k / 3,
                 indices[k], vertices);
}

}  // namespace

Welded weld_seams(std::span<const float> positions, std::span<const std::uint32_t> indices) {
    require_sound(positions, indices);
    Welded result;
    std::map<std::array<float, 3>, std::uint32_t> seen;
    for (std::size_t v = 0; v < positions.size() / 3; ++v) {
        // Adding zero makes −0 and 0 one.
        const std::array<float, 3> p{positions[3 * v] + 0.0f, positions[3 * v + 1] + 0.0f,
                                     positions[3 * v + 2] + 0.0f};
        const auto number = static_cast<std::uint32_t>(result.mesh.vertices.size());
        const auto [at, is_new] = seen.try_emplace(p, number);
        if (is_new) result.mesh.vertices.push_back({p[0], p[1], p[2]});
        result.point_of_vertex.push_back(at->second);
    }
    const std::size_t corners = indices.empty() ? positions.size() / 3 : indices.size();
    const auto point = [&](std::size_t corner) {
        return result.point_of_vertex[indices.empty() ? corner : indices[corner]];
    };
    for (std::size_t k = 0; k + 2 < corners; k += 3)
        result.mesh.triangles.push_back({point(k), point(k + 1), point(k + 2)});
    return result;
}

std::vector<std::uint32_t> nearest_vertices(std::span<const Vec3> places, const Mesh& mesh) {
    const auto& vertices = mesh.vertices;
    std::vector<std::uint32_t> by_x(vertices.size());
    std::iota(by_x.begin(), by_x.end(), 0u);
    std::ranges::sort(by_x, {}, [&](auto v) { return std::pair(vertices[v].x, v); });
    std::vector<std::uint32_t> nearest;
    for (const Vec3& place : places) {
        const auto middle =
            std::ranges::lower_bound(by_x, place.x, {}, [&](auto v) { return vertices[v].x; });
        std::uint32_t best = by_x.front();
        double least = 1e300;
        // Outwards in both directions, until x alone is farther than the best.
        const auto look = [&](std::uint32_t v) {
            const Vec3 way = vertices[v] - place;
            if (way.x * way.x > least) return false;
            if (dot(way, way) < least) least = dot(way, way), best = v;
            return true;
        };
        for (auto at = middle; at != by_x.end() && look(*at); ++at) {
        }
        for (auto at = middle; at != by_x.begin() && look(*std::prev(at)); --at) {
        }
        nearest.push_back(best);
    }
    return nearest;
}

}  // namespace turgor::web
