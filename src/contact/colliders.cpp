#include "contact/colliders.hpp"

#include <algorithm>

#include "base/functions.hpp"
#include "contact/collider_geometry.hpp"

namespace turgor {
namespace {

SignedDistance sphere_surface(Vec3 p, double radius) {
    const double length = norm(p);
    return {length - radius, length > 0 ? p / length : Vec3{0, 1, 0}};
}

SignedDistance box_surface(Vec3 p, Vec3 half) {
    Vec3 outside;
    int axis = 0;
    double deepest = -1e300;
    for (int i = 0; i < 3; ++i) {
        const double over = std::abs(p[i]) - half[i];
        if (over > deepest) deepest = over, axis = i;
        outside[i] = std::copysign(std::max(over, 0.0), p[i]);
    }
    if (deepest > 0) return {norm(outside), normalized(outside)};
    Vec3 normal;
    normal[axis] = std::copysign(1.0, p[axis]);
    return {deepest, normal};
}

SignedDistance capsule_surface(Vec3 p, double radius, double height) {
    const double half = std::max(0.0, height / 2 - radius);
    return sphere_surface({p.x, p.y - std::clamp(p.y, -half, half), p.z}, radius);
}

double from_axis(Vec3 p) {
    return std::sqrt(p.x * p.x + p.z * p.z);
}

/// A cup is a floor and a wall, both rectangles in the half-plane (distance from the axis, height).
SignedDistance cup_surface(const Collider& cup, Vec3 p) {
    const double r = from_axis(p), outer = cup.radius + cup.wall;
    const auto rectangle = [&](double r0, double r1, double y0, double y1) {
        const Vec3 q{r - (r0 + r1) / 2, p.y - (y0 + y1) / 2, 0};
        return box_surface(q, {(r1 - r0) / 2, (y1 - y0) / 2, 1e9});
    };
    const SignedDistance wall = rectangle(cup.radius, outer, -cup.wall, cup.height);
    const SignedDistance floor = rectangle(-outer, outer, -cup.wall, 0);
    const SignedDistance& near = wall.distance < floor.distance ? wall : floor;
    const Vec3 radial = r > 0 ? Vec3{p.x / r, 0, p.z / r} : Vec3{1, 0, 0};
    return {near.distance, near.normal.x * radial + Vec3{0, near.normal.y, 0}};
}

bool in_range(double value, double low, double high) {
    return value >= low && value <= high;
}

/// What a plane without a direction gets, so that problem_with can tell.
constexpr Quat no_rotation{0, 0, 0, 0};

bool unit(Quat q) {
    return std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6;
}

/// The one that turns +y to `normal`.
Quat rotation_from_up(Vec3 normal) {
    if (!(std::abs(norm(normal) - 1) < 1e-6)) return no_rotation;
    const Vec3 axis = cross({0, 1, 0}, normal);
    if (norm(axis) > 1e-12) return Quat::about(axis, portable::atan2(norm(axis), normal.y));
    return normal.y < 0 ? Quat::about({1, 0, 0}, portable::acos(-1.0)) : Quat{};
}

Quat slerp(Quat a, Quat b, double t) {
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const double sign = cosine < 0 ? -1 : 1;
    cosine = std::min(1.0, cosine * sign);
    const double angle = portable::acos(cosine);
    const double wa = angle > 1e-6 ? portable::sin((1 - t) * angle) / portable::sin(angle) : 1 - t;
    const double wb = sign * (angle > 1e-6 ? portable::sin(t * angle) / portable::sin(angle) : t);
    return normalized(
        Quat{wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z});
}

bool has_triangles(const Collider& collider) {
    return collider.shape == ColliderShape::mesh || collider.shape == ColliderShape::height_field;
}

bool is_shell(const Collider& collider) {
    return collider.shape == ColliderShape::mesh && collider.thickness > 0;
}

/// ask(surface) of a mesh or of a height field.
template <class Ask>
auto ask_geometry(const Collider& collider, Ask&& ask) {
    return std::visit(ask, *collider.geometry->shape);
}

SignedDistance triangle_surface(const Collider& collider, Vec3 p, double reach) {
    const bool shell = is_shell(collider);
    const double half = shell ? collider.thickness / 2 : 0;
    return ask_geometry(collider, [&](const auto& surface) -> SignedDistance {
        auto near = surface.nearest(p, reach + half, shell);
        // Nothing within reach: far outside, or deep inside.
        if (!near && !shell && surface.contains(p))
            near = surface.nearest(p, std::numeric_limits<double>::infinity(), shell);
        if (!near) return {std::numeric_limits<double>::infinity(), {0, 1, 0}};
        return {near->distance - half, near->normal, near->on_face};
    });
}

Obstacle surface_near(const Collider& collider, Vec3 p,
                      double reach = std::numeric_limits<double>::infinity()) {
    const SignedDistance nearest = nearest_surface(collider, p, reach);
    return {p - nearest.distance * nearest.normal, nearest.normal, nearest.distance, 0};
}

bool is_in_cavity(const Collider& cup, Vec3 p) {
    const double rounding = 1e-6 * cup.wall;
    return from_axis(p) <= cup.radius + rounding && p.y >= -rounding && p.y <= cup.height;
}

bool leaves_over_the_rim(const Collider& cup, Vec3 from, Vec3 to) {
    if (to.y <= cup.height) return false;
    const double share = (cup.height - from.y) / (to.y - from.y);
    return from_axis(from + share * (to - from)) <= cup.radius;
}

/// Where a way out of the cavity, seen from above, crosses the circle of the wall.
Vec3 wall_crossing(const Collider& cup, Vec3 from, Vec3 to) {
    const Vec3 start{from.x, 0, from.z}, way{to.x - from.x, 0, to.z - from.z};
    const double a = dot(way, way), b = dot(start, way);
    const double c = std::max(0.0, cup.radius * cup.radius - dot(start, start));
    const double root = std::sqrt(b * b + a * c);
    const double share = b > 0 ? c / (b + root) : (root - b) / a;
    return start + std::fmin(1.0, share) * way;  // not a number where the way has no length
}

/// How far `to` is beyond the wall, outwards. A plane that touches the wall lies behind it
/// everywhere else, so this is measured from a plane that cuts it twice: where the way crosses it,
/// and where `to` is brought back to. In between, where friction leaves a particle, it is in front.
Vec3 beyond_wall(const Collider& cup, Vec3 from, Vec3 to) {
    if (from_axis(to) <= cup.radius) return {};
    const Vec3 crossing = wall_crossing(cup, from, to);
    const Vec3 outward = normalized(Vec3{crossing.x + to.x, 0, crossing.z + to.z});
    return dot(to - crossing, outward) * outward;
}

/// What counts of how far a particle is beyond the wall and below the floor. One plane cannot stop
/// it at both, and one between them lets it slide up behind the wall: so the deeper one alone, as
/// long as the other is not nearly crossed.
Vec3 overshoot(const Collider& cup, Vec3 outwards, Vec3 downwards) {
    const double wall = norm(outwards), floor = norm(downwards);
    if (std::min(wall, floor) > 0.25 * cup.wall) return outwards + downwards;
    return wall > floor ? outwards : downwards;
}

/// What stops a particle that is in the cavity of a cup at `from`. The cavity is convex: a way out
/// of it leads through wall or floor unless it leads over the rim.
std::optional<Obstacle> cavity_obstacle(const Collider& cup, Vec3 from, Vec3 to) {
    if (leaves_over_the_rim(cup, from, to)) return std::nullopt;
    const Vec3 below_floor{0, std::min(0.0, to.y), 0};
    const Vec3 outside = overshoot(cup, beyond_wall(cup, from, to), below_floor);
    const double depth = norm(outside);
    if (!(depth > 0)) return std::nullopt;
    return Obstacle{to - outside, -outside / depth, -depth, 0};
}

/// The plane at which a way from → to, from outside, enters what triangles bound and stays, or
/// comes out elsewhere: not where it only cuts the crest between two faces of one side.
std::optional<GeometryCrossing> entered_for_good(const Collider& collider, Vec3 from, Vec3 to,
                                                 bool ends_inside) {
    constexpr double one_side = 0.7;
    constexpr int most_crests = 8;
    const bool shell = is_shell(collider);
    return ask_geometry(collider, [&](const auto& surface) {
        auto entry = surface.entered(from, to, 0, shell);
        for (int i = 0; i < most_crests && entry && !shell && !ends_inside; ++i) {
            const auto exit = surface.left(from, to, entry->share);
            if (!exit || dot(exit->normal, entry->normal) < one_side) break;
            entry = surface.entered(from, to, exit->share, shell);
        }
        return entry;
    });
}

/// What stops a particle at triangles.
std::optional<Obstacle> triangle_obstacle(const Collider& collider, Vec3 from, Vec3 to,
                                          double margin) {
    const double length = norm(to - from);
    const SignedDistance near = nearest_surface(collider, to, margin + length);
    if (near.distance > margin + length) return std::nullopt;
    Obstacle end{to - near.distance * near.normal, near.normal, near.distance, 0};
    end.start_gap = end.gap - length;  // or more
    if (end.start_gap > 0) return end.gap <= margin ? std::optional(end) : std::nullopt;
    const Obstacle start = surface_near(collider, from, std::abs(end.gap) + 1.001 * length + 1e-9);
    end.start_gap = start.gap;
    const auto unless_far = end.gap <= margin ? std::optional(end) : std::nullopt;

    // A particle that starts inside belongs to the side that it is nearest to.
    const double rounding = 1e-9 * (1e-3 + norm(to));
    const Vec3 first = start.gap < rounding ? start.point + rounding * start.normal : from;
    if (norm(to - first) <= std::max(0.0, start.gap) + end.gap) return unless_far;
    const auto entry = entered_for_good(collider, first, to, end.gap < 0);
    if (!entry) return unless_far;

    // Inside, the nearest way out is right if it leads back to where the particle came from. Where
    // it leads to a concave edge, friction along a plane across that would lead in again: one plane
    // for each face is better.
    const bool leads_back = !is_shell(collider) && end.gap < 0 && near.on_face &&
                            dot(end.normal, entry->normal) > 0 &&
                            dot(first - end.point, end.normal) >= -rounding;
    if (leads_back) return end;
    const double half = is_shell(collider) ? collider.thickness / 2 : 0;
    const Vec3 point = entry->point + half * entry->normal;
    return Obstacle{point, entry->normal, dot(to - point, entry->normal), start.gap};
}

/// What stops a particle on its way from → to, of which the first is not inside.
std::optional<Obstacle> swept_obstacle(const Collider& collider, Vec3 from, Vec3 to) {
    const bool is_cup = collider.shape == ColliderShape::cup;
    if (is_cup && is_in_cavity(collider, from)) return cavity_obstacle(collider, from, to);

    // Inside, the nearest way out is right unless it leads out of the far side.
    const Obstacle at_end = surface_near(collider, to);
    if (at_end.gap < 0 && dot(from - at_end.point, at_end.normal) >= -1e-9) return at_end;

    const double touch = 1e-6 * (1 + norm(to));
    const auto share = first_touch(collider, from, to, touch);
    if (!share) return std::nullopt;
    const Vec3 entry = from + *share * (to - from);
    if (is_cup && is_in_cavity(collider, entry)) return cavity_obstacle(collider, entry, to);

    Obstacle met = surface_near(collider, entry);
    met.gap = dot(to - met.point, met.normal);
    const bool grazed_and_went_on = met.gap >= 0 && at_end.gap >= 0;
    return grazed_and_went_on ? std::nullopt : std::optional(met);
}

}  // namespace

SignedDistance nearest_surface(const Collider& collider, Vec3 local, double reach) {
    switch (collider.shape) {
        case ColliderShape::plane:
            return {local.y, {0, 1, 0}};
        case ColliderShape::sphere:
            return sphere_surface(local, collider.radius);
        case ColliderShape::box:
            return box_surface(local, collider.half_extent);
        case ColliderShape::capsule:
            return capsule_surface(local, collider.radius, collider.height);
        case ColliderShape::cup:
            return cup_surface(collider, local);
        case ColliderShape::mesh:
        case ColliderShape::height_field:
            return triangle_surface(collider, local, reach);
    }
    return {};
}

/// By steps of the distance itself; a ray tells where there are triangles.
std::optional<double> first_touch(const Collider& collider, Vec3 from, Vec3 to, double touch) {
    constexpr int most_steps = 256;
    if (has_triangles(collider) && !is_shell(collider)) {
        if (nearest_surface(collider, from, touch).distance <= touch) return 0;
        const auto entry = ask_geometry(
            collider, [&](const auto& surface) { return surface.entered(from, to, 0, false); });
        return entry ? std::optional(entry->share) : std::nullopt;
    }
    const Vec3 way = to - from;
    const double length = norm(way);
    double travelled = 0;
    for (int i = 0; i < most_steps && travelled < length; ++i) {
        const double distance =
            nearest_surface(collider, from + (travelled / length) * way).distance;
        if (distance <= touch) return travelled / length;
        travelled += distance;
    }
    // Still on its way: so close along a surface that it may have to stop there.
    if (travelled < length) return travelled / length;
    return std::nullopt;
}

std::optional<Obstacle> find_obstacle(const Collider& collider, Vec3 from, Vec3 to, double margin) {
    if (has_triangles(collider)) return triangle_obstacle(collider, from, to, margin);
    const Obstacle end = surface_near(collider, to);
    // Farther from the surface than it has come.
    if (end.gap > margin + norm(to - from)) return std::nullopt;
    const Obstacle start = surface_near(collider, from);
    auto found = end.gap <= margin ? std::optional(end) : std::nullopt;
    if (collider.shape != ColliderShape::plane) {
        // A particle that starts inside belongs to the side that it is nearest to.
        const Vec3 first = start.gap < 0 ? start.point : from;
        const bool cannot_have_crossed = norm(to - first) <= std::max(0.0, start.gap) + end.gap;
        if (!cannot_have_crossed)
            if (const auto met = swept_obstacle(collider, first, to)) found = met;
    }
    if (found) found->start_gap = start.gap;
    return found;
}

Obstacles find_obstacles(const Collider& collider, Vec3 from, Vec3 to, double margin) {
    Obstacles obstacles;
    std::array<Vec3, 3> normals;
    const auto add = [&](const Obstacle& o) {
        normals[obstacles.count] = o.normal;
        obstacles.found[obstacles.count++] = o;
    };
    const auto first = find_obstacle(collider, from, to, margin);
    if (first) add(*first);
    if (!first || !has_triangles(collider)) return obstacles;

    // Where the planes found so far bring it to, there may be further ones.
    const auto brought_out = [&] {
        Vec3 p = to;
        for (int sweep = 0; sweep < 4; ++sweep)
            for (const Obstacle& o : obstacles)
                p -= std::min(0.0, dot(p - o.point, o.normal)) * o.normal;
        return p;
    };
    const auto depth_at_start = [&](Obstacle& o) {
        o.start_gap = first->start_gap < 0 ? dot(from - o.point, o.normal) : first->start_gap;
    };
    Vec3 p = brought_out();
    for (bool pushed = first->gap < 0; pushed && obstacles.count < 3;) {
        auto next = find_obstacle(collider, from, p, 0);
        pushed = next && next->gap < -1e-9 * margin &&
                 std::ranges::none_of(obstacles, [&](const Obstacle& o) {
                     return dot(o.normal, next->normal) > 0.999;
                 });
        if (!pushed) break;
        depth_at_start(*next);
        add(*next);
        p = brought_out();
    }
    const double half = is_shell(collider) ? collider.thickness / 2 : 0;
    while (obstacles.count < 3) {
        const auto face = ask_geometry(collider, [&](const auto& surface) {
            return surface.another_face(p, margin + half, is_shell(collider),
                                        std::span(normals).first(obstacles.count));
        });
        if (!face) break;
        Obstacle o{p - (face->distance - half) * face->normal, face->normal, 0, 0};
        o.gap = dot(to - o.point, o.normal);
        depth_at_start(o);
        add(o);
    }
    return obstacles;
}

std::optional<std::string> problem_with(const Path& path) {
    for (std::size_t i = 0; i < path.keys.size(); ++i) {
        const auto& key = path.keys[i];
        if (!std::isfinite(key.time) || !is_finite(key.pose.position) || !unit(key.pose.rotation))
            return "a key of the path is not finite or its rotation is not a unit quaternion";
        if (i > 0 && !(key.time > path.keys[i - 1].time))
            return "the times of the path do not ascend";
    }
    return std::nullopt;
}

std::optional<std::string> problem_with(const Collider& c) {
    if (!is_finite(c.pose.position)) return "its position is not finite";
    if (c.shape == ColliderShape::plane && c.pose.rotation == no_rotation)
        return "its normal must be finite and not zero";
    if (!unit(c.pose.rotation)) return "its rotation is not a unit quaternion";
    const bool round = c.shape == ColliderShape::sphere || c.shape == ColliderShape::capsule ||
                       c.shape == ColliderShape::cup;
    if (round && !in_range(c.radius, 1e-9, 1e9)) return "its radius must be between 1e-9 and 1e9 m";
    if (c.shape == ColliderShape::capsule && !in_range(c.height, 2 * c.radius, 1e9))
        return "its height must be at least twice its radius";
    if (c.shape == ColliderShape::cup &&
        !(in_range(c.height, 1e-9, 1e9) && in_range(c.wall, 1e-9, 1e9)))
        return "its height and wall must be between 1e-9 and 1e9 m";
    for (int i = 0; i < 3; ++i)
        if (c.shape == ColliderShape::box && !in_range(c.half_extent[i], 1e-9, 1e9))
            return "its half extents must be between 1e-9 and 1e9 m";
    if (has_triangles(c)) {
        if (!c.geometry)
            return "it has no triangles: make it with Collider::mesh, shell or height_field";
        if (!c.geometry->problem.empty()) return c.geometry->problem;
        const bool is_mesh = c.shape == ColliderShape::mesh;
        if (is_mesh != (c.geometry->mesh() != nullptr)) return "its surface is of another shape";
        if (is_mesh && c.thickness != 0 && !in_range(c.thickness, 1e-9, 1e9))
            return "its thickness must be between 1e-9 and 1e9 m";
        if (is_mesh && c.thickness == 0 && !c.geometry->mesh()->closed())
            return "a shell needs a thickness of more than 0 m";
    }
    if (c.friction && !in_range(*c.friction, 0, 10)) return "its friction must be between 0 and 10";
    if (c.restitution && !in_range(*c.restitution, 0, 1))
        return "its restitution must be between 0 and 1";
    if (c.static_friction && !in_range(*c.static_friction, c.friction.value_or(0), 10))
        return "its static_friction must be between its friction and 10";
    return problem_with(c.path);
}

Pose Path::at(double time) const {
    if (keys.empty()) return {};
    const double first = keys.front().time, last = keys.back().time;
    if (loop && last > first && time > last) time = first + std::fmod(time - first, last - first);
    // Said so that a time that is not a number finds a key, too.
    if (!(time > first)) return keys.front().pose;
    if (!(time < last)) return keys.back().pose;
    const auto next = std::upper_bound(keys.begin(), keys.end(), time,
                                       [](double t, const Key& key) { return t < key.time; });
    const Key &a = *(next - 1), &b = *next;
    double t = (time - a.time) / (b.time - a.time);
    if (smooth) t = t * t * (3 - 2 * t);
    return {(1 - t) * a.pose.position + t * b.pose.position,
            slerp(a.pose.rotation, b.pose.rotation, t)};
}

Collider Collider::plane(Vec3 point, Vec3 normal) {
    Collider c;
    c.pose.position = point;
    c.pose.rotation = rotation_from_up(normalized(normal));
    return c;
}

Collider Collider::sphere(Vec3 centre, double radius) {
    Collider c;
    c.shape = ColliderShape::sphere;
    c.pose.position = centre;
    c.radius = radius;
    return c;
}

Collider Collider::box(Vec3 centre, Vec3 half_extent, Quat rotation) {
    Collider c;
    c.shape = ColliderShape::box;
    c.pose = {centre, rotation};
    c.half_extent = half_extent;
    return c;
}

Collider Collider::capsule(Vec3 centre, double radius, double height, Quat rotation) {
    Collider c;
    c.shape = ColliderShape::capsule;
    c.pose = {centre, rotation};
    c.radius = radius;
    c.height = height;
    return c;
}

Collider Collider::cup(Vec3 floor, double radius, double height, double wall) {
    Collider c;
    c.shape = ColliderShape::cup;
    c.pose.position = floor;
    c.radius = radius;
    c.height = height;
    c.wall = wall;
    return c;
}

Collider Collider::mesh(Mesh mesh, const Pose& pose) {
    Collider c;
    c.shape = ColliderShape::mesh;
    c.pose = pose;
    c.geometry = solid_geometry(std::move(mesh));
    return c;
}

Collider Collider::shell(Mesh mesh, double thickness, const Pose& pose) {
    Collider c;
    c.shape = ColliderShape::mesh;
    c.pose = pose;
    c.thickness = thickness;
    c.geometry = shell_geometry(std::move(mesh));
    return c;
}

Collider Collider::height_field(std::size_t columns, std::size_t rows, std::vector<double> heights,
                                double spacing_x, double spacing_z, const Pose& pose) {
    Collider c;
    c.shape = ColliderShape::height_field;
    c.pose = pose;
    c.geometry = height_geometry(columns, rows, std::move(heights), spacing_x, spacing_z);
    return c;
}

}  // namespace turgor
