#include "mesh/triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/functions.hpp"

namespace turgor {

/// The box travels with the index: all passes over them are sequential.
struct TriangleTree::Item {
    Bounds box;
    std::uint32_t triangle = 0;
};

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t leaf_size = 4;
constexpr int bin_count = 16;
/// Below this depth nodes are halved by count, so no tree is deeper than this plus log2 of 2³².
constexpr int sah_depth = 48;

static_assert(sah_depth + 34 <= deepest_tree);

/// Bounds::add is exact about NaN and pays for it; here a NaN is ignored just the same.
void add(Bounds& box, Vec3 lower, Vec3 upper) {
    for (int k = 0; k < 3; ++k) {
        if (lower[k] < box.lower[k]) box.lower[k] = lower[k];
        if (upper[k] > box.upper[k]) box.upper[k] = upper[k];
    }
}

void add(Bounds& box, const Bounds& other) {
    add(box, other.lower, other.upper);
}

double half_area(const Bounds& box) {
    const Vec3 e = box.extent();
    return e.x < 0 ? 0 : e.x * e.y + e.y * e.z + e.z * e.x;
}

struct Bin {
    Bounds box;
    std::uint32_t count = 0;
};
using Bins = std::array<Bin, bin_count>;

/// The bin before which the surface-area heuristic would split, 0 where every split leaves a side
/// empty.
int best_split(const Bins& bins) {
    std::array<double, bin_count> cost_left{};
    Bin left, right;
    for (int i = 0; i < bin_count; ++i) {
        cost_left[i] = left.count * half_area(left.box);
        add(left.box, bins[i].box);
        left.count += bins[i].count;
    }
    int best = 0;
    double best_cost = infinity;
    for (int i = bin_count - 1; i > 0; --i) {
        add(right.box, bins[i].box);
        right.count += bins[i].count;
        const double cost = cost_left[i] + right.count * half_area(right.box);
        if (right.count > 0 && right.count < left.count && cost < best_cost)
            best = i, best_cost = cost;
    }
    return best;
}

/// Van Oosterom and Strackee 1983; 4π for a closed surface around the point.
double solid_angle(const std::array<Vec3, 3>& t, Vec3 p) {
    const Vec3 a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    return 2 * portable::atan2(dot(a, cross(b, c)),
                               la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

bool overlap(const Bounds& a, const Bounds& b) {
    for (int k = 0; k < 3; ++k)
        if (!(a.lower[k] <= b.upper[k] && b.lower[k] <= a.upper[k])) return false;
    return true;
}

}  // namespace

TriangleTree::TriangleTree(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    if (triangles.size() >= none)
        fail(ErrorCode::bad_mesh, "The mesh has {} triangles: more than {} cannot be indexed.",
             triangles.size(), none);
    if (triangles.empty()) return;
    std::vector<Item> items(triangles.size());
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        items[i].triangle = i;
        for (const std::uint32_t v : triangles[i]) {
            if (v >= vertices.size())
                fail(ErrorCode::bad_mesh, "Triangle {} names vertex {} of {}: check the indices.",
                     i, v, vertices.size());
            add(items[i].box, vertices[v], vertices[v]);
        }
    }
    build(items);
    order_.reserve(items.size());
    corners_.reserve(items.size());
    for (const Item& item : items) {
        const Triangle& t = triangles[item.triangle];
        order_.push_back(item.triangle);
        corners_.push_back({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
    }
    gather_patches();
}

std::size_t TriangleTree::partition(std::span<Item> items, bool halve) {
    check_cancelled();
    const std::size_t half = items.size() / 2;
    Bounds centres;
    for (const Item& item : items) add(centres, item.box.centre(), item.box.centre());
    const int axis = longest_axis(centres.extent());
    const double lower = centres.lower[axis], width = centres.extent()[axis];
    const auto centre = [&](const Item& item) {
        return 0.5 * (item.box.lower[axis] + item.box.upper[axis]);
    };
    if (!(width > 0) || !std::isfinite(bin_count / width)) return half;
    if (halve) {
        std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half),
                         items.end(), [&](const Item& a, const Item& b) {
                             return std::pair(centre(a), a.triangle) <
                                    std::pair(centre(b), b.triangle);
                         });
        return half;
    }
    const auto bin_of = [&](const Item& item) {
        const double b = (centre(item) - lower) * (bin_count / width);
        return b > 0 ? static_cast<int>(std::min<double>(b, bin_count - 1)) : 0;
    };
    Bins bins;
    for (const Item& item : items) {
        Bin& bin = bins[static_cast<std::size_t>(bin_of(item))];
        add(bin.box, item.box);
        ++bin.count;
    }
    const int split = best_split(bins);
    if (split == 0) return half;
    const auto middle = std::partition(items.begin(), items.end(),
                                       [&](const Item& item) { return bin_of(item) < split; });
    return static_cast<std::size_t>(middle - items.begin());
}

void TriangleTree::build(std::span<Item> all) {
    struct Job {
        std::uint32_t node, first, count;
        int depth;
    };
    nodes_.reserve(all.size());
    nodes_.emplace_back();
    SearchStack<Job> jobs;
    jobs.push({0, 0, static_cast<std::uint32_t>(all.size()), 0});
    while (!jobs.empty()) {
        const Job job = jobs.pop();
        const std::span items = all.subspan(job.first, job.count);
        Bounds box;
        for (const Item& item : items) add(box, item.box);
        nodes_[job.node] = {box, job.first, job.count};
        if (job.count <= leaf_size) {
            // Standard libraries part items in orders of their own.
            std::ranges::sort(items, {}, &Item::triangle);
            continue;
        }
        const auto left = static_cast<std::uint32_t>(partition(items, job.depth >= sah_depth));
        const auto child = static_cast<std::uint32_t>(nodes_.size());
        nodes_[job.node].first = child, nodes_[job.node].count = 0;
        nodes_.resize(nodes_.size() + 2);
        jobs.push({child + 1, job.first + left, job.count - left, job.depth + 1});
        jobs.push({child, job.first, left, job.depth + 1});
    }
}

void TriangleTree::gather_patches() {
    patches_.resize(nodes_.size());
    // Children come after their parent in the array.
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        const Node& node = nodes_[i];
        Patch& patch = patches_[i];
        Vec3 moment;
        const auto gather = [&](double area, Vec3 normal, Vec3 centre) {
            patch.area += area, patch.normal += normal, moment += area * centre;
        };
        for (std::uint32_t k = 0; k < node.count; ++k) {
            const Corners& t = corners_[node.first + k];
            const Vec3 normal = 0.5 * cross(t[1] - t[0], t[2] - t[0]);
            gather(norm(normal), normal, (t[0] + t[1] + t[2]) / 3);
        }
        if (!node.is_leaf())
            for (const std::size_t child : {node.first, node.first + 1})
                gather(patches_[child].area, patches_[child].normal, patches_[child].centre);
        patch.centre = patch.area > 0 ? moment / patch.area : node.box.centre();
        const Vec3 a = patch.centre - node.box.lower, b = node.box.upper - patch.centre;
        patch.radius = norm({std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)});
    }
}

