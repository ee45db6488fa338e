#pragma once

#include <cstdint>
#include <vector>

#include "solid/voxels.hpp"

namespace turgor {

/// How much of each cell of a lattice some voxels fill, in whole numbers: sums are exact, and the
/// same for a mirrored grid.
struct CellDensities {
    std::vector<std::int64_t> values;  ///< in the order of CellSet
    std::int64_t full = 0;             ///< of a cell that is filled
};

/// `marked` is 0 or 1 for each voxel. A lattice of `size` cells is about the grid's centre; an edge
/// of a cell is `ratio` voxels.
CellDensities cell_densities(const VoxelGrid& grid, const std::vector<std::uint8_t>& marked,
                             std::array<int, 3> size, double ratio, Scheduler* threads);

}  // namespace turgor
