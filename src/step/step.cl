// What happens to a body as a whole between the passes over its particles: a work-group for each
// body puts together what its blocks found out, and one of its work-items reckons, in double
// precision. The passes are in surface.cl, contact.cl and volume.cl; device_step.cpp has the order.

/// Beyond this, in metres or metres per second relative to the body's own frame, products would
/// overflow: the body has exploded.
#define LARGEST_EXTENT ((float)TURGOR_LARGEST_EXTENT)
#define FARTHEST_PLACE TURGOR_FARTHEST_POSITION

#define BODIES                                                                               \
    const global uint *active, const global BodyInput *bodies, global BodyState *states, \
        uint left
#define THIS_BODY_AT_ANY_STAGE                           \
    const uint slot = active[get_group_id(0)];          \
    const global BodyInput* const body = bodies + slot; \
    global BodyState* const state = states + slot;      \
    if (left > body->sub_steps) return
#define THIS_BODY           \
    THIS_BODY_AT_ANY_STAGE; \
    if (state->stage != BODY_IN_STAGES) return
/// n sums and m largest numbers of the body's blocks in `total`; only one work-item goes on.
#define GATHER(n, m)                                                                            \
    local double scratch[BATCH * BODY_GROUP];                                                   \
    double total[(n) + (m)];                                                                    \
    gather_blocks(sums, body->first_block, body->blocks, total, n, m, scratch);                 \
    if (ITEM != 0) return

float power_of_two_above(float value) {
    int exponent;
    frexp(fmax(value, 1e-12f), &exponent);
    return ldexp(1.0f, exponent);
}

