// A body that touches itself, on a device (self_contact.cpp, self_contact_schedule.cpp): its clusters of vertices
// against those of its own triangles that lie apart at rest and whose normals point against theirs.

// In units of the mean edge.
#define APART_AT_REST TURGOR_APART_AT_REST
#define NEAR_SELF (TURGOR_CONTACT_THICKNESS + TURGOR_CONTACT_MARGIN + TURGOR_MAX_APPROACH)
#define MAX_SELF_DEPTH TURGOR_MAX_SELF_DEPTH
#define FARTHEST_QUERY TURGOR_FARTHEST_QUERY
/// So many times the leaves that a sheet would have near a cluster: beyond, it is crumpled.
#define MOST_SHEETS TURGOR_MOST_SHEETS
#define MAX_SHARE_INSIDE TURGOR_MAX_SHARE_INSIDE
#define SPEED_ALLOWANCE TURGOR_SPEED_ALLOWANCE
/// Two outsides can touch only where their normals point against each other: their product.
#define FACING ((float)TURGOR_FACING)

/// How far parts of a body may come towards each other in a sub-step; with none left, in the whole
/// next step.
double approach_ahead(const global BodyInput* body, const global BodyState* state, uint left) {
    const double h = left > 0 ? body->step : body->sub_steps * body->step;
    return SPEED_ALLOWANCE * 2 * sqrt(3.0) * state->deforming * h;
}

bool may_touch_itself(const global BodyInput* body, const global BodyState* state, uint left) {
    // A self-intersecting body is looked at once in a step.
    if (state->self_intersecting && left > 0 && left != body->sub_steps) return false;
    return !(approach_ahead(body, state, left) < state->clearance);
}

double left_of_gap(const global BodyState* state, ClusterState c) {
    return c.gap - 2 * (state->travelled - c.seen);
}

/// How far a cluster is looked around; 0: not at all.
double look_margin(const global BodyInput* body, const global BodyState* state, ClusterState c,
                   uint left) {
    if (!state->self_intersecting && approach_ahead(body, state, left) < left_of_gap(state, c)) return 0;
    // Somewhat farther than where it found something, or nothing, the last time. What touches
    // mostly goes on doing so: no need to know what else comes close.
    const double edge = body->mean_edge;
    if (c.gap < 0 && !state->self_intersecting) return NEAR_SELF * edge;
    return clamp(1.5 * (c.gap + NEAR_SELF * edge), APART_AT_REST * edge, FARTHEST_QUERY * edge);
}

/// Normals and rest positions of eight vertices.
typedef struct {
    Eight normal, rest;
    Box facing;
} SelfCluster;
SelfCluster self_cluster(const Surface* s, const Cluster* c, const global float4* rest,
                         const global uint* ring_starts, const global uint* ring,
                         const global BodyInput* body) {
    SelfCluster self;
    float nx[8], ny[8], nz[8], rx[8], ry[8], rz[8];
    self.facing = empty_box();
    for (uint k = 0; k < 8; ++k) {
        const uint i = k < c->count ? c->vertex[k] : c->vertex[0];
        const float4 n = unit3(ring_normal(ring_starts, ring, s->x, 0, i, body->asset));
        const float4 r = rest[i];
        add_point(&self.facing, n);
        nx[k] = n.x;
        ny[k] = n.y;
        nz[k] = n.z;
        rx[k] = r.x;
        ry[k] = r.y;
        rz[k] = r.z;
    }
    const Eight normal = {vload8(0, nx), vload8(0, ny), vload8(0, nz)},
                at_rest = {vload8(0, rx), vload8(0, ry), vload8(0, rz)};
    self.normal = normal;
    self.rest = at_rest;
    return self;
}

/// Which of eight vertices have all corners of a triangle apart from them at rest.
int8 corners_apart(const global float4* rest, uint4 corner, Eight own, float least) {
    const Eight a = from(own, rest[corner.x]), b = from(own, rest[corner.y]),
                c = from(own, rest[corner.z]);
    return (dot8(a, a) >= least) & (dot8(b, b) >= least) & (dot8(c, c) >= least);
}
bool is_apart_at_rest(const global float4* rest, uint4 corner, uint vertex, double least) {
    const Corners t = corners_at(rest, corner);
    const double3 p = exact(rest[vertex]);
    return squared_distance(t, nearest_on_triangle(t, p), p) >= least * least;
}

/// The nearest triangle in front of which each of eight points is, and the nearest behind which.
typedef struct {
    float front[8], behind[8];  ///< squared distances
    uint in_front_of[8], is_behind[8];
} BothSides;
void begin_sides(BothSides* sides, float limit) {
    for (uint k = 0; k < 8; ++k) {
        sides->front[k] = sides->behind[k] = limit;
        sides->in_front_of[k] = sides->is_behind[k] = NONE;
    }
}

