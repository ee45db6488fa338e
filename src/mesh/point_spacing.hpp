#pragma once

#include <span>
#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// How far it is from some of the points, evenly chosen, to the eighth nearest other one of each
/// (the farthest where there are fewer), ascending [m]: what a cloud's density is. Empty without
/// points.
std::vector<double> reaches_of_some(std::span<const Vec3> points);

}  // namespace turgor
