// The near features of two surfaces, on a device (near_features.cpp): a work-group for each pair, and
// for some leaves of a pair. What is found is kept by leaves, in an order that does not depend on
// who was first.

// In units of the smaller mean edge of two surfaces (near_features.hpp, near_features.cpp).
#define CONTACT_THICKNESS TURGOR_CONTACT_THICKNESS
#define CONTACT_MARGIN TURGOR_CONTACT_MARGIN
#define DEEPEST TURGOR_MAX_DEPTH
#define SHALLOW TURGOR_SHALLOW_DEPTH
#define SEARCH_DEPTH TURGOR_SEARCH_DEPTH

enum { OF_FIRST, OF_SECOND, OF_EDGES };
#define PAIRS                                                                              \
    const global BodyInput *bodies, global BodyState *states, const global PairInput *pairs, \
        global PairState *pair_states, uint left

bool takes_part(const global BodyInput* bodies, const global BodyState* states,
                const global PairInput* pair) {
    return states[pair->body[0]].stage == BODY_IN_STAGES &&
           states[pair->body[1]].stage == BODY_IN_STAGES;
}
bool is_self(const global PairInput* pair) {
    return pair->body[0] == pair->body[1];
}

/// Directions spread evenly over the sphere, for bodies that are at the very same place.
double3 some_direction(uint number) {
    const double k = number % 1024 + 0.5;
    const double y = 1 - 2 * k / 1024, r = sqrt(1 - y * y), angle = 2.399963229728653 * k;
    return (double3)(r * cos(angle), y, r * sin(angle));
}

double3 middle_of(Box b) {
    return exact(0.5f * (b.lower + b.upper));
}
/// From the second's origin to the first's, where the sub-step began.
double3 between_starts(const global BodyState* states, uint first, uint second) {
    return states[first].origin_start - states[second].origin_start;
}

double outside_of(const global PairInput* pair) {
    return (CONTACT_THICKNESS + CONTACT_MARGIN) * pair->edge + pair->motion;
}

/// Where both are at the very same place there is no need to look any closer. Where a blow has
/// pressed both flat, their boxes tell nothing.
bool at_same_place(const global PairInput* pair, const global PairState* found, const Surface* a,
                   const Surface* b, Box box_a, Box box_b, double3 between) {
    const double3 ways = middle_of(box_a) + between - middle_of(box_b);
    return !(found->known && !found->separating) && length(ways) < 0.2 * pair->size &&
           is_inside(b, middle_of(box_a) + between) && is_inside(a, middle_of(box_b) - between);
}

void look_at_self(const global PairInput* pair, global PairState* found,
                  const global BodyInput* bodies, global BodyState* states, uint left) {
    global BodyState* const state = states + pair->body[0];
    if (may_touch_itself(bodies + pair->body[0], state, left))
        found->look = PAIR_NEAR;
    else
        state->closing = -1;
}

/// After the last sub-step: which bodies look for what they may touch of themselves in the next step.
kernel BODY_GROUP_SIZE void begin_looking_ahead(PAIRS, const global CollisionSurfaceInput* surfaces,
                                                global uint* counters, uint count) {
    const uint number = get_global_id(0);
    if (number == 0) counters[0] = 0;
    if (number >= count) return;
    const global PairInput* const pair = pairs + number;
    pair_states[number].look = PAIR_FAR;
    if (is_self(pair) && surfaces[pair->body[0]].looks_ahead && takes_part(bodies, states, pair))
        look_at_self(pair, pair_states + number, bodies, states, left);
}

void begin_island(global IslandState* island) {
    island->overlaps = island->grounded = 0;
    island->moved[0] = as_uint(INFINITY);
    for (int k = 1; k < 10; ++k) island->moved[k] = 0;
}

/// How closely pairs have to be looked at.
kernel BODY_GROUP_SIZE void compare_boxes(PAIRS, SURFACES, global IslandState* islands,
                                          global uint* counters, uint count, uint island_count) {
    const uint number = get_global_id(0);
    if (number == 0) counters[0] = counters[1] = 0;
    if (number < island_count) begin_island(islands + number);
    if (number >= count) return;
    const global PairInput* const pair = pairs + number;
    global PairState* const found = pair_states + number;
    if (left > pair->sub_steps) return;
    found->look = PAIR_FAR;
    found->deep = found->near = found->contact_points = found->constraints = 0;
    if (!takes_part(bodies, states, pair)) return;
    if (is_self(pair)) {
        if (pair->island != NONE) look_at_self(pair, found, bodies, states, left);
        return;
    }
    const Surface a = SURFACE_OF(pair->body[0]), b = SURFACE_OF(pair->body[1]);
    const Box box_a = whole_of(states + pair->body[0]), box_b = whole_of(states + pair->body[1]);
    const double3 between = between_starts(states, pair->body[0], pair->body[1]);
    const Box beside = moved_box(box_a, to_float4(between));
    if (!boxes_meet(grown(beside, (float)outside_of(pair)), box_b)) return;
    found->look = PAIR_NEAR;
    if (!at_same_place(pair, found, &a, &b, box_a, box_b, between)) return;
    found->look = PAIR_SAME_PLACE;
    const double3 ways = middle_of(box_a) + between - middle_of(box_b);
    found->separation_direction = normalized(length(ways) > 1e-6 * pair->edge ? ways
                                                               : some_direction(pair->number));
}

