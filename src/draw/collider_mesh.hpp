#pragma once

#include "turgor/collider.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// A mesh with unit normals, for drawing only.
struct MeshToDraw {
    std::vector<Vec3> positions, normals;
    std::vector<Triangle> triangles;
};

/// A collider's surface in its own frame; of a plane nothing.
MeshToDraw collider_mesh(const Collider& collider);

}  // namespace turgor
