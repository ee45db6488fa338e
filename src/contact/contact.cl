// Stage 3 against colliders on a device (contact_reference.cpp). Contacts of a particle hang on it
// as a list; they are kept relative to the body's origin, where single precision is enough.

#define AT3(v) ((float4)((v)[0], (v)[1], (v)[2], 0))
#define SET3(to, v)              \
    {                            \
        const float4 value = (v); \
        (to)[0] = value.x;       \
        (to)[1] = value.y;       \
        (to)[2] = value.z;       \
    }

float gap_of(const ContactState* c, float4 x) {
    return dot3(x - AT3(c->point), AT3(c->normal));
}

/// Slides back along the surface: at most by what friction allows for the push so far. `way`: the
/// particle's, since the step began.
float4 slide_back(const ContactState* c, float push, float4 way) {
    const float4 normal = AT3(c->normal), moved = (float4)(way.xyz, 0) - AT3(c->surface_motion);
    const float4 sliding = moved - dot3(moved, normal) * normal;
    const float size = sqrt(dot3(sliding, sliding));
    return size > 0 ? fmin(1.0f, c->friction * push / size) * sliding : (float4)(0);
}

/// Coulomb's coefficient at a speed along the surface (ContactCoefficients::at).
double friction_at(ObstacleInput o, double speed, double sticking) {
    if (speed <= sticking) return o.static_friction;
    if (speed >= 2 * sticking) return o.friction;
    return o.friction + (2 - speed / sticking) * (o.static_friction - o.friction);
}

/// Where a collider is, as it moves in this sub-step.
size_t collider_at(const global BodyInput* body, ObstacleInput obstacle, uint left) {
    return body->collider_first + (size_t)(body->sub_steps - left) * body->colliders +
           obstacle.collider;
}

/// The contact of a particle that is at `to` with a plane that stops it, in the collider's frame.
ContactState make_contact(const global BodyInput* body, const global BodyState* state,
                          const ColliderInput* collider, ObstacleInput obstacle,
                          const Obstacle* o, double3 to, float4 v) {
    const double3 velocity = state->drift + to_double3(v);
    const double3 point = to_world(&collider->end, o->point),
                  normal = turn(collider->end.rotation, o->normal);
    const double3 motion =
        collider->moves ? point - to_world(&collider->start, o->point) : (double3)(0);
    ContactState c;
    SET3(c.point, to_float4(point - state->origin));
    SET3(c.normal, to_float4(normal));
    SET3(c.surface_motion, to_float4(motion));
    c.flags = obstacle.sensor ? CONTACT_SENSOR : 0;
    if (obstacle.sensor && dot(to - point, normal) < 0) c.flags |= CONTACT_INSIDE;
    c.depth = obstacle.sensor ? 0 : (float)fmax(0.0, -o->start_gap);
    c.approach = (float)dot(velocity, normal);
    c.friction = obstacle.friction;
    c.push = c.solved = c.normal_impulse = 0;
    SET3(c.friction_push, (float4)(0));
    SET3(c.friction_impulse, (float4)(0));
    if (obstacle.static_friction > obstacle.friction) {
        const double3 relative = velocity - motion / body->step;
        c.friction = (float)friction_at(
            obstacle, length(relative - dot(relative, normal) * normal), body->sticking_speed);
    }
    c.restitution = obstacle.restitution;
    return c;
}

/// The contact of one particle on its way to where it is now with one collider, if it comes within
/// the margin.
bool find_contact(const global BodyInput* body, const global BodyState* state,
                  const global ColliderInput* colliders, ObstacleInput obstacle, uint left,
                  float4 x_start, float4 x, float4 v, ContactState* c) {
    const ColliderInput collider =
        colliders[collider_at(body, obstacle, left)];
    if (is_of_triangles(&collider)) return false;
    const double3 from = state->origin_start + to_double3(x_start),
                  to = state->origin + to_double3(x);
    const Obstacle o = find_obstacle(&collider, to_local(&collider.start, from),
                                     to_local(&collider.end, to), 0.5 * body->mean_edge);
    if (o.found) *c = make_contact(body, state, &collider, obstacle, &o, to, v);
    return o.found;
}

typedef struct {
    double3 middle;
    double radius;
} Ball;

