// Where particles meet colliders, on a device (colliders.cpp): in the collider's own frame and in
// double precision, because a collider may be large and far away.

enum { PLANE, SPHERE, BOX, CAPSULE, CUP, MESH, HEIGHT_FIELD };

typedef struct {
    double distance;  ///< negative inside
    double3 normal;
} SignedDistance;

/// The plane that stops a particle; `gap`: of where it went, `start_gap`: of where it came from.
typedef struct {
    double3 point, normal;
    double gap, start_gap;
    bool found;
} Obstacle;

double3 turn(const double* q, double3 v) {
    const double3 u = (double3)(q[1], q[2], q[3]);
    const double3 t = 2 * cross(u, v);
    return v + q[0] * t + cross(u, t);
}
double3 turn_back(const double* q, double3 v) {
    const double conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
    return turn(conjugate, v);
}
double3 to_local(const PoseInput* pose, double3 world) {
    return turn_back(pose->rotation, world - pose->position);
}
double3 to_world(const PoseInput* pose, double3 p) {
    return pose->position + turn(pose->rotation, p);
}

SignedDistance sphere_surface(double3 p, double radius) {
    const double size = length(p);
    SignedDistance s = {size - radius, size > 0 ? p / size : (double3)(0, 1, 0)};
    return s;
}

SignedDistance box_surface(double3 p, double3 half_extent) {
    const double3 over = fabs(p) - half_extent;
    const double3 outside = copysign(fmax(over, 0.0), p);
    const double deepest = fmax(over.x, fmax(over.y, over.z));
    SignedDistance s;
    if (deepest > 0) {
        s.distance = length(outside);
        s.normal = outside / s.distance;
        return s;
    }
    s.distance = deepest;
    s.normal = over.x >= over.y && over.x >= over.z ? (double3)(copysign(1.0, p.x), 0, 0)
               : over.y >= over.z                   ? (double3)(0, copysign(1.0, p.y), 0)
                                                    : (double3)(0, 0, copysign(1.0, p.z));
    return s;
}

double from_axis(double3 p) {
    return sqrt(p.x * p.x + p.z * p.z);
}

SignedDistance rectangle_surface(double r, double y, double r0, double r1, double y0, double y1) {
    return box_surface((double3)(r - (r0 + r1) / 2, y - (y0 + y1) / 2, 0),
                       (double3)((r1 - r0) / 2, (y1 - y0) / 2, 1e9));
}

/// A cup is a floor and a wall, both rectangles in the half-plane (distance from the axis, height).
SignedDistance cup_surface(const ColliderInput* cup, double3 p) {
    const double r = from_axis(p), outer = cup->radius + cup->wall;
    const SignedDistance wall = rectangle_surface(r, p.y, cup->radius, outer, -cup->wall, cup->height);
    const SignedDistance base = rectangle_surface(r, p.y, -outer, outer, -cup->wall, 0);
    SignedDistance near = wall;
    if (!(wall.distance < base.distance)) near = base;
    const double3 radial = r > 0 ? (double3)(p.x / r, 0, p.z / r) : (double3)(1, 0, 0);
    near.normal = near.normal.x * radial + (double3)(0, near.normal.y, 0);
    return near;
}

/// Those are in triangle_obstacles.cl.
bool is_of_triangles(const ColliderInput* c) {
    return c->shape == MESH || c->shape == HEIGHT_FIELD;
}

SignedDistance nearest_surface(const ColliderInput* c, double3 p) {
    if (c->shape == SPHERE) return sphere_surface(p, c->radius);
    if (c->shape == BOX) return box_surface(p, c->half_extent);
    if (c->shape == CAPSULE) {
        const double half_way = fmax(0.0, c->height / 2 - c->radius);
        return sphere_surface((double3)(p.x, p.y - clamp(p.y, -half_way, half_way), p.z),
                              c->radius);
    }
    if (c->shape == CUP) return cup_surface(c, p);
    const SignedDistance plane = {p.y, (double3)(0, 1, 0)};
    return plane;
}

Obstacle surface_near(const ColliderInput* c, double3 p) {
    const SignedDistance s = nearest_surface(c, p);
    const Obstacle o = {p - s.distance * s.normal, s.normal, s.distance, 0, true};
    return o;
}

bool is_in_cavity(const ColliderInput* cup, double3 p) {
    const double rounding = 1e-6 * cup->wall;
    return from_axis(p) <= cup->radius + rounding && p.y >= -rounding && p.y <= cup->height;
}

