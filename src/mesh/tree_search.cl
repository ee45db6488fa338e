// Searches in a tree of boxes over triangles (tree_search.hpp).

#define NO_TRIANGLE 0xffffffffu
#define DEEPEST_TREE 82

typedef struct {
    uint triangle, place;
    /// To the nearest point [m]; along a ray in units of its direction.
    double distance;
    double3 weight;  ///< barycentric coordinates of the point
    double3 point;
    double3 face;  ///< the normal of the triangle
} TreeHit;

/// A node still to be visited. A descent leaves at most one sibling for each level.
typedef struct {
    SearchNode node;
    double entry;
} Visit;

/// The nearer of two is visited first.
uint push_both(Visit* stack, uint size, SearchNode first, double left, SearchNode second,
               double right) {
    const Visit a = {first, left}, b = {second, right};
    stack[size] = left <= right ? b : a;
    stack[size + 1] = left <= right ? a : b;
    return size + 2;
}

double squared_distance_to_box(NodeBox box, double3 p) {
    const double3 outside = fmax(fmax(box.lower - p, p - box.upper), 0.0);
    return dot_of(outside, outside);
}

/// Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection": in coordinates in which the
/// ray is the z axis the edge functions of two neighbours are exact negatives of each other, so no
/// ray slips between.
typedef struct {
    double3 origin, inverse;
    int x, y, z;
    double shear_x, shear_y, scale;
} TreeRay;

TreeRay make_ray(double3 origin, double3 direction) {
    const double3 size = fabs(direction);
    TreeRay ray;
    ray.origin = origin;
    ray.z = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    ray.x = (ray.z + 1) % 3;
    ray.y = (ray.z + 2) % 3;
    ray.scale = 1 / along(direction, ray.z);
    ray.shear_x = along(direction, ray.x) * ray.scale;
    ray.shear_y = along(direction, ray.y) * ray.scale;
    ray.inverse = 1.0 / direction;
    return ray;
}

/// Where the ray enters the box, infinity where it passes it by. A NaN (a ray inside a face's
/// plane) never wins.
double enter_box(const TreeRay* ray, NodeBox box, double least, double most) {
    const double widening = 1e-12;
    for (int k = 0; k < 3; ++k) {
        const double inverse = along(ray->inverse, k), from = along(ray->origin, k);
        const double to_lower = (along(box.lower, k) - from) * inverse,
                     to_upper = (along(box.upper, k) - from) * inverse;
        double near = inverse < 0 ? to_upper : to_lower, far = inverse < 0 ? to_lower : to_upper;
        // Ize 2013, "Robust BVH ray traversal": no rounding may lose a box.
        near *= near > 0 ? 1 - widening : 1 + widening;
        far *= far > 0 ? 1 + widening : 1 - widening;
        if (near > least) least = near;
        if (far < most) most = far;
    }
    return least <= most ? least : INFINITY;
}

double3 shear(const TreeRay* ray, double3 p) {
    const double3 d = p - ray->origin;
    const double z = along(d, ray->z);
    return (double3)(along(d, ray->x) - ray->shear_x * z, along(d, ray->y) - ray->shear_y * z, z);
}

bool meets_triangle(const TreeRay* ray, Corners t, double* distance, double3* weight) {
    const double3 a = shear(ray, t.a), b = shear(ray, t.b), c = shear(ray, t.c);
    const double3 w = (double3)(c.x * b.y - c.y * b.x, a.x * c.y - a.y * c.x,
                                b.x * a.y - b.y * a.x);
    if ((w.x < 0 || w.y < 0 || w.z < 0) && (w.x > 0 || w.y > 0 || w.z > 0)) return false;
    const double sum = w.x + w.y + w.z;
    if (sum == 0 || !isfinite(sum)) return false;
    *weight = w / sum;
    *distance = ray->scale * (weight->x * a.z + weight->y * b.z + weight->z * c.z);
    return true;
}

/// The side of a triangle that a way must cross.
enum { INTO_FRONT, OUT_OF_FRONT, EITHER_SIDE };

bool crosses_side(double3 normal, double3 way, int side) {
    const double out = dot_of(normal, way);
    return side == EITHER_SIDE || (side == INTO_FRONT ? out < 0 : out > 0);
}

void try_to_hit(const ColliderGeometry* s, const TreeRay* ray, double3 direction, double least,
                int side, const Facet* facet, TreeHit* best) {
    double distance;
    double3 weight;
    if (!meets_triangle(ray, facet->corners, &distance, &weight) || !(distance > least)) return;
    if (distance > best->distance ||
        (distance == best->distance && facet->triangle > best->triangle))
        return;
    const double3 normal = facet_normal(s, facet);
    if (!crosses_side(normal, direction, side)) return;
    const double3 point = ray->origin + distance * direction;
    const TreeHit hit = {facet->triangle, facet->place, distance, weight, point, normal};
    *best = hit;
}

