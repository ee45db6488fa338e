#pragma once

#include "mesh/surface.hpp"
#include "mesh/topology.hpp"

namespace turgor {

/// Turns the parts of a closed, oriented surface so that outermost ones look outwards and cavities
/// look into their hole. Refuses parts without volume. Fills the report's parts, cavities, repairs
/// and warnings.
void turn_outward(Surface& surface, std::vector<std::uint32_t>& opposite, MeshReport& report);

}  // namespace turgor
