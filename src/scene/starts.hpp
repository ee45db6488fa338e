#pragma once

#include <span>
#include <vector>

#include "scene/scene.hpp"

namespace turgor {

/// Where the vertices of a body are at its start, from where they are at rest and their normals
/// (docs/validation.md, "Stability and recovery"). `seed` for those that are random.
std::vector<Vec3> start_positions(BodyStart start, std::span<const Vec3> rest,
                                  std::span<const Vec3f> normals, double size, std::uint64_t seed);

}  // namespace turgor
