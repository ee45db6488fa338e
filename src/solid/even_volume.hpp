#pragma once

#include <span>

#include "turgor/mesh.hpp"

namespace turgor {

/// The volume that a closed surface encloses, the same bit by bit whatever the order of its
/// triangles and of their corners, and for its mirror images. Coordinates are from the middle, up
/// to about a thousand.
double even_volume(std::span<const Vec3> x, std::span<const Triangle> triangles);

}  // namespace turgor
