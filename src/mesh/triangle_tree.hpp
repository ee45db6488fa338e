#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// A bounding-volume hierarchy over the triangles of a mesh at rest, for preparation: rays, nearest
/// points, inside or outside. It keeps its own copy of the corners; the arrays it was made of may
/// go. Degenerate triangles and an empty mesh are allowed; an index out of range is an Error.
class TriangleTree {
public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    TriangleTree(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

    struct Hit {
        std::uint32_t triangle = none;
        /// To the nearest point [m]; along a ray in units of its direction.
        double distance = std::numeric_limits<double>::infinity();
        double weight[3] = {};  ///< barycentric coordinates of the point
        Vec3 point;
    };
    /// May a triangle be taken? An empty one takes all.
    using Accept = std::function<bool(std::uint32_t)>;

    /// The first triangle, of either side, that the ray origin + t·direction meets with t > least;
    /// t is the hit's `distance`. A ray through a common edge or corner meets one of the triangles
    /// there (watertight). Of triangles at the very same t the one with the lowest index.
    std::optional<Hit> first_hit(Vec3 origin, Vec3 direction, double least,
                                 const Accept& accept = {}) const;
    /// The nearest point of all triangles; `triangle` is `none` and `distance` infinite where there
    /// are none.
    Hit nearest(Vec3 point, const Accept& accept = {}) const;
    /// The generalised winding number at a point: 1 inside a closed outward mesh, 0 outside.
    double winding_number(Vec3 point) const;
    /// Calls `visit` for each triangle whose box meets `box`.
    void for_each_in(const Bounds& box, const std::function<void(std::uint32_t)>& visit) const;

private:
    using Corners = std::array<Vec3, 3>;
    struct Node {
        Bounds box;
        /// A leaf's triangles in order_; where count is 0 the children are at first, first + 1.
        std::uint32_t first = 0, count = 0;
        bool is_leaf() const { return count > 0; }
    };
    struct Item;  ///< a triangle on its way to its place
    /// What a node's triangles look like from afar: one oriented patch at `centre`.
    struct Patch {
        Vec3 centre, normal;
        double area = 0, radius = 0;
    };

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