/// The first cell of leaves of one kind.
uint first_of(const global PairInput* pair, uint kind) {
    uint first = pair->first_cell;
    for (uint k = 0; k < kind; ++k) first += pair->cells[k];
    return first;
}

/// Keeps what a leaf has found: where, and how many.
uint2 keep_findings(const Findings* found, global NearFeature* nears, global uint* counters,
                    uint capacity) {
    if (found->count == 0) return (uint2)(0, 0);
    const uint first = atomic_add(counters, found->count);
    if (first + found->count > capacity) return (uint2)(0, 0);
    for (uint k = 0; k < found->count; ++k) nears[first + k] = found->all[k];
    return (uint2)(first, found->count);
}

/// A work-group looks at some leaves of a pair.
kernel BODY_GROUP_SIZE void find_near(PAIRS, SURFACES, const global CellRange* ranges,
                                 global ClusterState* clusters, const global float4* rest,
                                 const global uint* ring_starts, const global uint* ring,
                                 global uint4* cells, global NearFeature* nears,
                                 global uint* counters, uint capacity) {
    const CellRange range = ranges[get_group_id(0)];
    const global PairInput* const pair = pairs + range.pair;
    if (left > pair->sub_steps || pair_states[range.pair].look != PAIR_NEAR) return;
    const uint own = range.kind == OF_SECOND ? pair->body[1] : pair->body[0];
    const uint other = range.kind == OF_SECOND ? pair->body[0] : pair->body[1];
    const Surface a = SURFACE_OF(own), b = SURFACE_OF(other);
    const Box box_b = whole_of(states + other);
    const double3 shift = between_starts(states, own, other);
    const double margin = outside_of(pair), depth = SEARCH_DEPTH * pair->edge;
    const uint first_cell = first_of(pair, range.kind);
    for (uint leaf = range.begin + ITEM; leaf < range.end; leaf += BODY_GROUP) {
        Findings found;
        found.count = 0;
        uint2 about = 0;
        if (is_self(pair))
            about = find_near_self(bodies + own, states + own, &a, surfaces[own].vertices, leaf,
                                   clusters + surfaces[own].cluster + leaf,
                                   rest + bodies[own].asset, ring_starts, ring, left, &found);
        else if (range.kind == OF_EDGES)
            find_near_edges(margin, depth, &a, &b, surfaces[own].edges, surfaces[other].edges, leaf, box_b,
                            shift, bodies[own].first, bodies[other].first, &found);
        else
            find_near_vertices(pair->edge, margin, depth, &a, &b, surfaces[own].vertices, leaf,
                               box_b, shift, bodies[other].mean_edge, bodies[own].first,
                               bodies[other].first, range.kind, &found);
        cells[first_cell + leaf] = (uint4)(keep_findings(&found, nears, counters, capacity), about);
    }
}

bool within(Box a, Box b) {
    return a.lower.x >= b.lower.x && a.lower.y >= b.lower.y && a.lower.z >= b.lower.z &&
           a.upper.x <= b.upper.x && a.upper.y <= b.upper.y && a.upper.z <= b.upper.z;
}

/// One may have been put right into the other, where no surface is near.
bool has_swallowed(const Surface* a, const Surface* b, Box box_a, Box box_b, double3 between) {
    const Box beside = moved_box(box_a, to_float4(between));
    return (within(beside, box_b) && is_inside(b, between + exact(a->x[0]))) ||
           (within(box_b, beside) && is_inside(a, exact(b->x[0]) - between));
}

