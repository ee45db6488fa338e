#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "elastic/lattice/lattice.hpp"
#include "solid/tear.hpp"

namespace turgor {

/// A lattice that can tear, whole: what its pieces are cut out of (docs/methods.md, "Tearing").
struct TearingLattice {
    Solid solid;
    SolidSides sides;
    std::vector<double> relative_masses;  ///< of its corners; may be empty
    double mass_scale = 0;                ///< of its asset
    // What is shown of it: the mesh, its edges split until they are shorter than cells.
    Mesh display;
    std::vector<CellBinding> bindings;           ///< to the corners of the solid
    std::vector<std::uint32_t> cell_of_binding;  ///< of the solid
    /// What comes of it: the body before anything tears.
    std::shared_ptr<const LatticeCells> lattice;
    std::vector<std::uint32_t> particle_of_corner;
};

/// A piece of it, or all of it.
struct LatticePiece {
    SolidPart part;
    std::shared_ptr<const LatticeCells> lattice;
    std::vector<std::array<std::uint32_t, 8>> particles;  ///< of the corners of the part's cells
};

std::shared_ptr<const TearingLattice> make_tearing_lattice(Solid solid, Mesh display,
                                                           std::uint64_t settings,
                                                           std::vector<double> relative_masses);
/// All of it.
LatticePiece whole_piece(const TearingLattice& whole);

/// What comes apart where the particles of a piece are at x, if anything does: sides between cells
/// whose middles are more than `stretch` times as far from each other as at rest; of those in a row
/// the most stretched first.
std::vector<std::uint32_t> sides_that_break(const TearingLattice& whole, const LatticePiece& piece,
                                            std::span<const Vec3> x, double stretch);
/// What becomes of a piece.
struct Torn {
    SolidPart part;                    ///< with what broke
    std::vector<LatticePiece> pieces;  ///< none where broken sides are held closed: nothing parts
};
/// Breaks sides, but those that would close again what is open (`pieces` in solid/tear).
Torn tear(const TearingLattice& whole, const LatticePiece& piece,
          std::vector<std::uint32_t> breaking);
/// A piece as a snapshot has it. An Error where its cells do not hang together.
LatticePiece restored_piece(const TearingLattice& whole, SolidPart part);
/// Of a piece that came out of `before`: the particle of `before` that each of its own was.
std::vector<std::uint32_t> particles_before(const LatticePiece& before, const LatticePiece& piece);

std::size_t bytes(const TearingLattice& whole);
std::size_t bytes(const LatticePiece& piece);

}  // namespace turgor
