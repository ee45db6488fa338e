// What happens to a body as a whole between the passes over its particles: a work-group for each
// body puts together what its blocks found out, and one of its work-items reckons, in double
// precision: where a sub-step begins, after prediction and deformation, and at its end. The passes
// over blocks are in contact.cl, volume.cl and in the elastic models; device_step.cpp has the order.

/// Beyond this, in metres or metres per second relative to the body's own frame, products would
/// overflow: the body has exploded.
#define LARGEST_EXTENT ((float)TURGOR_LARGEST_EXTENT)

float power_of_two_above(float value) {
    int exponent;
    frexp(fmax(value, 1e-12f), &exponent);
    return ldexp(1.0f, exponent);
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
