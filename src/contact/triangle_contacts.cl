// Stage 3 against colliders of triangles: what contact.cl does for other shapes. In kernels of its
// own, so that worlds without such colliders do not pay for its searches.

/// Neighbours in a body's order that are asked about a collider together.
#define CLUSTER TURGOR_LEAF

TriangleShape triangle_shape(const ColliderInput* collider, ColliderGeometry surface) {
    const TriangleShape shape = {surface, collider->thickness / 2, collider->thickness > 0};
    return shape;
}

bool triangles_are_near(const TriangleShape* shape, const ColliderInput* collider, Ball ball) {
    const double3 at_end = to_local(&collider->end, ball.middle);
    const double way = length(at_end - to_local(&collider->start, ball.middle));
    const double reach = ball.radius + way;
    return nearest(&shape->surface, at_end, reach + shape->half_wall, shape->shell).found ||
           (!shape->shell && contains(&shape->surface, at_end));
}

/// Around where particles are and where they were.
Ball ball_around(const global BodyState* state, const global float4* x,
                 const global float4* x_start, uint first, uint last, double margin) {
    float4 low = x[first], high = low, start_low = x_start[first], start_high = start_low;
    for (uint p = first + 1; p < last; ++p) {
        low = fmin(low, x[p]);
        high = fmax(high, x[p]);
        start_low = fmin(start_low, x_start[p]);
        start_high = fmax(start_high, x_start[p]);
    }
    return swept_ball(state, to_double3(low), to_double3(high), to_double3(start_low),
                      to_double3(start_high), margin);
}

/// The contacts of one particle on its way to where it is now with one collider, up to three.
uint collide_with_triangles(const TriangleShape* shape, const ColliderInput* collider,
                    const global BodyInput* body, const global BodyState* state,
                    ObstacleInput obstacle, float4 x_start, float4 x, float4 v,
                    ContactState* found) {
    const double3 from = state->origin_start + to_double3(x_start),
                  to = state->origin + to_double3(x);
    const Obstacles planes =
        find_obstacles(shape, to_local(&collider->start, from), to_local(&collider->end, to),
                       0.5 * body->mean_edge);
    for (uint k = 0; k < planes.count; ++k)
        found[k] = make_contact(body, state, collider, obstacle, &planes.found[k], to, v);
    return planes.count;
}

/// Finds all particles within the margin of a collider of triangles, after find_contacts.
kernel GROUP_SIZE void find_triangle_contacts(BLOCKS, const global ObstacleInput* obstacles,
                                              const global ColliderInput* colliders,
                                              COLLIDER_SURFACES, const global float4* x,
                                              const global float4* x_start,
                                              const global float4* predicted_v,
                                              global uint* head, global ContactState* contacts,
                                              global uint* contact_count, uint capacity,
                                              const global double* sums) {
    THIS_BLOCK;
    const double margin = 0.5 * body->mean_edge;
    const uint end = min(block.end, body->count);
    const global double* const box = sums + (size_t)get_group_id(0) * BLOCK_SUMS;
    for (uint k = 0; k < body->obstacle_count; ++k) {
        const uint number = body->obstacle_first + k;
        const ObstacleInput obstacle = obstacles[number];
        const ColliderInput collider = colliders[collider_at(body, obstacle, left)];
        if (!is_of_triangles(&collider)) continue;
        const ColliderGeometry surface = SURFACE_AT(collider.surface);
        const TriangleShape shape = triangle_shape(&collider, surface);
        if (!triangles_are_near(&shape, &collider, ball_of_block(state, box, margin))) continue;
        for (uint i = block.begin + CLUSTER * ITEM; i < end; i += CLUSTER * GROUP) {
            const uint first = body->first + i, last = body->first + min(i + CLUSTER, end);
            if (!triangles_are_near(&shape, &collider,
                                    ball_around(state, x, x_start, first, last, margin)))
                continue;
            for (uint p = first; p < last; ++p) {
                ContactState found[3];
                if (x[p].w == 0) continue;
                const uint count = collide_with_triangles(&shape, &collider, body, state, obstacle,
                                                  x_start[p], x[p], predicted_v[p], found);
                for (uint j = 0; j < count; ++j)
                    append_contact(&found[j], p, number, head[p], head + p, contacts,
                                   contact_count, capacity);
            }
        }
    }
}

/// How deep the deepest particle of each block was when the step began, with all of its contacts.
kernel GROUP_SIZE void find_deepest(BLOCKS, const global uint* head,
                                    const global ContactState* contacts,
                                    global double* deepest) {
    THIS_BLOCK;
    local float depths[GROUP];
    local float4 normals[GROUP];
    float4 normal = 0;
    float depth = 0;
    FOR_EACH_PARTICLE(i, block)
    for (uint k = head[body->first + i]; k != NO_CONTACT; k = contacts[k].next) {
        if (!(contacts[k].depth > depth)) continue;
        depth = contacts[k].depth;
        normal = AT3(contacts[k].normal);
    }
    store_deepest(depth, normal, depths, normals, deepest);
}

/// Before push_out_again, which pushes them out: after a correction that went far, particles that
/// touched nothing are asked about all colliders again.
kernel GROUP_SIZE void find_triangle_contacts_again(
    BLOCKS, const global ObstacleInput* obstacles, const global ColliderInput* colliders,
    COLLIDER_SURFACES, const global float4* x, const global float4* x_start,
    const global float4* predicted_v, const global float4* direction, global uint* head,
    global ContactState* contacts, global uint* contact_count, uint capacity) {
    THIS_BLOCK;
    if (!state->round || !went_far(body, state)) return;
    const float pending = (float)state->pending;
    const uint end = min(block.end, body->count);
    for (uint i = block.begin + ITEM; i < end; i += GROUP) {
        const uint p = body->first + i;
        float4 at = x[p];
        if (at.w == 0 || head[p] != NO_CONTACT) continue;
        at.xyz += (pending * direction[p]).xyz;
        for (uint k = 0; k < body->obstacle_count; ++k) {
            const uint number = body->obstacle_first + k;
            const ObstacleInput obstacle = obstacles[number];
            const ColliderInput collider = colliders[collider_at(body, obstacle, left)];
            ContactState found[3];
            uint count = 0;
            if (is_of_triangles(&collider)) {
                const ColliderGeometry surface = SURFACE_AT(collider.surface);
                const TriangleShape shape = triangle_shape(&collider, surface);
                count = collide_with_triangles(&shape, &collider, body, state, obstacle, x_start[p], at,
                                       predicted_v[p], found);
            } else {
                count = find_contact(body, state, colliders, obstacle, left, x_start[p], at,
                                     predicted_v[p], found);
            }
            for (uint j = 0; j < count; ++j)
                append_contact(&found[j], p, number, head[p], head + p, contacts, contact_count,
                               capacity);
        }
    }
}
