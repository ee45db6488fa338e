#pragma once

#include <span>

#include "turgor/math.hpp"

namespace turgor {

/// How a rigid set of particles turns freely in a step of `h` [s], from the orientation `from` and
/// with the angular momentum `angular` [kg m²/s] about its centre: it turns by exp(h ω) with ω the
/// angular velocity of half the way, ω = I(R½)⁻¹ L (implicit midpoint rule), in as many steps as it
/// takes to stay accurate. `offsets` are rest positions from the centre.
Quat turn_freely(std::span<const double> mass, std::span<const Vec3> offsets, Quat from,
                 Vec3 angular, double h);

}  // namespace turgor
