#include "contact/collision_surface.hpp"
#include "device/shared/constants.h"

#include "body/graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/angle.hpp"
#include "base/bounds.hpp"
#include "contact/surface_search.hpp"

namespace turgor {
namespace {

constexpr std::size_t leaf_size = leaf_lanes;
/// An edge bent by less cannot get stuck at another: with a thickness of a tenth of an edge on both
/// sides the vertices keep surfaces apart.
constexpr double sharp_cosine = 0.85;

std::vector<SharpEdge> find_sharp_edges(const BodyAsset& asset) {
    std::map<Link, std::uint32_t> first_side;
    std::vector<SharpEdge> edges;
    const auto unit_normal = [&](std::uint32_t t) {
        const auto& [a, b, c] = asset.triangles[t];
        return normalized(cross(asset.rest[b] - asset.rest[a], asset.rest[c] - asset.rest[a]));
    };
    for (std::uint32_t t = 0; t < asset.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = asset.triangles[t][k], b = asset.triangles[t][(k + 1) % 3];
            const auto [side, is_first] = first_side.insert({{std::min(a, b), std::max(a, b)}, t});
            if (is_first) continue;
            const std::uint32_t apex = asset.triangles[t][(k + 2) % 3];
            const Vec3 n = unit_normal(side->second);
            const bool outwards = dot(asset.rest[apex] - asset.rest[a], n) < 0;
            if (outwards && dot(n, unit_normal(t)) < sharp_cosine)
                edges.push_back({{side->first[0], side->first[1]}, {side->second, t}});
        }
    return edges;
}

/// From the leaves, in the second half, up.
void fit_nodes(std::vector<FloatBox>& nodes, GroupedBoxes& grouped) {
    for (std::size_t node = nodes.size() / 2 - 1; node > 0; --node) {
        nodes[node] = nodes[2 * node];
        nodes[node].add(nodes[2 * node + 1]);
    }
    grouped.fit(nodes);
}

/// Normals of two parts that something is caught between point against each other: their product.
constexpr double opposite = TURGOR_OPPOSITE;

/// Offers a triangle in front of a point whose other side, nearest to it, has this normal.
void offer_opposite(const CollisionSurface& s, std::uint32_t t, Vec3 p, Vec3 normal,
                    Nearest& nearest) {
    const Corners corners = corners_of(s, t);
    const Vec3 n = normalized(cross(corners[1] - corners[0], corners[2] - corners[0]));
    if (dot(n, normal) <= opposite && dot(p - corners[0], n) >= 0) nearest.offer(t, corners, p);
}

/// Notes it as well if it is in front.
void note_opposite(const CollisionSurface& s, const NearVertex& known, Vec3 p,
                   const Nearest& nearest, double margin, std::vector<NearVertex>& found) {
    const Vec3 normal = known.normal;
    const std::size_t before = found.size();
    add_if_near(s, known.vertex, p, nearest, margin, 0, found);
    if (found.size() > before &&
        !(found.back().distance >= 0 && dot(found.back().normal, normal) <= opposite))
        found.pop_back();
}

Nearest find_nearest_on(const CollisionSurface& s, Vec3 p, double reach) {
    const Quad q = to_quad(p - s.origin);
    Nearest nearest;
    nearest.squared = reach * reach;
    const auto wide = static_cast<float>(1.0001 * reach + 1e-5 * norm(p - s.origin));
    for_each_leaf_near(s, {q, q}, wide, [&](std::uint32_t leaf) {
        for (const auto t : s.tree->triangles[leaf]) nearest.offer(t, corners_of(s, t), p);
    });
    return nearest;
}

}  // namespace

std::span<const std::uint32_t> CollisionLeaves::operator[](std::uint32_t leaf) const {
    const std::size_t n = items.size(), k = leaf;
    return {items.data() + k * n / count, items.data() + (k + 1) * n / count};
}

std::size_t CollisionTree::bytes() const {
    return (triangles.items.size() + vertices.items.size()) * sizeof(std::uint32_t) +
           edges.size() * sizeof(SharpEdge);
}

CollisionLeaves sort_into_leaves(std::span<const Vec3> points) {
    CollisionLeaves leaves;
    leaves.items.resize(points.size());
    std::iota(leaves.items.begin(), leaves.items.end(), 0u);
    while (leaves.count * leaf_size < points.size()) leaves.count *= 2;
    const std::size_t n = points.size();
    // Halves at the very items where leaves end, level by level.
    for (std::size_t parts = 1; parts < leaves.count; parts *= 2)
        for (std::size_t k = 0; k < parts; ++k) {
            const auto at = [&](std::size_t twice) {
                return leaves.items.begin() + static_cast<std::ptrdiff_t>(twice * n / (2 * parts));
            };
            Bounds box;
            for (auto i = at(2 * k); i != at(2 * k + 2); ++i) box.add(points[*i]);
            const int axis = longest_axis(box.extent());
            std::nth_element(at(2 * k), at(2 * k + 1), at(2 * k + 2),
                             [&](std::uint32_t a, std::uint32_t b) {
                                 const double pa = points[a][axis], pb = points[b][axis];
                                 return pa < pb || (pa == pb && a < b);
                             });
        }
    for (std::uint32_t k = 0; k < leaves.count; ++k) {
        const auto leaf = leaves[k];
        const auto first = leaves.items.begin() + (leaf.data() - leaves.items.data());
        std::sort(first, first + static_cast<std::ptrdiff_t>(leaf.size()));
    }
    return leaves;
}

std::shared_ptr<const CollisionTree> make_collision_tree(const BodyAsset& asset) {
    auto tree = std::make_shared<CollisionTree>();
    std::vector<Vec3> centres;
    for (const auto& [a, b, c] : asset.triangles)
        centres.push_back((asset.rest[a] + asset.rest[b] + asset.rest[c]) / 3);
    tree->triangles = sort_into_leaves(centres);
    tree->vertices = sort_into_leaves(std::span(asset.rest).first(asset.surface_count));
    tree->edges = find_sharp_edges(asset);
    return tree;
}

void CollisionSurface::refit() const {
    const CollisionLeaves& t = tree->triangles;
    boxes->triangles.resize(2 * t.count);
    boxes->leaves.resize(t.count);
    for (std::uint32_t leaf = 0; leaf < t.count; ++leaf) {
        LeafCorners corners{};
        FloatBox box;
        std::size_t lane = 0;
        for (const auto k : t[leaf]) {
            for (std::size_t c = 0; c < 3; ++c) {
                const Quad p = relative(asset->triangles[k][c]);
                box.add(p);
                corners.corner[c][0][lane] = p.x;
                corners.corner[c][1][lane] = p.y;
                corners.corner[c][2][lane] = p.z;
            }
            ++lane;
        }
        boxes->triangles[t.count + leaf] = box;
        make_leaf(corners, static_cast<std::uint32_t>(lane), boxes->leaves[leaf]);
    }
    fit_nodes(boxes->triangles, boxes->grouped);
    boxes->normals.resize(t.count);
    make_normals(boxes->leaves, boxes->normals);
    boxes->facings.resize(2 * t.count);
    for (std::uint32_t leaf = 0; leaf < t.count; ++leaf) {
        const auto& n = boxes->normals[leaf].n;
        FloatBox facing;
        for (std::size_t lane = 0; lane < t[leaf].size(); ++lane)
            facing.add(Quad{n[0][lane], n[1][lane], n[2][lane], 0});
        boxes->facings[t.count + leaf] = facing;
    }
    fit_nodes(boxes->facings, boxes->grouped_facings);
    boxes->vertices.resize(tree->vertices.count);
    for (std::uint32_t leaf = 0; leaf < tree->vertices.count; ++leaf) {
        FloatBox box;
        for (const auto i : tree->vertices[leaf]) box.add(relative(i));
        boxes->vertices[leaf] = box;
    }
}

Vec3 CollisionSurface::face_normal(std::uint32_t triangle) const {
    const Corners t = corners_of(*this, triangle);
    return cross(t[1] - t[0], t[2] - t[0]);
}

Vec3 CollisionSurface::outward(std::uint32_t triangle, std::span<const double, 3> weight) const {
    const Triangle& corner = asset->triangles[triangle];
    std::uint32_t on[3];
    std::size_t corners = 0;
    for (std::size_t k = 0; k < 3; ++k)
        if (weight[k] > 0) on[corners++] = corner[k];
    if (corners == 3) return face_normal(triangle);
    Vec3 sum;
    for (const auto t : asset->corners[on[0]]) {
        const Triangle& other = asset->triangles[t];
        if (corners == 2) {
            if (std::ranges::find(other, on[1]) != other.end()) sum += normalized(face_normal(t));
            continue;
        }
        const std::size_t k = other[0] == on[0] ? 0 : other[1] == on[0] ? 1 : 2;
        const Vec3 p = at(other[k]), b = at(other[(k + 1) % 3]) - p, c = at(other[(k + 2) % 3]) - p;
        const Vec3 n = cross(b, c);
        sum += angle_of(dot(b, c) / std::sqrt(dot(b, b) * dot(c, c))) * normalized(n);
    }
    return sum;
}

void add_if_near(const CollisionSurface& b, std::uint32_t vertex, Vec3 p, const Nearest& nearest,
                 double margin, double depth, std::vector<NearVertex>& found) {
    if (!nearest.found) return;
    NearVertex near{vertex,
                    nearest.triangle,
                    {nearest.weight.a, nearest.weight.b, nearest.weight.c},
                    std::sqrt(nearest.squared),
                    {}};
    const Vec3 q = point_at(corners_of(b, near.triangle), nearest.weight);
    const Vec3 outward = b.outward(near.triangle, near.weight);
    const double side = dot(p - q, outward) < 0 ? -1 : 1;
    if (near.distance > (side > 0 ? margin : depth)) return;
    // So close that their difference is rounding, the surface's own normal is better.
    const bool touching = near.distance <= 1e-5 * b.asset->contact_length;
    near.normal = normalized(touching ? outward : side * (p - q));
    near.distance *= side;
    if (near.normal == Vec3{}) return;
    found.push_back(near);
}

void find_near_vertices(const CollisionSurface& a, const CollisionSurface& b, double margin,
                        double depth, std::vector<NearVertex>& found) {
    const Quad shift = to_quad(a.origin - b.origin);
    const double farthest = std::max(margin, depth);
    // Boxes are rounded; distances decide in double precision.
    const auto reach = static_cast<float>(1.0001 * farthest + 1e-6 * norm(a.origin - b.origin) +
                                          1e-5 * b.asset->contact_length);
    const FloatBox whole_b = b.boxes->whole().grown(reach);
    const CollisionLeaves& triangles = b.tree->triangles;
    thread_local LeafCandidates candidates;
    thread_local std::vector<FacingLane> facing;
    const float limit = reach * reach;
    for (std::uint32_t cluster = 0; cluster < a.tree->vertices.count; ++cluster) {
        const FloatBox box = a.boxes->vertices[cluster].moved(shift);
        if (!boxes_overlap(box, whole_b)) continue;
        find_leaves(b.boxes->grouped, box, reach, candidates);
        if (candidates.leaves == 0) continue;
        const auto vertices = a.tree->vertices[cluster];
        std::array<Quad, leaf_size> points;
        std::array<NearestLane, leaf_size> nearest;
        for (std::size_t k = 0; k < vertices.size(); ++k)
            points[k] = to_quad(a.at(vertices[k]) - b.origin);
        find_nearest(b.boxes->leaves, b.boxes->grouped, candidates,
                     std::span(points).first(vertices.size()), limit, nearest);
        const std::size_t first = found.size();
        FloatBox facings;
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            if (nearest[k].lane == leaf_lanes) continue;
            const Vec3 p = a.at(vertices[k]);
            Nearest exact;
            exact.squared = 2 * limit;
            const std::uint32_t t = triangles[nearest[k].leaf][nearest[k].lane];
            exact.offer(t, corners_of(b, t), p);
            const std::size_t before = found.size();
            add_if_near(b, vertices[k], p, exact, margin, depth, found);
            if (found.size() > before) facings.add(to_quad(found.back().normal));
        }
        const std::size_t last = found.size();
        if (first == last) continue;
        find_facing_leaves(b.boxes->grouped, box, reach, b.boxes->grouped_facings, facings,
                           static_cast<float>(opposite) + 1e-3f, candidates);
        if (candidates.leaves == 0) continue;
        for (std::size_t k = first; k < last; ++k) {
            const NearVertex known = found[k];
            if (known.distance < 0) continue;
            const Vec3 p = a.at(known.vertex);
            facing.clear();
            find_facing(b.boxes->leaves, b.boxes->normals, b.boxes->grouped, candidates,
                        {to_quad(p - b.origin), to_quad(known.normal), static_cast<float>(opposite),
                         static_cast<float>(margin * margin), 0},
                        facing);
            Nearest other;
            other.squared = margin * margin;
            for (const FacingLane& lane : facing)
                offer_opposite(b, triangles[lane.leaf][lane.lane], p, known.normal, other);
            note_opposite(b, known, p, other, margin, found);
        }
    }
}

