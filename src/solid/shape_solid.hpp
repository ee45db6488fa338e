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

/// Scales it about its centre until it has a volume [m³], by 2 % at most.
void scale_to_volume(Solid& solid, double volume);

/// The tetrahedra of a cell: five, mirrored in every other cell, so that neighbours' sides match.
std::array<std::array<std::uint32_t, 4>, 5> tetrahedra_of(const Solid::Cell& cell);

}  // namespace turgor
