// What is shown of bodies, evaluated on a device: positions and normals of their meshes in the
// order of the vertices, and of the display meshes that hang on them (detail.cpp). Everything is
// reckoned relative to the body's origin, in single precision, and rounded once more in the world.

#define DISPLAY const global DisplayBlock *blocks, const global DisplayBody *bodies
#define THIS_DISPLAY_BLOCK                               \
    const DisplayBlock block = blocks[get_group_id(0)];  \
    const global DisplayBody* const body = bodies + block.body

/// Zero where there is no direction. Scaled first, for the squares of small areas underflow.
float4 unit_of(float4 v) {
    const float scale = largest_of(v);
    if (!(scale > 1e-30f)) return 0;
    const float4 u = (1 / scale) * v;
    return (1 / sqrt(dot3(u, u))) * u;
}

void show_position(global float* positions, size_t at, double3 origin, float4 x) {
    vstore3(convert_float3(origin + to_double3(x)), at, positions);
}

kernel GROUP_SIZE void show_particles(DISPLAY, const global float4* x,
                                      const global uint* ring_starts, const global uint* ring,
                                      const global uint* vertex_of_particle,
                                      global float* positions, global float* normals) {
    THIS_DISPLAY_BLOCK;
    FOR_EACH_PARTICLE(i, block) {
        const size_t at = body->shown + vertex_of_particle[body->vertex + i];
        show_position(positions, at, body->origin, x[body->first + i]);
        const float4 n = ring_normal(ring_starts, ring, x, body->first, i, body->asset);
        vstore3(unit_of(n).xyz, at, normals);
    }
}

/// What a line along the normal n leaves over, in the frame of frame_at (detail.cpp).
float4 from_frame(const global float* rest_error, float4 n, float4 face, float4 edge) {
    const float4 w = unit_of(n + 1e-3f * unit_of(face));
    const float4 u = unit_of(edge - dot3(edge, w) * w);
    return rest_error[0] * u + rest_error[1] * cross3(w, u) + rest_error[2] * w;
}

/// p = q + offset · n_q, after show_particles.
kernel GROUP_SIZE void place_detail(DISPLAY, const global float4* x, const global float* normals,
                                    const global BindingInput* bindings, global float4* points,
                                    global float* positions) {
    THIS_DISPLAY_BLOCK;
    FOR_EACH_PARTICLE(i, block) {
        const global BindingInput* const on = bindings + body->binding + i;
        float4 corner[3], normal[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = (float4)(x[body->first + on->particle[k]].xyz, 0);
            normal[k] = (float4)(vload3(body->shown + on->vertex[k], normals), 0);
        }
        const float4 across_b = corner[1] - corner[0], across_c = corner[2] - corner[0];
        const float4 n =
            normal[0] + on->b * (normal[1] - normal[0]) + on->c * (normal[2] - normal[0]);
        float4 point = corner[0] + on->b * across_b + on->c * across_c + on->offset * n;
        const global float* const left = on->rest_error;
        if (left[0] != 0 || left[1] != 0 || left[2] != 0) {
            const float4 edge = on->edge == 0   ? across_b
                                : on->edge == 1 ? across_c - across_b
                                                : -across_c;
            point += from_frame(left, n, cross3(across_b, across_c), edge);
        }
        points[body->point + i] = point;
        show_position(positions, body->shown + body->particles + i, body->origin, point);
    }
}

/// Normals of display meshes, after place_detail. `others`: of each triangle around a vertex the
/// corners that follow it.
kernel GROUP_SIZE void detail_normals(DISPLAY, const global float4* points,
                                      const global uint* triangle_starts,
                                      const global uint2* others, global float* normals) {
    THIS_DISPLAY_BLOCK;
    FOR_EACH_PARTICLE(i, block) {
        const global float4* const own = points + body->point;
        const float4 here = own[i];
        const uint end = triangle_starts[body->binding + i + 1];
        float4 twice = 0;
        for (uint at = triangle_starts[body->binding + i]; at != end; ++at)
            twice += cross3(own[others[at].x] - here, own[others[at].y] - here);
        vstore3(unit_of(twice).xyz, body->shown + body->particles + i, normals);
    }
}