/// Offers one triangle to all eight vertices.
void offer_to_all(const Surface* s, const global float4* rest, uint t, const Cluster* c,
                  const SelfCluster* self, double apart_at_rest, BothSides* sides) {
    const uint4 corner = s->corners[t];
    const float4 n = unit_normal(s, t);
    const int8 faces = dot81(self->normal, n) <= FACING;
    if (!any(faces)) return;
    const float8 above = dot81(from(c->p, s->x[corner.x]), n);
    const int8 in_front = above >= 0.0f;
    const float8 limit = select(vload8(0, sides->behind), vload8(0, sides->front), in_front);
    int8 may = faces & (above * above <= limit);
    if (!any(may)) return;
    may &= corners_apart(rest, corner, self->rest, (float)(apart_at_rest * apart_at_rest));
    if (!any(may)) return;
    const float8 apart = distances_to(s, t, c->p);
    uint lanes = bits_of(may & (apart < limit));
    if (lanes == 0) return;
    float each[8];
    vstore8(apart, 0, each);
    const uint front = bits_of(in_front);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint k = lowest_bit(lanes);
        if (k >= c->count || !is_apart_at_rest(rest, corner, c->vertex[k], apart_at_rest)) continue;
        if (front >> k & 1) {
            sides->front[k] = each[k];
            sides->in_front_of[k] = t;
        } else {
            sides->behind[k] = each[k];
            sides->is_behind[k] = t;
        }
    }
}

/// Notes what a vertex has on one side (VertexSearch::note).
void note_self(const Surface* s, const global BodyInput* body, uint vertex, float4 normal, uint t,
               double margin, double depth, double reach, Findings* found) {
    NearFeature* const near = found->all + found->count;
    const double edge = body->mean_edge;
    const double3 p = exact(s->x[vertex]);
    if (t == NONE || !add_if_near(s, t, p, edge, reach, reach, near)) return;
    // In front of a triangle there is air in between, or the body is turned inside out; behind it
    // the body is in between, or the vertex has gone into another part of it.
    const double distance = near->distance;
    bool across_body = distance < 0;
    if (fabs(distance) <= depth) {
        const float4 own = (float4)(near->normal[0], near->normal[1], near->normal[2], 0);
        const float4 at = (float4)(s->x[vertex].xyz, 0);
        across_body = distance < 0
                          ? winding_number(s, at + (float)(0.05 * edge) * normal) < 1
                          : winding_number(s, at - (float)(0.5 * distance) * own) < 0;
    }
    if (across_body) {
        near->distance = -near->distance;
        for (int k = 0; k < 3; ++k) near->normal[k] = -near->normal[k];
    }
    if (near->distance > margin || near->distance < -depth) return;
    name_particles(s, vertex, t, body->first, body->first, 0, near);
    ++found->count;
}

/// Looks at one cluster. Returns how many leaves it met, with the top bit where they were too many,
/// and the margin of the look, as bits.
uint2 find_near_self(const global BodyInput* body, const global BodyState* state, const Surface* s,
                     LeavesInput leaves, uint leaf, global ClusterState* cluster,
                     const global float4* rest, const global uint* ring_starts,
                     const global uint* ring, uint left, Findings* found) {
    const double edge = body->mean_edge, margin = look_margin(body, state, *cluster, left);
    if (margin == 0) return (uint2)(0, 0);
    const double depth = (state->self_intersecting ? APART_AT_REST : MAX_SELF_DEPTH) * edge;
    const double reach = fmax(margin, depth), radius = margin / edge + 2;
    const Cluster c = cluster_of(s, leaves, leaf, (double3)(0));
    const SelfCluster self = self_cluster(s, &c, rest, ring_starts, ring, body);
    const Box box = {s->boxes[2 * leaf], s->boxes[2 * leaf + 1]};
    const float wide = (float)(1.0001 * reach + 1e-5 * edge);
    const uint too_many = (uint)(8 * MOST_SHEETS * radius * radius);
    BothSides sides;
    begin_sides(&sides, (float)(reach * reach));
    uint met = 0;
    Descent d;
    begin_descent(&d, s->leaves);
    while (d.size > 0 && met < too_many) {
        const uint group = d.stack[--d.size];
        uint lanes = near_lanes(s->groups + (size_t)group * BOX_GROUP, box, wide * wide);
        if (lanes != 0)
            lanes &= facing_lanes(s->facings + (size_t)group * BOX_GROUP, self.facing, FACING);
        if (lanes == 0 || !are_leaves(&d, group, lanes)) continue;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint other = 8 * group + lowest_bit(lanes) - s->leaves;
            const uint end = leaf_begin(other + 1, s->leaves, s->triangles);
            ++met;
            for (uint t = leaf_begin(other, s->leaves, s->triangles); t < end; ++t)
                offer_to_all(s, rest, t, &c, &self, APART_AT_REST * edge, &sides);
        }
    }
    float nx[8], ny[8], nz[8];
    vstore8(self.normal.x, 0, nx);
    vstore8(self.normal.y, 0, ny);
    vstore8(self.normal.z, 0, nz);
    for (uint k = 0; k < c.count; ++k) {
        const float4 n = (float4)(nx[k], ny[k], nz[k], 0);
        note_self(s, body, c.vertex[k], n, sides.in_front_of[k], margin, depth, reach, found);
        note_self(s, body, c.vertex[k], n, sides.is_behind[k], margin, depth, reach, found);
    }
    double nearest = margin;
    for (uint k = 0; k < found->count; ++k) nearest = fmin(nearest, (double)found->all[k].distance);
    cluster->gap = nearest - NEAR_SELF * edge;
    cluster->seen = state->travelled;
    return (uint2)(met | (met >= too_many ? 0x80000000u : 0), as_uint((float)margin));
}

