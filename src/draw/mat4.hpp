#pragma once

#include <array>

#include "turgor/math.hpp"

namespace turgor {

/// A matrix as OpenGL wants it: column after column.
using Mat4 = std::array<float, 16>;

Mat4 operator*(const Mat4& a, const Mat4& b);
/// From `eye` along −z to `target`.
Mat4 look_at(Vec3 eye, Vec3 target, Vec3 up);
/// `fov`: vertical [rad].
Mat4 perspective(double fov, double aspect, double nearest, double farthest);
/// A box of the given half extent, `nearest` to `farthest` in front of the eye.
Mat4 orthographic(double half_width, double half_height, double nearest, double farthest);

}  // namespace turgor
