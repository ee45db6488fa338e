#include "contact/rigid_near_features.hpp"

#include <algorithm>

#include "base/bounds.hpp"
#include "base/nearest_point.hpp"

namespace turgor {
namespace {

// In units of the edge of the pair.
constexpr double deepest_vertex = TURGOR_MAX_DEPTH;  ///< beyond, many inside are an overlap
constexpr double search_depth = TURGOR_SEARCH_DEPTH;

Vec3 middle_of(const CollisionSurface& s) {
    const FloatBox box = s.boxes->whole();
    return s.origin + 0.5 * (box.lower.xyz() + box.upper.xyz());
}

Bounds box_of(const CollisionSurface& s, const FloatBox& box) {
    return {s.origin + box.lower.xyz(), s.origin + box.upper.xyz()};
}

/// Calls visit(vertex, surface point) for the vertices that may be within `reach` outside, and for
/// all that are inside.
template <class Visit>
void each_vertex_near(const CollisionSurface& soft, const PosedGeometry& rigid, double reach,
                      Visit&& visit) {
    const Bounds box = rigid.shape->bounds(rigid.pose);
    const double far = reach + 1e-5 * (rigid.shape->radius + soft.asset->size);
    const Vec3 grow{far, far, far};
    const Bounds wide{box.lower - grow, box.upper + grow};
    for (std::uint32_t leaf = 0; leaf < soft.tree->vertices.count; ++leaf) {
        if (!boxes_overlap(box_of(soft, soft.boxes->vertices[leaf]), wide)) continue;
        for (const auto i : soft.tree->vertices[leaf]) {
            const Vec3 p = soft.at(i);
            if (squared_distance(wide, p) > 0) continue;
            const SignedDistance near = rigid.shape->nearest_surface(rigid.pose.to_local(p));
            if (near.distance <= reach) visit(i, p, near);
        }
    }
}

/// Coarse triangles that cut into a round shape between their vertices: calls visit(triangle,
/// weights, surface point) for those whose point nearest to its middle is within `reach`.
template <class Visit>
void each_triangle_near(const CollisionSurface& soft, const PosedGeometry& rigid, double reach,
                        Visit&& visit) {
    const RigidGeometry& shape = *rigid.shape;
    const bool fine = soft.asset->contact_length < 0.25 * shape.extent;
    if (shape.core < 0 || fine) return;
    const Bounds box = shape.bounds(rigid.pose);
    const double far = reach + 1e-5 * (shape.radius + soft.asset->size);
    const Vec3 grow{far, far, far};
    const Bounds wide{box.lower - grow, box.upper + grow};
    const std::uint32_t leaves = soft.tree->triangles.count;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        if (!boxes_overlap(box_of(soft, soft.boxes->triangles[leaves + leaf]), wide)) continue;
        for (const auto t : soft.tree->triangles[leaf]) {
            const auto& [i, j, k] = soft.asset->triangles[t];
            const Corners corners{soft.at(i), soft.at(j), soft.at(k)};
            const Vec3 centre = rigid.pose.to_local((corners[0] + corners[1] + corners[2]) / 3);
            const Vec3 core{0, std::clamp(centre.y, -shape.core, shape.core), 0};
            const Barycentric w = nearest_on_triangle(corners, rigid.pose.to_world(core));
            // At a vertex it is found already, at an edge from one side.
            if (std::max({w.a, w.b, w.c}) > 0.99 || (w.c == 0 && i > j) || (w.a == 0 && j > k) ||
                (w.b == 0 && k > i))
                continue;
            const Vec3 p = point_at(corners, w);
            const SignedDistance near = shape.nearest_surface(rigid.pose.to_local(p));
            if (near.distance <= reach) visit(t, w, p, near);
        }
    }
}

/// Where the rigid body is inside the soft one, or the other way round, and no surface is near.
bool swallowed(const CollisionSurface& soft, const PosedGeometry& rigid) {
    if (is_inside(soft, rigid.pose.position)) return true;
    return rigid.shape->nearest_surface(rigid.pose.to_local(soft.at(0))).distance < 0;
}

/// The way out for the soft body.
Vec3 separation_direction(const CollisionSurface& soft, const PosedGeometry& rigid,
                          std::uint32_t number) {
    const Vec3 centre = rigid.pose.position;
    if (is_inside(soft, centre)) {
        const double reach = 2 * box_of(soft, soft.boxes->whole()).diagonal();
        const NearestPoint near = nearest_on(soft, centre, reach);
        if (near.found) return -near.normal;
    }
    const Vec3 local = rigid.pose.to_local(middle_of(soft));
    if (norm(local) < 1e-6 * rigid.shape->radius) return some_direction(number);
    return rotate(rigid.pose.rotation, rigid.shape->nearest_surface(local).normal);
}

/// Calls keep(point of the probe's shape, point of the other, its normal, distance) for the probes
/// that are near another shape.
template <class Keep>
void each_probe_near(std::span<const Probe> probes, const Pose& pose, const PosedGeometry& other,
                     double reach, Keep&& keep) {
    for (const Probe& probe : probes) {
        const Vec3 at = pose.to_world(probe.at), local = other.pose.to_local(at);
        const double far = reach + probe.radius;
        if (norm(local) > other.shape->radius + far) continue;
        const SignedDistance near = other.shape->nearest_surface(local);
        if (near.distance > far) continue;
        const Vec3 normal = rotate(other.pose.rotation, near.normal);
        keep(at - probe.radius * normal, at - near.distance * normal, normal,
             near.distance - probe.radius);
    }
}

}  // namespace

