#include "contact/self_contact.hpp"

#include "contact/surface_search.hpp"

namespace turgor {
namespace {

/// So many times the leaves that a sheet would have near a cluster of vertices: where there are
/// more, the surface is crumpled so much that it has no outside to speak of.
constexpr double most_sheets = TURGOR_MOST_SHEETS;

/// Two outsides can touch only where their normals point against each other: their product.
constexpr auto facing = static_cast<float>(TURGOR_FACING);

float dot(Quad a, Quad b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// What one vertex is near to.
class VertexSearch {
public:
    VertexSearch(const CollisionSurface& surface, const SelfSearch& normals, std::uint32_t vertex,
                 double margin, double depth)
        : s_(surface),
          normals_(normals),
          vertex_(vertex),
          p_(surface.at(vertex)),
          margin_(margin),
          depth_(depth),
          reach_(std::max(margin, depth)) {
        front_.squared = behind_.squared = reach_ * reach_;
    }

    void offer(std::uint32_t t) {
        if (dot(normals_.vertex_normals[vertex_], normals_.triangle_normals[t]) > facing) return;
        const Vec3 corner = s_.at(s_.asset->triangles[t][0]);
        const double above = turgor::dot(p_ - corner, normals_.triangle_normals[t].xyz());
        Nearest& side = above >= 0 ? front_ : behind_;
        // Its plane is farther away than what was found already.
        if (!(above * above <= 1.001 * side.squared) || has_corner_near_at_rest(t)) return;
        side.offer(t, corners_of(s_, t), p_, [&](std::uint32_t) { return is_apart_at_rest(t); });
    }

    /// Whether it may be nearer than what was found.
    bool may_matter(const FacingLane& lane) const {
        const double limit = 1.001 * (lane.in_front ? front_ : behind_).squared;
        // So close to its plane that single precision may be wrong about the side.
        const double close = 1e-6 * s_.asset->contact_length * s_.asset->contact_length;
        return lane.squared <= limit || lane.squared <= close;
    }

    void note(std::vector<NearVertex>& found) const {
        for (const Nearest* side : {&front_, &behind_}) {
            const std::size_t before = found.size();
            add_if_near(s_, vertex_, p_, *side, reach_, reach_, found);
            if (found.size() == before) continue;
            NearVertex& near = found.back();
            // In front of a triangle there is air in between, or the body is turned inside out;
            // behind it the body is in between, or the vertex has gone into another part of it.
            bool across_body = near.distance < 0;
            if (std::abs(near.distance) <= depth_) {
                const Vec3 out =
                    0.05 * s_.asset->contact_length * normals_.vertex_normals[vertex_].xyz();
                across_body = near.distance < 0
                                  ? winding_number(s_, p_ + out) < 1
                                  : winding_number(s_, p_ - 0.5 * near.distance * near.normal) < 0;
            }
            if (across_body) {
                near.distance = -near.distance;
                near.normal = -near.normal;
            }
            if (near.distance > margin_ || near.distance < -depth_) found.pop_back();
        }
    }

private:
    /// Mostly that is enough to tell.
    bool has_corner_near_at_rest(std::uint32_t t) const {
        const BodyAsset& asset = *s_.asset;
        const double least = apart_at_rest * asset.contact_length;
        return std::ranges::any_of(asset.triangles[t], [&](std::uint32_t corner) {
            const Vec3 between = asset.rest[corner] - asset.rest[vertex_];
            return turgor::dot(between, between) < least * least;
        });
    }
    bool is_apart_at_rest(std::uint32_t t) const {
        const BodyAsset& asset = *s_.asset;
        const auto& [a, b, c] = asset.triangles[t];
        const Corners rest{asset.rest[a], asset.rest[b], asset.rest[c]};
        const Vec3 p = asset.rest[vertex_];
        const double least = apart_at_rest * asset.contact_length;
        return squared_distance(rest, nearest_on_triangle(rest, p), p) >= least * least;
    }

    const CollisionSurface& s_;
    const SelfSearch& normals_;
    std::uint32_t vertex_;
    Vec3 p_;
    double margin_, depth_, reach_;
    Nearest front_, behind_;
};

/// The nearest three, in an order that does not depend on the standard library.
void bring_nearest_first(std::span<FacingLane> lanes) {
    for (std::size_t k = 0; k < std::min<std::size_t>(3, lanes.size()); ++k)
        std::swap(lanes[k], *std::ranges::min_element(lanes.subspan(k), {}, &FacingLane::squared));
}

}  // namespace

void SelfSearch::measure_triangles(const CollisionSurface& s) {
    const CollisionLeaves& leaves = s.tree->triangles;
    triangle_normals.resize(s.asset->triangles.size());
    for (std::uint32_t leaf = 0; leaf < leaves.count; ++leaf) {
        const auto& [n, area] = s.boxes->normals[leaf];
        std::size_t lane = 0;
        for (const auto t : leaves[leaf]) {
            triangle_normals[t] = {n[0][lane], n[1][lane], n[2][lane], area[lane]};
            ++lane;
        }
    }
    vertex_normals.resize(s.asset->surface_count);
}

void SelfSearch::measure_vertex(const BodyAsset& asset, std::uint32_t i) {
    Vec3 sum;
    for (const auto t : asset.corners[i])
        sum += double{triangle_normals[t].w} * triangle_normals[t].xyz();
    vertex_normals[i] = to_quad(normalized(sum));
}

std::size_t SelfSearch::bytes() const {
    return (triangle_normals.capacity() + vertex_normals.capacity()) * sizeof(Quad) +
           candidates.groups.capacity() * sizeof(LeafCandidates::Some) +
           facing.capacity() * sizeof(FacingLane) + queries.capacity() * sizeof(ClusterQuery) +
           found.capacity() * sizeof(NearVertex);
}

void find_near_self(const CollisionSurface& s, double depth, SelfSearch& search) {
    std::vector<ClusterQuery>& queries = search.queries;
    std::vector<NearVertex>& found = search.found;
    LeafCandidates& candidates = search.candidates;
    found.clear();
    if (queries.empty()) return;
    search.measure_triangles(s);
    const CollisionLeaves& triangles = s.tree->triangles;
    double leaves = 0, most = 0;
    for (const ClusterQuery& look : queries) {
        const double radius = look.margin / s.asset->contact_length + 2;
        most += most_sheets * radius * radius;
    }
    for (ClusterQuery& look : queries) {
        look.nearest = look.margin;
        FloatBox facings;
        for (const auto vertex : s.tree->vertices[look.cluster]) {
            search.measure_vertex(*s.asset, vertex);
            facings.add(search.vertex_normals[vertex]);
        }
        const auto reach = static_cast<float>(std::max(look.margin, depth));
        find_facing_leaves(s.boxes->grouped, s.boxes->vertices[look.cluster],
                           1.0001f * reach + 1e-5f * static_cast<float>(s.asset->contact_length),
                           s.boxes->grouped_facings, facings, facing, candidates);
        leaves += static_cast<double>(candidates.leaves);
        if (leaves > most) {
            for (ClusterQuery& each : queries) each.nearest = each.margin;
            return found.clear();
        }
        if (candidates.leaves == 0) continue;
        for (const auto vertex : s.tree->vertices[look.cluster]) {
            VertexSearch around(s, search, vertex, look.margin, depth);
            const Quad q = to_quad(s.at(vertex) - s.origin), n = search.vertex_normals[vertex];
            search.facing.clear();
            find_facing(s.boxes->leaves, s.boxes->normals, s.boxes->grouped, candidates,
                        {q, n, facing, reach * reach, reach * reach}, search.facing);
            // The nearest first: that leaves little to ask about the others.
            bring_nearest_first(search.facing);
            for (const FacingLane& lane : search.facing)
                if (around.may_matter(lane)) around.offer(triangles[lane.leaf][lane.lane]);
            const std::size_t before = found.size();
            around.note(found);
            for (std::size_t k = before; k < found.size(); ++k)
                look.nearest = std::min(look.nearest, found[k].distance);
        }
    }
}

void find_near_self_reference(const CollisionSurface& s, double margin, double depth,
                              std::vector<NearVertex>& found) {
    SelfSearch normals;
    normals.measure_triangles(s);
    for (const auto vertex : s.tree->vertices.items) {
        normals.measure_vertex(*s.asset, vertex);
        VertexSearch around(s, normals, vertex, margin, depth);
        for (std::uint32_t t = 0; t < s.asset->triangles.size(); ++t) around.offer(t);
        around.note(found);
    }
}

}  // namespace turgor
