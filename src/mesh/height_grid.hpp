#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mesh/tree_search.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// Heights over a grid of columns (along x) × rows (along z), centred at the origin: a block of
/// earth with vertical sides and without a bottom. Each cell is two triangles, cut from its lowest
/// x and z to its highest; they are never stored, only the heights and their ranges over blocks of
/// cells.
class HeightGrid {
public:
    /// `heights`: columns × rows of them, at least 2 each, row after row [m].
    HeightGrid(std::uint32_t columns, std::uint32_t rows, std::vector<double> heights,
               double spacing_x, double spacing_z);

    std::uint32_t columns() const { return columns_; }
    std::uint32_t rows() const { return rows_; }
    double spacing_x() const { return spacing_x_; }
    double spacing_z() const { return spacing_z_; }
    Vec3 half() const { return half_; }  ///< of the extent
    const std::vector<double>& heights() const { return heights_; }
    struct Range {
        double low = 1e300, high = -1e300;
    };
    const std::vector<Range>& ranges() const { return ranges_; }  ///< by Node::index

    /// The surface on top as a mesh, for drawing; one vertex for each height.
    Mesh top() const;

    /// Whether a point is in the earth.
    bool contains(Vec3 p) const;

    /// A point of one of the sides.
    struct SidePoint {
        Vec3 point, normal;
        double distance = std::numeric_limits<double>::infinity();  ///< as TreeHit's
    };
    /// The nearest one that is as high as p, within `reach`.
    SidePoint nearest_side(Vec3 p, double reach) const;
    /// The first one that a ray meets from outside, with least < t ≤ most.
    SidePoint first_side(Vec3 origin, Vec3 direction, double least, double most) const;

    // For the searches of tree_search.hpp.
    struct Node {
        std::uint32_t index = 1;                       ///< the parts of k are 2k and 2k + 1
        std::uint32_t c0 = 0, c1 = 0, r0 = 0, r1 = 0;  ///< cells
    };
    Node root() const { return {1, 0, columns_ - 1, 0, rows_ - 1}; }
    Bounds box(const Node& node) const;
    /// A bound on how steep the surface is within a node, as a tangent.
    double slope(const Node& node) const {
        const Range& range = ranges_[node.index];
        return 1.5 * (range.high - range.low) / std::min(spacing_x_, spacing_z_);
    }
    bool is_leaf(const Node& n) const { return n.c1 - n.c0 <= 2 && n.r1 - n.r0 <= 2; }
    std::pair<Node, Node> children(const Node& node) const;
    template <class Visit>
    void each_triangle(const Node& leaf, Visit&& visit) const {
        for (std::uint32_t r = leaf.r0; r < leaf.r1; ++r)
            for (std::uint32_t c = leaf.c0; c < leaf.c1; ++c) {
                const std::uint32_t cell = r * (columns_ - 1) + c;
                const Vec3 low = at(c, r), high = at(c + 1, r + 1);
                visit(2 * cell, Corners{low, high, at(c + 1, r)});
                visit(2 * cell + 1, Corners{low, at(c, r + 1), high});
            }
    }

private:
    Vec3 at(std::uint32_t column, std::uint32_t row) const {
        return {column * spacing_x_ - half_.x, heights_[std::size_t{row} * columns_ + column],
                row * spacing_z_ - half_.z};
    }
    /// Of the surface, inside the extent.
    double height_at(double x, double z) const;
    Range gather_ranges(const Node& node);

    std::uint32_t columns_, rows_;
    double spacing_x_, spacing_z_;
    Vec3 half_;  ///< of the extent
    std::vector<double> heights_;
    std::vector<Range> ranges_;
};

}  // namespace turgor