double3 vector_at(const double* v) {
    return (double3)(v[0], v[1], v[2]);
}
float4 to_float4(double3 v) {
    return (float4)(convert_float3(v), 0);
}
double3 to_double3(float4 v) {
    return convert_double3(v.xyz);
}
bool is_finite3(double3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

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

/// The frame takes over the body's mean velocity, and its place where it has strayed.
kernel BODY_GROUP_SIZE void begin_step(BODIES) {
    THIS_BODY_AT_ANY_STAGE;
    if (ITEM != 0) return;
    if (left == body->sub_steps) {
        state->stage = BODY_IN_STAGES;
    }
    state->position_scale = power_of_two_above(state->reach);
    state->speed_scale = power_of_two_above(state->speed);
    state->velocity = to_float4(state->mean_v);
    state->shift = length(state->mean_x) > 0.25 * body->reach ? to_float4(state->mean_x) : 0;
    state->pinned = 0;
    state->contacts = state->touching = 0;
    state->change_keep = 1;
    state->change_a = state->change_b = state->rigid_a = state->rigid_b = 0;
    state->factor = state->pending = state->last_velocity = 0;
    state->divergence = 0;
    state->slip = 0;
    state->pressure_impulse = 0;
    state->has_constraints = 0;
    state->round = 0;
    state->found = 1;
}

kernel BODY_GROUP_SIZE void reduce_integration(BODIES, const global double* sums) {
    THIS_BODY;
    GATHER(3, 1);
    const double3 shift = to_double3(state->shift), velocity = to_double3(state->velocity);
    // Damping within regions keeps the momentum: what the sum is now, rounding has added. It is
    // taken back with the frame, which costs nothing.
    const double3 rounding = vector_at(total) / body->whole_mass - (state->mean_v - velocity);
    state->origin_start = state->origin + shift;
    state->mean_x -= shift;
    state->drift += velocity - rounding + body->step * body->acceleration;
    state->origin = state->origin_start + body->step * state->drift;
    state->predicted_reach = (float)total[3];
    state->position_scale = power_of_two_above((float)total[3]);
    if (!(total[3] < LARGEST_EXTENT)) state->stage = BODY_OVERFLOWED;
}

/// Springs and forces, then pins; one after the other, as they were given.
kernel BODY_GROUP_SIZE void follow_handles(BODIES, const global HandleInput* handles,
                                           global float4* x, global float4* v,
                                           const global float4* x_start, global float4* support,
                                           const global float* mass) {
    THIS_BODY;
    if (ITEM != 0 || body->handle_count == 0) return;
    const double h = body->step;
    // Springs act before gravity does.
    const double3 drift = state->drift - h * body->acceleration;
    float reach = state->predicted_reach;
    uint k = body->handle_first + (body->sub_steps - left) * body->handle_count;
    const uint end = k + body->handle_count;
    while (k < end) {
        const HandleInput handle = handles[k];
        const uint count = handle.count;
        const double stiff = handle.rate * handle.rate * h, drag = 2 * handle.rate * h;
        double3 kick = 0;
        if (handle.kind == HANDLE_DRAG) {
            double3 centre = 0, velocity = 0;
            double held = 0;
            for (uint j = k; j < k + count; ++j) {
                const uint p = body->first + handles[j].particle;
                const double m = body->density * mass[body->asset + handles[j].particle];
                centre += m * (state->origin_start + to_double3(x_start[p]));
                velocity += m * (drift + to_double3(v[p]));
                held += m;
            }
            centre /= held;
            velocity /= held;
            const double3 after =
                (velocity + stiff * (handle.target - centre) + drag * handle.target_velocity) /
                (1 + stiff * h + drag);
            kick = sqrt(body->mass / held) * (after - velocity);
            const double limit = 0.25 * body->size / h, size = length(kick);
            if (size > limit) kick *= limit / size;
        }
        for (uint j = k; j < k + count; ++j) {
            const double3 target = handles[j].target;
            const uint i = handles[j].particle, p = body->first + i;
            const double3 from = state->origin_start + to_double3(x_start[p]);
            if (handle.kind == HANDLE_PIN) {
                x[p] = (float4)(convert_float3(target - state->origin), 0);
                v[p] = to_float4((target - from) / h - state->drift);
                if (support[p].w == 0) ++state->pinned;
                support[p] = (float4)(0, 0, 0, 1);
            } else {
                const double3 was = drift + to_double3(v[p]);
                if (handle.kind == HANDLE_FOLLOW)
                    kick = (was + stiff * (target - from) + drag * handle.target_velocity) /
                               (1 + stiff * h + drag) -
                           was;
                if (handle.kind == HANDLE_FORCE)
                    kick = h / (body->density * mass[body->asset + i]) * handle.force;
                x[p] = (float4)(convert_float3(to_double3(x[p]) + h * kick), x[p].w);
                v[p] = (float4)(convert_float3(to_double3(v[p]) + kick), v[p].w);
            }
            reach = fmax(reach, largest_of(x[p]));
        }
        k += count;
    }
    state->predicted_reach = reach;
    state->position_scale = power_of_two_above(reach);
    if (!(reach < LARGEST_EXTENT)) state->stage = BODY_OVERFLOWED;
}

kernel BODY_GROUP_SIZE void reduce_deformation(BODIES, const global double* sums,
                                     global uint* contact_count) {
    if (get_global_id(0) == 0) *contact_count = 0;
    THIS_BODY;
    GATHER(6, 12);
    const double3 linear = vector_at(total), angular = vector_at(total + 3);
    // Shape matching moves the body as a whole only where it is pinned; else it was rounding.
    if (state->pinned == 0) {
        const double3 rounding = linear / body->whole_mass;
        state->origin -= rounding;
        state->drift -= rounding / body->step;
    }
    state->angular_momentum_error = angular;
    state->low = -vector_at(total + 6);
    state->high = vector_at(total + 9);
    if (!is_finite3(linear) || !is_finite3(angular) || !is_finite3(state->high - state->low))
        state->stage = BODY_OVERFLOWED;
}

bool lost_its_shape(const global BodyInput* body, double volume, double held) {
    const double ratio = volume / body->rest_volume;
    if (body->volume_mode == 2) return !(ratio > 0.05 && ratio < 5);
    if (!(ratio > 0.25 && ratio < 3)) return true;
    if (fabs(ratio - 1) < 0.3) return false;
    // Off by a third: in a press that is ordinary, in free flight it is not.
    return 10 * held < body->count;
}

kernel BODY_GROUP_SIZE void reduce_shape(BODIES, const global double* sums) {
    THIS_BODY;
    GATHER(4, 0);
    state->volume = total[0] / 9;
    state->raw_weight = total[1];
    state->slip = clamp(2 * total[2] / body->count - 1, 0.0, 1.0);
    state->off = body->rest_volume - state->volume;
    if (body->may_recover && lost_its_shape(body, state->volume, total[3]))
        state->stage = BODY_LOST_ITS_SHAPE;
    else
        state->round = body->volume_mode != 2;
}

/// What is kept of local weights so that no particle moves more than is comfortable.
double kept_share(double slope, double largest, double off, double comfortable) {
    if (!(slope > 0)) return 1;
    const double push = fabs(off) / slope * largest;
    return push > comfortable ? comfortable / push : 1;
}

void weigh(const global BodyInput* body, global BodyState* state, const double* sums,
           double largest) {
    state->keep = kept_share(sums[2], largest, state->off, body->comfortable);
    // The supports press back with the mean pressure.
    state->pressure = sums[1] > 0 ? state->keep * sums[0] / sums[1] + (1 - state->keep) : 0;
}

kernel BODY_GROUP_SIZE void reduce_weights(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->round) return;
    GATHER(3, 1);
    weigh(body, state, total, total[3]);
}

