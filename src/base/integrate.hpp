#pragma once

#include "turgor/math.hpp"

namespace turgor {

/// Symplectic Euler, the first stage of every step: the velocity first, then the position with the
/// new velocity.
inline void symplectic_euler(Vec3& x, Vec3& v, Vec3 acceleration, double h) {
    v += h * acceleration;
    x += h * v;
}

}  // namespace turgor
