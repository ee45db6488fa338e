// What colliders of triangles are asked (collider_geometry.hpp). `shell`: a mesh whose triangles are
// a wall, of which both sides are outside.

/// How far a surface is, and the direction in which that grows.
typedef struct {
    double distance;  ///< negative inside a solid; of a shell from the middle of its wall [m]
    double3 normal;
    bool on_face;  ///< not on an edge or a corner
    bool found;
} NearestOnGeometry;

/// Where a way crosses a surface.
typedef struct {
    double share;  ///< of the way
    double3 point, normal;
    bool found;
} GeometryCrossing;

bool is_face(double3 w) {
    return w.x > 0 && w.y > 0 && w.z > 0;
}

/// So close that the difference of two points is rounding.
bool is_at(double distance, double3 p) {
    return distance <= 1e-9 * (1e-3 + norm(p));
}

/// Of p and the nearest point of a surface; `face` is the normal of its triangle, `side` −1 inside.
double3 normal_at(const TreeHit* hit, double3 p, double3 face, double side) {
    if (!is_zero(face) && (is_face(hit->weight) || is_at(hit->distance, p))) return face;
    const double3 away = normalized(side * (p - hit->point));
    return is_zero(away) ? (double3)(0, 1, 0) : away;
}

/// The normal that tells inside from outside for whoever is nearest to that point of a triangle
/// (Bærentzen and Aanæs 2005).
double3 outward(const ColliderGeometry* s, const TreeHit* hit) {
    const global NormalsInput* const normals = s->normals + hit->place;
    const bool a = hit->weight.x > 0, b = hit->weight.y > 0, c = hit->weight.z > 0;
    if (a && b && c) return hit->face;
    if (!b && !c) return vload3(0, normals->vertex);
    if (!c && !a) return vload3(1, normals->vertex);
    if (!a && !b) return vload3(2, normals->vertex);
    return vload3(!c ? 0 : !a ? 1 : 2, normals->edge);
}

NearestOnGeometry nearest_of_mesh(const ColliderGeometry* s, double3 p, double reach, bool shell) {
    NearestOnGeometry near = {INFINITY, 0, true, false};
    Wanted any;
    any.count = 0;
    const TreeHit hit = nearest_in(s, p, reach, &any);
    if (hit.triangle == NO_TRIANGLE) return near;
    const double3 outside = shell ? hit.face : outward(s, &hit);
    const double side = dot_of(p - hit.point, outside) < 0 ? -1 : 1;
    near.found = true;
    near.on_face = is_face(hit.weight);
    near.distance = shell ? hit.distance : side * hit.distance;
    near.normal = shell ? normal_at(&hit, p, side * hit.face, 1)
                        : normal_at(&hit, p, hit.face, side);
    return near;
}

NearestOnGeometry nearest_of_heights(const ColliderGeometry* s, double3 p, double reach) {
    NearestOnGeometry near = {INFINITY, 0, true, false};
    Wanted any;
    any.count = 0;
    const TreeHit hit = nearest_in(s, p, reach, &any);
    const SidePoint side = nearest_side(s, p, reach);
    const double sign = grid_contains(s, p) ? -1 : 1;
    if (side.distance < hit.distance) {
        const double3 away = normalized(sign * (p - side.point));
        near.found = true;
        near.distance = sign * side.distance;
        near.normal = is_at(side.distance, p) || is_zero(away) ? side.normal : away;
        return near;
    }
    if (hit.triangle == NO_TRIANGLE) return near;
    near.found = true;
    near.on_face = is_face(hit.weight);
    near.distance = sign * hit.distance;
    near.normal = normal_at(&hit, p, hit.face, sign);
    return near;
}

/// Nothing where it is farther than `reach`.
NearestOnGeometry nearest(const ColliderGeometry* s, double3 p, double reach, bool shell) {
    return is_grid(s) ? nearest_of_heights(s, p, reach) : nearest_of_mesh(s, p, reach, shell);
}

bool contains(const ColliderGeometry* s, double3 p) {
    if (is_grid(s)) return grid_contains(s, p);
    if (squared_distance_to_box(box_of(s, root_of(s)), p) > 0) return false;
    return nearest_of_mesh(s, p, INFINITY, false).distance < 0;
}

/// The first triangle between two points, after a share `least` of the way, that is entered from
/// its front, or from anywhere if it is a shell; the normal is towards `from`.
GeometryCrossing entered(const ColliderGeometry* s, double3 from, double3 to, double least,
                       bool shell) {
    const double3 way = to - from;
    const TreeHit hit = first_hit_in(s, from, way, least, 1, shell ? EITHER_SIDE : INTO_FRONT);
    const bool found = hit.triangle != NO_TRIANGLE;
    if (is_grid(s)) {
        const SidePoint side = first_side(s, from, way, least, found ? hit.distance : 1);
        const GeometryCrossing at_side = {side.distance, side.point, side.normal, true};
        if (side.distance <= 1) return at_side;
    }
    const double3 normal = dot_of(hit.face, way) > 0 ? -hit.face : hit.face;
    const GeometryCrossing crossed = {hit.distance, hit.point, normal, found};
    return crossed;
}

/// The first one that is left through its front.
GeometryCrossing left_at(const ColliderGeometry* s, double3 from, double3 to, double least) {
    const TreeHit hit = first_hit_in(s, from, to - from, least, 1, OUT_OF_FRONT);
    const GeometryCrossing crossed = {hit.distance, hit.point, hit.face,
                                    hit.triangle != NO_TRIANGLE};
    return crossed;
}

/// The nearest face within `reach` that p is in front of and that looks elsewhere than all that
/// `known` has.
NearestOnGeometry another_face(const ColliderGeometry* s, double3 p, double reach, const Wanted* known) {
    const TreeHit hit = nearest_in(s, p, reach, known);
    const NearestOnGeometry near = {hit.distance, towards(p, hit.point, hit.face, known->shell), true,
                              hit.triangle != NO_TRIANGLE};
    return near;
}
