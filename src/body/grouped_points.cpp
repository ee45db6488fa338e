#include "body/grouped_points.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/bounds.hpp"

namespace turgor {
namespace {

constexpr std::size_t leaf_size = 8;

}  // namespace

GroupedPoints::GroupedPoints(std::span<const Vec3> points, std::span<const std::uint32_t> group)
    : points_(points), group_(group), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    nodes_.resize(2 * std::bit_ceil(points.size() / leaf_size + 1) - 1);
    build(0, 0, static_cast<std::uint32_t>(points.size()));
}

void GroupedPoints::build(std::size_t index, std::uint32_t begin, std::uint32_t end) {
    Node& node = nodes_[index];
    node.begin = begin, node.end = end;
    for (std::uint32_t k = begin; k < end; ++k) node.box.add(points_[order_[k]]);
    const auto differs = [&](std::uint32_t i) { return group_[i] != group_[order_[begin]]; };
    if (begin < end && std::none_of(order_.begin() + begin, order_.begin() + end, differs))
        node.group = group_[order_[begin]];
    if (is_leaf(index)) return;
    const Vec3 extent = node.box.extent();
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                     : extent.y >= extent.z                       ? 1
                                                                  : 2;
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) {
                         return std::pair(points_[a][axis], a) < std::pair(points_[b][axis], b);
                     });
    build(2 * index + 1, begin, middle);
    build(2 * index + 2, middle, end);
}

GroupedPoints::Nearest GroupedPoints::nearest_of_another_group(std::uint32_t point) const {
    Nearest best;
    search(0, point, best);
    return best;
}

void GroupedPoints::search(std::size_t index, std::uint32_t from, Nearest& best) const {
    const Node& node = nodes_[index];
    const Vec3 p = points_[from];
    if (node.group == group_[from] || squared_distance(node.box, p) > best.distance2) return;
    if (is_leaf(index)) {
        for (std::uint32_t k = node.begin; k < node.end; ++k) {
            const std::uint32_t i = order_[k];
            if (group_[i] == group_[from]) continue;
            const double d2 = dot(points_[i] - p, points_[i] - p);
            if (d2 < best.distance2 || (d2 == best.distance2 && i < best.point)) best = {i, d2};
        }
        return;
    }
    const std::size_t left = 2 * index + 1, right = left + 1;
    const bool left_first =
        squared_distance(nodes_[left].box, p) <= squared_distance(nodes_[right].box, p);
    search(left_first ? left : right, from, best);
    search(left_first ? right : left, from, best);
}

}  // namespace turgor
