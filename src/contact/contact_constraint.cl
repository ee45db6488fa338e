// Stage 3 between bodies on a device (contact_constraint.cpp): contacts push particles of different bodies
// apart, and each body's volume pushes back. Constraints are solved one after the other within a pair;
// pairs that have no body in common are solved at the same time, a work-item each. Particles are
// moved where they are, in the coordinates of their bodies.

/// What lies between the origins of a pair's bodies, from the second to the first.
typedef struct {
    float4 start, now;  ///< where the sub-step began, and now
    float4 speed;
    float thickness;
} PairFrame;
PairFrame frame_of(const global PairInput* pair, const global BodyState* states) {
    const global BodyState *a = states + pair->body[0], *b = states + pair->body[1];
    PairFrame f;
    f.start = to_float4(a->origin_start - b->origin_start);
    f.now = to_float4(a->origin - b->origin);
    f.speed = to_float4(a->drift - b->drift);
    f.thickness = (float)(CONTACT_THICKNESS * pair->edge);
    return f;
}
/// Seen from the first side of a constraint.
float4 seen_from(uint side, float4 between) {
    return side == 0 ? between : -between;
}

/// Σ weight a over the particles of a constraint.
float4 difference(const global ConstraintState* m, const global float4* a) {
    float4 sum = 0;
    for (int k = 0; k < 4; ++k) sum += m->weight[k] * a[m->particle[k]];
    return (float4)(sum.xyz, 0);
}
/// Moves the particles of a constraint by an impulse, each by its mass.
void apply(const global ConstraintState* m, float4 impulse, global float4* a) {
    for (int k = 0; k < 4; ++k) {
        const uint p = m->particle[k];
        a[p] = (float4)(a[p].xyz + m->pull[k] * impulse.xyz, a[p].w);
    }
}
float4 tangential(float4 normal, float4 v) {
    return v - dot3(v, normal) * normal;
}
float4 at_most(float4 v, float longest) {
    const float squared = dot3(v, v);
    return squared > longest * longest ? longest / sqrt(squared) * v : v;
}
/// 1 at no distance, fading to 0 at `fade`.
float nearness(float distance, float fade) {
    const float u = clamp(distance / fade, 0.0f, 1.0f);
    return 1 - u * u * (3 - 2 * u);
}
float4 normal_of(const global ConstraintState* m) {
    return (float4)(m->normal.xyz, 0);
}

#define CONSTRAINTS                                                                          \
    const global PairInput *pairs, const global PairState *pair_states,                   \
        global IslandState *islands, global ConstraintState *constraints, const global BodyInput *bodies, \
        global BodyState *states, uint left, uint first_pair, uint pair_count
/// The pair of this work-item; nothing more happens where it has no constraints.
#define THIS_PAIR                                                                         \
    if (get_global_id(0) >= pair_count) return;                                           \
    const uint number = first_pair + get_global_id(0);                                    \
    const global PairInput* const pair = pairs + number;                                  \
    if (left > pair->sub_steps || pair_states[number].constraints == 0) return;              \
    global ConstraintState* const first = constraints + pair_states[number].constraint_first;      \
    global ConstraintState* const end = first + pair_states[number].constraints;                \
    global IslandState* const island = islands + pair->island

/// What was too close when the sub-step began comes apart by a share of it, both x_start and x:
/// without gaining speed.
kernel BODY_GROUP_SIZE void recover_overlaps(CONSTRAINTS, global float4* x, global float4* x_start) {
    THIS_PAIR;
    if (!island->overlaps) return;
    const PairFrame frame = frame_of(pair, states);
    for (global ConstraintState* m = first; m != end; ++m) {
        const float4 n = normal_of(m);
        const float4 separation = difference(m, x_start) + seen_from(m->side, frame.start);
        const float gap = dot3(separation, n) - frame.thickness + m->normal.w;
        if (gap >= 0 && m->push.w == 0) continue;
        const float push = fmax(-gap * m->normal_mass, -m->push.w);
        m->push.w += push;
        apply(m, push * n, x_start);
        apply(m, push * n, x);
    }
}

