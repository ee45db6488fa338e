// A body's surface as it was when the sub-step began, on a device (collision_surface.cpp,
// nearest_cpu.cpp): boxes around its leaves and nodes, in groups of eight, and how to find one's way
// among them. Eight boxes, or eight points, are asked at a time; positions are relative to the
// origin of the body that is asked.

/// Where all surfaces are kept.
#define SURFACES                                                                                  \
    const global SurfaceGiven *surfaces, const global uint4 *corners,                             \
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

Surface surface_of(uint place, const global BodyGiven* bodies, SURFACES) {
    const global SurfaceGiven* const g = surfaces + place;
    Surface s;
    s.x = x_start + bodies[place].first;
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
#define SURFACE_OF(place)                                                                        \
    surface_of(place, bodies, surfaces, corners, vertex_order, edges, around_starts, around,     \
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
bool is_looked_at(const global SurfaceGiven* surface, uint left) {
    return left > 0 ? surface->island != NOBODY : surface->looks_ahead;
}

kernel GROUP_SIZE void refit_leaves(BLOCKS, SURFACES) {
    THIS_BLOCK;
    const global SurfaceGiven* const given = surfaces + place.body;
    if (!is_looked_at(given, left)) return;
    const Surface s = SURFACE_OF(place.body);
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
    const global SurfaceGiven* const given = surfaces + place;
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

// What is near.

/// That a leaf can find: one on each side of eight vertices, or some edges.
#define MOST_NEAR 16


/// Normals of two parts that something is caught between point against each other: their product.
#define OPPOSITE (-0.3f)


/// What a leaf has found so far.
typedef struct {
    NearState all[MOST_NEAR];
    uint count;
} Findings;

/// Eight vertices that are looked at together, in the coordinates of the surface that is asked.
typedef struct {
    Eight p;
    uint vertex[8];
    uint count;
    double3 shift;  ///< to those coordinates
} Cluster;
Cluster cluster_of(const Surface* a, LeavesGiven leaves, uint leaf, double3 shift) {
    Cluster c;
    float x[8], y[8], z[8];
    const uint begin = leaf_begin(leaf, leaves.leaves, leaves.count);
    c.count = leaf_begin(leaf + 1, leaves.leaves, leaves.count) - begin;
    c.shift = shift;
    const float4 by = to_float4(shift);
    for (uint k = 0; k < 8; ++k) {
        c.vertex[k] = k < c.count ? a->order[begin + k] : NOBODY;
        const float4 p = k < c.count ? a->x[c.vertex[k]] + by : (float4)(1e15f);
        x[k] = p.x;
        y[k] = p.y;
        z[k] = p.z;
    }
    c.p.x = vload8(0, x);
    c.p.y = vload8(0, y);
    c.p.z = vload8(0, z);
    return c;
}
double3 exact_vertex(const Surface* a, const Cluster* c, uint k) {
    return c->shift + exact(a->x[c->vertex[k]]);
}

/// The triangle nearest to each of eight points, if it is nearer than before.
void find_nearest(const Surface* s, Eight p, Box box, float limit, float* squared,
                  uint* triangle) {
    float8 best = limit;
    uint8 nearest = NOBODY;
    Descent d;
    begin_descent(&d, s->leaves);
    while (d.size > 0) {
        const uint group = d.stack[--d.size];
        uint lanes = near_lanes(s->groups + (size_t)group * BOX_GROUP, box, limit);
        if (lanes == 0 || !are_leaves(&d, group, lanes)) continue;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint lane = lowest_bit(lanes), leaf = 8 * group + lane - s->leaves;
            const Box of_leaf = box_at(s->groups + (size_t)group * BOX_GROUP, lane);
            const float8 x = fmax(fmax(of_leaf.lower.x - p.x, p.x - of_leaf.upper.x), 0.0f),
                         y = fmax(fmax(of_leaf.lower.y - p.y, p.y - of_leaf.upper.y), 0.0f),
                         z = fmax(fmax(of_leaf.lower.z - p.z, p.z - of_leaf.upper.z), 0.0f);
            if (!any(x * x + y * y + z * z < best)) continue;
            const uint end = leaf_begin(leaf + 1, s->leaves, s->triangles);
            for (uint t = leaf_begin(leaf, s->leaves, s->triangles); t < end; ++t) {
                const float8 apart = distances_to(s, t, p);
                const int8 nearer = apart < best;
                best = select(best, apart, nearer);
                nearest = select(nearest, (uint8)(t), nearer);
            }
        }
    }
    vstore8(best, 0, squared);
    vstore8(nearest, 0, triangle);
}

void set_near(NearState* near, double4 weight, double3 normal, double distance) {
    vstore4(convert_float4(weight), 0, near->weight);
    vstore3(convert_float3(normal), 0, near->normal);
    near->distance = (float)distance;
}

/// A vertex with a point of a triangle, if that is near enough on its side (note_near).
bool note_near(const Surface* b, uint t, double3 p, double edge, double margin, double depth,
               NearState* near) {
    const Corners corners = corners_of(b, t);
    const double3 weight = nearest_on_triangle(corners, p), q = point_at(corners, weight);
    const double3 outward = outward_at(b, t, weight);
    const double distance = length(p - q), side = dot(p - q, outward) < 0 ? -1 : 1;
    if (distance > (side > 0 ? margin : depth)) return false;
    // So close that their difference is rounding, the surface's own normal is better.
    const double3 normal = normalized(distance <= 1e-5 * edge ? outward : side * (p - q));
    if (dot(normal, normal) == 0) return false;
    set_near(near, (double4)(1, -weight.x, -weight.y, -weight.z), normal, side * distance);
    return true;
}

/// Whose particles the vertex and the corners of the triangle are.
void name_particles(const Surface* b, uint vertex, uint t, uint first_of_a, uint first_of_b,
                    uint side, NearState* near) {
    const uint4 c = b->corners[t];
    near->particle[0] = first_of_a + vertex;
    near->particle[1] = first_of_b + c.x;
    near->particle[2] = first_of_b + c.y;
    near->particle[3] = first_of_b + c.z;
    near->of_first = 1;
    near->side = side;
    near->same_side = 0;
}

/// Where surfaces coincide, bodies are on opposite sides of them, or one in the other.
bool on_same_side(const Surface* a, const Surface* b, uint vertex, double3 p, double edge,
                  float distance) {
    if (fabs(distance) > 0.05 * edge) return false;
    double3 outward = 0;
    const uint end = a->around_starts[vertex + 1];
    for (uint k = a->around_starts[vertex]; k < end; ++k) outward += face_normal(a, a->around[k]);
    return is_inside(b, p - 0.4 * edge * normalized(outward));
}

Eight normals_of(const Findings* found, const uint* place) {
    float x[8], y[8], z[8];
    for (uint k = 0; k < 8; ++k) {
        const bool is = place[k] != NOBODY;
        x[k] = is ? found->all[place[k]].normal[0] : 0;
        y[k] = is ? found->all[place[k]].normal[1] : 0;
        z[k] = is ? found->all[place[k]].normal[2] : 0;
    }
    const Eight n = {vload8(0, x), vload8(0, y), vload8(0, z)};
    return n;
}

/// The triangle nearest to each of eight points that it is in front of and whose normal points
/// against the point's own, within the root of `limit`.
void find_opposite(const Surface* s, Eight p, Eight own, Box box, float reach, float limit,
                   Box facing, uint* triangle) {
    float8 best = limit;
    uint8 nearest = NOBODY;
    Descent d;
    begin_descent(&d, s->leaves);
    while (d.size > 0) {
        const uint group = d.stack[--d.size];
        uint lanes = near_lanes(s->groups + (size_t)group * BOX_GROUP, box, reach * reach);
        if (lanes != 0)
            lanes &= facing_lanes(s->facings + (size_t)group * BOX_GROUP, facing, OPPOSITE + 1e-3f);
        if (lanes == 0 || !are_leaves(&d, group, lanes)) continue;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint leaf = 8 * group + lowest_bit(lanes) - s->leaves;
            const uint end = leaf_begin(leaf + 1, s->leaves, s->triangles);
            for (uint t = leaf_begin(leaf, s->leaves, s->triangles); t < end; ++t) {
                const float4 n = unit_normal(s, t);
                const float8 above = dot81(from(p, s->x[s->corners[t].x]), n);
                const int8 may = (dot81(own, n) <= OPPOSITE) & (above >= 0.0f) &
                                 (above * above < best);
                if (!any(may)) continue;
                const float8 apart = distances_to(s, t, p);
                const int8 nearer = may & (apart < best);
                best = select(best, apart, nearer);
                nearest = select(nearest, (uint8)(t), nearer);
            }
        }
    }
    vstore8(nearest, 0, triangle);
}

/// All vertices of a leaf of `a` that are inside `b` and not too deep, or outside and near: each
/// with the nearest point of the whole of `b`, and what is caught between two parts of `b` again with
/// that of the other part (find_near_vertices).
void find_near_vertices(double edge, double margin, double depth, const Surface* a,
                        const Surface* b, LeavesGiven leaves, uint leaf, Box box_b, double3 shift, double edge_of_b,
                        uint first_of_a, uint first_of_b, uint side, Findings* found) {
    const float reach = (float)(1.0001 * fmax(margin, depth) + 1e-6 * length(shift) +
                                1e-5 * edge_of_b);
    const Box own = {a->boxes[2 * leaf], a->boxes[2 * leaf + 1]};
    const Box box = moved_box(own, to_float4(shift));
    if (!boxes_meet(box, grown(box_b, reach))) return;
    const Cluster c = cluster_of(a, leaves, leaf, shift);
    float squared[8];
    uint triangle[8], place[8];
    find_nearest(b, c.p, box, reach * reach, squared, triangle);
    Box facing = empty_box();
    bool any_outside = false;
    for (uint k = 0; k < 8; ++k) {
        place[k] = NOBODY;
        if (k >= c.count || triangle[k] == NOBODY) continue;
        const double3 p = exact_vertex(a, &c, k);
        NearState* const near = found->all + found->count;
        if (!note_near(b, triangle[k], p, edge_of_b, margin, depth, near)) continue;
        name_particles(b, c.vertex[k], triangle[k], first_of_a, first_of_b, side, near);
        near->same_side = on_same_side(a, b, c.vertex[k], p, edge, near->distance);
        if (near->distance >= 0) {
            place[k] = found->count;
            add_point(&facing, (float4)(near->normal[0], near->normal[1], near->normal[2], 0));
            any_outside = true;
        }
        ++found->count;
    }
    if (!any_outside) return;
    uint opposite[8];
    const Eight normals = normals_of(found, place);
    find_opposite(b, c.p, normals, box, reach, (float)(margin * margin), facing, opposite);
    for (uint k = 0; k < 8; ++k) {
        if (place[k] == NOBODY || opposite[k] == NOBODY) continue;
        const NearState* const known = found->all + place[k];
        NearState* const near = found->all + found->count;
        if (!note_near(b, opposite[k], exact_vertex(a, &c, k), edge_of_b, margin, 0, near)) continue;
        const float product = known->normal[0] * near->normal[0] +
                              known->normal[1] * near->normal[1] +
                              known->normal[2] * near->normal[2];
        if (near->distance < 0 || product > OPPOSITE) continue;
        name_particles(b, c.vertex[k], opposite[k], first_of_a, first_of_b, side, near);
        ++found->count;
    }
}

/// The directions that belong to an edge lie between the normals of its two faces.
bool belongs(const Surface* s, uint4 edge, double3 n) {
    const double3 f = face_normal(s, edge.z), g = face_normal(s, edge.w), along = cross(f, g);
    return dot(cross(f, n), along) >= 0 && dot(cross(n, g), along) >= 0 && dot(f + g, n) > 0;
}

/// Where two segments are nearest to each other, as shares of their lengths (base/nearest_point.hpp).
double2 nearest_on_segments(double3 a0, double3 a1, double3 b0, double3 b1) {
    const double3 a = a1 - a0, b = b1 - b0, r = a0 - b0;
    const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), ar = dot(a, r), br = dot(b, r);
    const double scale = aa * bb, determinant = scale - ab * ab;
    const double first =
        determinant > 1e-12 * scale ? clamp((ab * br - ar * bb) / determinant, 0.0, 1.0) : 0;
    const double second = bb > 0 ? clamp((ab * first + br) / bb, 0.0, 1.0) : 0;
    return (double2)(aa > 0 ? clamp((ab * second - ar) / aa, 0.0, 1.0) : 0, second);
}

