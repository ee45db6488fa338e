#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "turgor/solid.hpp"

namespace turgor {

/// Where what belongs to cells is kept, and to corners: a corner has the slot of the cell whose
/// lowest corner it is. A row along x is consecutive, so all neighbours are at offsets that are
/// constant along a row. Around cells and their corners there are slots for neighbours that do not
/// exist: numbers there are zero, and nobody needs to ask.
class CellGrid {
public:
    using Place = std::array<int, 3>;

    CellGrid() = default;
    /// `places` of cells within `size`.
    CellGrid(Place size, std::vector<Place> places);

    /// Of a cell or a corner that exists, or that is a neighbour of one.
    std::uint32_t slot(int x, int y, int z) const {
        return static_cast<std::uint32_t>(row(y, z) + x);
    }
    std::uint32_t slot(const Place& p) const { return slot(p[0], p[1], p[2]); }
    /// Corner k of the cell at a place: +x where k & 1, y: 2, z: 4.
    std::uint32_t corner(const Place& cell, unsigned k) const {
        return slot(cell[0] + static_cast<int>(k & 1), cell[1] + static_cast<int>(k >> 1 & 1),
                    cell[2] + static_cast<int>(k >> 2 & 1));
    }
    const Place& size() const { return size_; }
    /// All cells.
    std::span<const Place> places() const { return places_; }
    std::size_t slots() const { return slots_; }
    std::size_t bytes() const;

private:
    int row(int y, int z) const {
        return rows_[static_cast<std::size_t>((y + 1) + (size_[1] + 3) * (z + 1))];
    }

    Place size_{};
    std::vector<Place> places_;
    std::vector<int> rows_;  ///< slot of x = 0 of every row, one row and one layer around
    std::size_t slots_ = 0;
};

}  // namespace turgor