/// What is left of it is let be for this step.
kernel BODY_GROUP_SIZE void begin_solving(CONSTRAINTS, const global float4* x_start) {
    THIS_PAIR;
    const PairFrame frame = frame_of(pair, states);
    for (global ConstraintState* m = first; m != end; ++m) {
        const float4 separation = difference(m, x_start) + seen_from(m->side, frame.start);
        m->push = 0;
        m->normal.w = fmax(0.0f, frame.thickness - dot3(separation, normal_of(m)));
        m->no_slip_offset = (float4)(separation.xyz, m->no_slip_offset.w);
    }
}

/// Where bodies touch, they are held against the volume correction.
void hold_at(const global ConstraintState* m, float gap, float fade, global float4* support) {
    const float hold = m->push.w > 0 ? 1 : nearness(gap, fade);
    if (hold == 0) return;
    for (uint k = 0; k < 4; ++k) {
        const float held = fmin(1.0f, 2 * fabs(m->weight[k])) * hold;
        const uint p = m->particle[k];
        if (!(held > fabs(support[p].w))) continue;
        const float4 n = k < m->of_first ? m->normal : -m->normal;
        support[p] = (float4)(n.xyz, -held);
    }
}

/// Moves x until nothing is too close, and friction holds against the motion since the step began.
/// After a sweep that moved nothing by much the others are left out.
kernel BODY_GROUP_SIZE void solve_positions(CONSTRAINTS, global float4* x, global float4* support,
                                            uint sweep, uint is_last) {
    THIS_PAIR;
    const PairFrame frame = frame_of(pair, states);
    const bool is_solved = as_float(island->moved[sweep]) < island->enough;
    const float fade = (float)(CONTACT_MARGIN * pair->edge);
    float most = 0;
    for (global ConstraintState* m = first; m != end; ++m) {
        const float4 n = normal_of(m);
        const float4 separation = difference(m, x) + seen_from(m->side, frame.now);
        const float gap = dot3(separation, n) - frame.thickness + m->normal.w;
        if (!is_solved && (gap < 0 || m->push.w != 0)) {
            const float push = fmax(-gap * m->normal_mass, -m->push.w), pushed = m->push.w + push;
            most = fmax(most, fabs(gap));
            // Pushing does not slide.
            const float4 slip = tangential(n, separation - m->no_slip_offset);
            const float4 friction_push = at_most((float4)(m->push.xyz, 0) - m->normal_mass * slip,
                                       m->no_slip_offset.w * pushed);
            apply(m, push * n + friction_push - m->push, x);
            m->push = (float4)(friction_push.xyz, pushed);
        }
        if (is_last) {
            const float now = dot3(difference(m, x) + seen_from(m->side, frame.now), n);
            hold_at(m, now - frame.thickness, fade, support);
        }
    }
    if (!is_solved) atomic_max(island->moved + sweep + 1, as_uint(most));
}

/// What velocities are before the change that is still to be made: the last small move of stage 4
/// while stage 5 begins, or what is taken off as a whole while the body settles.
enum { IN_STAGE_5, IN_SETTLING };
float4 velocity_of(const global BodyState* state, uint when, uint p, const global float4* x,
                   const global float4* v, const global float4* direction, float per_h) {
    const float4 u = (float4)(v[p].xyz, 0), at = x[p];
    if (when == IN_STAGE_5) return u + (float)state->pending * per_h * (float4)(direction[p].xyz, 0);
    if (at.w == 0) return u;
    const float4 spun = to_float4(state->change_a) + cross3(to_float4(state->change_b), at);
    return u + (float4)(spun.xyz, 0);
}