kernel BODY_GROUP_SIZE void solve_direction(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->round) return;
    GATHER(23, 0);
    const RigidField field =
        solve_rigid(total[0], vector_at(total + 1), vector_at(total + 4), vector_at(total + 7),
                    vector_at(total + 10) - vector_at(total + 17),
                    vector_at(total + 13) - vector_at(total + 20));
    state->a = to_float4(field.a);
    state->b = to_float4(field.b);
}

/// The root nearest to zero of a t³ + b t² + c t + d, or 0 where there is none that is good
/// (root_nearest_zero of volume_reference.cpp). `scale`: what |d| is small against.
double cubic_root(double a, double b, double c, double d, double scale, uint* found) {
    *found = 1;
    if (fabs(d) <= 1e-16 * scale) return 0;
    // In u = 1/t the root nearest zero is the largest in magnitude: d u³ + c u² + b u + a = 0.
    const double p = c / d, q = b / d, r = a / d;
    const double k = (p * p - 3 * q) / 9, m = (2 * p * p * p - 9 * p * q + 27 * r) / 54;
    double u = 0;
    if (m * m < k * k * k) {
        const double angle = acos(clamp(m / sqrt(k * k * k), -1.0, 1.0));
        for (int i = -1; i <= 1; ++i) {
            const double candidate =
                -2 * sqrt(k) * cos(angle / 3 + i * 2.0943951023931954923) - p / 3;
            if (fabs(candidate) > fabs(u)) u = candidate;
        }
    } else {
        const double e = -copysign(cbrt(fabs(m) + sqrt(fmax(0.0, m * m - k * k * k))), m);
        u = e + (e != 0 ? k / e : 0) - p / 3;
    }
    double t = 1 / u;
    for (int i = 0; i < 4; ++i) {
        const double slope = c + t * (2 * b + 3 * a * t);
        if (slope == 0) break;
        const double next = t - (d + t * (c + t * (b + t * a))) / slope;
        if (!isfinite(next)) break;
        t = next;
    }
    const double left = d + t * (c + t * (b + t * a));
    *found = isfinite(t) && fabs(left) <= 1e-11 * fmax(scale, fabs(d));
    return *found ? t : 0;
}

/// Whether the volume can be made right along D without a leap. `terms`: Σ D·n̄, Σ x·n̄(D), Σ D·n̄(D)
/// and the largest |D|.
void solve_along(const global BodyInput* body, global BodyState* state, const double* terms) {
    uint found;
    const double t = cubic_root(terms[2], 3 * terms[1], 3 * terms[0], -9 * state->off,
                                9 * body->rest_volume, &found);
    state->largest = terms[3];
    state->found = found && fabs(t) * terms[3] <= 0.25 * body->size;
    state->factor = state->found ? t : 0;
}

