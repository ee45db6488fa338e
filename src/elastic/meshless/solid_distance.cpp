#include "elastic/meshless/solid_distance.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/cancel.hpp"
#include "body/bridges.hpp"
#include "mesh/normals.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

/// Straight inwards, and four ways that lean by 45°.
std::array<Vec3, 5> inward_directions(Vec3 normal) {
    const Vec3 some = std::abs(normal.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 u = normalized(cross(normal, some)), v = cross(normal, u);
    return {-normal, u - normal, v - normal, -u - normal, -v - normal};
}

}  // namespace

SolidDistance::SolidDistance(const BodyAsset& asset)
    : rest_(std::span(asset.rest).first(asset.surface_count)) {
    const std::span<const Vec3> rest = rest_;
    ways_.resize(rest.size());
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        if (a == b) return;
        const double length = norm(rest[a] - rest[b]);
        ways_[a].push_back({b, length});
        ways_[b].push_back({a, length});
    };
    for (std::uint32_t i = 0; i < asset.surface_count; ++i)
        for (const std::uint32_t j : asset.neighbours[i])
            if (i < j) join(i, j);
    for (const Link& link : make_bridges(rest, asset.neighbours)) join(link[0], link[1]);

    std::vector<Vec3> normals(rest.size());
    unit_normals(rest, asset.triangles, normals);
    const TriangleTree tree(rest, asset.triangles);
    for (std::uint32_t i = 0; i < asset.surface_count; ++i) {
        check_cancelled();
        for (const Vec3 direction : inward_directions(normals[i])) {
            const auto hit = tree.first_hit(rest[i], direction, 0, [&](std::uint32_t t) {
                return std::ranges::find(asset.triangles[t], i) == asset.triangles[t].end();
            });
            if (!hit) continue;
            join(i, *std::ranges::min_element(
                        asset.triangles[hit->triangle], {},
                        [&](std::uint32_t corner) { return norm(rest[corner] - hit->point); }));
        }
    }
}

std::vector<double> SolidDistance::from(std::uint32_t particle) const {
    return spread({{0, particle}});
}

std::vector<double> SolidDistance::from(Vec3 inside) const {
    constexpr double around = 1.3;  // of the smallest distance: the ring that the point sees
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : rest_) nearest = std::min(nearest, norm(p - inside));
    std::vector<std::pair<double, std::uint32_t>> starts;
    for (std::uint32_t i = 0; i < rest_.size(); ++i)
        if (norm(rest_[i] - inside) <= around * nearest)
            starts.push_back({norm(rest_[i] - inside), i});
    return spread(std::move(starts));
}

std::vector<double> SolidDistance::spread(
    std::vector<std::pair<double, std::uint32_t>> starts) const {
    check_cancelled();
    std::vector<double> distance(ways_.size(), std::numeric_limits<double>::infinity());
    for (const auto& [length, at] : starts) distance[at] = length;
    std::priority_queue open(std::greater<>(), std::move(starts));
    while (!open.empty()) {
        const auto [so_far, at] = open.top();
        open.pop();
        if (so_far > distance[at]) continue;
        for (const auto& [to, length] : ways_[at]) {
            const double there = so_far + length;
            if (there >= distance[to]) continue;
            distance[to] = there;
            open.push({there, to});
        }
    }
    return distance;
}

}  // namespace turgor
