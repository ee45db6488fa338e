#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// Of a cloud, so many points are particles at most; more would make a body of cells that nobody
/// sees, only slower.
inline constexpr std::size_t cloud_particles_max = 30'000;

/// Which points stay where there are more than `most`: of each cube of a grid the one nearest to
/// its middle, ascending. They lie evenly however densely places were scanned.
std::vector<std::uint32_t> thinned(std::span<const Vec3> points, std::size_t most);

/// Makes the points of a cloud inner particles of a body whose surface is a cage around them, at
/// most `most` of them, and shows all of them (docs/methods.md, "Clouds"). `points` are in the
/// mesh's own coordinates. The whole mass stays what it was.
void put_points_inside(BodyAsset& asset, std::span<const Vec3> points,
                       std::size_t most = cloud_particles_max);

}  // namespace turgor
