#include "solid/cell_densities.hpp"

#include <algorithm>
#include <cmath>

#include "base/for_each.hpp"

namespace turgor {
namespace {

constexpr std::int64_t whole = 256;  ///< weight of a voxel within a cell, along one axis

/// Which voxels a cell has a share in along an axis, and which.
struct Overlap {
    int first = 0;
    std::vector<std::int64_t> weights;
};

std::vector<Overlap> overlaps(int cells, int voxels, double ratio) {
    std::vector<Overlap> all(static_cast<std::size_t>(cells));
    for (int c = 0; c < cells; ++c) {
        const double low = (c - 0.5 * cells) * ratio + 0.5 * voxels,
                     high = (c + 1 - 0.5 * cells) * ratio + 0.5 * voxels;
        Overlap& o = all[static_cast<std::size_t>(c)];
        o.first = std::clamp(static_cast<int>(std::floor(low)), 0, voxels);
        const int last = std::clamp(static_cast<int>(std::ceil(high)), 0, voxels);
        for (int v = o.first; v < last; ++v)
            o.weights.push_back(static_cast<std::int64_t>(std::nearbyint(
                whole * std::max(0.0, std::min<double>(high, v + 1) - std::max<double>(low, v)))));
    }
    return all;
}

}  // namespace

CellDensities cell_densities(const VoxelGrid& grid, const std::vector<std::uint8_t>& marked,
                             std::array<int, 3> size, double ratio, Scheduler* threads) {
    std::array<std::vector<Overlap>, 3> axis;
    for (std::size_t k = 0; k < 3; ++k) axis[k] = overlaps(size[k], grid.size[k], ratio);
    const auto rows = static_cast<std::size_t>(size[1]), cells = static_cast<std::size_t>(size[2]);
    CellDensities made;
    made.values.resize(static_cast<std::size_t>(size[0]) * rows * cells);
    made.full = static_cast<std::int64_t>(
        std::nearbyint(ratio * ratio * ratio * static_cast<double>(whole * whole * whole)));
    for_each(threads, static_cast<std::uint32_t>(size[0]), [&](std::uint32_t x) {
        const Overlap& in_x = axis[0][x];
        for (std::size_t i = 0; i < in_x.weights.size(); ++i)
            for (std::size_t y = 0; y < rows; ++y) {
                const Overlap& in_y = axis[1][y];
                for (std::size_t j = 0; j < in_y.weights.size(); ++j) {
                    const std::uint8_t* const line = &marked[grid.index(
                        in_x.first + static_cast<int>(i), in_y.first + static_cast<int>(j), 0)];
                    const std::int64_t weight = in_x.weights[i] * in_y.weights[j];
                    std::int64_t* const out = &made.values[(x * rows + y) * cells];
                    for (std::size_t z = 0; z < cells; ++z) {
                        const Overlap& in_z = axis[2][z];
                        std::int64_t sum = 0;
                        for (std::size_t k = 0; k < in_z.weights.size(); ++k)
                            sum += in_z.weights[k] * line[static_cast<std::size_t>(in_z.first) + k];
                        out[z] += weight * sum;
                    }
                }
            }
    });
    return made;
}

}  // namespace turgor