/// Stops what closes at constraints that touch, slows what would close within the step, adds the
/// restitution of what has just hit.
kernel BODY_GROUP_SIZE void solve_velocities(CONSTRAINTS, const global float4* x, global float4* v,
                                             const global float4* direction, uint when,
                                             uint is_first) {
    THIS_PAIR;
    if (!takes_part(bodies, states, pair)) return;
    const PairFrame frame = frame_of(pair, states);
    const float per_h = 1 / bodies[pair->body[0]].h;
    for (global ConstraintState* m = first; m != end; ++m) {
        const float4 n = normal_of(m);
        if (is_first) {
            const float gap =
                dot3(difference(m, x) + seen_from(m->side, frame.now), n) - frame.thickness;
            m->impulse = 0;
            m->wanted_velocity = m->push.w > 0 ? (m->approach < -(float)pair->least_bounce
                                            ? -pair->restitution * m->approach
                                            : 0)
                                     : fmin(0.0f, -gap * per_h);
        }
        float4 velocity = seen_from(m->side, frame.speed);
        for (uint k = 0; k < 4; ++k) {
            const uint body = pair->body[k < m->of_first ? m->side : 1 - m->side];
            velocity += m->weight[k] *
                        velocity_of(states + body, when, m->particle[k], x, v, direction, per_h);
        }
        const float closing = dot3(velocity, n);
        if (closing >= m->wanted_velocity && m->impulse.w == 0) continue;
        const float normal_impulse = fmax((m->wanted_velocity - closing) * m->normal_mass, -m->impulse.w);
        const float total_impulse = m->impulse.w + normal_impulse;
        const float4 friction_impulse =
            at_most((float4)(m->impulse.xyz, 0) - m->normal_mass * tangential(n, velocity),
                    m->no_slip_offset.w * total_impulse);
        apply(m, normal_impulse * n + friction_impulse - m->impulse, v);
        m->impulse = (float4)(friction_impulse.xyz, total_impulse);
    }
}

// Bodies: their colliders take part, and their volume.

/// Normals and the volume as they are, for bodies that meet; sums: 9 V, how the volume grows with
/// the pressure, how near colliders are; largest: how far a particle moves with the pressure.
kernel GROUP_SIZE void measure_solver_bodies(BLOCKS, const global float4* x, const global float4* x_start,
                                       const global float* per_mass,
                                       const global uint* ring_starts, const global uint* ring,
                                       const global uint* head,
                                       const global ContactState* contacts, uint with_contacts,
                                       global float4* normal, global float4* before,
                                       global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->has_constraints) return;
    const float4 frame_displacement = to_float4(state->origin - state->origin_start);
    const float fade = (float)(0.5 * body->mean_edge);
    double total[3] = {0, 0, 0}, most[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        const float4 at = x[p];
        float4 n = 0.5f * ring_normal(ring_starts, ring, x, body->first, i, body->asset);
        n.w = sqrt(dot3(n, n));
        normal[p] = n;
        before[p] = at;
        if (!(per_mass[q] > 0)) continue;
        total[0] += dot3(at, n);
        const float pull = at.w * n.w * per_mass[q];
        total[1] += 1.0f / 3 * n.w * pull;
        most[0] = fmax(most[0], (double)pull);
        for (uint k = with_contacts ? head[p] : NO_CONTACT; k != NO_CONTACT; k = contacts[k].next)
            if (!(contacts[k].flags & CONTACT_SENSOR)) {
                const ContactState c = contacts[k];
                total[2] += nearness(gap_of(&c, x_start[p] - frame_displacement), fade);
            }
    }
    store_block(sums, total, 3, most, 1, scratch);
}

#define SOLVER_BODIES                                                                       \
    const global uint *active, const global BodyInput *bodies, global BodyState *states,    \
        uint left, const global CollisionSurfaceInput *surfaces, const global uint *pairs_of,         \
        const global PairInput *pairs, const global PairState *pair_states,                  \
        const global ConstraintState *constraints
#define THIS_SOLVER_BODY \
    THIS_BODY;            \
    if (!state->has_constraints) return