bool leaves_over_the_rim(const ColliderInput* cup, double3 from, double3 to) {
    if (to.y <= cup->height) return false;
    const double share = (cup->height - from.y) / (to.y - from.y);
    return from_axis(from + share * (to - from)) <= cup->radius;
}

/// How far `to` is beyond the wall, outwards, measured from a plane that cuts the wall twice: where
/// the way crosses it, and where `to` is brought back to.
double3 beyond_wall(const ColliderInput* cup, double3 from, double3 to) {
    if (from_axis(to) <= cup->radius) return 0;
    const double3 start = (double3)(from.x, 0, from.z), way = (double3)(to.x, 0, to.z) - start;
    const double a = dot(way, way), b = dot(start, way);
    const double c = fmax(0.0, cup->radius * cup->radius - dot(start, start));
    const double root = sqrt(b * b + a * c);
    const double share = b > 0 ? c / (b + root) : (root - b) / a;
    const double3 crossing = start + fmin(1.0, share) * way;
    const double3 middle = (double3)(crossing.x + to.x, 0, crossing.z + to.z);
    const double3 outward = middle / length(middle);
    return dot(to - crossing, outward) * outward;
}

/// What stops a particle that is in the cavity of a cup at `from`. The cavity is convex: a way out
/// of it leads through wall or floor unless it leads over the rim. One plane cannot stop it at
/// both: so the deeper one alone, as long as the other is not nearly crossed.
Obstacle cavity_obstacle(const ColliderInput* cup, double3 from, double3 to) {
    Obstacle o = {0, 0, 0, 0, false};
    if (leaves_over_the_rim(cup, from, to)) return o;
    const double3 outwards = beyond_wall(cup, from, to);
    const double3 downwards = (double3)(0, fmin(0.0, to.y), 0);
    const double wall = length(outwards), base = length(downwards);
    const double3 outside = fmin(wall, base) > 0.25 * cup->wall ? outwards + downwards
                            : wall > base                       ? outwards
                                                                : downwards;
    const double depth = length(outside);
    if (!(depth > 0)) return o;
    o.point = to - outside;
    o.normal = -outside / depth;
    o.gap = -depth;
    o.found = true;
    return o;
}

/// Where on the way from → to, as a share of it, it first comes within `touch`; negative: nowhere.
double first_touch(const ColliderInput* c, double3 from, double3 to, double touch) {
    const double3 way = to - from;
    const double size = length(way);
    double travelled = 0;
    for (int i = 0; i < 256 && travelled < size; ++i) {
        const double distance = nearest_surface(c, from + (travelled / size) * way).distance;
        if (distance <= touch) break;
        travelled += distance;
    }
    // Where it is still on its way, it is so close along a surface that it may have to stop there.
    return travelled < size ? travelled / size : -1;
}

/// What stops a particle on its way from → to, of which the first is not inside.
Obstacle swept_obstacle(const ColliderInput* c, double3 from, double3 to) {
    if (c->shape == CUP && is_in_cavity(c, from)) return cavity_obstacle(c, from, to);
    // Inside, the nearest way out is right unless it leads out of the far side.
    const Obstacle at_end = surface_near(c, to);
    if (at_end.gap < 0 && dot(from - at_end.point, at_end.normal) >= -1e-9) return at_end;
    Obstacle met = {0, 0, 0, 0, false};
    const double share = first_touch(c, from, to, 1e-6 * (1 + length(to)));
    if (share < 0) return met;
    const double3 entry = from + share * (to - from);
    if (c->shape == CUP && is_in_cavity(c, entry)) return cavity_obstacle(c, entry, to);
    met = surface_near(c, entry);
    met.gap = dot(to - met.point, met.normal);
    met.found = !(met.gap >= 0 && at_end.gap >= 0);  // or it grazed and went on
    return met;
}

Obstacle find_obstacle(const ColliderInput* c, double3 from, double3 to, double margin) {
    Obstacle found = surface_near(c, to);
    const double end_gap = found.gap;
    found.found = end_gap <= margin;
    // Farther from the surface than it has come.
    if (end_gap > margin + length(to - from)) return found;
    const Obstacle start = surface_near(c, from);
    if (c->shape != PLANE) {
        // A particle that starts inside belongs to the side that it is nearest to.
        const double3 first = start.gap < 0 ? start.point : from;
        if (length(to - first) > fmax(0.0, start.gap) + end_gap) {
            const Obstacle met = swept_obstacle(c, first, to);
            if (met.found) found = met;
        }
    }
    found.start_gap = start.gap;
    return found;
}
