// The point of a triangle nearest to another (nearest_point.hpp).

typedef struct {
    double3 a, b, c;
} Corners;

/// Barycentric coordinates are the three numbers of a double3.
double3 point_at(Corners t, double3 w) {
    return w.x * t.a + w.y * t.b + w.z * t.c;
}

double squared_distance(Corners t, double3 w, double3 p) {
    const double3 d = point_at(t, w) - p;
    return dot_of(d, d);
}

double nearest_on_segment(double3 a, double3 b, double3 p) {
    const double3 ab = b - a;
    const double length2 = dot_of(ab, ab);
    return length2 > 0 ? clamp(dot_of(p - a, ab) / length2, 0.0, 1.0) : 0.0;
}

double3 nearest_on_edges(Corners t, double3 p) {
    const double ab = nearest_on_segment(t.a, t.b, p);
    const double bc = nearest_on_segment(t.b, t.c, p);
    const double ca = nearest_on_segment(t.c, t.a, p);
    double3 best = (double3)(1 - ab, ab, 0);
    const double3 on_bc = (double3)(0, 1 - bc, bc), on_ca = (double3)(ca, 0, 1 - ca);
    if (squared_distance(t, on_bc, p) < squared_distance(t, best, p)) best = on_bc;
    if (squared_distance(t, on_ca, p) < squared_distance(t, best, p)) best = on_ca;
    return best;
}

/// Ericson 2005, "Real-time collision detection", 5.1.5. Triangles thinner than 1e-10 of their
/// length are taken as their edges.
double3 nearest_on_triangle(Corners t, double3 p) {
    const double3 ab = t.b - t.a, ac = t.c - t.a, ap = p - t.a;
    const double ab_ab = dot_of(ab, ab), ab_ac = dot_of(ab, ac), ac_ac = dot_of(ac, ac);
    const double scale = fmax(ab_ab, ac_ac);
    // The squared doubled area; the subtraction loses digits, the cross product does not.
    double area2 = ab_ab * ac_ac - ab_ac * ab_ac;
    if (area2 < 1e-8 * scale * scale) {
        const double3 n = cross_of(ab, ac);
        area2 = dot_of(n, n);
        if (!(area2 > 1e-20 * scale * scale)) return nearest_on_edges(t, p);
        const double b = dot_of(cross_of(ap, ac), n) / area2,
                     c = dot_of(cross_of(ab, ap), n) / area2;
        return b >= 0 && c >= 0 && b + c <= 1 ? (double3)(1 - b - c, b, c)
                                              : nearest_on_edges(t, p);
    }
    const double d1 = dot_of(ab, ap), d2 = dot_of(ac, ap);
    if (d1 <= 0 && d2 <= 0) return (double3)(1, 0, 0);
    const double d3 = d1 - ab_ab, d4 = d2 - ab_ac;  // from b
    if (d3 >= 0 && d4 <= d3) return (double3)(0, 1, 0);
    const double d5 = d1 - ab_ac, d6 = d2 - ac_ac;  // from c
    if (d6 >= 0 && d5 <= d6) return (double3)(0, 0, 1);
    const double c = d1 * d4 - d3 * d2, b = d5 * d2 - d1 * d6, a = d3 * d6 - d5 * d4;
    if (c <= 0 && d1 >= 0 && d3 <= 0) return (double3)(1 - d1 / ab_ab, d1 / ab_ab, 0);
    if (b <= 0 && d2 >= 0 && d6 <= 0) return (double3)(1 - d2 / ac_ac, 0, d2 / ac_ac);
    if (a <= 0 && d4 >= d3 && d5 >= d6) {
        const double at = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (double3)(0, 1 - at, at);
    }
    const double inverse = 1 / (a + b + c);
    return (double3)(1 - (b + c) * inverse, b * inverse, c * inverse);
}