/// Two sharp edges that cross (find_near_edges).
bool note_edges(double margin, double depth, const Surface* a, const Surface* b, uint4 ea,
                uint4 eb, double3 shift, NearState* near) {
    const double3 a0 = shift + exact(a->x[ea.x]), a1 = shift + exact(a->x[ea.y]);
    const double3 b0 = exact(b->x[eb.x]), b1 = exact(b->x[eb.y]);
    double3 n = cross(a1 - a0, b1 - b0);
    // Nearly parallel: vertices see to it.
    if (!(length(n) > 0.05 * length(a1 - a0) * length(b1 - b0))) return false;
    n = normalized(n);
    if (!belongs(b, eb, n)) n = -n;
    if (!belongs(b, eb, n) || !belongs(a, ea, -n)) return false;
    const double2 at = nearest_on_segments(a0, a1, b0, b1);
    if (!(at.x > 0 && at.x < 1 && at.y > 0 && at.y < 1)) return false;
    const double distance = dot(a0 + at.x * (a1 - a0) - (b0 + at.y * (b1 - b0)), n);
    if (distance > margin || distance < -depth) return false;
    set_near(near, (double4)(1 - at.x, at.x, at.y - 1, -at.y), n, distance);
    near->of_first = 2;
    near->side = 0;
    near->same_side = 0;
    return true;
}

