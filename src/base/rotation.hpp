#pragma once

#include "base/mat3.hpp"

namespace turgor {

/// The proper rotation nearest to `a`: the one that maximises tr(Rᵀ a), whatever the rank and the
/// sign of the determinant. Where several are equally near (a rank below two, or an inverted matrix
/// with equal least singular values) the one nearest to `guess` is taken, so a = 0 returns `guess`.
/// A good guess makes it fast.
Quat nearest_rotation(const Mat3& a, Quat guess);

/// The same for what is rounded to single precision afterwards: within 1e-7 rad of it where it is
/// well determined, in less than half the time.
Quat nearest_rotation_for_floats(const Mat3& a, Quat guess);

/// The rotation by the vector `w` [rad], exactly.
Quat rotation_by(Vec3 w);

}  // namespace turgor
