// Stages 4 and 5 on a device: the passes of volume_cpu.cpp, a work-group for each block of each
// body. What contacts do to a correction is in here, because particles carry their support along.

#define LARGEST_WEIGHT ((float)TURGOR_LARGEST_WEIGHT)  // of the mean (docs/methods.md, "Volume")

/// Twice the area vector of a particle, from the walk around it.
float4 ring_normal(const global uint* ring_starts, const global uint* ring, const global float4* x,
                   uint first, uint particle, uint asset) {
    const float4 middle = x[first + particle];
    const uint end = ring_starts[asset + particle + 1];
    uint at = ring_starts[asset + particle];
    float4 twice = 0;
    if (at == end) return twice;
    float4 a = x[first + ring[at]] - middle;
    while (++at != end) {
        const float4 b = x[first + ring[at]] - middle;
        twice += cross3(a, b);
        a = b;
    }
    return twice;
}

/// How firmly contacts and pins hold a particle; where it is another body that does, `w` of the
/// support is negative (Support::shared). Where a body is squeezed nearly all over,
/// it slips at its rim (loosen of volume_reference.cpp).
float hold_of(float4 support, float4 normal, float slip) {
    const float hold = fabs(support.w);
    if (hold == 0 || slip == 0 || !(normal.w > 0) || dot3(support, support) == 0) return hold;
    const float into = fmax(0.0f, -dot3(support, normal) / normal.w);
    return hold * (1 - slip * (1 - into));
}

/// How far a correction with weights w would push.
void add_weights(double* sums, double* most, float is_free, float weight, float area,
                 float per_mass) {
    const float w = is_free * weight, pull = w * area * per_mass;
    sums[0] += w;
    sums[1] += is_free;
    sums[2] += 1.0f / 3 * area * pull;
    most[0] = fmax(most[0], (double)pull);
}

/// n̄ with |n̄| in w, and local weights before their scale is known: β s d + (1−β) |c|, less what is
/// nothing but rounding. Sums: 9 V, Σ w, Σ hold, and how many are held.
kernel GROUP_SIZE void measure_shape(BLOCKS, const global float4* x, const global float4* support,
                                     const global float* change, const global float* mass,
                                     const global uint* ring_starts, const global uint* ring,
                                     const global float2* strut, const global uint* strut_partner,
                                     global float4* normal, global float* weight,
                                     global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    double total[4] = {0, 0, 0, 0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        float4 n = 0.5f * ring_normal(ring_starts, ring, x, body->first, i, body->asset);
        n.w = sqrt(dot3(n, n));
        normal[p] = n;
        const float4 across = x[p] - x[body->first + strut_partner[q]];
        const float2 s = strut[q];
        const float squeezed = s.y * fabs(sqrt(dot3(across, across)) - s.x);
        const float felt = body->beta * squeezed + (1 - body->beta) * change[p];
        const float w = fmax(felt - body->rounding, 0.0f);
        weight[p] = w;
        if (!(mass[q] > 0)) continue;
        total[0] += dot3(x[p], n);
        total[1] += w;
        total[2] += fabs(support[p].w);
        total[3] += support[p].w == 1 || support[p].w < -0.5f;
    }
    store_block(sums, total, 4, total, 0, scratch);
}

float weight_unit(const global BodyInput* body) {
    return LARGEST_WEIGHT * body->largest_region / ONE;
}

/// Weights (1−α) scale w + α, capped at three times the mean, as prefix sums over regions.
kernel GROUP_SIZE void cap_weights(BLOCKS, const global float* weight, global int4* rows) {
    THIS_BLOCK;
    local int4 scratch[GROUP];
    if (body->volume_mode != 0) return;
    // A body that nothing deforms has uniform weights.
    const double least = 1e-9 * body->size * body->count;
    const float scale = state->raw_weight > least ? (float)(body->count / state->raw_weight) : 0;
    const float per_unit = 1 / weight_unit(body);
    int4 sum[1] = {0};
    const Stretch mine = stretch_of(block);
    for (uint i = mine.begin; i < mine.end; ++i) {
        const float w = scale > 0 ? (1 - body->alpha) * scale * weight[body->first + i] +
                                        body->alpha
                                  : 1;
        int4 term[1];
        term[0] = (int4)(convert_int_rte(per_unit * fmin(w, LARGEST_WEIGHT)), 0, 0, 0);
        put_row(rows + (block.row + i - block.begin), term, sum, 1);
    }
    finish_rows(rows, block, sum, 1, scratch);
}