/// The particles of a body, shared out among the work-items of its group.
#define FOR_EACH_OF_BODY(i) for (uint i = ITEM; i < body->count; i += BODY_GROUP)

/// For a body that is held all over: contacts let particles slide along them, pins do not.
void slide_along(const global BodyInput* body, const global float4* support,
                 const global float4* normal, const global float* per_mass,
                 global float4* direction) {
    FOR_EACH_OF_BODY(i) {
        const uint p = body->first + i;
        const float4 s = support[p];
        float4 d = per_mass[body->asset + i] * normal[p];
        if (dot3(s, s) == 0)
            d *= 1 - fabs(s.w);
        else if (s.w != 0)
            d -= fmin(0.0f, dot3(d, s)) * s;
        direction[p] = (float4)(d.xyz, 0);
    }
}

/// All particles are pushed alike, without momentum.
void push_alike(const global BodyInput* body, const global float4* x_start,
                const global float4* normal, const global float* mass,
                const global float* per_mass, global float4* direction, local double* scratch,
                local float4* field) {
    double sums[17];
    for (int k = 0; k < 17; ++k) sums[k] = 0;
    FOR_EACH_OF_BODY(i) {
        const uint p = body->first + i, q = body->asset + i;
        add_direction(sums, 1, x_start[p], normal[p], mass[q], per_mass[q]);
    }
    sum_over(BODY_GROUP, sums, 17, scratch);
    if (ITEM == 0) {
        const RigidField solved =
            solve_rigid(sums[0], vector_at(sums + 1), vector_at(sums + 4), vector_at(sums + 7),
                        vector_at(sums + 10), vector_at(sums + 13));
        field[0] = to_float4(solved.a);
        field[1] = to_float4(solved.b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_OF_BODY(i) {
        const uint p = body->first + i;
        const float4 d = per_mass[body->asset + i] * normal[p] - field[0] -
                         cross3(field[1], x_start[p]);
        direction[p] = (float4)(d.xyz, 0);
    }
}

/// What always works for a body that has a volume: scaling about its middle.
void scale_all(const global BodyInput* body, global BodyState* state, const global float4* x,
               const global float* mass, global float4* direction, local double* scratch,
               local float4* middle) {
    double sums[3] = {0, 0, 0}, largest[1] = {0};
    FOR_EACH_OF_BODY(i) {
        const double3 weighted = (double)mass[body->asset + i] * to_double3(x[body->first + i]);
        sums[0] += weighted.x;
        sums[1] += weighted.y;
        sums[2] += weighted.z;
    }
    sum_over(BODY_GROUP, sums, 3, scratch);
    if (ITEM == 0) middle[0] = to_float4(vector_at(sums) / body->whole_mass);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_OF_BODY(i) {
        const uint p = body->first + i;
        const float4 d = (float4)((x[p] - middle[0]).xyz, 0);
        direction[p] = d;
        largest[0] = fmax(largest[0], (double)sqrt(dot3(d, d)));
    }
    largest_over(BODY_GROUP, largest, 1, scratch);
    if (ITEM != 0 || !(state->volume > 0)) return;
    state->largest = largest[0];
    state->factor = cbrt(body->rest_volume / state->volume) - 1;
    state->found = 1;
}

/// The same sums along another direction.
void solve_along_other(const global BodyInput* body, global BodyState* state,
                       const global float4* x, const global float4* normal,
                       const global float4* direction, const global uint* ring_starts,
                       const global uint* ring, local double* scratch) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    double terms[4] = {0, 0, 0, 0};
    FOR_EACH_OF_BODY(i) {
        const uint p = body->first + i;
        const float4 d = direction[p];
        const float4 n = 0.5f * ring_normal(ring_starts, ring, direction, body->first, i,
                                            body->asset);
        terms[0] += dot3(d, normal[p]);
        terms[1] += dot3(x[p], n);
        terms[2] += dot3(d, n);
        terms[3] = fmax(terms[3], (double)sqrt(dot3(d, d)));
    }
    sum_over(BODY_GROUP, terms, 3, scratch);
    largest_over(BODY_GROUP, terms + 3, 1, scratch);
    if (ITEM == 0) solve_along(body, state, terms);
    barrier(CLK_GLOBAL_MEM_FENCE);
}

/// How far along D the volume is right. Blocks have Σ D·n̄ and |D| at their place, and the cubic's
/// other terms at their second one. Where everything is held, or the body is nearly flat, it is let
/// slide, then pushed alike, and at last just scaled (correct_positions of volume_reference.cpp).
kernel BODY_GROUP_SIZE void solve_cubic(BODIES, const global double* sums, const global float4* x,
                                        const global float4* x_start,
                                        const global float4* support,
                                        const global float4* normal, const global float* mass,
                                        const global float* per_mass,
                                        const global uint* ring_starts, const global uint* ring,
                                        global float4* direction) {
    THIS_BODY;
    if (!state->round) return;
    local double scratch[BATCH * BODY_GROUP];
    local float4 field[2];
    double slope[2], bend[2];
    gather_blocks(sums, body->first_block, body->blocks, slope, 1, 1, scratch);
    gather_blocks(sums + SECOND_PLACE, body->first_block, body->blocks, bend, 2, 0, scratch);
    if (ITEM == 0) {
        const double terms[4] = {slope[0], bend[0], bend[1], slope[1]};
        solve_along(body, state, terms);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int attempt = 0; attempt < 2 && !state->found; ++attempt) {
        if (attempt == 0)
            slide_along(body, support, normal, per_mass, direction);
        else
            push_alike(body, x_start, normal, mass, per_mass, direction, scratch, field);
        solve_along_other(body, state, x, normal, direction, ring_starts, ring, scratch);
    }
    if (!state->found) scale_all(body, state, x, mass, direction, scratch, field);
}

kernel BODY_GROUP_SIZE void reduce_correction(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->round) return;
    GATHER(9, 2);
    state->volume = total[0] / 9;
    state->off = body->rest_volume - state->volume;
    state->effect = total[1];
    // What is left is too small to change the normals.
    const double rest = 3 * state->off / total[1];
    state->pending =
        state->found && total[1] > 0 && fabs(rest) * state->largest <= 1e-3 * body->size ? rest : 0;
    state->divergence = total[2] + state->pending / body->step * total[1];
    state->slope_pins = total[8];
    state->largest_pins = total[10];
    state->last_keep = (float)kept_share(total[8], total[10],
                                         body->step * state->divergence / 3, body->comfortable);
    // For another round.
    weigh(body, state, total + 3, total[9]);
}

