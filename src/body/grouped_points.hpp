#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// Points, each of one group, in a k-d tree that finds the nearest point of another group. Branches
/// of one group only are passed by whole, so a query from the middle of a large group stays cheap.
class GroupedPoints {
public:
    GroupedPoints(std::span<const Vec3> points, std::span<const std::uint32_t> group);

    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    struct Nearest {
        std::uint32_t point = none;
        double distance2 = std::numeric_limits<double>::infinity();
    };
    /// The nearest to `point` among those of other groups; the lowest index of equals.
    Nearest nearest_of_another_group(std::uint32_t point) const;

private:
    /// Its points are order_[begin … end); inner nodes are halved, children 2k + 1 and 2k + 2.
    struct Node {
        Bounds box;
        std::uint32_t begin = 0, end = 0;
        std::uint32_t group = none;  ///< where all its points are of one
    };
    void build(std::size_t node, std::uint32_t begin, std::uint32_t end);
    bool is_leaf(std::size_t node) const { return 2 * node + 2 >= nodes_.size(); }
    void search(std::size_t node, std::uint32_t from, Nearest& best) const;

    std::span<const Vec3> points_;
    std::span<const std::uint32_t> group_;
    std::vector<std::uint32_t> order_;
    std::vector<Node> nodes_;
};

}  // namespace turgor