/// Weights smoothed over regions. Sums: WeightSums.
kernel GROUP_SIZE void smooth_weights(BLOCKS, const global float4* support,
                                      const global float4* normal, const global float4* rest,
                                      const global float* per_mass, const global uint* run_starts,
                                      const global uint2* runs, const global int4* rows,
                                      global float* weight, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    const float unit = weight_unit(body), slip = (float)state->slip;
    double total[3] = {0, 0, 0}, most[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        float w = 1;
        if (body->volume_mode == 0) {
            int4 sum[1];
            sum_region(run_starts, runs, rows, body->first_row, q, sum, 1);
            w = unit * rest[q].w * convert_float(sum[0].x);
        }
        weight[p] = w;
        if (!(per_mass[q] > 0)) continue;
        const float4 n = normal[p];
        add_weights(total, most, 1 - hold_of(support[p], n, slip), w, n.w, per_mass[q]);
    }
    store_block(sums, total, 3, most, 1, scratch);
}

/// Σ over particles of what the momentum-free direction is made of (DirectionSums).
void add_direction(double* sums, float w, float4 r, float4 n, float m, float per_mass) {
    const float mw = m * w;
    const float4 first = mw * r, unbalanced = w * n;
    const float4 second = first * r, mixed = first * r.yzxw, turning = cross3(r, unbalanced);
    sums[0] += mw;
    sums[1] += first.x;
    sums[2] += first.y;
    sums[3] += first.z;
    sums[4] += second.x;
    sums[5] += second.y;
    sums[6] += second.z;
    sums[7] += mixed.x;
    sums[8] += mixed.y;
    sums[9] += mixed.z;
    sums[10] += unbalanced.x;
    sums[11] += unbalanced.y;
    sums[12] += unbalanced.z;
    sums[13] += turning.x;
    sums[14] += turning.y;
    sums[15] += turning.z;
    sums[16] += w * n.w * n.w * per_mass;
}

/// What a support presses back with, per unit of the correction: a contact along its normal with
/// the mean pressure, a pin whatever comes; another body has found its place already.
float4 pressed_back(float4 support, float4 n, float hold, float pressure) {
    if (support.w < 0) return 0;
    if (dot3(support, support) == 0) return pressure * hold * (float4)(-n.xyz, 0);
    const float into = fmax(0.0f, -dot3(support, n));
    return pressure * hold * into * (float4)(support.xyz, 0);
}

/// Stage 4: DirectionSums with what contacts and pins hold taken out, then Σ of what supports press
/// back and of its torque.
kernel GROUP_SIZE void direction_sums(BLOCKS, const global float4* x_start,
                                      const global float4* support, const global float4* normal,
                                      const global float* weight, const global float* mass,
                                      const global float* per_mass, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    const float keep = (float)state->keep, slip = (float)state->slip,
                pressure = (float)state->pressure;
    double total[23];
    for (int k = 0; k < 23; ++k) total[k] = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        if (!(per_mass[q] > 0)) continue;
        const float4 n = normal[p], s = support[p], r = x_start[p];
        const float hold = hold_of(s, n, slip);
        const float w = (1 - hold) * (keep * weight[p] + (1 - keep));
        add_direction(total, w, r, n, mass[q], per_mass[q]);
        if (hold == 0) continue;
        const float4 push = pressed_back(s, n, hold, pressure), turning = cross3(r, push);
        total[17] += push.x;
        total[18] += push.y;
        total[19] += push.z;
        total[20] += turning.x;
        total[21] += turning.y;
        total[22] += turning.z;
    }
    store_block(sums, total, 23, total, 0, scratch);
}

/// D = w (n̄/m − a − b × r), but nothing goes into a contact; w: what supports push with, per unit
/// of the correction and mass. Sums: Σ D·n̄; largest: |D|.
kernel GROUP_SIZE void make_direction(BLOCKS, const global float4* x_start,
                                      const global float4* support, const global float4* normal,
                                      const global float* weight, const global float* mass,
                                      const global float* per_mass, global float4* direction,
                                      global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    const float keep = (float)state->keep, slip = (float)state->slip,
                pressure = (float)state->pressure;
    const float4 a = state->a, b = state->b;
    double effect[1] = {0}, most[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        const float4 n = normal[p], s = support[p];
        if (!(per_mass[q] > 0)) {
            direction[p] = 0;
            continue;
        }
        const float hold = hold_of(s, n, slip);
        const float w = (1 - hold) * (keep * weight[p] + (1 - keep));
        float4 d = w * (per_mass[q] * n - a - cross3(b, x_start[p]));
        d.w = 0;
        if (s.w > 0) {
            const float4 out = -s.w * fmin(0.0f, dot3(d, s)) * (float4)(s.xyz, 0);
            const float4 push = pressed_back(s, n, hold, pressure) + mass[q] * out;
            d += out;
            d.w = sqrt(dot3(push, push)) * per_mass[q];
        }
        direction[p] = d;
        effect[0] += dot3(d, n);
        most[0] = fmax(most[0], (double)sqrt(dot3(d, d)));
    }
    store_block(sums, effect, 1, most, 1, scratch);
}