/// A margin around a box at the end of the step and one at its start, relative to the origins.
Ball swept_ball(const global BodyState* state, double3 low, double3 high, double3 start_low,
                double3 start_high, double margin) {
    const double3 lower = fmin(state->origin + low, state->origin_start + start_low),
                  upper = fmax(state->origin + high, state->origin_start + start_high);
    const Ball ball = {0.5 * (lower + upper), 0.5 * length(upper - lower) + margin};
    return ball;
}

Ball ball_of_block(const global BodyState* state, const global double* box, double margin) {
    return swept_ball(state, -vload3(0, box + GOAL_LOW), vload3(0, box + GOAL_HIGH),
                      -vload3(0, box + GOAL_START_LOW), vload3(0, box + GOAL_START_HIGH), margin);
}

/// Whether particles in a block's box may come within a margin of a collider.
bool is_near(const global BodyInput* body, const global BodyState* state,
             const global ColliderInput* colliders, ObstacleInput obstacle, uint left,
             const global double* box, double margin) {
    const ColliderInput collider =
        colliders[collider_at(body, obstacle, left)];
    if (is_of_triangles(&collider)) return false;
    const Ball ball = ball_of_block(state, box, margin);
    const double3 at_end = to_local(&collider.end, ball.middle);
    const double way = length(at_end - to_local(&collider.start, ball.middle));
    return !(nearest_surface(&collider, at_end).distance - way > ball.radius);
}

void append_contact(const ContactState* found, uint particle, uint obstacle, uint head,
                    global uint* head_of, global ContactState* contacts, global uint* count,
                    uint capacity) {
    const uint slot = atomic_inc(count);
    if (slot >= capacity) return;
    contacts[slot] = *found;
    contacts[slot].particle = particle;
    contacts[slot].obstacle = obstacle;
    contacts[slot].next = NO_CONTACT;
    // At the end of the list, so that contacts keep the order of the colliders.
    if (head == NO_CONTACT) {
        *head_of = slot;
        return;
    }
    while (contacts[head].next != NO_CONTACT) head = contacts[head].next;
    contacts[head].next = slot;
}

/// Of what the work-items of a block found: how deep the deepest particle was when the step began,
/// and its normal.
void store_deepest(float depth, float4 normal, local float* depths, local float4* normals,
                   global double* deepest) {
    depths[ITEM] = depth;
    normals[ITEM] = normal;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ITEM != 0) return;
    for (uint k = 1; k < GROUP; ++k)
        if (depths[k] > depth) {
            depth = depths[k];
            normal = normals[k];
        }
    global double* const out = deepest + (size_t)get_group_id(0) * 4;
    out[0] = depth;
    out[1] = normal.x;
    out[2] = normal.y;
    out[3] = normal.z;
}

/// Finds all particles within the margin of a collider. `sums` still has the boxes of the blocks.
/// Of each block: how deep its deepest particle was when the step began, and its normal.
kernel GROUP_SIZE void find_contacts(BLOCKS, const global ObstacleInput* obstacles,
                                     const global ColliderInput* colliders,
                                     const global float4* x, const global float4* x_start,
                                     const global float4* predicted_v, const global float* mass,
                                     global uint* head, global ContactState* contacts,
                                     global uint* contact_count, uint capacity,
                                     const global double* sums, global double* deepest) {
    THIS_BLOCK;
    local float depths[GROUP];
    local float4 normals[GROUP];
    float4 normal = 0;
    float depth = 0;
    FOR_EACH_PARTICLE(i, block) head[body->first + i] = NO_CONTACT;
    const global double* const box = sums + (size_t)get_group_id(0) * BLOCK_SUMS;
    for (uint k = 0; k < body->obstacle_count; ++k) {
        const ObstacleInput obstacle = obstacles[body->obstacle_first + k];
        if (!is_near(body, state, colliders, obstacle, left, box, 0.5 * body->mean_edge))
            continue;
        FOR_EACH_PARTICLE(i, block) {
            const uint p = body->first + i;
            if (!(mass[body->asset + i] > 0) || x[p].w == 0) continue;
            ContactState c;
            if (!find_contact(body, state, colliders, obstacle, left, x_start[p], x[p],
                              predicted_v[p], &c))
                continue;
            append_contact(&c, p, body->obstacle_first + k, head[p], head + p, contacts,
                           contact_count, capacity);
            if (!(c.depth > depth)) continue;
            depth = c.depth;
            normal = AT3(c.normal);
        }
    }
    store_deepest(depth, normal, depths, normals, deepest);
}

