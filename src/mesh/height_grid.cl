// Heights over a grid (height_grid.hpp), and what both kinds of surfaces are made of.

/// The surfaces of all colliders, as kernels get them.
#define COLLIDER_SURFACES                                                                      \
    const global ColliderGeometryInput *surfaces, const global NodeInput *surface_nodes,        \
        const global TriangleInput *surface_triangles,                                         \
        const global NormalsInput *surface_normals, const global double *heights,              \
        const global RangeInput *height_ranges
#define SURFACE_AT(which)                                                                      \
    {surfaces + (which), surface_nodes + surfaces[which].node,                                 \
     surface_triangles + surfaces[which].triangle,                                             \
     surface_normals + surfaces[which].triangle, heights + surfaces[which].height,             \
     height_ranges + surfaces[which].range}

/// One of them: a mesh, or a height field.
typedef struct {
    const global ColliderGeometryInput* given;
    const global NodeInput* nodes;
    const global TriangleInput* triangles;
    const global NormalsInput* normals;
    const global double* heights;
    const global RangeInput* ranges;
} ColliderGeometry;

typedef struct {
    double3 lower, upper;
} NodeBox;

/// A node of a tree of boxes; cells are those of a height field.
typedef struct {
    uint index;
    uint c0, c1, r0, r1;
} SearchNode;

/// A triangle of a leaf.
typedef struct {
    Corners corners;
    uint triangle;  ///< its number
    uint place;     ///< of a mesh: in the order of its tree
} Facet;

double3 grid_point(const ColliderGeometry* s, uint column, uint row) {
    return (double3)(column * s->given->spacing_x - s->given->half_x,
                     s->heights[(size_t)row * s->given->columns + column],
                     row * s->given->spacing_z - s->given->half_z);
}

NodeBox grid_box(const ColliderGeometry* s, SearchNode n) {
    const global ColliderGeometryInput* const g = s->given;
    const RangeInput range = s->ranges[n.index];
    const NodeBox box = {(double3)(n.c0 * g->spacing_x - g->half_x, range.low,
                               n.r0 * g->spacing_z - g->half_z),
                     (double3)(n.c1 * g->spacing_x - g->half_x, range.high,
                               n.r1 * g->spacing_z - g->half_z)};
    return box;
}

/// A bound on how steep the surface is within a node, as a tangent.
double grid_slope(const ColliderGeometry* s, SearchNode n) {
    const RangeInput range = s->ranges[n.index];
    return 1.5 * (range.high - range.low) / fmin(s->given->spacing_x, s->given->spacing_z);
}

void divide_cells(SearchNode n, SearchNode* first, SearchNode* second) {
    *first = *second = n;
    first->index = 2 * n.index;
    second->index = first->index + 1;
    if (n.c1 - n.c0 >= n.r1 - n.r0)
        first->c1 = second->c0 = (n.c0 + n.c1) / 2;
    else
        first->r1 = second->r0 = (n.r0 + n.r1) / 2;
}

/// Each cell is two triangles, cut from its lowest x and z to its highest.
Facet grid_facet(const ColliderGeometry* s, SearchNode leaf, uint k) {
    const uint width = leaf.c1 - leaf.c0;
    const uint c = leaf.c0 + k / 2 % width, r = leaf.r0 + k / 2 / width;
    const uint cell = r * (s->given->columns - 1) + c;
    const double3 low = grid_point(s, c, r), high = grid_point(s, c + 1, r + 1);
    const Facet under = {{low, high, grid_point(s, c + 1, r)}, 2 * cell, 0};
    const Facet over = {{low, grid_point(s, c, r + 1), high}, 2 * cell + 1, 0};
    return k % 2 == 0 ? under : over;
}

double height_at(const ColliderGeometry* s, double x, double z) {
    const global ColliderGeometryInput* const g = s->given;
    const double across = clamp((x + g->half_x) / g->spacing_x, 0.0, g->columns - 1.0),
                 down = clamp((z + g->half_z) / g->spacing_z, 0.0, g->rows - 1.0);
    const uint c = min((uint)across, g->columns - 2), r = min((uint)down, g->rows - 2);
    const double u = across - c, v = down - r;
    const double low = grid_point(s, c, r).y, high = grid_point(s, c + 1, r + 1).y;
    return u >= v ? low + (u - v) * (grid_point(s, c + 1, r).y - low) + v * (high - low)
                  : low + (v - u) * (grid_point(s, c, r + 1).y - low) + u * (high - low);
}

bool grid_contains(const ColliderGeometry* s, double3 p) {
    return fabs(p.x) <= s->given->half_x && fabs(p.z) <= s->given->half_z &&
           p.y < height_at(s, p.x, p.z);
}

/// A point of one of the sides.
typedef struct {
    double3 point, normal;
    double distance;  ///< along a ray in units of its direction
} SidePoint;

/// The nearest one that is as high as p, within `reach`.
SidePoint nearest_side(const ColliderGeometry* s, double3 p, double reach) {
    const double half_x = s->given->half_x, half_z = s->given->half_z;
    SidePoint best = {0, 0, INFINITY};
    for (int side = 0; side < 4; ++side) {
        const double sign = side % 2 == 0 ? -1 : 1;
        const double3 q = side < 2 ? (double3)(sign * half_x, p.y, clamp(p.z, -half_z, half_z))
                                   : (double3)(clamp(p.x, -half_x, half_x), p.y, sign * half_z);
        const double distance = norm(p - q);
        if (!(distance <= reach && distance < best.distance && p.y <= height_at(s, q.x, q.z)))
            continue;
        best.point = q;
        best.normal = side < 2 ? (double3)(sign, 0, 0) : (double3)(0, 0, sign);
        best.distance = distance;
    }
    return best;
}

/// The first one that a ray meets from outside, with least < t ≤ most.
SidePoint first_side(const ColliderGeometry* s, double3 origin, double3 direction, double least,
                     double most) {
    SidePoint best = {0, 0, INFINITY};
    for (int axis = 0; axis < 3; axis += 2) {
        const double extent = axis == 0 ? s->given->half_x : s->given->half_z,
                     width = axis == 0 ? s->given->half_z : s->given->half_x;
        const double sign = along(direction, axis) > 0 ? -1 : 1;
        const double t = (sign * extent - along(origin, axis)) / along(direction, axis);
        if (!(t > least && t <= most && t < best.distance)) continue;
        double3 q = origin + t * direction;
        if (axis == 0)
            q.x = sign * extent;
        else
            q.z = sign * extent;
        if (!(fabs(along(q, 2 - axis)) <= width) || q.y > height_at(s, q.x, q.z)) continue;
        best.point = q;
        best.normal = axis == 0 ? (double3)(sign, 0, 0) : (double3)(0, 0, sign);
        best.distance = t;
    }
    return best;
}