kernel BODY_GROUP_SIZE void solve_velocity_direction(BODIES, const global double* sums) {
    THIS_BODY;
    state->dither = (uint)(as_ulong(body->time + (body->sub_steps - left + 1) * body->step) *
                               0x9E3779B97F4A7C15ul >>
                           32);
    if (body->volume_mode == 2) return;
    GATHER(17, 0);
    const double3 linear = vector_at(total + 10), angular = vector_at(total + 13);
    const RigidField field = solve_rigid(total[0], vector_at(total + 1), vector_at(total + 4),
                                         vector_at(total + 7), linear, angular);
    const double effect = total[16] - dot(field.a, linear) - dot(field.b, angular);
    state->last_velocity = effect > 1e-7 * total[16] ? state->divergence / effect : 0;
    state->a = to_float4(field.a);
    state->b = to_float4(field.b);
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

kernel BODY_GROUP_SIZE void finish_step(BODIES, const global double* sums) {
    THIS_BODY_AT_ANY_STAGE;
    const float before = state->deforming;
    GATHER(0, 10);
    state->reach = (float)total[0];
    state->speed = (float)total[1];
    state->deforming = (float)total[2];
    state->spread = sqrt(total[3]);
    state->low = -vector_at(total + 4);
    state->high = vector_at(total + 7);
    const double way = body->step * sqrt(3.0) * fmax(before, state->deforming);
    state->travelled += way;
    state->clearance -= 2 * way;
    if (!(total[0] < LARGEST_EXTENT && total[1] < LARGEST_EXTENT)) state->stage = BODY_OVERFLOWED;
}