void find_near_vertices_reference(const CollisionSurface& a, const CollisionSurface& b,
                                  double margin, double depth, std::vector<NearVertex>& found) {
    const double farthest = std::max(margin, depth);
    for (const auto vertex : a.tree->vertices.items) {
        const Vec3 p = a.at(vertex);
        const Quad q = to_quad(p - b.origin);
        if (!boxes_overlap({q, q}, b.boxes->whole().grown(static_cast<float>(1.01 * farthest))))
            continue;
        Nearest nearest;
        nearest.squared = farthest * farthest;
        for (std::uint32_t t = 0; t < b.asset->triangles.size(); ++t)
            nearest.offer(t, corners_of(b, t), p);
        const std::size_t before = found.size();
        add_if_near(b, vertex, p, nearest, margin, depth, found);
        if (found.size() == before || found.back().distance < 0) continue;
        const NearVertex known = found.back();
        Nearest other;
        other.squared = margin * margin;
        for (std::uint32_t t = 0; t < b.asset->triangles.size(); ++t)
            offer_opposite(b, t, p, known.normal, other);
        note_opposite(b, known, p, other, margin, found);
    }
}

std::optional<NearVertex> near_point(const CollisionSurface& s, Vec3 p, double margin,
                                     double depth) {
    const double farthest = std::max(margin, depth);
    const Nearest nearest = find_nearest_on(s, p, farthest);
    thread_local std::vector<NearVertex> found;
    found.clear();
    add_if_near(s, 0, p, nearest, margin, depth, found);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

void find_near_edges(const CollisionSurface& a, const CollisionSurface& b, double margin,
                     double depth, std::vector<NearEdgePair>& found) {
    if (a.tree->edges.empty() || b.tree->edges.empty()) return;
    const auto reach = static_cast<float>(std::max(margin, depth));
    struct Candidate {
        const SharpEdge* edge;
        FloatBox box;  ///< relative to the origin of b
    };
    thread_local std::vector<Candidate> of_a, of_b;
    const auto find_near = [&](const CollisionSurface& s, const FloatBox& other,
                               std::vector<Candidate>& near) {
        near.clear();
        const Quad shift = to_quad(s.origin - b.origin);
        for (const SharpEdge& e : s.tree->edges) {
            FloatBox box;
            for (const auto i : e.ends) box.add(s.relative(i));
            box = box.moved(shift).grown(reach);
            if (boxes_overlap(box, other)) near.push_back({&e, box});
        }
    };
    find_near(a, b.boxes->whole(), of_a);
    if (of_a.empty()) return;
    find_near(b, a.boxes->whole().moved(to_quad(a.origin - b.origin)), of_b);
    const auto begins = [](const Candidate& c) { return c.box.lower.x; };
    std::ranges::sort(of_b, [&](const Candidate& p, const Candidate& q) {
        return begins(p) < begins(q) || (begins(p) == begins(q) && p.edge < q.edge);
    });
    float longest = 0;
    for (const Candidate& c : of_b) longest = std::max(longest, c.box.upper.x - c.box.lower.x);
    // The directions that belong to an edge lie between the normals of its two faces.
    const auto belongs = [](const CollisionSurface& s, const SharpEdge& e, Vec3 n) {
        const Vec3 f = s.face_normal(e.triangles[0]), g = s.face_normal(e.triangles[1]);
        const Vec3 along = cross(f, g);
        return dot(cross(f, n), along) >= 0 && dot(cross(n, g), along) >= 0 && dot(f + g, n) > 0;
    };
    for (const Candidate& ea : of_a) {
        auto from = std::ranges::lower_bound(of_b, ea.box.lower.x - longest, {}, begins);
        for (; from != of_b.end() && begins(*from) <= ea.box.upper.x; ++from) {
            const Candidate& eb = *from;
            if (!boxes_overlap(ea.box, eb.box)) continue;
            const Vec3 a0 = a.at(ea.edge->ends[0]), a1 = a.at(ea.edge->ends[1]);
            const Vec3 b0 = b.at(eb.edge->ends[0]), b1 = b.at(eb.edge->ends[1]);
            Vec3 n = cross(a1 - a0, b1 - b0);
            // Nearly parallel: vertices see to it.
            if (!(norm(n) > 0.05 * norm(a1 - a0) * norm(b1 - b0))) continue;
            n = normalized(n);
            if (!belongs(b, *eb.edge, n)) n = -n;
            if (!belongs(b, *eb.edge, n) || !belongs(a, *ea.edge, -n)) continue;
            const SegmentShares at = nearest_on_segments(a0, a1, b0, b1);
            if (!(at.first > 0 && at.first < 1 && at.second > 0 && at.second < 1)) continue;
            const Vec3 apart = a0 + at.first * (a1 - a0) - (b0 + at.second * (b1 - b0));
            const double distance = dot(apart, n);
            if (distance > margin || distance < -depth) continue;
            found.push_back({{ea.edge->ends[0], ea.edge->ends[1]},
                             {eb.edge->ends[0], eb.edge->ends[1]},
                             {at.first, at.second},
                             distance,
                             n});
        }
    }
}

namespace {

/// Calls hit(triangle, distance) for every triangle that a ray from p meets.
template <class Hit>
void for_each_on_ray(const CollisionSurface& s, Vec3 p, Vec3 way, double longest, Hit&& hit) {
    const Vec3 from = p - s.origin;
    const std::uint32_t leaves = s.tree->triangles.count;
    std::array<std::uint32_t, 64> stack;
    std::size_t size = 0;
    stack[size++] = 1;
    while (size > 0) {
        const std::uint32_t node = stack[--size];
        const FloatBox& box = s.boxes->triangles[node];
        const Vec3 low = box.lower.xyz() - from, high = box.upper.xyz() - from;
        const double grow = 1e-6 * (norm(low) + norm(high));
        double near = 0, far = longest;
        for (int k = 0; k < 3; ++k) {
            const double a = low[k] - grow, b = high[k] + grow;
            if (way[k] == 0) {
                if (a > 0 || b < 0) far = -1;
                continue;
            }
            near = std::max(near, (way[k] > 0 ? a : b) / way[k]);
            far = std::min(far, (way[k] > 0 ? b : a) / way[k]);
        }
        if (near > far) continue;
        if (node < leaves) {
            stack[size++] = 2 * node + 1;
            stack[size++] = 2 * node;
            continue;
        }
        for (const auto t : s.tree->triangles[node - leaves]) {
            const Corners c = corners_of(s, t);
            const Vec3 a = c[0] - p, b = c[1] - p, d = c[2] - p;
            const double u = dot(way, cross(b, d)), v = dot(way, cross(d, a)),
                         w = dot(way, cross(a, b));
            const bool through = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
            if (!through || u + v + w == 0) continue;
            const double distance = dot(a, cross(b, d)) / (u + v + w);
            if (distance > 0 && distance <= longest) hit(t, distance);
        }
    }
}

}  // namespace

RayHit first_on_ray(const CollisionSurface& s, Vec3 origin, Vec3 direction, double longest) {
    RayHit first;
    for_each_on_ray(s, origin, direction, longest, [&](std::uint32_t t, double distance) {
        if (!first.found || distance < first.distance ||
            (distance == first.distance && t < first.triangle))
            first = {t, distance, true};
    });
    return first;
}

NearestPoint nearest_on(const CollisionSurface& s, Vec3 p, double reach) {
    const Nearest nearest = find_nearest_on(s, p, reach);
    if (!nearest.found) return {};
    const double weight[3] = {nearest.weight.a, nearest.weight.b, nearest.weight.c};
    const Vec3 point = point_at(corners_of(s, nearest.triangle), nearest.weight);
    const Vec3 outward = s.outward(nearest.triangle, weight);
    const double side = dot(p - point, outward) < 0 ? -1 : 1;
    return {nearest.triangle, point, normalized(outward), side * std::sqrt(nearest.squared), true};
}

int winding_number(const CollisionSurface& s, Vec3 p) {
    return winding_number(s.boxes->leaves, s.boxes->grouped, to_quad(p - s.origin));
}

}  // namespace turgor
