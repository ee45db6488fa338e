// What of one surface is near another, on a device (collision_surface.cpp): eight vertices at a time
// against triangles, sharp edges against sharp edges.

/// That a leaf can find: one on each side of eight vertices, or some edges.
#define MOST_NEAR 16


/// Normals of two parts that something is caught between point against each other: their product.
#define OPPOSITE ((float)TURGOR_OPPOSITE)


/// What a leaf has found so far.
typedef struct {
    NearFeature all[MOST_NEAR];
    uint count;
} Findings;

/// Eight vertices that are looked at together, in the coordinates of the surface that is asked.
typedef struct {
    Eight p;
    uint vertex[8];
    uint count;
    double3 shift;  ///< to those coordinates
} Cluster;
Cluster cluster_of(const Surface* a, LeavesInput leaves, uint leaf, double3 shift) {
    Cluster c;
    float x[8], y[8], z[8];
    const uint begin = leaf_begin(leaf, leaves.leaves, leaves.count);
    c.count = leaf_begin(leaf + 1, leaves.leaves, leaves.count) - begin;
    c.shift = shift;
    const float4 by = to_float4(shift);
    for (uint k = 0; k < 8; ++k) {
        c.vertex[k] = k < c.count ? a->order[begin + k] : NONE;
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
    uint8 nearest = NONE;
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

void set_near(NearFeature* near, double4 weight, double3 normal, double distance) {
    vstore4(convert_float4(weight), 0, near->weight);
    vstore3(convert_float3(normal), 0, near->normal);
    near->distance = (float)distance;
}

/// A vertex with a point of a triangle, if that is near enough on its side (add_if_near).
bool add_if_near(const Surface* b, uint t, double3 p, double edge, double margin, double depth,
               NearFeature* near) {
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
                    uint side, NearFeature* near) {
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
        const bool is = place[k] != NONE;
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
    uint8 nearest = NONE;
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
                        const Surface* b, LeavesInput leaves, uint leaf, Box box_b, double3 shift, double edge_of_b,
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
        place[k] = NONE;
        if (k >= c.count || triangle[k] == NONE) continue;
        const double3 p = exact_vertex(a, &c, k);
        NearFeature* const near = found->all + found->count;
        if (!add_if_near(b, triangle[k], p, edge_of_b, margin, depth, near)) continue;
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
        if (place[k] == NONE || opposite[k] == NONE) continue;
        const NearFeature* const known = found->all + place[k];
        NearFeature* const near = found->all + found->count;
        if (!add_if_near(b, opposite[k], exact_vertex(a, &c, k), edge_of_b, margin, 0, near)) continue;
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
                uint4 eb, double3 shift, NearFeature* near) {
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
                     LeavesInput of_a, LeavesInput of_b, uint leaf, Box box_b, double3 shift,
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
                    NearFeature* const near = found->all + found->count;
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