/// What the volume is made of along D, besides itself and its slope: Σ x·n̄(D) and Σ D·n̄(D). The
/// triple product is symmetric: 9 V(t) = Σ x·n̄ + 3t Σ D·n̄ + 3t² Σ x·n̄(D) + t³ Σ D·n̄(D).
kernel GROUP_SIZE void cubic_terms(BLOCKS, const global float4* x, const global float4* direction,
                                   const global float* mass, const global uint* ring_starts,
                                   const global uint* ring, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    double total[2] = {0, 0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (!(mass[body->asset + i] > 0)) continue;
        const float4 n = 0.5f * ring_normal(ring_starts, ring, direction, body->first, i,
                                            body->asset);
        total[0] += dot3(x[p], n);
        total[1] += dot3(direction[p], n);
    }
    store_block(sums + SECOND_PLACE, total, 2, total, 0, scratch);
}

/// x += t D, v by the same over h.
kernel GROUP_SIZE void move_along(BLOCKS, global float4* x, global float4* v,
                                  const global float4* direction) {
    THIS_BLOCK;
    if (!state->round || state->factor == 0) return;
    const float by = (float)state->factor, faster = by * (1 / body->h);
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        const float4 d = direction[p], at = x[p], u = v[p];
        x[p] = (float4)((at + by * d).xyz, at.w);
        v[p] = (float4)((u + faster * d).xyz, u.w + by * d.w);
    }
}

/// Normals anew, and all that is needed to go on: Σ x·n̄, Σ D·n̄, Σ v·n̄, WeightSums with what is held
/// by all, and by pins only.
kernel GROUP_SIZE void measure_moved(BLOCKS, const global float4* x, const global float4* v,
                                     const global float4* support, const global float4* direction,
                                     const global float* weight, const global float* per_mass,
                                     const global uint* ring_starts, const global uint* ring,
                                     global float4* normal, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    const float slip = (float)state->slip;
    double total[9], most[2] = {0, 0};
    for (int k = 0; k < 9; ++k) total[k] = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        float4 n = 0.5f * ring_normal(ring_starts, ring, x, body->first, i, body->asset);
        n.w = sqrt(dot3(n, n));
        normal[p] = n;
        if (!(per_mass[q] > 0)) continue;
        const float4 at = x[p];
        total[0] += dot3(at, n);
        total[1] += dot3(direction[p], n);
        total[2] += dot3(v[p], n);
        add_weights(total + 3, most, 1 - hold_of(support[p], n, slip), weight[p], n.w, per_mass[q]);
        add_weights(total + 6, most + 1, at.w, weight[p], n.w, per_mass[q]);
    }
    store_block(sums, total, 9, most, 2, scratch);
}

/// Stage 5: DirectionSums about x, with only what pins hold taken out.
kernel GROUP_SIZE void velocity_direction_sums(BLOCKS, const global float4* x,
                                               const global float4* normal,
                                               const global float* weight,
                                               const global float* mass,
                                               const global float* per_mass,
                                               global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (body->volume_mode == 2) return;
    const float keep = state->last_keep;
    double total[17];
    for (int k = 0; k < 17; ++k) total[k] = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        if (!(per_mass[q] > 0)) continue;
        const float4 r = x[p];
        add_direction(total, r.w * (keep * weight[p] + (1 - keep)), r, normal[p], mass[q],
                      per_mass[q]);
    }
    store_block(sums, total, 17, total, 0, scratch);
}

/// Numbers of −½ … ½ in units of the last digit of x.
float dither(float x, uint p, uint salt) {
    uint bits = (p + salt) * 0x9E3779B1u;
    bits = (bits ^ (bits >> 15)) * 0x85EBCA77u;
    const float share = 0x1p-32f * convert_float(as_int(bits));
    return share * (0x1p-23f * as_float(as_uint(x) & 0x7F800000u));
}

