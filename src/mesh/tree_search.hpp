#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/bounds.hpp"
#include "base/nearest_point.hpp"

/// Searches in a tree of boxes over triangles, whatever the tree is stored as. A tree has
///   Node root();  Bounds box(node);  bool is_leaf(node);  std::pair<Node, Node> children(node);
///   each_triangle(leaf, visit(triangle, corners)).
namespace turgor {

struct TreeHit {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t triangle = none;
    /// To the nearest point [m]; along a ray in units of its direction.
    double distance = std::numeric_limits<double>::infinity();
    double weight[3] = {};  ///< barycentric coordinates of the point
    Vec3 point;
};

inline constexpr int deepest_tree = 82;

/// Nodes still to be visited. A descent leaves at most one sibling for each level.
template <class T>
class SearchStack {
public:
    void push(T value) { values_[size_++] = value; }
    T pop() { return values_[--size_]; }
    bool empty() const { return size_ == 0; }

private:
    std::array<T, deepest_tree> values_;
    std::size_t size_ = 0;
};

/// Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection": in coordinates in which the
/// ray is the z axis the edge functions of two neighbours are exact negatives of each other, so no
/// ray slips between.
class TreeRay {
public:
    TreeRay(Vec3 origin, Vec3 direction) : origin_(origin) {
        const Vec3 size{std::abs(direction.x), std::abs(direction.y), std::abs(direction.z)};
        z_ = longest_axis(size), x_ = (z_ + 1) % 3, y_ = (z_ + 2) % 3;
        scale_ = 1 / direction[z_];
        shear_x_ = direction[x_] * scale_, shear_y_ = direction[y_] * scale_;
        inverse_ = {1 / direction.x, 1 / direction.y, 1 / direction.z};
    }

    /// Where the ray enters the box, infinity where it passes it by. A NaN (a ray inside a face's
    /// plane) never wins.
    double enter(const Bounds& box, double least, double most) const {
        for (int k = 0; k < 3; ++k) {
            double near = (box.lower[k] - origin_[k]) * inverse_[k];
            double far = (box.upper[k] - origin_[k]) * inverse_[k];
            if (inverse_[k] < 0) std::swap(near, far);
            // Ize 2013, "Robust BVH ray traversal": no rounding may lose a box.
            near *= near > 0 ? 1 - widening : 1 + widening;
            far *= far > 0 ? 1 + widening : 1 - widening;
            if (near > least) least = near;
            if (far < most) most = far;
        }
        return least <= most ? least : std::numeric_limits<double>::infinity();
    }

    bool meets(const Corners& t, double& distance, Barycentric& w) const {
        const Sheared a = shear(t[0]), b = shear(t[1]), c = shear(t[2]);
        w = {c.x * b.y - c.y * b.x, a.x * c.y - a.y * c.x, b.x * a.y - b.y * a.x};
        if ((w.a < 0 || w.b < 0 || w.c < 0) && (w.a > 0 || w.b > 0 || w.c > 0)) return false;
        const double sum = w.a + w.b + w.c;
        if (sum == 0 || !std::isfinite(sum)) return false;
        w = {w.a / sum, w.b / sum, w.c / sum};
        distance = scale_ * (w.a * a.z + w.b * b.z + w.c * c.z);
        return true;
    }

private:
    static constexpr double widening = 1e-12;
    struct Sheared {
        double x, y, z;
    };
    Sheared shear(Vec3 p) const {
        const Vec3 d = p - origin_;
        return {d[x_] - shear_x_ * d[z_], d[y_] - shear_y_ * d[z_], d[z_]};
    }

    Vec3 origin_, inverse_;
    int x_ = 0, y_ = 1, z_ = 2;
    double shear_x_ = 0, shear_y_ = 0, scale_ = 1;
};

/// The first triangle, of either side, with least < t ≤ most on origin + t·direction. Of triangles
/// at the very same t the one with the lowest index. accept(triangle, corners) may refuse one.
template <class Tree, class Accept>
TreeHit first_hit_in(const Tree& tree, Vec3 origin, Vec3 direction, double least, double most,
                     Accept&& accept) {
    TreeHit best;
    if (direction == Vec3{}) return best;
    best.distance = most;
    const TreeRay ray(origin, direction);
    using Node = decltype(tree.root());
    SearchStack<std::pair<Node, double>> stack;
    stack.push({tree.root(), ray.enter(tree.box(tree.root()), least, most)});
    while (!stack.empty()) {
        const auto [node, entry] = stack.pop();
        if (entry == std::numeric_limits<double>::infinity() || entry > best.distance) continue;
        if (tree.is_leaf(node)) {
            tree.each_triangle(node, [&](std::uint32_t triangle, const Corners& corners) {
                double distance;
                Barycentric w;
                if (!ray.meets(corners, distance, w) || !(distance > least)) return;
                if (distance > best.distance ||
                    (distance == best.distance && triangle > best.triangle))
                    return;
                if (!accept(triangle, corners)) return;
                best = {triangle, distance, {w.a, w.b, w.c}, origin + distance * direction};
            });
            continue;
        }
        const auto [first, second] = tree.children(node);
        const double left = ray.enter(tree.box(first), least, best.distance);
        const double right = ray.enter(tree.box(second), least, best.distance);
        if (left <= right)
            stack.push({second, right}), stack.push({first, left});
        else
            stack.push({first, left}), stack.push({second, right});
    }
    return best;
}

/// The nearest point of all triangles within `reach`. Of equally near ones the lowest index.
/// skip(node) may leave out a whole node, accept(triangle, corners, weights) may refuse a triangle.
template <class Tree, class Skip, class Accept>
TreeHit nearest_in(const Tree& tree, Vec3 point, double reach, Skip&& skip, Accept&& accept) {
    TreeHit best;
    if (!is_finite(point)) return best;
    double best2 = reach * reach;
    using Node = decltype(tree.root());
    SearchStack<std::pair<Node, double>> stack;
    stack.push({tree.root(), squared_distance(tree.box(tree.root()), point)});
    while (!stack.empty()) {
        const auto [node, distance2] = stack.pop();
        if (distance2 > best2 || skip(node)) continue;
        if (tree.is_leaf(node)) {
            tree.each_triangle(node, [&](std::uint32_t triangle, const Corners& t) {
                const Barycentric w = nearest_on_triangle(t, point);
                const double d2 = squared_distance(t, w, point);
                if (!(d2 < best2 || (d2 == best2 && triangle < best.triangle))) return;
                if (!accept(triangle, t, w)) return;
                best2 = d2;
                best = {triangle, std::sqrt(d2), {w.a, w.b, w.c}, point_at(t, w)};
            });
            continue;
        }
        const auto [first, second] = tree.children(node);
        const double left = squared_distance(tree.box(first), point);
        const double right = squared_distance(tree.box(second), point);
        if (left <= right)
            stack.push({second, right}), stack.push({first, left});
        else
            stack.push({first, left}), stack.push({second, right});
    }
    return best;
}

}  // namespace turgor