/// A body that was inside when the step began, because it was put there, comes out a share of the
/// way as a whole, without gaining speed.
kernel BODY_GROUP_SIZE void depenetrate(BODIES, const global double* deepest) {
    THIS_BODY;
    if (ITEM != 0) return;
    double depth = 0;
    double3 normal = 0;
    for (uint k = 0; k < body->blocks; ++k) {
        const global double* const in = deepest + (size_t)(body->first_block + k) * 4;
        if (!(in[0] > depth)) continue;
        depth = in[0];
        normal = (double3)(in[1], in[2], in[3]);
    }
    const double3 shift = body->depenetration_share * depth * normal;
    state->depenetration = to_float4(shift);
    state->origin += shift;
    state->origin_start += shift;
}

/// Moves one particle out of what it is in, with Coulomb friction against its `way` since the step
/// began less what it has been moved since. True if it moved by more than `least`.
bool push_out(global ContactState* contacts, uint head, float4 way, float4* x, float least) {
    const float4 from = *x;
    bool any = false, moved = true;
    for (int sweep = 0; sweep < 4 && moved; ++sweep) {
        moved = false;
        for (uint k = head; k != NO_CONTACT; k = contacts[k].next) {
            const ContactState c = contacts[k];
            const float gap = gap_of(&c, *x);
            if (gap >= 0 || (c.flags & CONTACT_SENSOR)) continue;
            moved = true;
            any = any || gap < -least;
            *x -= gap * AT3(c.normal);
            *x -= slide_back(&c, -gap, way + (*x - from));
            contacts[k].push = c.push - gap;
            contacts[k].flags = c.flags | CONTACT_TOUCHING;
        }
    }
    return any;
}

/// How firmly contacts hold a particle against the volume correction: 1 where they touch, fading.
float4 support_at(const global ContactState* contacts, uint head, float4 x, float fade,
                  float4 support) {
    for (uint k = head; k != NO_CONTACT; k = contacts[k].next) {
        const ContactState c = contacts[k];
        if (c.flags & CONTACT_SENSOR) continue;
        const float u = fade > 0 ? clamp(gap_of(&c, x) / fade, 0.0f, 1.0f) : 1;
        const float hold = c.flags & CONTACT_TOUCHING ? 1 : 1 - u * u * (3 - 2 * u);
        if (hold > fabs(support.w)) support = (float4)(AT3(c.normal).xyz, hold);
    }
    return support;
}

/// Pushes particles out, with friction: what the volume stage pressed on a collider in the last
/// step has friction in this one.
kernel GROUP_SIZE void push_out_of_colliders(BLOCKS, global float4* x, global float4* v,
                                      const global float4* x_start, global float4* support,
                                      const global uint* head, global ContactState* contacts) {
    THIS_BLOCK;
    const float4 shift = state->depenetration;
    const float4 frame_displacement = to_float4(state->origin - state->origin_start);
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (head[p] == NO_CONTACT) continue;
        for (uint k = head[p]; k != NO_CONTACT; k = contacts[k].next) {
            const float4 normal = AT3(contacts[k].normal);
            const float left = fmax(0.0f, contacts[k].depth - dot3(shift, normal));
            SET3(contacts[k].point, AT3(contacts[k].point) - shift - left * normal);
        }
        float4 at = x[p];
        const float4 start = x_start[p], from = at;
        push_out(contacts, head[p], frame_displacement + (at - start), &at, 0);
        // In a corner the nearest contact takes it all.
        uint nearest = NO_CONTACT;
        float smallest = INFINITY;
        for (uint k = head[p]; k != NO_CONTACT; k = contacts[k].next) {
            const ContactState c = contacts[k];
            if ((c.flags & CONTACT_SENSOR) || !(gap_of(&c, at) < smallest)) continue;
            smallest = gap_of(&c, at);
            nearest = k;
        }
        if (nearest != NO_CONTACT && start.w > 0) {
            const ContactState c = contacts[nearest];
            at -= slide_back(&c, start.w, frame_displacement + (at - start));
        }
        const float4 moved = at - from;
        x[p] = (float4)(at.xyz, from.w);
        v[p] = (float4)((v[p] + 1 / body->h * moved).xyz, v[p].w);
        support[p] = support_at(contacts, head[p], at, (float)body->fade, support[p]);
    }
}

