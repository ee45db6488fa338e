#pragma once

#include <cstddef>
#include <cstdint>

#include "turgor/solid.hpp"

/// Solids made of cells, measured from outside.
namespace turgor::measure {

/// What a solid promises, and how near it is to its mesh.
struct SolidFigures {
    bool closed = false;       ///< its surface is a closed manifold, outward, without repairs
    std::size_t parts = 0;     ///< of cells that hang together by their sides
    double corner = 0;         ///< smallest corner determinant, in cells
    std::size_t inverted = 0;  ///< tetrahedra
    double volume_before = 0;  ///< relative error before the final scaling
    double volume = 0;         ///< and after it
    double surface_rms = 0;    ///< distance of its surface's corners from the mesh, in cells
    bool is_valid() const { return closed && parts == 1 && corner >= 0.2 && inverted == 0; }
};
/// Errors of the volume are against `volume` [m³], or against the one that was wanted.
SolidFigures solid_figures(const Solid& solid, const Mesh& mesh, double volume = 0);

/// A mesh as nobody should make one: triangles anywhere, shells with gaps, sheets, shards, parts
/// that cut through each other. Another one for each seed.
Mesh random_soup(std::uint64_t seed);

/// The largest difference between a solid and its own mirror image along an axis, in cells; a cell
/// more where their cells differ.
double asymmetry(const Solid& solid, int axis);

}  // namespace turgor::measure