void mark_unknown(global BodyState* state, global ClusterState* clusters, uint count) {
    for (uint k = ITEM; k < count; k += BODY_GROUP) {
        clusters[k].gap = 0;
        clusters[k].seen = state->travelled;
    }
    if (ITEM != 0) return;
    state->self_intersecting = 1;
    state->clearance = 0;
}

/// Parts of a body that come towards each other: how fast, if it matters in the next step.
float closing_speed(const global NearFeature* near, const global BodyInput* body,
                    const global float4* v) {
    float4 relative = 0;
    for (int k = 0; k < 4; ++k) relative += near->weight[k] * v[near->particle[k]];
    const float4 n = (float4)(near->normal[0], near->normal[1], near->normal[2], 0);
    const float speed = fmax(0.0f, -dot3(relative, n));
    const double dt = body->sub_steps * body->step;
    return near->distance - SPEED_ALLOWANCE * speed * dt < NEAR_SELF * body->mean_edge ? speed : -1;
}

/// What the looks of a body come to: whether it is crumpled or self-intersecting, and how long it can wait for
/// the next look. found->near: how many touch, or nearly.
void judge_self(const global PairInput* pair, global PairState* found, const global BodyInput* body,
                global BodyState* state, const global CollisionSurfaceInput* surface,
                const global uint4* cells, const global NearFeature* nears,
                global ClusterState* clusters, const global float4* v, local uint* verdict,
                local double* scratch) {
    const double edge = body->mean_edge;
    double sums[4] = {0, 0, 0, 0};  // leaves met, leaves allowed, found, gone through
    double fastest[1] = {-1};
    FOR_EACH_CELL(cell, pair) {
        const uint4 at = cells[cell];
        const double radius = as_float(at.w) / edge + 2;
        sums[0] += at.z & 0x80000000u ? 1e9 : at.z;
        sums[1] += at.w ? MOST_SHEETS * radius * radius : 0;
        sums[2] += at.y;
        for (uint k = at.x; k < at.x + at.y; ++k) {
            sums[3] += nears[k].distance < 0;
            fastest[0] = fmax(fastest[0], (double)closing_speed(nears + k, body, v));
        }
    }
    sum_over(BODY_GROUP, sums, 4, scratch);
    largest_over(BODY_GROUP, fastest, 1, scratch);
    if (ITEM == 0) {
        const bool is_crumpled = sums[0] > sums[1];
        const double gone = is_crumpled ? 0 : sums[3];
        if (state->self_intersecting) state->self_intersecting = gone > 0;
        verdict[0] = is_crumpled;
        verdict[1] = !state->self_intersecting && gone > MAX_SHARE_INSIDE * body->count;
        found->near = is_crumpled || verdict[1] || state->self_intersecting ? 0 : (uint)sums[2];
        state->closing = found->near > 0 ? (float)fastest[0] : -1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const bool crumpled = verdict[0], gone_wrong = verdict[1];
    double soonest[1] = {-FARTHEST_QUERY * edge};
    for (uint k = ITEM; k < surface->vertices.leaves; k += BODY_GROUP) {
        global ClusterState* const c = clusters + surface->cluster + k;
        const uint looked = cells[pair->first_cell + k].w;
        if (crumpled && looked) c->gap = as_float(looked) - NEAR_SELF * edge;
        soonest[0] = fmax(soonest[0], -left_of_gap(state, *c));
    }
    largest_over(BODY_GROUP, soonest, 1, scratch);
    if (ITEM == 0) state->clearance = -soonest[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (gone_wrong) mark_unknown(state, clusters + surface->cluster, surface->vertices.leaves);
}