/// Constraints of a body, pair after pair, shared out among `items` work-items.
#define FOR_EACH_CONSTRAINT(m, pair, items)                                                        \
    for (uint j = 0; j < surfaces[slot].pair_count; ++j)                                       \
        for (const global PairInput* pair =                                                     \
                 pairs + pairs_of[surfaces[slot].pair_first + j],                              \
                 *once = pair + 1;                                                              \
             pair < once; ++pair)                                                               \
            for (const global ConstraintState                                                      \
                     *m = constraints + pair_states[pair - pairs].constraint_first + ITEM,            \
                     *last = m - ITEM + pair_states[pair - pairs].constraints;                     \
                 m < last; m += (items))

/// All particles move with the pressure.
void press(const global BodyInput* body, float pressure, const global float4* normal,
           const global float* per_mass, global float4* x) {
    if (pressure == 0) return;
    for (uint i = ITEM; i < body->count; i += GROUP) {
        const uint p = body->first + i;
        const float4 at = x[p];
        if (at.w == 0) continue;
        x[p] = (float4)(at.xyz + pressure * per_mass[body->asset + i] * normal[p].xyz, at.w);
    }
}

/// The pressure that makes up for the volume that is missing.
kernel GROUP_SIZE void begin_pressing(SOLVER_BODIES, const global float4* normal,
                                      const global float* per_mass, const global double* sums,
                                      global float4* x) {
    THIS_SOLVER_BODY;
    local double scratch[BATCH * GROUP];
    local float pressure;
    double near_bodies[1] = {0};
    FOR_EACH_CONSTRAINT(m, pair, GROUP)
        if (m->of_first == 1 && pair->body[m->side] == slot)
            near_bodies[0] += nearness(
                m->distance, (float)((CONTACT_THICKNESS + CONTACT_MARGIN) * pair->edge));
    sum_over(GROUP, near_bodies, 1, scratch);
    if (ITEM == 0) {
        double total[4] = {0, 0, 0, -INFINITY};
        for (uint block = 0; block < body->blocks; ++block) {
            const global double* const in =
                sums + (size_t)(body->first_block + block) * BLOCK_SUMS;
            for (int k = 0; k < 3; ++k) total[k] += in[k];
            total[3] = fmax(total[3], in[3]);
        }
        // The volume that was missing before is left to stage 4 as far as a body lies on colliders:
        // it knows better how they push back.
        const double all = near_bodies[0] + total[2];
        const double share = all > 0 ? fmin(1.0, 2 * near_bodies[0] / all) : 1;
        state->compliance = body->volume_mode != 2 ? total[1] : 0;
        state->missing_volume = share * (body->rest_volume - total[0] / 9);
        state->max_pressure = total[3] > 0 ? 0.25 * body->mean_edge / total[3] : 0;
        state->pressure_impulse = state->compliance > 0
                              ? clamp(state->missing_volume / state->compliance, -state->max_pressure,
                                      state->max_pressure)
                              : 0;
        pressure = (float)state->pressure_impulse;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    press(body, pressure, normal, per_mass, x);
}

/// A particle's contacts with colliders, once more. Returns how far it was inside.
float solve_collider_contacts(global ContactState* contacts, uint head, float4 way, float4* x) {
    float most = 0;
    const float4 from = *x;
    for (uint k = head; k != NO_CONTACT; k = contacts[k].next) {
        const ContactState c = contacts[k];
        if (c.flags & CONTACT_SENSOR) continue;
        const float gap = gap_of(&c, *x);
        if (gap >= 0 && c.solved == 0) continue;
        const float4 n = AT3(c.normal);
        const float push = fmax(-gap, -c.solved), pushed = c.solved + push;
        most = fmax(most, fabs(gap));
        const float4 slip = tangential(n, way + (*x - from) - AT3(c.surface_motion));
        const float4 friction_push = at_most(AT3(c.friction_push) - slip, c.friction * pushed);
        *x += push * n + friction_push - AT3(c.friction_push);
        SET3(contacts[k].friction_push, friction_push);
        contacts[k].solved = pushed;
    }
    return most;
}

/// The end of a sweep: colliders, then the pressure that makes up for what contacts have taken. After
/// the last one supports are marked instead.
kernel GROUP_SIZE void solve_bodies(SOLVER_BODIES, global IslandState* islands, global float4* x,
                                    const global float4* x_start, const global float4* before,
                                    const global float4* normal, const global float* per_mass,
                                    const global uint* head, global ContactState* contacts,
                                    uint with_contacts, global float4* support, uint sweep,
                                    uint is_last) {
    THIS_SOLVER_BODY;
    local double scratch[BATCH * GROUP];
    local float more;
    global IslandState* const island = islands + surfaces[slot].island;
    const bool is_solved = as_float(island->moved[sweep]) < island->enough;
    if (is_solved && !is_last) return;
    const float4 frame_displacement = to_float4(state->origin - state->origin_start);
    double taken[1] = {0};
    float most = 0;
    for (uint i = ITEM; i < body->count; i += GROUP) {
        const uint p = body->first + i;
        float4 at = x[p];
        const uint first = with_contacts ? head[p] : NO_CONTACT;
        if (first != NO_CONTACT && at.w != 0) {
            const float w = at.w;
            if (!is_solved)
                most = fmax(most, solve_collider_contacts(contacts, first,
                                                frame_displacement + (at - x_start[p]), &at));
            at.w = w;
            x[p] = at;
            for (uint k = first; is_last && k != NO_CONTACT; k = contacts[k].next) {
                if (!(contacts[k].solved > 0)) continue;
                contacts[k].flags |= CONTACT_TOUCHING;
                contacts[k].push += contacts[k].solved;
            }
            if (is_last) support[p] = support_at(contacts, first, at, (float)body->fade, support[p]);
        }
        taken[0] += dot3(normal[p], at - before[p]);
    }
    if (most > 0) atomic_max(island->moved + sweep + 1, as_uint(most));
    if (is_last || !(state->compliance > 0)) return;
    sum_over(GROUP, taken, 1, scratch);
    if (ITEM == 0) {
        const double wanted =
            clamp(state->pressure_impulse + (state->missing_volume - taken[0] / 3) / state->compliance,
                  -state->max_pressure, state->max_pressure);
        more = (float)(wanted - state->pressure_impulse);
        state->pressure_impulse = wanted;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    press(body, more, normal, per_mass, x);
}

/// Velocities change by the way. Pressure on a closed surface has no torque; about where the step
/// began it has: sums.
kernel GROUP_SIZE void change_velocities_by_pushes(BLOCKS, const global float4* x, global float4* v,
                                   const global float4* x_start, const global float4* before,
                                   const global float4* normal, const global float* mass,
                                   global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->has_constraints) return;
    const float per_h = 1 / body->h;
    double total[3] = {0, 0, 0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (!(mass[body->asset + i] > 0)) continue;
        const float4 at = x[p], u = v[p];
        v[p] = (float4)(u.xyz + per_h * (at - before[p]).xyz, u.w);
        if (at.w == 0) continue;
        const float4 turning = cross3(x_start[p], normal[p]);
        total[0] += turning.x;
        total[1] += turning.y;
        total[2] += turning.z;
    }
    store_block(sums, total, 3, total, 0, scratch);
}

kernel BODY_GROUP_SIZE void add_pressure_torque(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->has_constraints) return;
    GATHER(3, 0);
    state->angular_momentum_error += state->pressure_impulse * vector_at(total);
}