/// Whether a correction may have moved particles from beyond the margin into a collider.
bool went_far(const global BodyInput* body, const global BodyState* state) {
    return fabs(state->factor) * state->largest > 0.25 * body->mean_edge;
}

/// After a correction that may have moved particles into a collider: those are pushed out, and the
/// body is corrected again. Of each block: whether it found any.
kernel GROUP_SIZE void push_out_again(BLOCKS, const global ObstacleInput* obstacles,
                                  const global ColliderInput* colliders, const global float4* x,
                                  const global float4* x_start, const global float4* predicted_v,
                                  const global float4* direction, const global float* mass,
                                  global uint* head, global ContactState* contacts,
                                  global uint* contact_count, uint capacity,
                                  global float4* pushed, global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    const float pending = (float)state->pending, least = (float)(3e-7 * body->size);
    const float4 frame_displacement = to_float4(state->origin - state->origin_start);
    const bool far = went_far(body, state);
    double any[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        float4 at = x[p];
        if (!(mass[body->asset + i] > 0) || at.w == 0) continue;
        at.xyz += (pending * direction[p]).xyz;
        if (head[p] == NO_CONTACT && far)
            for (uint k = 0; k < body->obstacle_count; ++k) {
                ContactState c;
                if (find_contact(body, state, colliders, obstacles[body->obstacle_first + k],
                                 left, x_start[p], at, predicted_v[p], &c))
                    append_contact(&c, p, body->obstacle_first + k, head[p], head + p, contacts,
                                   contact_count, capacity);
            }
        if (head[p] == NO_CONTACT) continue;
        if (push_out(contacts, head[p], frame_displacement + (at - x_start[p]), &at, least)) any[0] = 1;
        pushed[p] = at;
    }
    store_block(sums, any, 0, any, 1, scratch);
}

kernel BODY_GROUP_SIZE void another_round(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->round) return;
    GATHER(0, 1);
    // Where no root was near, all is tried again without what holds it.
    state->round = total[0] > 0;
}

/// The pending move, and where contacts pushed particles.
kernel GROUP_SIZE void move_again(BLOCKS, global float4* x, global float4* v,
                                  const global float4* direction, const global float4* pushed,
                                  const global uint* head, const global ContactState* contacts,
                                  global float4* support, const global float* mass,
                                  global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (!state->round) return;
    const float pending = (float)state->pending, per_h = 1 / body->h;
    double total[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        if (!(mass[body->asset + i] > 0)) continue;
        const float4 from = x[p], u = v[p], d = direction[p];
        float4 at = from;
        at.xyz += (pending * d).xyz;
        if (head[p] != NO_CONTACT && from.w != 0) {
            at = pushed[p];
            support[p] = support_at(contacts, head[p], at, (float)body->fade, support[p]);
        }
        x[p] = (float4)(at.xyz, from.w);
        v[p] = (float4)((u + per_h * (at - from)).xyz, u.w + pending * d.w);
        total[0] += fabs(support[p].w);
    }
    store_block(sums, total, 1, total, 0, scratch);
}

kernel BODY_GROUP_SIZE void reduce_push_out(BODIES, const global double* sums) {
    THIS_BODY;
    if (!state->round) return;
    GATHER(1, 0);
    state->slip = clamp(2 * total[0] / body->count - 1, 0.0, 1.0);
}

/// The velocity of a particle without what closes at touching contacts, and with the restitution of
/// those that just hit.
float4 stop_closing(const global ContactState* contacts, uint head, float h, float least_bounce,
                    float4 v) {
    for (uint k = head; k != NO_CONTACT; k = contacts[k].next) {
        const ContactState c = contacts[k];
        if (!(c.flags & CONTACT_TOUCHING)) continue;
        const float4 normal = AT3(c.normal), motion = AT3(c.surface_motion);
        const float surface = dot3(motion, normal) / h;
        const float closing = dot3(v, normal) - surface, before = c.approach - surface;
        const float wanted = before < -least_bounce ? -c.restitution * before : 0;
        if (closing >= wanted) continue;
        v += (wanted - closing) * normal;
        const float4 relative = v - motion / h;
        const float4 sliding = relative - dot3(relative, normal) * normal;
        const float speed = sqrt(dot3(sliding, sliding));
        if (speed > 0) v -= fmin(1.0f, c.friction * (wanted - closing) / speed) * sliding;
    }
    return v;
}

