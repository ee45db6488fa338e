#pragma once

#include <array>

#include "base/mat3.hpp"

namespace turgor {

/// The shape of one cell (docs/methods.md, "Cells"). Corners are numbered as in Solid: +x where
/// k & 1, y: 2, z: 4.

using CellCorners = std::array<Vec3, 8>;

/// The Hadamard transform of the corners over 8: x_k = Σ modes[j] (−1)^(number of bits of j that k
/// lacks). The index j has the bits of the axes: 1, 2, 4 are the mean half edges along x, y and z,
/// 3, 6, 5, 7 the modes xy, yz, xz, xyz; 0 is the middle.
using CellModes = std::array<Vec3, 8>;
CellModes cell_modes(const CellCorners& corners);
/// The transform back, which is the transpose too but for the factor 8.
CellCorners corners_of(const CellModes& modes);

/// Volume under the trilinear map, V = 8 a·(b×d) + 8/3 [a·(e×g) + e·(b×f) + g·(f×d)] with the
/// modes a, b, d (x, y, z) and e, f, g (xy, yz, xz): the mean of those of both cuts into five
/// tetrahedra. Over all cells it adds up to what the bilinear sides of the boundary enclose.
double cell_volume(const CellModes& modes);
/// Its gradient by the corners; it adds up to zero, and has no torque.
CellCorners volume_gradient(const CellModes& modes);

/// What springs along edges and diagonals do not resist: the modes xy, yz, xz and xyz (hourglass
/// modes), but for what of them an affine map of the rest shape has.
struct HourglassRest {
    /// Of modes 3, 5, 6, 7: their coordinates at rest in the modes x, y, z.
    std::array<Vec3, 4> of_linear{};
};
HourglassRest hourglass_rest(const CellModes& rest);
/// ½ Σ |ê|² over the four modes, ê = e − what the linear modes have of it.
double hourglass_energy(const HourglassRest& rest, const CellModes& modes);
/// Its gradient by the corners.
CellCorners hourglass_gradient(const HourglassRest& rest, const CellModes& modes);

}  // namespace turgor
