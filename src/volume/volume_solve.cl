// Stages 4 and 5 of a body as a whole, between the passes of volume.cl.

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
