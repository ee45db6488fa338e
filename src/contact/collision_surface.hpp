#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/quad.hpp"
#include "body/asset.hpp"
#include "contact/float_box.hpp"
#include "contact/nearest_cpu.hpp"

namespace turgor {

/// What lies together on a surface at rest mostly does so when it is bent: its triangles and its
/// vertices, each sorted into small leaves once and for all. Leaf k of n has the items
/// [k·count/n, (k+1)·count/n); n is a power of two from 8 on, so that leaves 2k and 2k + 1 make a
/// node, and so on up to the whole.
struct CollisionLeaves {
    std::uint32_t count = 8;  ///< of leaves
    std::vector<std::uint32_t> items;
    std::span<const std::uint32_t> operator[](std::uint32_t leaf) const;
};
CollisionLeaves sort_into_leaves(std::span<const Vec3> points);

/// An edge that is bent outwards so sharply that two such edges could cross without any vertex
/// inside a body.
struct SharpEdge {
    std::uint32_t ends[2] = {};
    std::uint32_t triangles[2] = {};
};

struct CollisionTree {
    CollisionLeaves triangles, vertices;
    std::vector<SharpEdge> edges;
    std::size_t bytes() const;
};
std::shared_ptr<const CollisionTree> make_collision_tree(const BodyAsset& asset);

/// Boxes around the leaves of a surface as it is now.
struct CollisionBoxes {
    std::vector<FloatBox> triangles;  ///< node 1 is the whole, 2k and 2k + 1 are the parts of k
    std::vector<FloatBox> vertices;   ///< of the leaves
    GroupedBoxes grouped;             ///< those of the triangles
    AlignedVector<TriangleLeaf> leaves;
    AlignedVector<LeafNormals> normals;
    std::vector<FloatBox> facings;  ///< around the normals, by nodes
    GroupedBoxes grouped_facings;
    const FloatBox& whole() const { return triangles[1]; }
    std::size_t bytes() const {
        return (triangles.size() + vertices.size()) * sizeof(FloatBox) +
               (grouped.groups.size() + grouped_facings.groups.size()) * sizeof(BoxGroup) +
               leaves.size() * sizeof(TriangleLeaf) + normals.size() * sizeof(LeafNormals) +
               facings.size() * sizeof(FloatBox);
    }
};

/// A body's surface as it is now, and how to find one's way on it.
struct CollisionSurface {
    const BodyAsset* asset = nullptr;
    const CollisionTree* tree = nullptr;
    CollisionBoxes* boxes = nullptr;
    Vec3 origin;
    std::span<const Quad> x;      ///< relative to the origin
    std::span<const Vec3> exact;  ///< where the positions are known in double precision

    Vec3 at(std::uint32_t particle) const {
        return exact.empty() ? origin + x[particle].xyz() : exact[particle];
    }
    /// Relative to the origin.
    Quad relative(std::uint32_t particle) const {
        return exact.empty() ? x[particle] : to_quad(exact[particle] - origin);
    }
    /// Makes the boxes, leaves and normals fit the positions.
    void refit() const;
    /// The normal of a triangle times twice its area.
    Vec3 face_normal(std::uint32_t triangle) const;
    /// The normal at a point of a triangle that tells inside from outside for whoever is nearest to
    /// that point (Bærentzen and Aanæs 2005): the face's own, the sum of two at an edge, all around
    /// a vertex by their angles. `weight`: barycentric, 0 exactly off an edge.
    Vec3 outward(std::uint32_t triangle, std::span<const double, 3> weight) const;
};

/// A vertex of one surface near a triangle of another.
struct NearVertex {
    std::uint32_t vertex = 0, triangle = 0;
    double weight[3] = {};  ///< barycentric, of the nearest point
    double distance = 0;    ///< [m], negative inside
    Vec3 normal;            ///< in which the distance grows
};
/// All vertices of `a` that are inside `b` and not deeper than `depth`, or outside and nearer than
/// `margin` [m]: each with the nearest point of the whole of `b`. What is caught between two parts
/// of `b` is told again with the nearest point of the other part.
void find_near_vertices(const CollisionSurface& a, const CollisionSurface& b, double margin,
                        double depth, std::vector<NearVertex>& found);
/// The same by asking every triangle: for reading, and for tests.
void find_near_vertices_reference(const CollisionSurface& a, const CollisionSurface& b,
                                  double margin, double depth, std::vector<NearVertex>& found);
/// The same for a point of anything else.
std::optional<NearVertex> near_point(const CollisionSurface& surface, Vec3 point, double margin,
                                     double depth);

/// A sharp edge of one surface that crosses one of another.
struct NearEdgePair {
    std::uint32_t first[2] = {}, second[2] = {};
    double share[2] = {};  ///< of the way from [0] to [1], on each
    double distance = 0;   ///< [m], negative where they have crossed
    Vec3 normal;           ///< from the second to the first
};
void find_near_edges(const CollisionSurface& a, const CollisionSurface& b, double margin,
                     double depth, std::vector<NearEdgePair>& found);

/// How often a surface goes around a point (nearest_cpu.hpp).
int winding_number(const CollisionSurface& surface, Vec3 point);
/// Whether a point is inside a surface, however deep.
inline bool is_inside(const CollisionSurface& surface, Vec3 point) {
    return winding_number(surface, point) > 0;
}

/// Where a ray first meets a surface.
struct RayHit {
    std::uint32_t triangle = 0;
    double distance = 0;  ///< in units of the direction
    bool found = false;
};
RayHit first_on_ray(const CollisionSurface& surface, Vec3 origin, Vec3 direction, double longest);

/// The point of a surface that is nearest to one in space, if it is within `reach`.
struct NearestPoint {
    std::uint32_t triangle = 0;
    Vec3 point, normal;   ///< the normal points outwards
    double distance = 0;  ///< negative inside
    bool found = false;
};
NearestPoint nearest_on(const CollisionSurface& surface, Vec3 point, double reach);

}  // namespace turgor
