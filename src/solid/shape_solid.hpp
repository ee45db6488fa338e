#pragma once

#include "solid/cell_set.hpp"
#include "turgor/solid.hpp"

namespace turgor {

/// The cells of a set as undeformed cubes. The corners of the surface come first, in the order of
/// the lattice, inner ones after them.
Solid solid_of(const CellSet& set, double cell, Vec3 centre);

/// Moves the surface's corners where the steps between cells are smoothed away, and the inner ones
/// after them, as far as no cell is bent too much. The same for a mirrored solid, bit by bit.
void smooth(Solid& solid, int rounds, bool over_diagonals);

/// How far from their places corners of the surface would be at most if each cell were cut into
/// tetrahedra the other way, in cells: a shape that is symmetric about a plane through the middles
/// of cells comes out uneven by as much. Zero where only edges of cells are smoothed over.
double asymmetry_of_smoothing(Solid solid, int rounds, bool over_diagonals);

/// Scales it about its centre until it has a volume [m³], by factors of 0.98 … `most`.
void scale_to_volume(Solid& solid, double volume, double most);

/// Of the corners of a cell, seen from outside counter-clockwise, in the order of cell_neighbours.
inline constexpr std::array<std::array<std::uint32_t, 4>, 6> cell_sides{
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
/// The two triangles of a side, outward, cut as the tetrahedra are or the other way. The diagonal
/// is the first edge of the second one.
std::array<Triangle, 2> triangles_of_side(const Solid::Cell& cell, std::size_t side,
                                          bool other_way = false);

/// The tetrahedra of a cell: five, mirrored in every other cell, so that neighbours' sides match.
std::array<std::array<std::uint32_t, 4>, 5> tetrahedra_of(const Solid::Cell& cell);

}  // namespace turgor
