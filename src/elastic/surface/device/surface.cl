// Stage 2 on a device: the passes of surface_cpu.cpp, a work-group for each block of each body.

kernel GROUP_SIZE void damping_terms(BLOCKS_OF_MODEL, const global float4* x, const global float4* v,
                                     const global float4* fit, global int4* terms) {
    THIS_BLOCK_OF_MODEL;
    local int4 scratch[4 * GROUP];
    if (!(body->elastic[SURFACE_DAMPING] > 0)) return;
    const float position = state->position_scale, speed_unit = state->speed_scale;
    const float spin = 0.5f * ONE / (position * speed_unit), at = ONE / position,
                speed = ONE / speed_unit, square = ONE / (position * position);
    int4 sum[4] = {0, 0, 0, 0};
    const Stretch mine = stretch_of(block);
    for (uint i = mine.begin; i < mine.end; ++i) {
        const float4 r = x[body->first + i], u = v[body->first + i];
        const float w = fit[body->asset + i].w;
        const float4 wr = w * r;
        const float4 angular = spin * cross3(wr, u), linear = (speed * w) * u, first = at * wr;
        const float4 squares = square * (wr * r), mixed = square * (wr * r.yzxw);
        int4 term[4];
        term[0] = to_fixed((float4)(angular.xyz, first.x));
        term[1] = to_fixed((float4)(linear.xyz, first.y));
        term[2] = to_fixed((float4)(squares.xyz, first.z));
        term[3] = to_fixed((float4)(mixed.xyz, 0));
        put_row(terms + (size_t)(block.row + i - block.begin) * 4, term, sum, 4);
    }
    finish_rows(terms, block, sum, 4, scratch);
}

/// Solves the symmetric system m x = b (m: xx yy zz, and xy yz zx) by its adjugate; along
/// directions that hardly anything resists the answer is cut off later.
float4 solve_by_adjugate(float4 d, float4 m, float4 b) {
    const float cxx = d.y * d.z - m.y * m.y, cyy = d.z * d.x - m.z * m.z,
                czz = d.x * d.y - m.x * m.x;
    const float cxy = m.z * m.y - m.x * d.z, cyz = m.x * m.z - m.y * d.x,
                czx = m.x * m.y - m.z * d.y;
    const float det = d.x * cxx + m.x * cxy + m.z * czx;
    const float trace = d.x + d.y + d.z;
    const float least = 1e-7f * trace * trace * trace;
    const float per_det = det > least ? 1 / fmax(det, least) : 0;
    return (float4)(per_det * (cxx * b.x + cxy * b.y + czx * b.z),
                    per_det * (cxy * b.x + cyy * b.y + cyz * b.z),
                    per_det * (czx * b.x + cyz * b.y + czz * b.z), 0);
}

/// Fields a + b × r in units of the speed and of speed per position: no larger than these, so that
/// the sum over a region fits.
typedef struct {
    float spin, drift, per_spin, per_drift;
} FieldScales;
FieldScales field_scales(const global BodyInput* body, float position) {
    FieldScales s;
    s.spin = body->elastic[SURFACE_SPIN_LIMIT] * position;
    s.drift = 1 + 2 * s.spin;
    s.per_spin = ONE / (s.spin * body->largest_region);
    s.per_drift = ONE / (s.drift * body->largest_region);
    return s;
}

kernel GROUP_SIZE void damping_fields(BLOCKS_OF_MODEL, const global float4* centre,
                                      const global uint* run_starts, const global uint2* runs,
                                      const global int4* terms, global int4* fields) {
    THIS_BLOCK_OF_MODEL;
    local int4 scratch[2 * GROUP];
    if (!(body->elastic[SURFACE_DAMPING] > 0)) return;
    const FieldScales out = field_scales(body, state->position_scale);
    // All in units of position and speed, so that no product leaves the range of floats.
    const float unit = 1 / ONE, two_units = 2 / ONE;
    int4 sum[2] = {0, 0};
    const Stretch mine = stretch_of(block);
    for (uint i = mine.begin; i < mine.end; ++i) {
        int4 rows[4];
        sum_region(run_starts, runs, terms, body->first_row, body->asset + i, rows, 4);
        const float4 q0 = convert_float4(rows[0]), q1 = convert_float4(rows[1]),
                     q2 = convert_float4(rows[2]), q3 = convert_float4(rows[3]);
        const float per_weight = centre[body->asset + i].w;
        const float4 first = unit * (float4)(q0.w, q1.w, q2.w, 0);
        const float4 c = per_weight * first, linear = unit * q1;
        const float4 angular = two_units * q0 - cross3(c, linear);
        // Second moments about the centre, and the inertia made of them.
        const float4 s = unit * q2 - c * first, m = unit * q3 - c * first.yzxw;
        const float4 inertia = (float4)(s.y + s.z, s.z + s.x, s.x + s.y, 0);
        const float4 b = clamp(solve_by_adjugate(inertia, 0 - m, angular), -out.spin, out.spin);
        const float4 a = clamp(per_weight * linear - cross3(b, c), -out.drift, out.drift);
        int4 term[2];
        term[0] = to_fixed(out.per_drift * (float4)(a.xyz, 0));
        term[1] = to_fixed(out.per_spin * b);
        put_row(fields + (size_t)(block.row + i - block.begin) * 2, term, sum, 2);
    }
    finish_rows(fields, block, sum, 2, scratch);
}

