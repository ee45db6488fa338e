// A body's surface as it was when the sub-step began, on a device (collision_surface.cpp,
// nearest_cpu.cpp): boxes around its leaves and nodes, in groups of eight, and how to find one's way
// among them. Eight boxes, or eight points, are asked at a time; positions are relative to the
// origin of the body that is asked.

/// Where all surfaces are kept.
#define SURFACES                                                                                  \
    const global CollisionSurfaceInput *surfaces, const global uint4 *corners,                             \
        const global uint *vertex_order, const global uint4 *edges,                               \
        const global uint *around_starts, const global uint *around, global float *groups,        \
        global float *facings, global float4 *cluster_boxes, const global float4 *x_start

/// Floats of a BoxGroup: lower corners of eight boxes, by axes, and upper ones.
#define BOX_GROUP 48

/// Groups of nodes that are still to be looked at: eight for each level, and four.
#define MOST_GROUPS 64

typedef struct {
    const global float4* x;
    const global uint4* corners;  ///< of its triangles, in the order of the leaves
    const global uint4* edges;
    const global uint* order;  ///< of its vertices
    const global uint* around_starts;
    const global uint* around;
    const global float* groups;
    const global float* facings;
    const global float* edge_groups;
    const global float4* boxes;  ///< of clusters of vertices
    uint triangles, leaves;
} Surface;

Surface surface_of(uint slot, const global BodyInput* bodies, SURFACES) {
    const global CollisionSurfaceInput* const g = surfaces + slot;
    Surface s;
    s.x = x_start + bodies[slot].first;
    s.corners = corners + g->triangles.first;
    s.edges = edges + g->edges.first;
    s.order = vertex_order + g->vertices.first;
    s.around_starts = around_starts + g->around;
    s.around = around;
    s.groups = groups + (size_t)g->triangles.group * BOX_GROUP;
    s.facings = facings + (size_t)g->triangles.group * BOX_GROUP;
    s.edge_groups = groups + (size_t)g->edges.group * BOX_GROUP;
    s.boxes = cluster_boxes + 2 * (size_t)g->cluster;
    s.triangles = g->triangles.count;
    s.leaves = g->triangles.leaves;
    return s;
}
#define SURFACE_OF(slot)                                                                         \
    surface_of(slot, bodies, surfaces, corners, vertex_order, edges, around_starts, around,     \
               groups, facings, cluster_boxes, x_start)

uint leaf_begin(uint leaf, uint leaves, uint count) {
    return (uint)((ulong)leaf * count / leaves);
}

// Boxes.