/// What velocities are before constraints change them. Also: whether somebody of the island touches a
/// collider.
kernel GROUP_SIZE void save_velocities(BLOCKS, const global CollisionSurfaceInput* surfaces,
                                       global IslandState* islands, const global float4* v,
                                       global float4* before, const global uint* head,
                                       const global ContactState* contacts, uint with_contacts) {
    THIS_BLOCK;
    if (surfaces[block.body].island == NONE) return;
    uint grounded = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (state->has_constraints) before[p] = v[p];
        for (uint k = with_contacts ? head[p] : NO_CONTACT; k != NO_CONTACT; k = contacts[k].next)
            grounded |= contacts[k].flags & CONTACT_TOUCHING;
    }
    if (grounded) atomic_or(&islands[surfaces[block.body].island].grounded, 1u);
}

/// The end of a sweep over velocities: colliders.
kernel GROUP_SIZE void solve_body_velocities(BLOCKS, const global float4* x, global float4* v,
                                             const global float4* direction,
                                             const global uint* head,
                                             global ContactState* contacts, uint when,
                                             uint is_first) {
    THIS_BLOCK;
    if (!state->has_constraints) return;
    const float per_h = 1 / body->h;
    const float4 drift = to_float4(state->drift);
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (head[p] == NO_CONTACT || x[p].w == 0) continue;
        const float4 was = velocity_of(state, when, p, x, v, direction, per_h);
        float4 now = drift + was;
        for (uint k = head[p]; k != NO_CONTACT; k = contacts[k].next) {
            const ContactState c = contacts[k];
            if (c.flags & CONTACT_SENSOR) continue;
            const float impulse_before = is_first ? 0 : c.normal_impulse;
            const float4 friction_before = is_first ? (float4)(0) : AT3(c.friction_impulse);
            const float wanted = c.solved > 0 ? 0 : fmin(0.0f, -gap_of(&c, x[p]) * per_h);
            const float4 n = AT3(c.normal), velocity = now - per_h * AT3(c.surface_motion);
            const float closing = dot3(velocity, n);
            float total_impulse = impulse_before;
            float4 friction_impulse = friction_before;
            if (closing < wanted || impulse_before != 0) {
                const float normal_impulse = fmax(wanted - closing, -impulse_before);
                total_impulse += normal_impulse;
                friction_impulse = at_most(friction_before - tangential(n, velocity), c.friction * total_impulse);
                now += normal_impulse * n + friction_impulse - friction_before;
            }
            contacts[k].normal_impulse = total_impulse;
            SET3(contacts[k].friction_impulse, friction_impulse);
        }
        v[p] = (float4)((v[p] + now - drift - was).xyz, v[p].w);
    }
}