/// Damps, changes the frame and predicts. What v.w held goes to x_start.w. Sums: Σ m v; largest:
/// component of x.
kernel GROUP_SIZE void damp_and_integrate(BLOCKS_OF_MODEL, global float4* x, global float4* v,
                                        global float4* x_start, global float4* support,
                                        const global float4* rest, const global float* mass,
                                        const global uint* run_starts, const global uint2* runs,
                                        const global int4* fields, global double* sums) {
    THIS_BLOCK_OF_MODEL;
    local double scratch[BATCH * GROUP];
    const float position = state->position_scale, speed = state->speed_scale;
    const FieldScales in = field_scales(body, position);
    const float k = body->elastic[SURFACE_DAMPING], h = body->h;
    const float4 shift = state->shift, frame = state->velocity;
    double linear[3] = {0, 0, 0}, reach[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        const float4 at = x[p], u = v[p];
        float4 velocity = u;
        if (k > 0) {
            int4 field[2];
            sum_region(run_starts, runs, fields, body->first_row, q, field, 2);
            const float share = rest[q].w;
            const float4 a = (share * (speed / in.per_drift)) * convert_float4(field[0]);
            const float4 b = (share * (speed / position / in.per_spin)) * convert_float4(field[1]);
            const float4 blended = a + cross3(b, at);
            velocity = velocity + k * (blended - velocity);
        }
        // Padding has no region and must stay where it is.
        const float m = mass[q];
        const bool is_real = m > 0;
        velocity = is_real ? velocity - frame : (float4)(0);
        const float4 start = is_real ? at - shift : (float4)(0);
        const float4 moved = start + h * velocity;
        x_start[p] = (float4)(start.xyz, u.w);
        v[p] = (float4)(velocity.xyz, 0);
        x[p] = (float4)(moved.xyz, at.w);
        support[p] = 0;
        linear[0] += m * velocity.x;
        linear[1] += m * velocity.y;
        linear[2] += m * velocity.z;
        reach[0] = fmax(reach[0], (double)largest_of(moved));
    }
    store_block(sums, linear, 3, reach, 1, scratch);
}

kernel GROUP_SIZE void matching_terms(BLOCKS_OF_MODEL, const global float4* x, const global float4* fit,
                                      global int4* terms) {
    THIS_BLOCK_OF_MODEL;
    local int4 scratch[3 * GROUP];
    const float per_place = ONE / state->position_scale, per_square = per_place / body->reach;
    const float4 scale = (float4)(per_square, per_square, per_square, per_place);
    int4 sum[3] = {0, 0, 0};
    const Stretch mine = stretch_of(block);
    for (uint i = mine.begin; i < mine.end; ++i) {
        const float4 w = scale * fit[body->asset + i], r = x[body->first + i];
        int4 term[3];
        term[0] = to_fixed(r.x * w);
        term[1] = to_fixed(r.y * w);
        term[2] = to_fixed(r.z * w);
        put_row(terms + (size_t)(block.row + i - block.begin) * 4, term, sum, 3);
    }
    finish_rows(terms, block, sum, 3, scratch);
}

/// (Σ w x x⁰, Σ w x) of one component of x becomes (A, Σ w x) with A = Σ w x x⁰ − (Σ w x) t⁰. The
/// two are large and nearly equal, hence in double precision.
float4 centred(int4 sum, double4 centre, double square, double place) {
    const double mean = place * sum.w;
    const double4 scale = (double4)(square, square, square, place);
    return convert_float4(scale * convert_double4(sum) - mean * centre);
}