/// The first triangle with least < t ≤ most on origin + t·direction. Of triangles at the very same
/// t the one with the lowest number. Not inlined: each copy would have a stack of its own.
__attribute__((noinline)) TreeHit first_hit_in(const ColliderGeometry* s, double3 origin,
                                               double3 direction, double least, double most,
                                               int side) {
    TreeHit best = {NO_TRIANGLE, 0, most, 0, 0, 0};
    if (is_zero(direction)) return best;
    const TreeRay ray = make_ray(origin, direction);
    Visit stack[DEEPEST_TREE];
    stack[0].node = root_of(s);
    stack[0].entry = enter_box(&ray, box_of(s, stack[0].node), least, most);
    for (uint size = 1; size > 0;) {
        const Visit visit = stack[--size];
        if (visit.entry == INFINITY || visit.entry > best.distance) continue;
        if (is_leaf(s, visit.node)) {
            for (uint k = 0; k < facets_of(s, visit.node); ++k) {
                const Facet facet = facet_of(s, visit.node, k);
                try_to_hit(s, &ray, direction, least, side, &facet, &best);
            }
            continue;
        }
        SearchNode first, second;
        children_of(s, visit.node, &first, &second);
        const double left = enter_box(&ray, box_of(s, first), least, best.distance),
                     right = enter_box(&ray, box_of(s, second), least, best.distance);
        size = push_both(stack, size, first, left, second, right);
    }
    return best;
}

/// What a nearest triangle must be like: anything where there are no normals, else in front of the
/// point and looking elsewhere than all of them.
typedef struct {
    double3 normals[3];
    uint count;
    bool shell;  ///< both sides of a triangle are in front
} Wanted;

/// Faces that differ by less than 18° stop a particle as one.
bool looks_elsewhere(double3 normal, const Wanted* wanted) {
    for (uint k = 0; k < wanted->count; ++k)
        if (!(dot_of(wanted->normals[k], normal) < 0.95)) return false;
    return true;
}

/// Whether p is in front of a triangle, not beside it.
bool is_in_front(double3 p, Corners t, double3 weight, double3 normal) {
    const double3 away = p - point_at(t, weight);
    const double height = dot_of(away, normal);
    const double rounding = 1e-12 * (1 + norm(p));
    return height >= -rounding && norm(away - height * normal) <= 1e-6 * height + rounding;
}

/// The normal of a face as it is seen from p; `on` is a point of it.
double3 towards(double3 p, double3 on, double3 normal, bool shell) {
    return shell && dot_of(p - on, normal) < 0 ? -normal : normal;
}

bool is_wanted(const ColliderGeometry* s, const Wanted* wanted, double3 p, const Facet* facet,
               double3 weight) {
    if (wanted->count == 0) return true;
    const double3 normal =
        towards(p, facet->corners.a, facet_normal(s, facet), wanted->shell);
    return !is_zero(normal) && looks_elsewhere(normal, wanted) &&
           is_in_front(p, facet->corners, weight, normal);
}

bool is_unwanted(const ColliderGeometry* s, const Wanted* wanted, SearchNode node) {
    for (uint k = 0; k < wanted->count; ++k)
        if (all_faces(s, node, wanted->normals[k], wanted->shell)) return true;
    return false;
}

/// The nearest point of all triangles that are wanted, within `reach`. Of equally near ones the
/// lowest number.
__attribute__((noinline)) TreeHit nearest_in(const ColliderGeometry* s, double3 p, double reach,
                                             const Wanted* wanted) {
    TreeHit best = {NO_TRIANGLE, 0, INFINITY, 0, 0, 0};
    if (!is_finite3(p)) return best;
    double best2 = reach * reach;
    Visit stack[DEEPEST_TREE];
    stack[0].node = root_of(s);
    stack[0].entry = squared_distance_to_box(box_of(s, stack[0].node), p);
    for (uint size = 1; size > 0;) {
        const Visit visit = stack[--size];
        if (visit.entry > best2 || is_unwanted(s, wanted, visit.node)) continue;
        if (is_leaf(s, visit.node)) {
            for (uint k = 0; k < facets_of(s, visit.node); ++k) {
                const Facet facet = facet_of(s, visit.node, k);
                const double3 w = nearest_on_triangle(facet.corners, p);
                const double d2 = squared_distance(facet.corners, w, p);
                if (!(d2 < best2 || (d2 == best2 && facet.triangle < best.triangle))) continue;
                if (!is_wanted(s, wanted, p, &facet, w)) continue;
                const TreeHit hit = {facet.triangle, facet.place, 0, w,
                                     point_at(facet.corners, w), facet_normal(s, &facet)};
                best = hit;
                best2 = d2;
            }
            continue;
        }
        SearchNode first, second;
        children_of(s, visit.node, &first, &second);
        const double left = squared_distance_to_box(box_of(s, first), p),
                     right = squared_distance_to_box(box_of(s, second), p);
        size = push_both(stack, size, first, left, second, right);
    }
    if (best.triangle != NO_TRIANGLE) best.distance = sqrt(best2);
    return best;
}