/// Impulses at a constraint act at two points, a gap and a slip apart: what that adds to the angular
/// momentum is returned by both bodies.
kernel GROUP_SIZE void sum_angular_momentum_errors(SOLVER_BODIES, const global float4* x,
                                  const global float4* x_start) {
    THIS_SOLVER_BODY;
    local double scratch[BATCH * GROUP];
    double sum[3] = {0, 0, 0};
    FOR_EACH_CONSTRAINT(m, pair, GROUP) {
        if (m->push.w == 0 && m->impulse.w == 0) continue;
        if (!takes_part(bodies, states, pair)) continue;
        const PairFrame frame = frame_of(pair, states);
        const float4 n = normal_of(m);
        const float4 pushed = (1 / body->h) * (m->push.w * n + (float4)(m->push.xyz, 0)),
                     total_impulse = m->impulse.w * n + (float4)(m->impulse.xyz, 0);
        const float4 excess =
            cross3(difference(m, x_start) + seen_from(m->side, frame.start), pushed) +
            cross3(difference(m, x) + seen_from(m->side, frame.now), total_impulse);
        const float share = is_self(pair) ? 1 : 0.5f;
        sum[0] += share * excess.x;
        sum[1] += share * excess.y;
        sum[2] += share * excess.z;
    }
    sum_over(GROUP, sum, 3, scratch);
    if (ITEM == 0) state->angular_momentum_error += body->step / body->density * vector_at(sum);
}
