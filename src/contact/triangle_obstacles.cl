// The planes that stop a particle at triangles (colliders.cpp).

typedef struct {
    Obstacle found[3];
    uint count;
} Obstacles;

/// A collider of triangles in its own frame.
typedef struct {
    ColliderGeometry surface;
    double half_wall;  ///< half the thickness of a shell
    bool shell;
} TriangleShape;

NearestOnGeometry triangle_surface(const TriangleShape* c, double3 p, double reach) {
    NearestOnGeometry near = nearest(&c->surface, p, reach + c->half_wall, c->shell);
    // Nothing within reach: far outside, or deep inside.
    if (!near.found && !c->shell && contains(&c->surface, p))
        near = nearest(&c->surface, p, INFINITY, false);
    if (!near.found) near.normal = (double3)(0, 1, 0);
    near.distance -= c->half_wall;
    return near;
}

/// The plane at which a way from → to, from outside, enters what triangles bound and stays, or
/// comes out elsewhere: not where it only cuts the crest between two faces of one side.
GeometryCrossing entered_for_good(const TriangleShape* c, double3 from, double3 to,
                                bool ends_inside) {
    const double one_side = 0.7;
    const int most_crests = 8;
    double least = 0;
    for (int i = 0;; ++i) {
        const GeometryCrossing entry = entered(&c->surface, from, to, least, c->shell);
        if (i == most_crests || !entry.found || c->shell || ends_inside) return entry;
        const GeometryCrossing exit = left_at(&c->surface, from, to, entry.share);
        if (!exit.found || dot_of(exit.normal, entry.normal) < one_side) return entry;
        least = exit.share;
    }
}

Obstacle triangle_obstacle(const TriangleShape* c, double3 from, double3 to, double margin) {
    const double size = norm(to - from);
    const NearestOnGeometry near = triangle_surface(c, to, margin + size);
    Obstacle end = {to - near.distance * near.normal, near.normal, near.distance,
                    near.distance - size, near.distance <= margin};
    if (near.distance > margin + size || end.start_gap > 0) return end;  // it started farther off
    const NearestOnGeometry start = triangle_surface(c, from, fabs(end.gap) + 1.001 * size + 1e-9);
    end.start_gap = start.distance;

    // A particle that starts inside belongs to the side that it is nearest to.
    const double rounding = 1e-9 * (1e-3 + norm(to));
    const double3 first =
        start.distance < rounding
            ? from - start.distance * start.normal + rounding * start.normal
            : from;
    if (norm(to - first) <= fmax(0.0, start.distance) + end.gap) return end;
    const GeometryCrossing entry = entered_for_good(c, first, to, end.gap < 0);
    if (!entry.found) return end;

    // Inside, the nearest way out is right if it leads back to where the particle came from. Where
    // it leads to a concave edge, friction along a plane across that would lead in again: one plane
    // for each face is better.
    const bool leads_back = !c->shell && end.gap < 0 && near.on_face &&
                            dot_of(end.normal, entry.normal) > 0 &&
                            dot_of(first - end.point, end.normal) >= -rounding;
    if (leads_back) return end;
    const double3 point = entry.point + c->half_wall * entry.normal;
    const Obstacle met = {point, entry.normal, dot_of(to - point, entry.normal), start.distance,
                          true};
    return met;
}

/// Where the planes found so far bring a particle to: there may be further ones.
double3 brought_out(const Obstacles* obstacles, double3 p) {
    for (int sweep = 0; sweep < 4; ++sweep)
        for (uint k = 0; k < obstacles->count; ++k) {
            const Obstacle* const o = obstacles->found + k;
            p -= fmin(0.0, dot_of(p - o->point, o->normal)) * o->normal;
        }
    return p;
}

/// A further plane; the first one knows whether the particle started inside.
void add_obstacle(Obstacles* obstacles, Obstacle o, double3 from) {
    const double start_gap = obstacles->found[0].start_gap;
    o.start_gap = start_gap < 0 ? dot_of(from - o.point, o.normal) : start_gap;
    obstacles->found[obstacles->count++] = o;
}

bool is_known(const Obstacles* obstacles, double3 normal) {
    for (uint k = 0; k < obstacles->count; ++k)
        if (dot_of(obstacles->found[k].normal, normal) > 0.999) return true;
    return false;
}

Obstacles find_obstacles(const TriangleShape* c, double3 from, double3 to, double margin) {
    Obstacles obstacles;
    obstacles.found[0] = triangle_obstacle(c, from, to, margin);
    obstacles.count = obstacles.found[0].found;
    if (obstacles.count == 0) return obstacles;
    double3 p = brought_out(&obstacles, to);
    for (bool pushed = obstacles.found[0].gap < 0; pushed && obstacles.count < 3;) {
        const Obstacle next = triangle_obstacle(c, from, p, 0);
        pushed = next.found && next.gap < -1e-9 * margin && !is_known(&obstacles, next.normal);
        if (!pushed) break;
        add_obstacle(&obstacles, next, from);
        p = brought_out(&obstacles, to);
    }
    Wanted known;
    known.shell = c->shell;
    while (obstacles.count < 3) {
        known.count = obstacles.count;
        for (uint k = 0; k < known.count; ++k) known.normals[k] = obstacles.found[k].normal;
        const NearestOnGeometry face = another_face(&c->surface, p, margin + c->half_wall, &known);
        if (!face.found) break;
        Obstacle o = {p - (face.distance - c->half_wall) * face.normal, face.normal, 0, 0, true};
        o.gap = dot_of(to - o.point, o.normal);
        add_obstacle(&obstacles, o, from);
    }
    return obstacles;
}