/// Whether pairs overlap so far that no surface tells the way out.
kernel BODY_GROUP_SIZE void classify_pairs(PAIRS, SURFACES, const global uint4* cells,
                                        const global NearFeature* nears,
                                        global ClusterState* clusters, const global float4* v,
                                        global uint* counters) {
    local double scratch[BATCH * BODY_GROUP];
    local uint verdict[2];
    const uint number = get_group_id(0);
    if (number == 0 && ITEM == 0) counters[2] = max(counters[2], counters[0]);
    const global PairInput* const pair = pairs + number;
    global PairState* const found = pair_states + number;
    if (left > pair->sub_steps || found->look != PAIR_NEAR) return;
    if (is_self(pair)) {
        judge_self(pair, found, bodies + pair->body[0], states + pair->body[0],
                   surfaces + pair->body[0], cells, nears, clusters, v, verdict, scratch);
        return;
    }
    // A blow may press single vertices deep into the other body, and they come out again; where
    // bodies overlap, about half of what is near a surface is inside.
    double sums[4] = {0, 0, 0, 0}, deepest[1] = {0};
    FOR_EACH_CELL(cell, pair) {
        const uint4 at = cells[cell];
        for (uint k = at.x; k < at.x + at.y; ++k) {
            const bool is_vertex = nears[k].of_first == 1;
            sums[0] += is_vertex;
            sums[1] += is_vertex && nears[k].distance < -SHALLOW * pair->edge;
            sums[2] += nears[k].same_side;
            sums[3] += 1;
            if (is_vertex) deepest[0] = fmax(deepest[0], -(double)nears[k].distance);
        }
    }
    sum_over(BODY_GROUP, sums, 4, scratch);
    largest_over(BODY_GROUP, deepest, 1, scratch);
    if (ITEM != 0) return;
    const bool many = 4 * sums[1] > sums[0];
    bool deep = (many && deepest[0] > DEEPEST * pair->edge) || 10 * sums[2] > sums[0];
    if (!deep && sums[0] == 0) {
        const Surface a = SURFACE_OF(pair->body[0]), b = SURFACE_OF(pair->body[1]);
        deep = has_swallowed(&a, &b, whole_of(states + pair->body[0]),
                             whole_of(states + pair->body[1]),
                             between_starts(states, pair->body[0], pair->body[1]));
    }
    found->deep = deep;
    found->near = (uint)sums[3];
    // Once on their way they go on until nothing is inside.
    if (deep || found->separating) found->look = PAIR_OVERLAPS;
}

/// What vertices of a leaf are inside the other surface: how many, and the sum of their n̄.
kernel BODY_GROUP_SIZE void look_inside(PAIRS, SURFACES, const global CellRange* ranges,
                                   const global uint* ring_starts, const global uint* ring,
                                   global double4* inside) {
    const CellRange range = ranges[get_group_id(0)];
    const global PairInput* const pair = pairs + range.pair;
    if (left > pair->sub_steps || pair_states[range.pair].look != PAIR_OVERLAPS) return;
    const uint first_cell = first_of(pair, range.kind);
    const uint own = range.kind == OF_SECOND ? pair->body[1] : pair->body[0];
    const uint other = range.kind == OF_SECOND ? pair->body[0] : pair->body[1];
    const Surface a = SURFACE_OF(own), b = SURFACE_OF(other);
    const Box box_b = whole_of(states + other);
    const float4 shift = to_float4(between_starts(states, own, other));
    const LeavesInput leaves = surfaces[own].vertices;
    for (uint leaf = range.begin + ITEM; leaf < range.end; leaf += BODY_GROUP) {
        double4 sum = 0;
        const uint end = leaf_begin(leaf + 1, leaves.leaves, leaves.count);
        for (uint k = leaf_begin(leaf, leaves.leaves, leaves.count);
             k < end && range.kind != OF_EDGES; ++k) {
            const uint i = a.order[k];
            const float4 p = a.x[i] + shift;
            const Box point = {p, p};
            if (!boxes_meet(point, box_b) || winding_number(&b, p) <= 0) continue;
            const float4 normal = 0.5f * ring_normal(ring_starts, ring, x_start,
                                                     bodies[own].first, i, bodies[own].asset);
            sum += (double4)(exact(normal), 1);
        }
        inside[first_cell + leaf] = sum;
    }
}

/// Which way overlapping pairs part; found->deep says whether they do.
void decide_separation(const global PairInput* pair, global PairState* found,
                    const global BodyState* states, const global double4* inside,
                    local double* scratch) {
    double sums[4] = {0, 0, 0, 0};  // Σ n̄ of what is inside, outwards from the first; how many
    FOR_EACH_CELL(cell, pair) {
        const double4 in = inside[cell];
        const double sign = cell < pair->first_cell + pair->cells[0] ? -1 : 1;
        sums[0] += sign * in.x;
        sums[1] += sign * in.y;
        sums[2] += sign * in.z;
        sums[3] += in.w;
    }
    sum_over(BODY_GROUP, sums, 4, scratch);
    if (ITEM != 0) return;
    found->deep = found->deep || sums[3] > 0;
    double3 way = (double3)(sums[0], sums[1], sums[2]);
    if (!(length(way) > 1e-3 * pair->edge * pair->edge))
        way = middle_of(whole_of(states + pair->body[0])) +
              between_starts(states, pair->body[0], pair->body[1]) -
              middle_of(whole_of(states + pair->body[1]));
    if (!(length(way) > 1e-6 * pair->edge)) way = some_direction(pair->number);
    found->separation_direction = normalized(way);
}