std::optional<TriangleTree::Hit> TriangleTree::first_hit(Vec3 origin, Vec3 direction, double least,
                                                         const Accept& accept) const {
    if (empty()) return {};
    const Hit hit = first_hit_in(
        *this, origin, direction, least, infinity,
        [&](std::uint32_t triangle, const Corners&) { return !accept || accept(triangle); });
    return hit.triangle == none ? std::nullopt : std::optional(hit);
}

TriangleTree::Hit TriangleTree::nearest(Vec3 point, const Accept& accept, double reach) const {
    if (empty()) return {};
    return nearest_in(
        *this, point, reach, [](std::uint32_t) { return false; },
        [&](std::uint32_t triangle, const Corners&, Barycentric) {
            return !accept || accept(triangle);
        });
}

double TriangleTree::winding_number(Vec3 point) const {
    // Barill et al. 2018, "Fast winding numbers for soups and clouds": seen from a few radii away a
    // node is a dipole.
    constexpr double far = 4;
    if (nodes_.empty()) return 0;
    double angle = 0;
    SearchStack<std::uint32_t> stack;
    stack.push(0);
    while (!stack.empty()) {
        const std::uint32_t index = stack.pop();
        const Node& node = nodes_[index];
        const Patch& patch = patches_[index];
        const Vec3 d = patch.centre - point;
        const double distance = norm(d);
        if (distance > far * patch.radius) {
            angle += dot(d, patch.normal) / (distance * distance * distance);
        } else if (node.is_leaf()) {
            for (std::uint32_t k = 0; k < node.count; ++k)
                angle += solid_angle(corners_[node.first + k], point);
        } else {
            stack.push(node.first + 1);
            stack.push(node.first);
        }
    }
    return angle / (4 * std::numbers::pi);
}

void TriangleTree::for_each_in(const Bounds& box,
                               const std::function<void(std::uint32_t)>& visit) const {
    if (nodes_.empty()) return;
    SearchStack<std::uint32_t> stack;
    stack.push(0);
    while (!stack.empty()) {
        const Node& node = nodes_[stack.pop()];
        if (!overlap(node.box, box)) continue;
        for (std::uint32_t k = 0; k < node.count; ++k) {
            Bounds own;
            for (const Vec3 corner : corners_[node.first + k]) own.add(corner);
            if (overlap(own, box)) visit(order_[node.first + k]);
        }
        if (node.is_leaf()) continue;
        stack.push(node.first + 1);
        stack.push(node.first);
    }
}

}  // namespace turgor
