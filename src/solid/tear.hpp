#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "turgor/solid.hpp"

namespace turgor {

/// Side s of cell c, in the order of cell_neighbours, has a number where another cell is beyond it:
/// that of the side towards +axis is 3 c + axis of the cell whose +axis side it is.
class SolidSides {
public:
    static constexpr std::uint32_t none = 0xffffffff;
    SolidSides() = default;
    explicit SolidSides(const Solid& solid);
    /// The cell beyond a side, or none.
    std::uint32_t beyond(std::uint32_t cell, std::size_t side) const { return beyond_[cell][side]; }
    std::uint32_t number(std::uint32_t cell, std::size_t side) const {
        const std::uint32_t lower = side % 2 == 1 ? cell : beyond_[cell][side];
        return lower == none ? none : 3 * lower + static_cast<std::uint32_t>(side / 2);
    }
    std::size_t cells() const { return beyond_.size(); }

private:
    std::vector<std::array<std::uint32_t, 6>> beyond_;
};

/// Some cells of a solid and the sides between them that broke, both ascending.
struct SolidPart {
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> broken;  ///< by their numbers
    bool operator==(const SolidPart&) const = default;
};

/// A part of a solid that hangs together by sides, as a solid of its own.
struct TornSolid {
    SolidPart part;
    /// Its cells are those of the part. Corners that broken sides separate are there several times;
    /// each pair of triangles is a side of a cell.
    Solid solid;
    std::vector<std::uint32_t> corner_of;  ///< the corner of the whole that each one is
    /// Pairs of triangles from here on are sides that broke; those before them bound the whole.
    std::size_t first_torn = 0;
};

/// What a part of a solid comes apart into where its broken sides open, the most cells first. A
/// side does not open where the surface would touch itself along an edge or at a corner: it stays
/// closed until more sides around it break. What bounds a piece is a closed 2-manifold.
std::vector<TornSolid> pieces(const Solid& whole, const SolidSides& sides, const SolidPart& part);

}  // namespace turgor
