#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mesh/tree_search.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// A bounding-volume hierarchy over the triangles of a mesh at rest, for preparation: rays, nearest
/// points, inside or outside. It keeps its own copy of the corners; the arrays it was made of may
/// go. Degenerate triangles and an empty mesh are allowed; an index out of range is an Error.
class TriangleTree {
public:
    static constexpr std::uint32_t none = TreeHit::none;
    using Hit = TreeHit;

    TriangleTree(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

    /// May a triangle be taken? An empty one takes all.
    using Accept = std::function<bool(std::uint32_t)>;

    /// The first triangle, of either side, that the ray origin + t·direction meets with t > least;
    /// t is the hit's `distance`. A ray through a common edge or corner meets one of the triangles
    /// there (watertight). Of triangles at the very same t the one with the lowest index.
    std::optional<Hit> first_hit(Vec3 origin, Vec3 direction, double least,
                                 const Accept& accept = {}) const;
    /// The nearest point of all triangles within `reach` [m]; `triangle` is `none` and `distance`
    /// infinite where there are none.
    Hit nearest(Vec3 point, const Accept& accept = {},
                double reach = std::numeric_limits<double>::infinity()) const;
    /// The generalised winding number at a point: 1 inside a closed outward mesh, 0 outside.
    double winding_number(Vec3 point) const;
    /// Calls `visit` for each triangle whose box meets `box`.
    void for_each_in(const Bounds& box, const std::function<void(std::uint32_t)>& visit) const;

    struct Node {
        Bounds box;
        /// A leaf's triangles in order_; where count is 0 the children are at first, first + 1.
        std::uint32_t first = 0, count = 0;
        bool is_leaf() const { return count > 0; }
    };
    /// What a node's triangles look like from afar: one oriented patch at `centre`.
    struct Patch {
        Vec3 centre, normal;
        double area = 0, radius = 0;
    };
    std::span<const Node> nodes() const { return nodes_; }
    std::span<const Patch> patches() const { return patches_; }  ///< of the nodes

    // For the searches of tree_search.hpp; a tree without triangles has no root.
    bool empty() const { return nodes_.empty(); }
    std::uint32_t root() const { return 0; }
    const Bounds& box(std::uint32_t node) const { return nodes_[node].box; }
    bool is_leaf(std::uint32_t node) const { return nodes_[node].is_leaf(); }
    std::pair<std::uint32_t, std::uint32_t> children(std::uint32_t node) const {
        return {nodes_[node].first, nodes_[node].first + 1};
    }
    template <class Visit>
    void each_triangle(std::uint32_t leaf, Visit&& visit) const {
        const Node& node = nodes_[leaf];
        for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
            visit(order_[k], corners_[k]);
    }
    /// Whether nearly all of a node's area faces along `normal`, or with `either`, against it.
    bool faces(std::uint32_t node, Vec3 normal, bool either) const {
        const Patch& patch = patches_[node];
        const double along = dot(patch.normal, normal);
        return (either ? std::abs(along) : along) > 0.999 * patch.area;
    }

private:
    struct Item;  ///< a triangle on its way to its place

    /// Divides `items` in two by a binned surface-area heuristic; halves them where their centres
    /// coincide or are not finite. Returns the size of the first part, never 0 and never all.
    static std::size_t partition(std::span<Item> items, bool halve);
    void build(std::span<Item> items);
    void gather_patches();

    std::vector<Node> nodes_;
    std::vector<Patch> patches_;
    std::vector<std::uint32_t> order_;
    std::vector<Corners> corners_;  ///< in the order of order_
};

}  // namespace turgor
