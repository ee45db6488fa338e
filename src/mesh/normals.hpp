#pragma once

#include <span>

#include "turgor/mesh.hpp"

namespace turgor {

/// Unit normals of the vertices, weighted by the area of the triangles around them; zero where
/// these have none. Allocates nothing: for positions that change every frame.
void unit_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals);

}  // namespace turgor
