#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mesh/height_grid.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// How far a surface is, and the direction in which that grows.
struct NearestOnGeometry {
    double distance = 0;  ///< negative inside a solid; of a shell from the middle of its wall [m]
    Vec3 normal;
    bool on_face = true;  ///< not on an edge or a corner
};

/// Where a way crosses a surface.
struct GeometryCrossing {
    double share = 0;  ///< of the way
    Vec3 point, normal;
};

/// Triangles with a tree over them. `shell` says whether they are taken as a wall of which both
/// sides are outside.
class MeshGeometry {
public:
    /// `closed`: manifold and oriented outwards (what make_mesh returns).
    MeshGeometry(Mesh mesh, bool closed);

    const Mesh& mesh() const { return mesh_; }
    bool closed() const { return closed_; }
    const TriangleTree& tree() const { return tree_; }
    std::span<const Vec3> face_normals() const { return face_normals_; }
    std::span<const Vec3> edge_normals() const { return edge_normals_; }
    std::span<const Vec3> vertex_normals() const { return vertex_normals_; }

    /// Nothing where it is farther than `reach`.
    std::optional<NearestOnGeometry> nearest(Vec3 p, double reach, bool shell) const;
    bool contains(Vec3 p) const;
    /// The first triangle between two points, after a share `least` of the way, that is entered
    /// from its front, or from anywhere if it is a shell; the normal is towards `from`.
    std::optional<GeometryCrossing> entered(Vec3 from, Vec3 to, double least, bool shell) const;
    /// The first one that is left through its front.
    std::optional<GeometryCrossing> left(Vec3 from, Vec3 to, double least) const;
    /// The nearest face within `reach` that p is in front of and that looks elsewhere than all of
    /// `normals`.
    std::optional<NearestOnGeometry> another_face(Vec3 p, double reach, bool shell,
                                                  std::span<const Vec3> normals) const;

private:
    /// The normal that tells inside from outside for whoever is nearest to that point of a triangle
    /// (Bærentzen and Aanæs 2005).
    Vec3 outward(const TreeHit& hit) const;

    Mesh mesh_;
    bool closed_;
    TriangleTree tree_;
    Bounds box_;
    std::vector<Vec3> face_normals_;
    std::vector<Vec3> edge_normals_;    ///< by half-edge; of a closed mesh
    std::vector<Vec3> vertex_normals_;  ///< by angle; of a closed mesh
};

/// Answers the same questions for a height field.
class HeightGeometry {
public:
    explicit HeightGeometry(HeightGrid grid) : grid_(std::move(grid)) {}
    const HeightGrid& grid() const { return grid_; }

    std::optional<NearestOnGeometry> nearest(Vec3 p, double reach, bool shell) const;
    bool contains(Vec3 p) const { return grid_.contains(p); }
    std::optional<GeometryCrossing> entered(Vec3 from, Vec3 to, double least, bool shell) const;
    std::optional<GeometryCrossing> left(Vec3 from, Vec3 to, double least) const;
    std::optional<NearestOnGeometry> another_face(Vec3 p, double reach, bool shell,
                                                  std::span<const Vec3> normals) const;

private:
    HeightGrid grid_;
};

struct ColliderGeometry {
    std::string problem;  ///< a sentence; then there is no shape
    std::optional<std::variant<MeshGeometry, HeightGeometry>> shape;

    const MeshGeometry* mesh() const {
        return shape ? std::get_if<MeshGeometry>(&*shape) : nullptr;
    }
    const HeightGeometry* heights() const {
        return shape ? std::get_if<HeightGeometry>(&*shape) : nullptr;
    }
};

/// These never throw for what they are given; they note a problem.
std::shared_ptr<const ColliderGeometry> solid_geometry(Mesh mesh);
std::shared_ptr<const ColliderGeometry> shell_geometry(Mesh mesh);
/// Of the mesh of one of the above, which is repaired already.
std::shared_ptr<const ColliderGeometry> restored_geometry(Mesh mesh, bool closed);
std::shared_ptr<const ColliderGeometry> height_geometry(std::size_t columns, std::size_t rows,
                                                        std::vector<double> heights,
                                                        double spacing_x, double spacing_z);

}  // namespace turgor
