#pragma once

#include <cstddef>

#include "mesh/simplify_surface.hpp"

namespace turgor {

/// Collapses edges until `vertices` are left, or until no collapse is possible that keeps the
/// surface manifold and unfolded. Leaves the surface compact.
void decimate(EditSurface& surface, std::size_t vertices);

}  // namespace turgor
