#include "mesh/intersections.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

using Corners = std::array<Vec3, 3>;

struct Interval {
    double low = 0, high = 0;
};

Interval project(const Corners& t, Vec3 axis) {
    const double a = dot(t[0], axis), b = dot(t[1], axis), c = dot(t[2], axis);
    return {std::min({a, b, c}), std::max({a, b, c})};
}

/// All candidate axes of two triangles: their normals, the cross products of their edges, and for
/// triangles in one plane the normals of their edges in it.
class SeparatingAxes {
public:
    SeparatingAxes(const Corners& p, const Corners& q, Touching touching) : touching_(touching) {
        // Near the origin, so that rounding is relative to the triangles.
        for (int i = 0; i < 3; ++i) {
            p_[i] = p[i] - p[0];
            q_[i] = q[i] - p[0];
            size_ = std::max({size_, largest(p_[i]), largest(q_[i])});
        }
    }

    bool separated() const {
        const Vec3 n = cross(p_[1] - p_[0], p_[2] - p_[0]), m = cross(q_[1] - q_[0], q_[2] - q_[0]);
        if (splits(n) || splits(m)) return true;
        for (int i = 0; i < 3; ++i) {
            const Vec3 e = p_[(i + 1) % 3] - p_[i], f = q_[(i + 1) % 3] - q_[i];
            if (splits(cross(e, n)) || splits(cross(f, m))) return true;
            for (int j = 0; j < 3; ++j)
                if (splits(cross(e, q_[(j + 1) % 3] - q_[j]))) return true;
        }
        return false;
    }

private:
    static double largest(Vec3 a) {
        return std::max({std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)});
    }

    bool splits(Vec3 axis) const {
        const double length = largest(axis);
        if (!(length > 1e-14 * size_ * size_)) return false;
        const Interval a = project(p_, axis), b = project(q_, axis);
        const double noise = 1e-13 * size_ * length;
        const double gap = std::max(b.low - a.high, a.low - b.high);
        if (touching_ == Touching::counts) return gap > noise;
        // Triangles in one plane have no extent along its normal, which says nothing then.
        const bool flat = a.high - a.low <= noise && b.high - b.low <= noise;
        return flat ? gap > noise : gap >= -noise;
    }

    Corners p_, q_;
    double size_ = 0;
    Touching touching_;
};

Corners corners_of(const Mesh& mesh, std::uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    return {mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
}

int common_corners(const Triangle& a, const Triangle& b) {
    int common = 0;
    for (const auto v : a) common += std::count(b.begin(), b.end(), v) > 0;
    return common;
}

/// Neighbours across an edge whose normals are opposite: the surface runs back onto itself.
bool folded(const Corners& p, const Corners& q) {
    const Vec3 n = cross(p[1] - p[0], p[2] - p[0]), m = cross(q[1] - q[0], q[2] - q[0]);
    return dot(n, m) < -(1 - 1e-12) * norm(n) * norm(m);
}

bool cut_each_other(const Mesh& mesh, std::uint32_t t, std::uint32_t u) {
    const int common = common_corners(mesh.triangles[t], mesh.triangles[u]);
    const Corners p = corners_of(mesh, t), q = corners_of(mesh, u);
    return common < 2 ? triangles_meet(p, q, Touching::ignored) : common == 2 && folded(p, q);
}

}  // namespace

bool triangles_meet(const Corners& p, const Corners& q, Touching touching) {
    return !SeparatingAxes(p, q, touching).separated();
}

std::vector<TrianglePair> self_intersections(const Mesh& mesh) {
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    std::vector<TrianglePair> pairs;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        check_cancelled();
        Bounds box;
        for (const Vec3 p : corners_of(mesh, t)) box.add(p);
        const std::size_t begin = pairs.size();
        tree.for_each_in(box, [&](std::uint32_t u) {
            if (u > t && cut_each_other(mesh, t, u)) pairs.push_back({t, u});
        });
        std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin), pairs.end(),
                  [](const TrianglePair& a, const TrianglePair& b) { return a.second < b.second; });
    }
    return pairs;
}

}  // namespace turgor