/// First, so that an impact gives the same impulse wherever in the step it happens. `before`: the
/// velocities, before constraints changed them. Sums: what it changes of Σ v·n̄.
kernel GROUP_SIZE void stop_at_contacts(BLOCKS, global float4* v, const global float4* before,
                                        const global float4* normal,
                                        const global float4* direction, const global uint* head,
                                        const global ContactState* contacts, uint with_contacts,
                                        global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    if (body->volume_mode == 2) return;
    const float4 drift = to_float4(state->drift);
    const float faster = (float)(state->pending / body->step);
    double total[1] = {0};
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        const uint first = with_contacts ? head[p] : NO_CONTACT;
        if (state->has_constraints) total[0] += dot3(v[p] - before[p], normal[p]);
        if (first == NO_CONTACT) continue;
        const float4 u = v[p], pending = faster * direction[p];
        const float4 was = (float4)((drift + u + pending).xyz, 0);
        const float4 by =
            stop_closing(contacts, first, body->h, (float)body->least_bounce, was) - was;
        v[p] = (float4)((u + by).xyz, u.w);
        total[0] += dot3(by, normal[p]);
    }
    store_block(sums, total, 1, total, 0, scratch);
}

kernel BODY_GROUP_SIZE void reduce_stopping(BODIES, const global double* sums) {
    THIS_BODY;
    if (body->volume_mode == 2) return;
    GATHER(1, 0);
    state->divergence += total[0];
    state->last_keep = (float)kept_share(state->slope_pins, state->largest_pins,
                                         body->step * state->divergence / 3, body->comfortable);
}

/// Contacts stop what closes after stage 5, too. Sums: what that changes of the motion (linear,
/// angular, energy); of supported particles mass, Σ m x, Σ m v; of pinned ones mass, Σ m v; the
/// points that touch and how many.
kernel GROUP_SIZE void settle_contacts(BLOCKS, const global float4* x, global float4* v,
                                       const global float4* before, const global float4* support,
                                       const global uint* head,
                                       const global ContactState* contacts,
                                       const global float* mass, uint with_contacts,
                                       global double* sums) {
    THIS_BLOCK;
    local double scratch[BATCH * GROUP];
    const float4 drift = to_float4(state->drift);
    const float4 a = to_float4(state->change_a), b = to_float4(state->change_b);
    double total[22];
    for (int k = 0; k < 22; ++k) total[k] = 0;
    FOR_EACH_PARTICLE(i, block) {
        const uint p = body->first + i;
        const float hold = fabs(support[p].w);
        const uint first = with_contacts ? head[p] : NO_CONTACT;
        if (hold == 0 && first == NO_CONTACT && !state->has_constraints) continue;
        const float4 at = (float4)(x[p].xyz, 0), u = v[p];
        const float m = mass[body->asset + i];
        if (x[p].w == 0) {
            total[14] += m;
            total[15] += m * u.x;
            total[16] += m * u.y;
            total[17] += m * u.z;
            continue;
        }
        const float4 come = (float4)((u + a + cross3(b, at)).xyz, 0);
        const float4 was = state->has_constraints ? come - (float4)((u - before[p]).xyz, 0) : come;
        float4 now = come;
        if (first != NO_CONTACT)
            now = stop_closing(contacts, first, body->h, (float)body->least_bounce, drift + come) -
                  drift;
        if (first != NO_CONTACT || state->has_constraints) {
            const float4 by = now - was, turning = cross3(at, by);
            v[p] = (float4)((u + (now - come)).xyz, u.w);
            total[0] += m * by.x;
            total[1] += m * by.y;
            total[2] += m * by.z;
            total[3] += m * turning.x;
            total[4] += m * turning.y;
            total[5] += m * turning.z;
            total[6] += m * (dot3(now, now) - dot3(was, was));
            for (uint k = first; k != NO_CONTACT; k = contacts[k].next) {
                if (!(contacts[k].flags & CONTACT_TOUCHING)) continue;
                total[18] += contacts[k].point[0];
                total[19] += contacts[k].point[1];
                total[20] += contacts[k].point[2];
                total[21] += 1;
            }
        }
        if (!(hold > 0.5f)) continue;
        total[7] += m;
        total[8] += m * at.x;
        total[9] += m * at.y;
        total[10] += m * at.z;
        total[11] += m * now.x;
        total[12] += m * now.y;
        total[13] += m * now.z;
    }
    store_block(sums, total, 22, total, 0, scratch);
}
