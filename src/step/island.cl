// Bodies that meet, on a device: from what was found near each other to constraints, and what pairs
// remember of each other (gather_constraints.cpp, island.cpp).

#define PUSH_MEMORY TURGOR_PUSH_MEMORY  // [s]
#define PAPERS_STEP TURGOR_PAPERS_STEP  // [s]

/// A contact from what lies near each other, and how it begins.
ConstraintState make_constraint(const global NearFeature* near, const global PairInput* pair,
                           const global BodyInput* bodies, const global BodyState* states,
                           double most_apart, const global float4* x,
                           const global float4* x_start, const global float4* predicted_v,
                           const global float* per_mass, global IslandState* island) {
    ConstraintState m;
    float inverse_mass = 0, lightest = 0;
    float4 velocity = 0, start = 0;
    const PairFrame frame = frame_of(pair, states);
    for (uint k = 0; k < 4; ++k) {
        const uint p = near->particle[k];
        const global BodyInput* const body =
            bodies + pair->body[k < near->of_first ? near->side : 1 - near->side];
        const float pull = x[p].w == 0 ? 0
                                       : (float)(per_mass[body->asset + (p - body->first)] /
                                                 body->density);
        const float w = near->weight[k];
        m.particle[k] = p;
        m.weight[k] = w;
        m.pull[k] = w * pull;
        inverse_mass += w * w * pull;
        if (w != 0) lightest = fmax(lightest, pull);
        velocity += w * predicted_v[p];
        start += w * x_start[p];
    }
    const float4 n = (float4)(near->normal[0], near->normal[1], near->normal[2], 0);
    velocity += seen_from(near->side, frame.speed);
    start += seen_from(near->side, frame.start);
    // Where the others are pinned, a corner far from the point would be thrown as by a lever.
    inverse_mass = fmax(inverse_mass, 0.1f * lightest);
    m.normal_mass = inverse_mass > 0 ? 1 / inverse_mass : 0;
    m.approach = dot3(velocity, n);
    const float4 sliding = tangential(n, velocity);
    const ObstacleInput coefficients = {0, 0, pair->friction, pair->static_friction, 0};
    const float friction = pair->static_friction > pair->friction
                               ? (float)friction_at(coefficients, sqrt(dot3(sliding, sliding)),
                                                    pair->sticking_speed)
                               : pair->friction;
    const double gap = dot3(start, n) - frame.thickness;
    // How close it may be when it has been moved apart gently.
    const double share = bodies[pair->body[0]].depenetration_share;
    m.normal = (float4)(n.xyz, gap < 0 ? (float)(-gap - fmin(-share * gap, most_apart)) : 0);
    if (gap < 0) atomic_or(&island->overlaps, 1u);
    m.push = m.impulse = 0;
    m.no_slip_offset = (float4)(0, 0, 0, friction);
    m.wanted_velocity = 0;
    m.distance = near->distance;
    m.of_first = near->of_first;
    m.side = near->side;
    return m;
}

/// Whether what was found is near enough for a constraint: looks of a body at itself go farther.
bool is_near_enough(const global PairInput* pair, const global NearFeature* near) {
    return !is_self(pair) || near->distance <= NEAR_SELF * pair->edge;
}

