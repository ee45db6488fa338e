#pragma once

#include <span>

#include "turgor/mesh.hpp"

namespace turgor {

/// The diameter of the sphere of a volume, which is what Turgor calls the size of a body.
double sphere_diameter(double volume);

/// The volume that a closed surface encloses [m³].
double enclosed_volume(std::span<const Vec3> x, std::span<const Triangle> triangles);

/// The mean length of the edges of a closed mesh.
double mean_edge(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

}  // namespace turgor
