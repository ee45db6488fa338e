#pragma once

#include <array>
#include <span>
#include <vector>

#include "turgor/solid.hpp"

namespace turgor {

class Scheduler;

/// Where a point hangs in a solid: x = Σ wₖ xₖ over the corners of a cell, Σ wₖ = 1. Exact at rest
/// and under every affine map.
struct CellBinding {
    std::array<std::uint32_t, 8> corners{};
    std::array<double, 8> weights{};
};

/// Binds points to the cells that they are in, or near (docs/methods.md, "Embedding").
std::vector<CellBinding> bind_to_cells(const Solid& solid, std::span<const Vec3> points,
                                       Scheduler* threads = nullptr);

/// Binds a point to a cell that it may be out of; along the axes of `within` it is drawn back into
/// it.
CellBinding bind_to_cell(const Solid& solid, std::uint32_t cell, Vec3 point,
                         std::array<bool, 3> within);

inline Vec3 place_in_cell(const CellBinding& binding, std::span<const Vec3> corners) {
    Vec3 p;
    for (std::size_t k = 0; k < 8; ++k) p += binding.weights[k] * corners[binding.corners[k]];
    return p;
}

}  // namespace turgor
