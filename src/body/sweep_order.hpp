#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/list_of_lists.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// The order in which particles are stored: element k is the vertex at place k. `corners` are the
/// triangles around each vertex.
///
/// Each part is swept breadth first from a vertex at its rim, and the new neighbours of a vertex
/// are taken as they lie around it, beginning next to one already taken. So each layer is walked
/// along, round after round like thread on a spool, and a region of n edges is about 2n + 1 runs of
/// consecutive particles, one for each layer it meets. Sorting neighbours by degree (Cuthill and
/// McKee 1969) instead gives two to three times as many.
std::vector<std::uint32_t> sweep_order(const ListOfLists& corners,
                                       std::span<const Triangle> triangles);

}  // namespace turgor