kernel GROUP_SIZE void fit_regions(BLOCKS_OF_MODEL, const global float4* centre,
                                   const global double4* exact_centre,
                                   const global uint* run_starts, const global uint2* runs,
                                   const global int4* terms, global float4* rotation,
                                   global int4* transforms) {
    THIS_BLOCK_OF_MODEL;
    local int4 scratch[3 * GROUP];
    const float position = state->position_scale;
    const float per_turn = ONE / body->largest_region,
                per_shift = ONE / (body->largest_region * (position + 2 * body->reach));
    const double unit = (double)position / ONE, square = unit * body->reach;
    int4 sum[3] = {0, 0, 0};
    const Stretch mine = stretch_of(block);
    for (uint i = mine.begin; i < mine.end; ++i) {
        const uint p = body->first + i, q = body->asset + i;
        int4 rows[3];
        sum_region(run_starts, runs, terms, body->first_row, q, rows, 3);
        Rows a;
        for (int k = 0; k < 3; ++k) a.row[k] = centred(rows[k], exact_centre[q], square, unit);
        const float4 turned = nearest_rotation(&a, rotation[p]);
        rotation[p] = turned;
        const Rows r = matrix_of(turned);
        const float4 c = centre[q];
        int4 term[3];
        for (int k = 0; k < 3; ++k) {
            const float shift = c.w * a.row[k].w - dot3(r.row[k], c);
            term[k] = to_fixed((float4)((per_turn * r.row[k]).xyz, per_shift * shift));
        }
        put_row(transforms + (size_t)(block.row + i - block.begin) * 4, term, sum, 3);
    }
    finish_rows(transforms, block, sum, 3, scratch);
}

/// x += s (goal − x), and v by the same over h; pinned particles (x.w = 0) stay. Sums: Σ m Δx,
/// Σ m (xₙ − centre) × Δx; then boxes, lower corners with the other sign.
kernel GROUP_SIZE void move_to_goals(BLOCKS_OF_MODEL, global float4* x, global float4* v,
                                     const global float4* x_start, global float4* predicted_v,
                                     global float* change, const global float4* rest,
                                     const global float* mass, const global uint* run_starts,
                                     const global uint2* runs, const global int4* transforms,
                                     global double* sums) {
    THIS_BLOCK_OF_MODEL;
    local double scratch[BATCH * GROUP];
    const float scale = 1 / (ONE / body->largest_region);
    const float shift_scale =
        1 / (ONE / (body->largest_region * (state->position_scale + 2 * body->reach)));
    const float s = body->elastic[SURFACE_STIFFNESS], per_h = 1 / body->h;
    const float4 about = (float4)((float)state->mean_x.x, (float)state->mean_x.y,
                                  (float)state->mean_x.z, 0);
    double drift[6] = {0, 0, 0, 0, 0, 0};
    float4 low = INFINITY, high = -INFINITY, start_low = INFINITY, start_high = -INFINITY;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i, q = body->asset + i;
        int4 rows[3];
        sum_region(run_starts, runs, transforms, body->first_row, q, rows, 3);
        const float4 r0 = convert_float4(rows[0]), r1 = convert_float4(rows[1]),
                     r2 = convert_float4(rows[2]);
        const float4 rest_at = rest[q], at = x[p], u = v[p], start = x_start[p];
        const float turn = rest_at.w * scale, shift = rest_at.w * shift_scale;
        const float4 goal = (float4)(turn * dot3(r0, rest_at) + shift * r0.w,
                                     turn * dot3(r1, rest_at) + shift * r1.w,
                                     turn * dot3(r2, rest_at) + shift * r2.w, 0);
        const float m = mass[q];
        const bool is_real = m > 0;
        const float4 pull = is_real ? (float4)((goal - at).xyz, 0) : (float4)(0);
        change[p] = body->elastic[SURFACE_WEIGHT_STIFFNESS] * sqrt(dot3(pull, pull));
        const float4 moved = (s * at.w) * pull;
        const float4 end = at + moved;
        x[p] = end;
        predicted_v[p] = u;
        v[p] = u + per_h * moved;
        const float4 turned = m * cross3(start - about, moved);
        drift[0] += m * moved.x;
        drift[1] += m * moved.y;
        drift[2] += m * moved.z;
        drift[3] += turned.x;
        drift[4] += turned.y;
        drift[5] += turned.z;
        if (!is_real) continue;
        low = fmin(low, end);
        high = fmax(high, end);
        start_low = fmin(start_low, start);
        start_high = fmax(start_high, start);
    }
    double box[12] = {-low.x,        -low.y,        -low.z,        high.x,       high.y,
                      high.z,        -start_low.x,  -start_low.y,  -start_low.z, start_high.x,
                      start_high.y,  start_high.z};
    store_block(sums, drift, 6, box, 12, scratch);
}
