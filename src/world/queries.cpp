#include <algorithm>
#include <cmath>

#include "base/bounds.hpp"
#include "base/errors.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

Bounds bounds_of(std::span<const Vec3> x) {
    Bounds box;
    for (const Vec3& p : x) box.add(p);
    return box;
}

bool is_on_way(const Bounds& box, Vec3 origin, Vec3 way, double longest) {
    double near = 0, far = longest;
    for (int k = 0; k < 3; ++k) {
        const double a = box.lower[k] - origin[k], b = box.upper[k] - origin[k];
        if (way[k] == 0) {
            if (a > 0 || b < 0) return false;
            continue;
        }
        near = std::max(near, std::min(a / way[k], b / way[k]));
        far = std::min(far, std::max(a / way[k], b / way[k]));
    }
    return near <= far;
}

/// Calls visit(body, surface) for every body that collides with a filter and whose box may matter.
template <class MayMatter, class Visit>
void each_surface(WorldImpl& world, const CollisionFilter& filter, MayMatter&& may_matter,
                  Visit&& visit) {
    for (auto& body : world.bodies) {
        if (!body->filter.meets(filter)) continue;
        const BodyView view = world.view(*body);
        if (!may_matter(bounds_of(view.x))) continue;
        world.need_tree(*body);
        const CollisionSurface surface = world.collision_surface_of(*body);
        surface.refit();
        visit(*body, surface);
    }
}

template <class Visit>
void each_collider(const WorldImpl& world, const CollisionFilter& filter, Visit&& visit) {
    for (const ColliderRecord& c : world.colliders)
        if (!c.collider.sensor && c.collider.filter.meets(filter)) visit(c);
}

template <class Visit>
void each_rigid(const WorldImpl& world, const CollisionFilter& filter, Visit&& visit) {
    for (const auto& r : world.rigids)
        if (r->made.filter.meets(filter)) visit(*r);
}

std::uint32_t mesh_triangle(const BodyRecord& body, std::uint32_t triangle) {
    return body.asset().mesh_triangle[triangle];
}

}  // namespace

std::optional<SurfaceHit> World::cast_ray(Vec3 origin, Vec3 direction, double longest,
                                          const CollisionFilter& filter, Status* status) {
    return reporting_to(
        status,
        [&]() -> std::optional<SurfaceHit> {
            require_finite(origin, "the origin of a ray");
            require_finite(direction, "the direction of a ray");
            const Vec3 way = normalized(direction);
            if (way == Vec3{}) fail(ErrorCode::bad_argument, "a ray needs a direction");
            if (!(longest > 0 && longest <= 1e12))
                fail(ErrorCode::bad_argument, "a ray must be between 0 and 1e12 m long, not {} m",
                     longest);
            std::optional<SurfaceHit> first;
            const auto farthest = [&] { return first ? first->distance : longest; };
            each_surface(
                *impl_, filter,
                [&](const Bounds& box) { return is_on_way(box, origin, way, farthest()); },
                [&](const BodyRecord& body, const CollisionSurface& surface) {
                    const RayHit hit = first_on_ray(surface, origin, way, farthest());
                    if (!hit.found) return;
                    first = SurfaceHit{body.id,
                                       0,
                                       mesh_triangle(body, hit.triangle),
                                       origin + hit.distance * way,
                                       normalized(surface.face_normal(hit.triangle)),
                                       hit.distance};
                });
            each_collider(*impl_, filter, [&](const ColliderRecord& c) {
                const Vec3 from = c.now.to_local(origin);
                const Vec3 to = c.now.to_local(origin + farthest() * way);
                const auto share = first_touch(c.collider, from, to, 1e-9 * (1 + norm(from)));
                if (!share) return;
                const Vec3 at = from + *share * (to - from);
                const SignedDistance surface = nearest_surface(c.collider, at, 1);
                if (surface.distance > 1e-6 * (1 + norm(at))) return;
                first = SurfaceHit{0,
                                   c.id,
                                   0,
                                   c.now.to_world(at),
                                   rotate(c.now.rotation, surface.normal),
                                   *share * farthest()};
            });
            each_rigid(*impl_, filter, [&](const RigidRecord& r) {
                const Pose& pose = r.state.pose;
                const Vec3 from = pose.to_local(origin);
                const Vec3 along = rotate(conjugate(pose.rotation), way);
                const auto hit = r.geometry->first_on_ray(from, along, farthest());
                if (!hit) return;
                const Vec3 at = from + *hit * along;
                first = SurfaceHit{0,
                                   0,
                                   0,
                                   pose.to_world(at),
                                   rotate(pose.rotation, r.geometry->nearest_surface(at).normal),
                                   *hit,
                                   r.id};
            });
            return first;
        },
        std::optional<SurfaceHit>{});
}

std::optional<SurfaceHit> World::closest_point(Vec3 point, double reach,
                                               const CollisionFilter& filter, Status* status) {
    return reporting_to(
        status,
        [&]() -> std::optional<SurfaceHit> {
            require_finite(point, "the point of a query");
            if (!(reach > 0 && reach <= 1e12))
                fail(ErrorCode::bad_argument,
                     "the reach of a query must be between 0 and 1e12 m, not {} m", reach);
            std::optional<SurfaceHit> best;
            const auto farthest = [&] { return best ? std::abs(best->distance) : reach; };
            each_surface(
                *impl_, filter,
                [&](const Bounds& box) {
                    return std::sqrt(squared_distance(box, point)) <= farthest();
                },
                [&](const BodyRecord& body, const CollisionSurface& surface) {
                    const NearestPoint near = nearest_on(surface, point, farthest());
                    if (near.found)
                        best =
                            SurfaceHit{body.id,    0,           mesh_triangle(body, near.triangle),
                                       near.point, near.normal, near.distance};
                });
            each_collider(*impl_, filter, [&](const ColliderRecord& c) {
                const SignedDistance near =
                    nearest_surface(c.collider, c.now.to_local(point), farthest());
                if (std::abs(near.distance) > farthest()) return;
                const Vec3 normal = rotate(c.now.rotation, near.normal);
                best =
                    SurfaceHit{0, c.id, 0, point - near.distance * normal, normal, near.distance};
            });
            each_rigid(*impl_, filter, [&](const RigidRecord& r) {
                const Pose& pose = r.state.pose;
                const SignedDistance near = r.geometry->nearest_surface(pose.to_local(point));
                if (std::abs(near.distance) > farthest()) return;
                const Vec3 normal = rotate(pose.rotation, near.normal);
                best = SurfaceHit{0,   0, 0, point - near.distance * normal, normal, near.distance,
                                  r.id};
            });
            return best;
        },
        std::optional<SurfaceHit>{});
}

std::vector<BodyId> World::bodies_in_ball(Vec3 centre, double radius, const CollisionFilter& filter,
                                          Status* status) {
    return reporting_to(
        status,
        [&] {
            require_finite(centre, "the centre of a ball");
            if (!(radius >= 0 && radius <= 1e12))
                fail(ErrorCode::bad_argument,
                     "the radius of a ball must be between 0 and 1e12 m, not {} m", radius);
            std::vector<BodyId> found;
            each_surface(
                *impl_, filter,
                [&](const Bounds& box) {
                    return std::sqrt(squared_distance(box, centre)) <= radius;
                },
                [&](const BodyRecord& body, const CollisionSurface& surface) {
                    if (is_inside(surface, centre) ||
                        (radius > 0 && nearest_on(surface, centre, radius).found))
                        found.push_back(body.id);
                });
            return found;
        },
        std::vector<BodyId>{});
}

}  // namespace turgor