void add_motion(double* sums, float m, float4 r, float4 v) {
    const float4 first = m * r, linear = m * v;
    const float4 second = first * r, mixed = first * r.yzxw, turning = cross3(r, linear);
    sums[0] += m;
    sums[1] += first.x;
    sums[2] += first.y;
    sums[3] += first.z;
    sums[4] += second.x;
    sums[5] += second.y;
    sums[6] += second.z;
    sums[7] += mixed.x;
    sums[8] += mixed.y;
    sums[9] += mixed.z;
    sums[10] += linear.x;
    sums[11] += linear.y;
    sums[12] += linear.z;
    sums[13] += turning.x;
    sums[14] += turning.y;
    sums[15] += turning.z;
    sums[16] += dot3(linear, v);
}

/// The last move of stage 4, small enough for the normals to stay, and that of stage 5:
/// x += position D, v += position/h D − velocity w (n̄/m − a − b × x). The move may be smaller than
/// the spacing of floats; x is rounded up or down at random, so that on the whole it is made all
/// the same. Sums: motion of what is free, and of what is pinned.
kernel GROUP_SIZE void move_last(BLOCKS, global float4* x, global float4* v,
                                 const global float4* normal, const global float4* direction,
                                 const global float* weight, const global float* mass,
                                 const global float* per_mass, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    const float position = (float)state->pending, velocity = (float)state->last_velocity;
    const float keep = state->last_keep, per_h = 1 / body->h;
    const float4 a = state->a, b = state->b;
    const uint salt = state->dither;
    double total[34];
    for (int k = 0; k < 34; ++k) total[k] = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        if (!(per_mass[q] > 0)) continue;
        float4 at = x[p], u = v[p];
        if (velocity != 0) {
            const float w = at.w * (keep * weight[p] + (1 - keep));
            const float4 d = w * (per_mass[q] * normal[p] - a - cross3(b, at));
            u.xyz = u.xyz - (velocity * d).xyz;
        }
        if (position != 0) {
            const float4 moved = position * direction[p];
            at.x = at.x + (moved.x + dither(at.x, i, salt));
            at.y = at.y + (moved.y + dither(at.y, i, salt + 0x10000001u));
            at.z = at.z + (moved.z + dither(at.z, i, salt + 0x20000002u));
            u.xyz = u.xyz + (per_h * moved).xyz;
            x[p] = at;
        }
        v[p] = u;
        add_motion(at.w == 0 ? total + 17 : total, mass[q], at, u);
    }
    store_block(sums, total, 34, total, 0, scratch);
}

/// v = keep v + a + b × x for all that is not pinned. Largest: components of x, of v, of v without
/// the body's rigid motion, |v − mean|²; then the box, its lower corner with the other sign. A body
/// that lost its shape has the velocities that it came with.
kernel GROUP_SIZE void change_velocities(BLOCKS, global float4* x, global float4* v,
                                         const global float4* predicted_v, const global float* mass,
                                         const global uint* head, global ContactState* contacts,
                                         uint with_contacts, global double* sums) {
    THIS_BLOCK_AT_ANY_STAGE;
    local double scratch[BATCH * GROUP];
    const bool lost = state->stage == BODY_LOST_ITS_SHAPE;
    const float keep = (float)state->change_keep;
    const float4 a = (float4)(convert_float3(state->change_a), 0);
    const float4 b = (float4)(convert_float3(state->change_b), 0);
    const float4 rigid_a = (float4)(convert_float3(state->rigid_a), 0);
    const float4 rigid_b = (float4)(convert_float3(state->rigid_b), 0);
    const float4 mean = (float4)(convert_float3(state->mean_v), 0);
    double most[10] = {0, 0, 0, 0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (!(mass[body->asset + i] > 0)) continue;
        const float4 at = x[p], u = lost ? predicted_v[p] : v[p];
        const float4 changed = at.w == 0 ? u : keep * u + a + cross3(b, at);
        v[p] = (float4)(changed.xyz, u.w);
        x[p] = (float4)(at.xyz, 1);
        for (uint k = with_contacts ? head[p] : NO_CONTACT; k != NO_CONTACT; k = contacts[k].next)
            contacts[k].x = at;
        const float4 relative = changed - mean;
        most[0] = fmax(most[0], (double)largest_of(at));
        most[1] = fmax(most[1], (double)largest_of(changed));
        most[2] = fmax(most[2], (double)largest_of(changed - rigid_a - cross3(rigid_b, at)));
        most[3] = fmax(most[3], (double)dot3(relative, relative));
        most[4] = fmax(most[4], -(double)at.x);
        most[5] = fmax(most[5], -(double)at.y);
        most[6] = fmax(most[6], -(double)at.z);
        most[7] = fmax(most[7], (double)at.x);
        most[8] = fmax(most[8], (double)at.y);
        most[9] = fmax(most[9], (double)at.z);
    }
    store_block(sums, most, 0, most, 10, scratch);
}
