#include "mesh/triangulate.hpp"

#include <algorithm>
#include <array>

namespace turgor {
namespace {

struct Point {
    double x = 0, y = 0;
    bool operator==(const Point&) const = default;
};

/// Twice the signed area of a triangle.
double turn(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

Vec3 normal(std::span<const Vec3> v, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return cross(v[b] - v[a], v[c] - v[a]);
}

/// How far a pair of triangles is from being a fold: the smaller height-to-length of the two,
/// negative where the triangle looks away from the whole quad.
double quality(std::span<const Vec3> v, Vec3 up, std::uint32_t a, std::uint32_t b,
               std::uint32_t c) {
    const Vec3 n = normal(v, a, b, c);
    const double ab = dot(v[b] - v[a], v[b] - v[a]), bc = dot(v[c] - v[b], v[c] - v[b]),
                 ca = dot(v[a] - v[c], v[a] - v[c]);
    const double longest = std::max({ab, bc, ca});
    if (longest == 0) return 0;
    return (dot(n, up) < 0 ? -1 : 1) * norm(n) / longest;
}

void cut_quad(std::span<const Vec3> v, const std::vector<std::uint32_t>& q,
              std::vector<Triangle>& triangles) {
    const Vec3 up = area_vector(v, q);
    const double first =
        std::min(quality(v, up, q[0], q[1], q[2]), quality(v, up, q[0], q[2], q[3]));
    const double second =
        std::min(quality(v, up, q[1], q[2], q[3]), quality(v, up, q[1], q[3], q[0]));
    if (first >= second) {
        triangles.push_back({q[0], q[1], q[2]});
        triangles.push_back({q[0], q[2], q[3]});
    } else {
        triangles.push_back({q[1], q[2], q[3]});
        triangles.push_back({q[1], q[3], q[0]});
    }
}

/// Ear clipping on a ring of corners. A corner is concave where the polygon turns clockwise or not
/// at all; only those can lie in an ear.
class EarClipper {
public:
    EarClipper(std::span<const Vec3> vertices, const std::vector<std::uint32_t>& polygon)
        : corners_(polygon), points_(polygon.size()), next_(polygon.size()), prev_(polygon.size()) {
        project(vertices);
        const auto n = static_cast<std::uint32_t>(polygon.size());
        for (std::uint32_t i = 0; i < n; ++i) {
            next_[i] = (i + 1) % n;
            prev_[i] = (i + n - 1) % n;
        }
        for (std::uint32_t i = 0; i < n; ++i)
            if (turn_at(i) <= flat_) concave_.push_back(i);
    }

    /// Each ear is tested against every concave corner.
    bool affordable() const { return concave_.size() * corners_.size() < 200'000'000; }

    void clip(std::vector<Triangle>& triangles) {
        std::size_t left = corners_.size(), misses = 0;
        std::uint32_t at = 0;
        while (left > 3) {
            // After a round without an ear the polygon crosses itself or is flat: cut what is left
            // where it is convex, then anywhere.
            const bool cut = misses < left       ? is_ear(at)
                             : misses < 2 * left ? turn_at(at) > 0
                                                 : true;
            if (!cut) {
                ++misses;
                at = next_[at];
                continue;
            }
            triangles.push_back({corners_[prev_[at]], corners_[at], corners_[next_[at]]});
            at = remove(at);
            --left;
            misses = 0;
        }
        triangles.push_back({corners_[prev_[at]], corners_[at], corners_[next_[at]]});
    }

private:
    void project(std::span<const Vec3> v) {
        const Vec3 up = normalized(area_vector(v, corners_));
        const Vec3 other = std::fabs(up.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        const Vec3 x = normalized(cross(other, up)), y = cross(up, x);
        double size = 0;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const Vec3 p = v[corners_[i]] - v[corners_[0]];
            points_[i] = {dot(p, x), dot(p, y)};
            size = std::max({size, std::fabs(points_[i].x), std::fabs(points_[i].y)});
        }
        flat_ = 1e-14 * size * size;
    }

    double turn_at(std::uint32_t i) const {
        return turn(points_[prev_[i]], points_[i], points_[next_[i]]);
    }

    bool is_ear(std::uint32_t i) const {
        const Point a = points_[prev_[i]], b = points_[i], c = points_[next_[i]];
        if (turn(a, b, c) <= flat_) return false;
        for (const std::uint32_t k : concave_) {
            const Point p = points_[k];
            if (k == prev_[i] || k == next_[i] || p == a || p == b || p == c) continue;
            if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
        }
        return true;
    }

    /// Takes corner i out and returns where to go on: one corner further, so that the ears do not
    /// all meet in one corner.
    std::uint32_t remove(std::uint32_t i) {
        const std::uint32_t before = prev_[i], after = next_[i];
        next_[before] = after;
        prev_[after] = before;
        std::erase_if(concave_, [&](std::uint32_t k) {
            return k == i || ((k == before || k == after) && turn_at(k) > flat_);
        });
        return next_[after];
    }

    const std::vector<std::uint32_t>& corners_;
    std::vector<Point> points_;
    std::vector<std::uint32_t> next_, prev_, concave_;
    double flat_ = 0;
};

}  // namespace

Vec3 area_vector(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon) {
    Vec3 sum;
    const Vec3 origin = vertices[polygon[0]];
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
        sum += cross(vertices[polygon[i]] - origin, vertices[polygon[i + 1]] - origin);
    return 0.5 * sum;
}

bool triangulate(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<Triangle>& triangles) {
    if (polygon.size() == 3) {
        triangles.push_back({polygon[0], polygon[1], polygon[2]});
        return true;
    }
    std::vector<std::uint32_t> corners;
    for (const auto c : polygon)
        if (corners.empty() || corners.back() != c) corners.push_back(c);
    while (corners.size() > 1 && corners.back() == corners.front()) corners.pop_back();
    if (corners.size() < 3) return true;
    if (corners.size() == 3) {
        triangles.push_back({corners[0], corners[1], corners[2]});
        return true;
    }
    if (corners.size() == 4) {
        cut_quad(vertices, corners, triangles);
        return true;
    }
    EarClipper clipper(vertices, corners);
    if (!clipper.affordable()) return false;
    clipper.clip(triangles);
    return true;
}

}  // namespace turgor
