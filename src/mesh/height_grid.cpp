#include "mesh/height_grid.hpp"

#include <algorithm>

namespace turgor {

HeightGrid::HeightGrid(std::uint32_t columns, std::uint32_t rows, std::vector<double> heights,
                       double spacing_x, double spacing_z)
    : columns_(columns),
      rows_(rows),
      spacing_x_(spacing_x),
      spacing_z_(spacing_z),
      half_{0.5 * (columns - 1) * spacing_x, 0, 0.5 * (rows - 1) * spacing_z},
      heights_(std::move(heights)) {
    gather_ranges(root());
}

HeightGrid::Range HeightGrid::gather_ranges(const Node& node) {
    Range range;
    const auto add = [&](const Range& r) {
        range = {std::min(range.low, r.low), std::max(range.high, r.high)};
    };
    if (is_leaf(node)) {
        for (std::uint32_t r = node.r0; r <= node.r1; ++r)
            for (std::uint32_t c = node.c0; c <= node.c1; ++c) add({at(c, r).y, at(c, r).y});
    } else {
        const auto [first, second] = children(node);
        add(gather_ranges(first));
        add(gather_ranges(second));
    }
    if (ranges_.size() <= node.index) ranges_.resize(node.index + 1);
    ranges_[node.index] = range;
    return range;
}

Bounds HeightGrid::box(const Node& node) const {
    const Range& range = ranges_[node.index];
    return {{node.c0 * spacing_x_ - half_.x, range.low, node.r0 * spacing_z_ - half_.z},
            {node.c1 * spacing_x_ - half_.x, range.high, node.r1 * spacing_z_ - half_.z}};
}

std::pair<HeightGrid::Node, HeightGrid::Node> HeightGrid::children(const Node& node) const {
    Node first = node, second = node;
    first.index = 2 * node.index;
    second.index = first.index + 1;
    if (node.c1 - node.c0 >= node.r1 - node.r0)
        first.c1 = second.c0 = (node.c0 + node.c1) / 2;
    else
        first.r1 = second.r0 = (node.r0 + node.r1) / 2;
    return {first, second};
}

Mesh HeightGrid::top() const {
    Mesh mesh;
    for (std::uint32_t r = 0; r < rows_; ++r)
        for (std::uint32_t c = 0; c < columns_; ++c) mesh.vertices.push_back(at(c, r));
    for (std::uint32_t r = 0; r + 1 < rows_; ++r)
        for (std::uint32_t c = 0; c + 1 < columns_; ++c) {
            const std::uint32_t low = r * columns_ + c, high = low + columns_ + 1;
            mesh.triangles.push_back({low, high, low + 1});
            mesh.triangles.push_back({low, high - 1, high});
        }
    return mesh;
}

double HeightGrid::height_at(double x, double z) const {
    const auto place = [](double at, double spacing, std::uint32_t count) {
        const double cells = std::clamp(at / spacing, 0.0, count - 1.0);
        const auto cell = std::min(static_cast<std::uint32_t>(cells), count - 2);
        return std::pair(cell, cells - cell);
    };
    const auto [c, u] = place(x + half_.x, spacing_x_, columns_);
    const auto [r, v] = place(z + half_.z, spacing_z_, rows_);
    const double low = at(c, r).y, high = at(c + 1, r + 1).y;
    return u >= v ? low + (u - v) * (at(c + 1, r).y - low) + v * (high - low)
                  : low + (v - u) * (at(c, r + 1).y - low) + u * (high - low);
}

bool HeightGrid::contains(Vec3 p) const {
    return std::abs(p.x) <= half_.x && std::abs(p.z) <= half_.z && p.y < height_at(p.x, p.z);
}

HeightGrid::SidePoint HeightGrid::nearest_side(Vec3 p, double reach) const {
    SidePoint best;
    for (const int axis : {0, 2})
        for (const double sign : {-1.0, 1.0}) {
            const int other = 2 - axis;
            Vec3 q{0, p.y, 0}, normal;
            q[axis] = sign * half_[axis];
            if (std::abs(p[axis] - q[axis]) > reach) continue;
            q[other] = std::clamp(p[other], -half_[other], half_[other]);
            normal[axis] = sign;
            const double distance = norm(p - q);
            if (distance <= reach && distance < best.distance && p.y <= height_at(q.x, q.z))
                best = {q, normal, distance};
        }
    return best;
}

HeightGrid::SidePoint HeightGrid::first_side(Vec3 origin, Vec3 direction, double least,
                                             double most) const {
    SidePoint best;
    for (const int axis : {0, 2}) {
        const double sign = direction[axis] > 0 ? -1 : 1;
        const double t = (sign * half_[axis] - origin[axis]) / direction[axis];
        if (!(t > least && t <= most && t < best.distance)) continue;
        Vec3 q = origin + t * direction;
        q[axis] = sign * half_[axis];
        if (!(std::abs(q[2 - axis]) <= half_[2 - axis]) || q.y > height_at(q.x, q.z)) continue;
        best = {q, {}, t};
        best.normal[axis] = sign;
    }
    return best;
}

}  // namespace turgor