Box box_of_edge(const Surface* s, uint4 edge, float4 shift) {
    Box box = empty_box();
    add_point(&box, s->x[edge.x] + shift);
    add_point(&box, s->x[edge.y] + shift);
    return box;
}

/// Sharp edges of a leaf of `a` that cross sharp edges of `b`.
void find_near_edges(double margin, double depth, const Surface* a, const Surface* b,
                     LeavesGiven of_a, LeavesGiven of_b, uint leaf, Box box_b, double3 shift,
                     uint first_of_a, uint first_of_b, Findings* found) {
    if (of_b.leaves == 0) return;
    const float reach = (float)fmax(margin, depth);
    const uint end = leaf_begin(leaf + 1, of_a.leaves, of_a.count);
    for (uint k = leaf_begin(leaf, of_a.leaves, of_a.count); k < end; ++k) {
        const uint4 ea = a->edges[k];
        const Box box = grown(box_of_edge(a, ea, to_float4(shift)), reach);
        if (!boxes_meet(box, box_b)) continue;
        Descent d;
        begin_descent(&d, of_b.leaves);
        while (d.size > 0) {
            const uint group = d.stack[--d.size];
            uint lanes = near_lanes(b->edge_groups + (size_t)group * BOX_GROUP, box, 0);
            if (lanes == 0 || !are_leaves(&d, group, lanes)) continue;
            for (; lanes != 0; lanes &= lanes - 1) {
                const uint other = 8 * group + lowest_bit(lanes) - of_b.leaves;
                const uint last = leaf_begin(other + 1, of_b.leaves, of_b.count);
                for (uint j = leaf_begin(other, of_b.leaves, of_b.count); j < last; ++j) {
                    const uint4 eb = b->edges[j];
                    NearState* const near = found->all + found->count;
                    if (found->count == MOST_NEAR ||
                        !boxes_meet(box, box_of_edge(b, eb, (float4)(0))) ||
                        !note_edges(margin, depth, a, b, ea, eb, shift, near))
                        continue;
                    near->particle[0] = first_of_a + ea.x;
                    near->particle[1] = first_of_a + ea.y;
                    near->particle[2] = first_of_b + eb.x;
                    near->particle[3] = first_of_b + eb.y;
                    ++found->count;
                }
            }
        }
    }
}

/// The leaves of a pair, shared out among the work-items of its group.
#define FOR_EACH_CELL(cell, pair)                                                              \
    for (uint cell = (pair)->first_cell + ITEM,                                                \
              end_of_cells = (pair)->first_cell + (pair)->cells[0] + (pair)->cells[1] +        \
                             (pair)->cells[2];                                                 \
         cell < end_of_cells; cell += BODY_GROUP)