void RigidNearFeatures::clear() {
    vertices.clear();
    triangles.clear();
    probes.clear();
    points.clear();
    deep = false;
}

void find_near_features(const CollisionSurface& soft, const PosedGeometry& rigid,
                        const NearFeatureQuery& query, RigidNearFeatures& found) {
    found.clear();
    const double edge = std::min(soft.asset->contact_length, rigid.shape->extent);
    const double outside = (contact_thickness + contact_margin) * edge + query.motion;
    const Bounds box = box_of(soft, soft.boxes->whole());
    const Vec3 grow{outside, outside, outside};
    const Bounds of_rigid = rigid.shape->bounds(rigid.pose);
    if (!boxes_overlap({of_rigid.lower - grow, of_rigid.upper + grow}, box)) return;

    std::size_t inside = 0, near = 0;
    double lowest = 0;
    const auto note = [&](double distance) {
        ++near;
        inside += distance < 0;
        lowest = std::min(lowest, distance);
    };
    each_vertex_near(soft, rigid, outside, [&](std::uint32_t i, Vec3 p, const SignedDistance& s) {
        const Vec3 normal = rotate(rigid.pose.rotation, s.normal);
        found.vertices.push_back({i, p - s.distance * normal, normal, s.distance});
        note(s.distance);
    });
    each_triangle_near(soft, rigid, outside,
                       [&](std::uint32_t t, const Barycentric& w, Vec3 p, const SignedDistance& s) {
                           const Vec3 normal = rotate(rigid.pose.rotation, s.normal);
                           found.triangles.push_back(
                               {t, {w.a, w.b, w.c}, p - s.distance * normal, normal, s.distance});
                       });
    for (const Probe& probe : rigid.shape->probes) {
        const Vec3 at = rigid.pose.to_world(probe.at);
        // Once the middle of a round part is inside, its distance says how far it has to go.
        if (const auto n = near_point(soft, at, outside + probe.radius, search_depth * edge)) {
            found.probes.push_back({*n, at - probe.radius * n->normal});
            note(n->distance - probe.radius);
        }
    }
    const bool many = 4 * inside > near && lowest < -deepest_vertex * edge;
    found.deep = many || (query.separating() && inside > 0) ||
                 ((near == 0 || query.separating()) && swallowed(soft, rigid));
    if (found.deep) found.separation_direction = separation_direction(soft, rigid, query.number);
}

