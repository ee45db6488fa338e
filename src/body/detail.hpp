#pragma once

#include <span>

#include "body/asset.hpp"

namespace turgor {

/// Binds the points of a fine mesh to a coarse one (docs/methods.md, "Detail"). `positions` and
/// unit `normals` are those of the coarse particles at rest. `point_normals`, empty or one for each
/// point, tell which side of a thin part a point is on.
///
/// A point hangs on the triangle whose line q + d·n_q through it is shortest, n_q being the
/// interpolated, not renormalised normal: such lines fill space without gaps, so neighbouring
/// points stay neighbours. Where there is no such line near the point (a feature far from the
/// coarse mesh), it hangs on the closest point instead, and what the normal does not explain is
/// kept in the frame (u, v, w): w along n_q, u along an edge of the triangle made perpendicular to
/// w, v = w × u. Either way the point is exact at rest and follows every rigid motion exactly.
std::vector<DetailBinding> bind_detail(std::span<const Vec3> points,
                                       std::span<const Vec3> point_normals,
                                       std::span<const Vec3> positions,
                                       std::span<const Vec3> normals,
                                       std::span<const Triangle> triangles);

/// Where the bound points are, given the coarse particles' current positions and unit normals.
void place_detail(std::span<const DetailBinding> bindings, std::span<const Vec3> positions,
                  std::span<const Vec3> normals, std::span<const Triangle> triangles,
                  std::span<Vec3> points);

}  // namespace turgor
