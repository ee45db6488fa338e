#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// The area vector of a polygon (Newell): normal to its plane of best fit, as long as its area.
Vec3 area_vector(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon);

/// Cuts a polygon into triangles over its own corners and appends them. Quads get the better
/// diagonal; larger ones lose one ear after the other, seen on their plane of best fit. Corners
/// that repeat the one before are left out first. False where the polygon has more concave corners
/// than can be cut in reasonable time.
bool triangulate(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<Triangle>& triangles);

}  // namespace turgor