void find_near_features(const PosedGeometry& a, const PosedGeometry& b,
                        const NearFeatureQuery& query, RigidNearFeatures& found) {
    found.clear();
    const double extent = std::min(a.shape->extent, b.shape->extent);
    const double reach = (contact_thickness + contact_margin) * rigid_edge * extent + query.motion;
    const Vec3 between = a.pose.position - b.pose.position;
    if (norm(between) > a.shape->radius + b.shape->radius + reach) return;
    // One's middle well inside the other: nearest points no longer tell the way out.
    const auto holds = [&](const PosedGeometry& s, Vec3 p) {
        return s.shape->nearest_surface(s.pose.to_local(p)).distance < -0.25 * extent;
    };
    found.separation_direction =
        norm(between) > 1e-6 * extent ? normalized(between) : some_direction(query.number);
    found.deep = holds(a, b.pose.position) || holds(b, a.pose.position);
    if (found.deep) return;
    each_probe_near(a.shape->probes, a.pose, b, reach,
                    [&](Vec3 own, Vec3 other, Vec3 normal, double distance) {
                        found.points.push_back({own, other, normal, distance});
                    });
    if (!a.shape->probes_are_all)
        each_probe_near(b.shape->probes, b.pose, a, reach,
                        [&](Vec3 own, Vec3 other, Vec3 normal, double distance) {
                            found.points.push_back({other, own, -normal, distance});
                        });
    // Once on their way they go on until nothing is inside.
    found.deep = query.separating() && std::ranges::any_of(found.points, [&](const auto& p) {
                     return p.distance < -0.01 * extent;
                 });
}

namespace {

/// A probe may touch several walls of a collider, which has but one nearest point: from a little
/// farther off that one, the next wall is nearest.
template <class Add>
void each_wall(const MovingCollider& c, Vec3 from, Vec3 to, double reach, Add&& add) {
    constexpr int most_walls = 3;
    Vec3 normals[most_walls], off;
    for (int k = 0; k < most_walls; ++k) {
        const auto met = find_obstacle(*c.collider, from + off, to + off, reach + norm(off));
        if (!met || (k > 0 && dot(to - met->point, met->normal) > reach)) return;
        for (int j = 0; j < k; ++j)
            if (dot(met->normal, normals[j]) > 0.95) return;
        normals[k] = met->normal;
        add(*met);
        if (c.collider->shape == ColliderShape::plane) return;
        off += reach * met->normal;
    }
}

}  // namespace

void find_contacts(std::span<const MovingCollider> colliders, const CollisionFilter& filter,
                   const PosedGeometry& rigid, const Pose& end, double margin,
                   std::vector<RigidContact>& contacts) {
    contacts.clear();
    const double way = norm(end.position - rigid.pose.position);
    const double motion = way + rigid.shape->radius * 2 *
                                    norm(Vec3{end.rotation.x - rigid.pose.rotation.x,
                                              end.rotation.y - rigid.pose.rotation.y,
                                              end.rotation.z - rigid.pose.rotation.z});
    for (std::uint32_t k = 0; k < colliders.size(); ++k) {
        const MovingCollider& c = colliders[k];
        if (!c.collider->filter.meets(filter) ||
            !in_reach(c, end.position, rigid.shape->radius + margin + motion))
            continue;
        const bool sensor = c.collider->sensor;
        for (const Probe& probe : rigid.shape->probes) {
            const Vec3 from = rigid.pose.to_world(probe.at), to = end.to_world(probe.at);
            const auto add = [&](const Obstacle& met) {
                RigidContact contact;
                contact.collider = k;
                contact.normal = rotate(c.end.rotation, met.normal);
                contact.stop = c.end.to_world(met.point);
                contact.point = from - probe.radius * contact.normal;
                if (c.moves()) contact.surface_motion = contact.stop - c.start.to_world(met.point);
                contact.sensor = sensor;
                contact.inside = dot(to - contact.stop, contact.normal) < probe.radius;
                contacts.push_back(contact);
            };
            each_wall(c, c.start.to_local(from), c.end.to_local(to), margin + probe.radius, add);
        }
        if (rigid.shape->probes_are_all || sensor) continue;
        // What sticks out of the collider, against the faces of the body.
        for (const Probe& probe : probes_of(*c.collider)) {
            const Vec3 from = c.start.to_world(probe.at), to = c.end.to_world(probe.at);
            const double reach = margin + motion + norm(to - from) + probe.radius;
            if (norm(from - rigid.pose.position) > rigid.shape->radius + reach) continue;
            const SignedDistance near = rigid.shape->nearest_surface(rigid.pose.to_local(from));
            if (near.distance > reach) continue;
            const Vec3 normal = -rotate(rigid.pose.rotation, near.normal);
            contacts.push_back(
                {k, from + near.distance * normal, to + probe.radius * normal, normal, to - from});
        }
    }
}

}  // namespace turgor
