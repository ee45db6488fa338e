#pragma once

#include <algorithm>
#include <array>

#include "turgor/math.hpp"

namespace turgor {

/// Of a triangle.
using Corners = std::array<Vec3, 3>;
struct Barycentric {
    double a = 1, b = 0, c = 0;
};

inline Vec3 point_at(const Corners& t, Barycentric w) {
    return w.a * t[0] + w.b * t[1] + w.c * t[2];
}

inline double squared_distance(const Corners& t, Barycentric w, Vec3 p) {
    const Vec3 d = point_at(t, w) - p;
    return dot(d, d);
}

/// The parameter of the point of segment ab nearest p.
inline double nearest_on_segment(Vec3 a, Vec3 b, Vec3 p) {
    const Vec3 ab = b - a;
    const double length2 = dot(ab, ab);
    return length2 > 0 ? std::clamp(dot(p - a, ab) / length2, 0.0, 1.0) : 0.0;
}

inline Barycentric nearest_on_edges(const Corners& t, Vec3 p) {
    const double ab = nearest_on_segment(t[0], t[1], p);
    const double bc = nearest_on_segment(t[1], t[2], p);
    const double ca = nearest_on_segment(t[2], t[0], p);
    Barycentric best{1 - ab, ab, 0};
    for (const Barycentric w : {Barycentric{0, 1 - bc, bc}, Barycentric{ca, 0, 1 - ca}})
        if (squared_distance(t, w, p) < squared_distance(t, best, p)) best = w;
    return best;
}

/// The point of a triangle nearest p, in barycentric coordinates (Ericson 2005, "Real-time
/// collision detection", 5.1.5). Triangles thinner than 1e-10 of their length are taken as their
/// edges.
inline Barycentric nearest_on_triangle(const Corners& t, Vec3 p) {
    const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0];
    const double ab_ab = dot(ab, ab), ab_ac = dot(ab, ac), ac_ac = dot(ac, ac);
    const double scale = std::max(ab_ab, ac_ac);
    // The squared doubled area; the subtraction loses digits, the cross product does not.
    double area2 = ab_ab * ac_ac - ab_ac * ab_ac;
    if (area2 < 1e-8 * scale * scale) {
        const Vec3 n = cross(ab, ac);
        area2 = dot(n, n);
        if (!(area2 > 1e-20 * scale * scale)) return nearest_on_edges(t, p);
        const double b = dot(cross(ap, ac), n) / area2, c = dot(cross(ab, ap), n) / area2;
        return b >= 0 && c >= 0 && b + c <= 1 ? Barycentric{1 - b - c, b, c}
                                              : nearest_on_edges(t, p);
    }
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
    const double d3 = d1 - ab_ab, d4 = d2 - ab_ac;  // from b
    if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
    const double d5 = d1 - ab_ac, d6 = d2 - ac_ac;  // from c
    if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
    const double c = d1 * d4 - d3 * d2, b = d5 * d2 - d1 * d6, a = d3 * d6 - d5 * d4;
    if (c <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / ab_ab, d1 / ab_ab, 0};
    if (b <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / ac_ac, 0, d2 / ac_ac};
    if (a <= 0 && d4 >= d3 && d5 >= d6) {
        const double at = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0, 1 - at, at};
    }
    const double inverse = 1 / (a + b + c);
    return {1 - (b + c) * inverse, b * inverse, c * inverse};
}

/// Where two segments are nearest to each other, as shares of their lengths (Ericson 2005, 5.1.9).
struct SegmentShares {
    double first = 0, second = 0;
};
inline SegmentShares nearest_on_segments(Vec3 a0, Vec3 a1, Vec3 b0, Vec3 b1) {
    const Vec3 a = a1 - a0, b = b1 - b0, r = a0 - b0;
    const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), ar = dot(a, r), br = dot(b, r);
    const double scale = aa * bb, determinant = scale - ab * ab;
    const double first =
        determinant > 1e-12 * scale ? std::clamp((ab * br - ar * bb) / determinant, 0.0, 1.0) : 0.0;
    const double second = bb > 0 ? std::clamp((ab * first + br) / bb, 0.0, 1.0) : 0.0;
    return {aa > 0 ? std::clamp((ab * second - ar) / aa, 0.0, 1.0) : 0.0, second};
}

}  // namespace turgor
