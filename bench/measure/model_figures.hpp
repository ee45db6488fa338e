#pragma once

#include <span>
#include <string_view>

#include "turgor/world.hpp"

namespace turgor::measure {

/// The mean over all vertices of the bodies whose model has a figure of that name; 0 where there is
/// none.
double mean_figure(std::span<const Body> bodies, std::string_view name);

}  // namespace turgor::measure