typedef struct {
    float4 lower, upper;
} Box;
Box empty_box(void) {
    const Box b = {(float4)(1e30f), (float4)(-1e30f)};
    return b;
}
void add_point(Box* b, float4 p) {
    b->lower = fmin(b->lower, p);
    b->upper = fmax(b->upper, p);
}
void add_box(Box* b, Box other) {
    b->lower = fmin(b->lower, other.lower);
    b->upper = fmax(b->upper, other.upper);
}
Box grown(Box b, float by) {
    b.lower -= by;
    b.upper += by;
    return b;
}
Box moved_box(Box b, float4 by) {
    b.lower += by;
    b.upper += by;
    return b;
}
bool boxes_meet(Box a, Box b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

void set_box(global float* group, uint lane, Box b) {
    group[lane] = b.lower.x;
    group[8 + lane] = b.lower.y;
    group[16 + lane] = b.lower.z;
    group[24 + lane] = b.upper.x;
    group[32 + lane] = b.upper.y;
    group[40 + lane] = b.upper.z;
}
Box box_at(const global float* group, uint lane) {
    const Box b = {(float4)(group[lane], group[8 + lane], group[16 + lane], 0),
                   (float4)(group[24 + lane], group[32 + lane], group[40 + lane], 0)};
    return b;
}

/// One bit for each lane.
uint bits_of(int8 mask) {
    const int8 bits = mask & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
    const int4 four = bits.lo | bits.hi;
    const int2 two = four.lo | four.hi;
    return (uint)(two.x | two.y);
}
uint lowest_bit(uint bits) {
    return 31 - clz(bits & -bits);
}

/// Eight vectors.
typedef struct {
    float8 x, y, z;
} Eight;
float8 dot8(Eight a, Eight b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
float8 dot81(Eight a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// a − s b
Eight less8(Eight a, float8 s, float4 b) {
    const Eight r = {a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
    return r;
}
Eight from(Eight a, float4 b) {
    const Eight r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

/// Which boxes of a group come within the root of `most` of a box, as bits.
uint near_lanes(const global float* group, Box box, float most) {
    const float8 x = fmax(fmax(vload8(0, group) - box.upper.x, box.lower.x - vload8(3, group)), 0.0f);
    const float8 y = fmax(fmax(vload8(1, group) - box.upper.y, box.lower.y - vload8(4, group)), 0.0f);
    const float8 z = fmax(fmax(vload8(2, group) - box.upper.z, box.lower.z - vload8(5, group)), 0.0f);
    return bits_of(x * x + y * y + z * z <= most);
}

float8 least_product(float a0, float a1, float8 b0, float8 b1) {
    return fmin(fmin(a0 * b0, a0 * b1), fmin(a1 * b0, a1 * b1));
}
/// Which groups of normals have one whose product with one of `own` can be `most` or less.
uint facing_lanes(const global float* group, Box own, float most) {
    const float8 product =
        least_product(own.lower.x, own.upper.x, vload8(0, group), vload8(3, group)) +
        least_product(own.lower.y, own.upper.y, vload8(1, group), vload8(4, group)) +
        least_product(own.lower.z, own.upper.z, vload8(2, group), vload8(5, group));
    return bits_of(product <= most);
}

/// Going down a tree: groups that are still to be looked at.
typedef struct {
    uint stack[MOST_GROUPS];
    uint size, leaves;
} Descent;
void begin_descent(Descent* d, uint leaves) {
    d->size = 0;
    d->leaves = leaves;
    uint top = leaves;
    while (top >= 8) top /= 8;
    for (uint k = 0; k < top && leaves > 0; ++k) d->stack[d->size++] = 2 * top - 1 - k;
}
/// Whether a group's boxes are those of leaves; else the ones in `lanes` are gone on with.
bool are_leaves(Descent* d, uint group, uint lanes) {
    if (8 * group >= d->leaves) return true;
    for (uint lane = 8; lane-- > 0;)
        if (lanes >> lane & 1) d->stack[d->size++] = 8 * group + lane;
    return false;
}

// Refitting: leaves by blocks, then nodes by bodies.

float4 unit3(float4 v) {
    const float size = sqrt(dot3(v, v));
    return size > 0 ? (float4)((v / size).xyz, 0) : (float4)(0);
}

float4 unit_normal(const Surface* s, uint t) {
    const uint4 c = s->corners[t];
    const float4 a = s->x[c.x];
    return unit3(cross3(s->x[c.y] - a, s->x[c.z] - a));
}

void fit_triangles(const Surface* s, uint leaf, global float* groups, global float* facings) {
    Box box = empty_box(), facing = empty_box();
    const uint end = leaf_begin(leaf + 1, s->leaves, s->triangles);
    for (uint t = leaf_begin(leaf, s->leaves, s->triangles); t < end; ++t) {
        const uint4 c = s->corners[t];
        add_point(&box, s->x[c.x]);
        add_point(&box, s->x[c.y]);
        add_point(&box, s->x[c.z]);
        add_point(&facing, unit_normal(s, t));
    }
    const uint node = s->leaves + leaf;
    set_box(groups + (size_t)(node / 8) * BOX_GROUP, node % 8, box);
    set_box(facings + (size_t)(node / 8) * BOX_GROUP, node % 8, facing);
}

/// The leaves of a tree that belong to a block of its body.
#define FOR_EACH_LEAF(leaf, leaves)                                            \
    for (uint leaf = leaf_begin(number, body->blocks, leaves) + ITEM,          \
              last = leaf_begin(number + 1, body->blocks, leaves);             \
         leaf < last; leaf += GROUP)

/// Whether a surface is looked at in a sub-step, or after the last one (no sub-steps left), when
/// bodies look ahead.
bool is_looked_at(const global CollisionSurfaceInput* surface, uint left) {
    return left > 0 ? surface->island != NONE : surface->looks_ahead;
}

kernel GROUP_SIZE void refit_leaves(BLOCKS, SURFACES) {
    THIS_BLOCK;
    const global CollisionSurfaceInput* const given = surfaces + block.body;
    if (!is_looked_at(given, left)) return;
    const Surface s = SURFACE_OF(block.body);
    const uint number = get_group_id(0) - body->first_block;
    global float* const own = groups + (size_t)given->triangles.group * BOX_GROUP;
    global float* const own_facings = facings + (size_t)given->triangles.group * BOX_GROUP;
    global float* const own_edges = groups + (size_t)given->edges.group * BOX_GROUP;
    FOR_EACH_LEAF(leaf, s.leaves) fit_triangles(&s, leaf, own, own_facings);
    FOR_EACH_LEAF(leaf, given->vertices.leaves) {
        Box box = empty_box();
        const uint end = leaf_begin(leaf + 1, given->vertices.leaves, given->vertices.count);
        for (uint k = leaf_begin(leaf, given->vertices.leaves, given->vertices.count); k < end; ++k)
            add_point(&box, s.x[s.order[k]]);
        cluster_boxes[2 * (size_t)(given->cluster + leaf)] = box.lower;
        cluster_boxes[2 * (size_t)(given->cluster + leaf) + 1] = box.upper;
    }
    FOR_EACH_LEAF(leaf, given->edges.leaves) {
        Box box = empty_box();
        const uint end = leaf_begin(leaf + 1, given->edges.leaves, given->edges.count);
        for (uint k = leaf_begin(leaf, given->edges.leaves, given->edges.count); k < end; ++k) {
            add_point(&box, s.x[s.edges[k].x]);
            add_point(&box, s.x[s.edges[k].y]);
        }
        const uint node = given->edges.leaves + leaf;
        set_box(own_edges + (size_t)(node / 8) * BOX_GROUP, node % 8, box);
    }
}

/// The box around all boxes of a group.
Box box_of_group(const global float* group) {
    Box box = box_at(group, 0);
    for (uint lane = 1; lane < 8; ++lane) add_box(&box, box_at(group, lane));
    return box;
}

/// From the leaves up; the box around all.
Box fit_nodes(global float* groups, uint leaves) {
    Box whole = empty_box();
    for (uint level = leaves / 8; level > 0; level /= 8) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint node = level + ITEM; node < 2 * level; node += BODY_GROUP) {
            const Box box = box_of_group(groups + (size_t)node * BOX_GROUP);
            if (level >= 8) set_box(groups + (size_t)(node / 8) * BOX_GROUP, node % 8, box);
        }
        if (level >= 8) continue;
        for (uint node = level; node < 2 * level; ++node)
            add_box(&whole, box_of_group(groups + (size_t)node * BOX_GROUP));
    }
    return whole;
}

kernel BODY_GROUP_SIZE void refit_nodes(BODIES, SURFACES) {
    THIS_BODY;
    const global CollisionSurfaceInput* const given = surfaces + slot;
    if (!is_looked_at(given, left)) return;
    const Box whole = fit_nodes(groups + (size_t)given->triangles.group * BOX_GROUP,
                                given->triangles.leaves);
    fit_nodes(facings + (size_t)given->triangles.group * BOX_GROUP, given->triangles.leaves);
    fit_nodes(groups + (size_t)given->edges.group * BOX_GROUP, given->edges.leaves);
    if (ITEM != 0) return;
    state->box_lower = whole.lower;
    state->box_upper = whole.upper;
}

Box whole_of(const global BodyState* state) {
    const Box b = {state->box_lower, state->box_upper};
    return b;
}

// Distances.

/// Of eight points to a triangle, squared: over its plane the distance to it, else the least of
/// those to its three edges.
float8 distances_to(const Surface* s, uint t, Eight p) {
    const uint4 c = s->corners[t];
    const float4 a = s->x[c.x], ab = s->x[c.y] - a, ac = s->x[c.z] - a, bc = ac - ab;
    const float ab_ab = dot3(ab, ab), ab_ac = dot3(ab, ac), ac_ac = dot3(ac, ac);
    const float area = ab_ab * ac_ac - ab_ac * ab_ac, bc_bc = dot3(bc, bc);
    const float per_area = area > 1e-6f * ab_ab * ac_ac ? 1 / area : 0;
    const float per_ab = ab_ab > 0 ? 1 / ab_ab : 0, per_ac = ac_ac > 0 ? 1 / ac_ac : 0,
                per_bc = bc_bc > 0 ? 1 / bc_bc : 0;
    const Eight ap = from(p, a), bp = from(ap, ab);
    const float8 d1 = dot81(ap, ab), d2 = dot81(ap, ac);
    const float8 v = (ac_ac * d1 - ab_ac * d2) * per_area, w = (ab_ab * d2 - ab_ac * d1) * per_area;
    const Eight on_plane = less8(less8(ap, v, ab), w, ac);
    const Eight on_ab = less8(ap, clamp(d1 * per_ab, 0.0f, 1.0f), ab),
                on_ac = less8(ap, clamp(d2 * per_ac, 0.0f, 1.0f), ac),
                on_bc = less8(bp, clamp(dot81(bp, bc) * per_bc, 0.0f, 1.0f), bc);
    const float8 edge = fmin(fmin(dot8(on_ab, on_ab), dot8(on_ac, on_ac)), dot8(on_bc, on_bc));
    const int8 over = (v >= 0.0f) & (w >= 0.0f) & (v + w <= 1.0f) & (int8)(per_area > 0 ? -1 : 0);
    return select(edge, dot8(on_plane, on_plane), over);
}

double3 exact(float4 v) {
    return convert_double3(v.xyz);
}
Corners corners_of(const Surface* s, uint t) {
    const uint4 c = s->corners[t];
    const Corners k = {exact(s->x[c.x]), exact(s->x[c.y]), exact(s->x[c.z])};
    return k;
}
Corners corners_at(const global float4* x, uint4 c) {
    const Corners k = {exact(x[c.x]), exact(x[c.y]), exact(x[c.z])};
    return k;
}
double3 face_normal(const Surface* s, uint t) {
    const Corners k = corners_of(s, t);
    return cross(k.b - k.a, k.c - k.a);
}

/// arccos to 7e-5 (base/angle.hpp).
double angle_of(double cosine) {
    const double c = fmin(1.0, fabs(cosine));
    const double angle =
        sqrt(1 - c) * (1.5707288 + c * (-0.2121144 + c * (0.0742610 - c * 0.0187293)));
    return cosine < 0 ? 3.14159265358979 - angle : angle;
}

/// The normal at a point of a triangle that tells inside from outside (CollisionSurface::outward).
double3 outward_at(const Surface* s, uint t, double3 weight) {
    const uint4 c = s->corners[t];
    uint on[3];
    uint n = 0;
    if (weight.x > 0) on[n++] = c.x;
    if (weight.y > 0) on[n++] = c.y;
    if (weight.z > 0) on[n++] = c.z;
    if (n == 3) return face_normal(s, t);
    double3 sum = 0;
    const uint end = s->around_starts[on[0] + 1];
    for (uint k = s->around_starts[on[0]]; k < end; ++k) {
        const uint4 other = s->corners[s->around[k]];
        const double3 unit = normalized(face_normal(s, s->around[k]));
        if (n == 2) {
            if (other.x == on[1] || other.y == on[1] || other.z == on[1]) sum += unit;
            continue;
        }
        const uint2 next = other.x == on[0]   ? other.yz
                           : other.y == on[0] ? other.zx
                                              : other.xy;
        const double3 p = exact(s->x[on[0]]), b = exact(s->x[next.x]) - p,
                      d = exact(s->x[next.y]) - p;
        sum += angle_of(dot(b, d) / sqrt(dot(b, b) * dot(d, d))) * unit;
    }
    return sum;
}

/// How often a surface goes around a point (nearest_cpu.hpp).
int winding_number(const Surface* s, float4 p) {
    const float4 way = (float4)(0.6123f, 0.2387f, 0.7537f, 0);
    const float4 per_way = (float4)(1 / 0.6123f, 1 / 0.2387f, 1 / 0.7537f, 0);
    int sum = 0;
    Descent d;
    begin_descent(&d, s->leaves);
    while (d.size > 0) {
        const uint group = d.stack[--d.size];
        const global float* const g = s->groups + (size_t)group * BOX_GROUP;
        const float8 lx = vload8(0, g) - p.x, ly = vload8(1, g) - p.y, lz = vload8(2, g) - p.z;
        const float8 ux = vload8(3, g) - p.x, uy = vload8(4, g) - p.y, uz = vload8(5, g) - p.z;
        const float8 slack =
            1e-5f * (fabs(lx) + fabs(ly) + fabs(lz) + fabs(ux) + fabs(uy) + fabs(uz));
        const float8 near = fmax(fmax(lx * per_way.x, ly * per_way.y), lz * per_way.z);
        const float8 far = fmin(fmin(ux * per_way.x, uy * per_way.y), uz * per_way.z);
        uint lanes = bits_of((near <= far + slack) & (far + slack >= 0.0f));
        if (lanes == 0 || !are_leaves(&d, group, lanes)) continue;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint leaf = 8 * group + lowest_bit(lanes) - s->leaves;
            const uint end = leaf_begin(leaf + 1, s->leaves, s->triangles);
            for (uint t = leaf_begin(leaf, s->leaves, s->triangles); t < end; ++t) {
                const uint4 k = s->corners[t];
                const float4 a = s->x[k.x] - p, b = s->x[k.y] - p, c = s->x[k.z] - p;
                const float4 bc = cross3(b, c);
                const float u = dot3(way, bc), v = dot3(way, cross3(c, a)),
                            w = dot3(way, cross3(a, b)), all = u + v + w, ahead = dot3(a, bc);
                sum += u >= 0 && v >= 0 && w >= 0 && all > 0 && ahead > 0;
                sum -= u <= 0 && v <= 0 && w <= 0 && all < 0 && ahead < 0;
            }
        }
    }
    return sum;
}

bool is_inside(const Surface* s, double3 p) {
    return winding_number(s, (float4)(convert_float3(p), 0)) > 0;
}
