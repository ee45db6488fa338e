#pragma once

#include <span>

#include "turgor/mesh.hpp"

namespace turgor {

/// n̄: the sum of area × unit normal over the triangles around each vertex. ∂V/∂xᵢ = n̄ᵢ/3.
void area_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals);

/// The same as unit vectors; zero where the triangles around a vertex have no area.
void unit_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals);

}  // namespace turgor
