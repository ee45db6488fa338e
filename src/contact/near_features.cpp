#include "contact/near_features.hpp"

#include <algorithm>
#include <cmath>

#include "base/functions.hpp"

namespace turgor {
namespace {

// In units of the smaller mean edge of two surfaces.
constexpr double deepest = TURGOR_MAX_DEPTH;  ///< beyond, nearest points no longer tell the way out
constexpr double shallow =
    TURGOR_SHALLOW_DEPTH;  ///< as deep as a hard blow or a crush presses many
constexpr double search_depth = TURGOR_SEARCH_DEPTH;  ///< how deep vertices are looked for

/// What of one surface is inside another.
struct Inside {
    std::size_t vertices = 0;
    Vec3 normals;  ///< Σ n̄
};
Inside what_is_inside(const CollisionSurface& a, const CollisionSurface& b) {
    const FloatBox box = b.boxes->whole();
    Inside inside;
    for (std::uint32_t i = 0; i < a.asset->surface_count; ++i) {
        const Vec3 p = a.at(i);
        const Quad q = to_quad(p - b.origin);
        if (!boxes_overlap(box, {q, q}) || !is_inside(b, p)) continue;
        ++inside.vertices;
        for (const auto t : a.asset->corners[i]) inside.normals += 0.5 * a.face_normal(t);
    }
    return inside;
}

Vec3 middle(const FloatBox& box) {
    return 0.5 * (box.lower.xyz() + box.upper.xyz());
}

}  // namespace

Vec3 some_direction(std::uint32_t number) {
    const double k = number % 1024 + 0.5;
    const double y = 1 - 2 * k / 1024, r = std::sqrt(1 - y * y), angle = 2.399963229728653 * k;
    return {r * portable::cos(angle), y, r * portable::sin(angle)};
}

void find_near_features(const CollisionSurface& a, const CollisionSurface& b,
                        const NearFeatureQuery& query, NearFeatures& found) {
    found.first_in_second.clear();
    found.second_in_first.clear();
    found.edges.clear();
    found.deep = false;
    const double edge = std::min(a.asset->contact_length, b.asset->contact_length);
    const double outside = (contact_thickness + contact_margin) * edge + query.motion;
    const double inside = search_depth * edge;
    const FloatBox box_b = b.boxes->whole();
    const FloatBox box_a = a.boxes->whole().moved(to_quad(a.origin - b.origin));
    if (!boxes_overlap(box_a.grown(static_cast<float>(outside)), box_b)) return;
    // At the very same place: no need to look any closer. Where a blow has pressed both flat, their
    // boxes tell nothing.
    const Vec3 between = middle(box_a) - middle(box_b);
    const double smaller = std::min(a.asset->size, b.asset->size);
    if (query.before != NearFeatureQuery::Before::apart && norm(between) < 0.2 * smaller &&
        is_inside(b, b.origin + middle(box_a)) && is_inside(a, b.origin + middle(box_b))) {
        found.deep = true;
        found.separation_direction =
            normalized(norm(between) > 1e-6 * edge ? between : some_direction(query.number));
        return;
    }
    const auto find = query.ask_all ? find_near_vertices_reference : find_near_vertices;
    find(a, b, outside, inside, found.first_in_second);
    find(b, a, outside, inside, found.second_in_first);
    // A blow may press single vertices deep into the other body, and they come out again; where
    // bodies overlap, about half of what is near a surface is inside.
    std::size_t near = 0, within_other = 0;
    double lowest = 0;
    for (const auto* list : {&found.first_in_second, &found.second_in_first})
        for (const NearVertex& n : *list) {
            ++near;
            within_other += n.distance < -shallow * edge;
            lowest = std::min(lowest, n.distance);
        }
    const bool many = 4 * within_other > near;
    found.deep = many && lowest < -deepest * edge;
    const auto within = [](const FloatBox& s, const FloatBox& l) {
        return s.lower.x >= l.lower.x && s.lower.y >= l.lower.y && s.lower.z >= l.lower.z &&
               s.upper.x <= l.upper.x && s.upper.y <= l.upper.y && s.upper.z <= l.upper.z;
    };
    // Where surfaces coincide, bodies are on opposite sides of them, or one in the other.
    const auto same_side = [&](const CollisionSurface& s, const CollisionSurface& other,
                               const NearVertex& n) {
        if (std::abs(n.distance) > 0.05 * edge) return false;
        Vec3 outward;
        for (const auto t : s.asset->corners[n.vertex]) outward += s.face_normal(t);
        return is_inside(other, s.at(n.vertex) - 0.4 * edge * normalized(outward));
    };
    std::size_t same = 0;
    for (const NearVertex& n : found.first_in_second) same += same_side(a, b, n);
    for (const NearVertex& n : found.second_in_first) same += same_side(b, a, n);
    found.deep = found.deep || 10 * same > near;
    // One may have been put right into the other, where no surface is near.
    if (!found.deep && found.first_in_second.empty() && found.second_in_first.empty())
        found.deep = (within(box_a, box_b) && is_inside(b, a.at(0))) ||
                     (within(box_b, box_a) && is_inside(a, b.at(0)));
    // Once on their way they go on until nothing is inside.
    Inside a_in_b, b_in_a;
    if (found.deep || query.separating()) {
        a_in_b = what_is_inside(a, b);
        b_in_a = what_is_inside(b, a);
        found.deep = found.deep || a_in_b.vertices + b_in_a.vertices > 0;
    }
    if (!found.deep) return find_near_edges(a, b, outside, inside, found.edges);
    Vec3 way = b_in_a.normals - a_in_b.normals;
    const double little = 1e-3 * edge * edge;
    if (!(norm(way) > little)) way = middle(box_a) - middle(box_b);
    if (!(norm(way) > 1e-6 * edge)) way = some_direction(query.number);
    found.separation_direction = normalized(way);
}

}  // namespace turgor
