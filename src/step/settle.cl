// The end of a sub-step of a body as a whole: angular momentum, damping, coming to rest.

#define FARTHEST_PLACE TURGOR_FARTHEST_POSITION

MotionState motion_at(const double* v) {
    MotionState m;
    m.mass = v[0];
    m.first = vector_at(v + 1);
    m.second = vector_at(v + 4);
    m.mixed = vector_at(v + 7);
    m.linear = vector_at(v + 10);
    m.angular = vector_at(v + 13);
    m.energy = v[16];
    return m;
}
MotionState both(MotionState a, MotionState b) {
    a.mass += b.mass;
    a.first += b.first;
    a.second += b.second;
    a.mixed += b.mixed;
    a.linear += b.linear;
    a.angular += b.angular;
    a.energy += b.energy;
    return a;
}
RigidField rigid_of(MotionState m) {
    return solve_rigid(m.mass, m.first, m.second, m.mixed, m.linear, m.angular);
}
/// All velocities become keep v + a + b × x.
MotionState changed(MotionState m, double keep, double3 a, double3 b) {
    const double trace = m.second.x + m.second.y + m.second.z;
    const double3 moment = (double3)(m.second.x * b.x + m.mixed.x * b.y + m.mixed.z * b.z,
                                     m.mixed.x * b.x + m.second.y * b.y + m.mixed.y * b.z,
                                     m.mixed.z * b.x + m.mixed.y * b.y + m.second.z * b.z);
    const double3 spun = trace * b - moment;  // Σ m x × (b × x)
    m.energy = keep * keep * m.energy + 2 * keep * (dot(a, m.linear) + dot(b, m.angular)) +
               m.mass * dot(a, a) + 2 * dot(a, cross(b, m.first)) + dot(b, spun);
    m.linear = keep * m.linear + m.mass * a + cross(b, m.first);
    m.angular = keep * m.angular + cross(m.first, a) + spun;
    return m;
}

/// This change of velocities, then another.
void change_by(global BodyState* state, double keep, double3 a, double3 b) {
    state->free = changed(state->free, keep, a, b);
    state->change_keep = keep * state->change_keep;
    state->change_a = keep * state->change_a + a;
    state->change_b = keep * state->change_b + b;
}

/// What stage 2 added to the angular momentum is returned: shape matching keeps it about x*,
/// velocities from positions about xₙ.
kernel BODY_GROUP_SIZE void return_angular_momentum(BODIES, const global double* sums) {
    THIS_BODY;
    GATHER(34, 0);
    state->free = motion_at(total);
    state->held = motion_at(total + 17);
    const MotionState all = both(state->free, state->held);
    const RigidField spin = solve_rigid(all.mass, all.first, all.second, all.mixed, 0,
                                        state->angular_momentum_error / body->step);
    change_by(state, 1, -spin.a, -spin.b);
}

/// Where a body touches others (ContactSummary).
typedef struct {
    double3 points;
    double count;
    bool grounded;
} ContactSummary;
ContactSummary summarize_contacts(uint slot, const global CollisionSurfaceInput* surface, const global uint* pairs_of,
                     const global PairInput* pairs, const global PairState* pair_states,
                     const global IslandState* islands) {
    ContactSummary summary = {0, 0, false};
    if (surface->island == NONE) return summary;
    summary.grounded = islands[surface->island].grounded;
    for (uint k = 0; k < surface->pair_count; ++k) {
        const uint number = pairs_of[surface->pair_first + k];
        summary.points += pair_states[number].points[pairs[number].body[0] == slot ? 0 : 1];
        summary.count += pair_states[number].contact_points;
    }
    return summary;
}

/// Whole-body damping and coming to rest. `touched`: blocks have what contacts and pins found out
/// (settle_contacts); `in_contact`: bodies may touch others.
kernel BODY_GROUP_SIZE void settle(BODIES, const global double* sums, uint touched, uint in_contact,
                                   const global CollisionSurfaceInput* surfaces,
                                   const global uint* pairs_of, const global PairInput* pairs,
                                   const global PairState* pair_states,
                                   const global IslandState* islands) {
    THIS_BODY;
    local double scratch[BATCH * BODY_GROUP];
    double total[22];
    for (int k = 0; k < 22; ++k) total[k] = 0;
    if (touched)
        gather_blocks(sums, body->first_block, body->blocks, total, 22, 0, scratch);
    if (ITEM != 0) return;
    state->free.linear += vector_at(total);
    state->free.angular += vector_at(total + 3);
    state->free.energy += total[6];
    MotionState all = both(state->free, state->held);
    if (body->settles) {
        const RigidField rigid = rigid_of(all);
        ContactSummary others = {0, 0, false};
        if (in_contact) others = summarize_contacts(slot, surfaces + slot, pairs_of, pairs, pair_states, islands);
        const double beside = others.grounded ? 1 : 0, keep = body->keep;
        const double touching = total[21] + beside * others.count;
        const double3 touch =
            touching > 0 ? (vector_at(total + 18) + beside * others.points) / touching : 0;
        const double roll = touching > 0 ? body->roll : 0;
        const double3 a = (1 - keep) * rigid.a + roll * cross(rigid.b, touch);
        const double3 b = (1 - keep - roll) * rigid.b;
        change_by(state, keep, a, b);
        all = both(state->free, state->held);
        // Slow is meant relative to what supports it.
        const double supported = total[7] + total[14];
        // It loses no momentum to others that fly as freely as it does.
        if (supported > 0 && (others.count == 0 || others.grounded)) {
            const double3 carried = (keep * vector_at(total + 11) + total[7] * a +
                                     cross(b, vector_at(total + 8)) + vector_at(total + 15)) /
                                    supported;
            const double energy =
                all.energy - 2 * dot(carried, all.linear) + all.mass * dot(carried, carried);
            const double rms = sqrt(fmax(0.0, energy) / all.mass);
            if (rms < body->settling_speed) {
                const double slow = exp(-4 * (1 - rms / body->settling_speed) * body->step);
                change_by(state, slow, (1 - slow) * carried, 0);
                all = both(state->free, state->held);
            }
        }
    }
    const RigidField rigid = rigid_of(all);
    state->rigid_a = rigid.a;
    state->rigid_b = rigid.b;
    state->mean_x = all.first / all.mass;
    state->mean_v = all.linear / all.mass;
    const double3 drift = state->drift;
    const double energy = (all.energy + 2 * dot(drift, all.linear)) / all.mass + dot(drift, drift);
    state->rms = sqrt(fmax(0.0, energy));
    state->rigid = length(drift + state->mean_v) + 0.5 * body->size * length(rigid.b);
    if (!(is_finite3(state->mean_x) && is_finite3(state->mean_v) &&
          length(state->origin) < FARTHEST_PLACE && length(drift) < FARTHEST_PLACE))
        state->stage = BODY_OVERFLOWED;
}
