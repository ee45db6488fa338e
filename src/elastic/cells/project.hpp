#pragma once

#include <optional>
#include <span>

#include "elastic/cells/cells.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// Moves x so that every cell has its volume, and the surface encloses what it did at rest: by one
/// V-cycle, up to four where cells are far off, or with a tolerance by as many iterations as it
/// takes, at most 20; returns how many.
/// Particles do not move along what supports them.
int keep_volumes(const CellsRest& rest, PressureSystem& pressures, std::optional<double> tolerance,
                 const ProjectPass& pass);

}  // namespace turgor