kernel BODY_GROUP_SIZE void gather_constraints(PAIRS, const global CollisionSurfaceInput* surfaces,
                                            global IslandState* islands,
                                            const global uint4* cells,
                                            const global NearFeature* nears,
                                            const global double4* inside, const global float4* x,
                                            const global float4* x_start,
                                            const global float4* predicted_v,
                                            const global float* per_mass,
                                            global ConstraintState* constraints, global uint* counters,
                                            uint capacity) {
    local double scratch[BATCH * BODY_GROUP];
    local uint counts[BODY_GROUP];
    const uint number = get_group_id(0);
    const global PairInput* const pair = pairs + number;
    global PairState* const found = pair_states + number;
    if (left > pair->sub_steps || found->look == PAIR_FAR) return;
    if (found->look == PAIR_SAME_PLACE) {
        found->deep = 1;
        return;
    }
    if (found->look == PAIR_OVERLAPS) decide_separation(pair, found, states, inside, scratch);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (found->deep || found->near == 0) return;
    // A stretch of cells for each work-item, so that constraints are in the order of the cells.
    const uint all = pair->cells[0] + pair->cells[1] + pair->cells[2];
    const uint begin = pair->first_cell + leaf_begin(ITEM, BODY_GROUP, all),
               end = pair->first_cell + leaf_begin(ITEM + 1, BODY_GROUP, all);
    uint count = 0;
    for (uint cell = begin; cell < end; ++cell)
        for (uint k = cells[cell].x; k < cells[cell].x + cells[cell].y; ++k)
            count += is_near_enough(pair, nears + k);
    counts[ITEM] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ITEM == 0) {
        uint total = 0;
        for (uint k = 0; k < BODY_GROUP; ++k) {
            const uint mine = counts[k];
            counts[k] = total;
            total += mine;
        }
        const uint first = atomic_add(counters + 1, total);
        found->constraint_first = first;
        found->constraints = first + total <= capacity ? total : 0;
        if (found->constraints > 0) {
            atomic_or(&states[pair->body[0]].has_constraints, 1u);
            atomic_or(&states[pair->body[1]].has_constraints, 1u);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (found->constraints == 0) return;
    const double most_apart =
        0.25 * surfaces[pair->body[0]].least_edge * bodies[pair->body[0]].step / PAPERS_STEP;
    global ConstraintState* next = constraints + found->constraint_first + counts[ITEM];
    for (uint cell = begin; cell < end; ++cell)
        for (uint k = cells[cell].x; k < cells[cell].x + cells[cell].y; ++k)
            if (is_near_enough(pair, nears + k))
                *next++ = make_constraint(nears + k, pair, bodies, states, most_apart, x, x_start,
                                        predicted_v, per_mass, islands + pair->island);
}

/// Where the first side of a constraint is, relative to the origin of its body.
float4 point_of(const global ConstraintState* m, const global float4* x) {
    float4 sum = 0;
    for (uint k = 0; k < m->of_first; ++k) sum += m->weight[k] * x[m->particle[k]];
    return sum;
}

/// Where pairs touch, and how they push each other; a contact lasts until it has clearly ended.
kernel BODY_GROUP_SIZE void record_body_contacts(PAIRS, global IslandState* islands,
                                         const global ConstraintState* constraints,
                                         const global float4* x, uint count) {
    const uint number = get_global_id(0);
    if (number >= count) return;
    const global PairInput* const pair = pairs + number;
    global PairState* const found = pair_states + number;
    if (left > pair->sub_steps) return;
    const bool touched = found->touched;
    found->touched = 0;
    found->impulse = 0;
    found->points[0] = found->points[1] = 0;
    found->pushed = 0;
    if (is_self(pair) || !takes_part(bodies, states, pair)) return;
    const PairFrame frame = frame_of(pair, states);
    const double3 between = states[pair->body[0]].origin - states[pair->body[1]].origin;
    for (uint k = 0; k < found->constraints; ++k) {
        const global ConstraintState* const m = constraints + found->constraint_first + k;
        const float4 n = normal_of(m);
        const double3 along = exact(m->side == 0 ? n : -n);
        found->pushed += m->push.w * along;
        const float gap =
            dot3(difference(m, x) + seen_from(m->side, frame.now), n) - frame.thickness;
        if (!(m->push.w > 0) && !(touched && gap < 0.1 * pair->edge)) continue;
        const double3 point = exact(point_of(m, x));
        const double3 at[2] = {m->side == 0 ? point : point - between,
                               m->side == 0 ? point + between : point};
        if (found->contact_points++ == 0) {
            found->point = states[pair->body[0]].origin + at[0];
            found->normal = along;
        }
        found->points[0] += at[0];
        found->points[1] += at[1];
        found->impulse += m->push.w / bodies[pair->body[0]].step;
    }
    found->touched = found->contact_points > 0;
}

/// What the pair cache keeps: who pushed whom where.
void update_cached_pair(const global PairInput* pair, global PairState* found, bool takes, double h) {
    found->separating = takes && found->deep;
    found->push = found->known ? (found->separating ? 1 : exp(-h / PUSH_MEMORY)) * found->push
                               : (double3)(0);
    found->push += found->pushed;
    found->known = found->separating || (takes && found->near > 0);
}

/// Pairs that overlap too far to be pushed apart are moved as wholes.
void separate_bodies(const global PairInput* pair, global PairState* found,
                const global BodyInput* bodies, global BodyState* states) {
    const double h = bodies[pair->body[0]].step, share = pair->first_share;
    global BodyState *const a = states + pair->body[0], *const b = states + pair->body[1];
    // Never out on the other side: what is inside may tell a way there after a hard blow.
    const double3 before = normalized(found->push);
    const double short_of_it = fmax(0.0, 0.5 - dot(found->separation_direction, before));
    const double3 apart = normalized(found->separation_direction + short_of_it * before);
    const double distance = 0.25 * pair->edge * h / PAPERS_STEP;
    if (dot(found->push, found->push) == 0)
        found->push = share * bodies[pair->body[0]].mass * distance * apart;
    // They do not come any closer meanwhile.
    const double3 closing = a->drift + a->mean_v - b->drift - b->mean_v;
    double3 stop = 0;
    stop -= fmin(0.0, dot(closing + stop, before)) * before;
    stop -= fmin(0.0, dot(closing + stop, apart)) * apart;
    a->origin += share * distance * apart;
    a->drift += share * stop;
    b->origin += (share - 1) * distance * apart;
    b->drift += (share - 1) * stop;
}

/// A work-item for each island, because what is moved apart may be moved apart again from another.
kernel BODY_GROUP_SIZE void separate_pairs(PAIRS, const global IslandState* islands,
                                       const global uint* pairs_in, global uint* counters,
                                       uint count) {
    if (get_global_id(0) == 0) counters[3] = max(counters[3], counters[1]);
    if (get_global_id(0) >= count) return;
    const global IslandState* const island = islands + get_global_id(0);
    if (left > island->sub_steps) return;
    for (uint k = 0; k < island->pair_count; ++k) {
        const uint number = pairs_in[island->pair_first + k];
        const global PairInput* const pair = pairs + number;
        if (is_self(pair)) continue;
        update_cached_pair(pair, pair_states + number, takes_part(bodies, states, pair),
                      bodies[pair->body[0]].step);
        if (pair_states[number].separating) separate_bodies(pair, pair_states + number, bodies, states);
    }
}
