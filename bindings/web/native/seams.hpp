#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor::web {

/// A mesh as it is drawn has one vertex several times wherever its texture or its normals have a
/// seam. For the simulation these are one.
struct Welded {
    Mesh mesh;
    std::vector<std::uint32_t> point_of_vertex;  ///< of the mesh, for every vertex given
};

/// `positions`: x, y, z after each other; `indices`: three for each triangle, or none where the
/// vertices themselves are the corners.
Welded weld_seams(std::span<const float> positions, std::span<const std::uint32_t> indices);

/// For every place the vertex of a mesh that is there, or the nearest one.
std::vector<std::uint32_t> nearest_vertices(std::span<const Vec3> places, const Mesh& mesh);

}  // namespace turgor::web
