#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "elastic/cells/cell_grid.hpp"
#include "elastic/cells/cell_shape.hpp"

namespace turgor {

/// S λ = r, S = G M⁻¹ Gᵀ: which pressures in the cells change their volumes by how much. G has the
/// gradients of the volumes as rows, M the masses. A cell is coupled to the 26 around it. Solved by
/// multigrid (docs/methods.md, "Cells"). Vectors are by slots of grid(), zero where there is no
/// cell.
class PressureSystem {
public:
    PressureSystem() = default;
    PressureSystem(const CellGrid::Place& size, std::vector<CellGrid::Place> places);

    /// `gradients` of the cells in their order, each corner's weighted by M^(−½).
    void assemble(std::span<const CellCorners> gradients);

    const CellGrid& grid() const { return levels_.front().grid; }
    std::size_t levels() const { return levels_.size(); }
    /// Where a cell of the order that was given is among the slots.
    std::uint32_t slot(std::size_t cell) const { return slots_[cell]; }

    /// S λ
    void apply(std::span<const double> lambda, std::span<double> result) const;
    /// One V-cycle from zero: an approximation of S⁻¹ r.
    void v_cycle(std::span<const double> r, std::span<double> lambda);
    /// V-cycles as the preconditioner of conjugate gradients, at most `most` of them, until
    /// enough(residual) is true; returns how many it took. `r` becomes the residual.
    int solve(std::span<double> r, std::span<double> lambda, int most,
              const std::function<bool(std::span<const double>)>& enough);
    std::size_t bytes() const;

private:
    /// The coefficients of a cell with itself and with the 13 neighbours that come after it.
    using Row = std::array<double, 14>;
    struct Level {
        CellGrid grid;
        std::vector<Row> s;
        std::vector<double> per_l1;          ///< 1 / Σ |S|, 0 where a cell cannot change
        std::vector<double> r, x, d, image;  ///< scratch
    };

    static void apply(const Level& level, std::span<const double> x, std::span<double> result);
    static void find_l1(Level& level);
    static void coarsen(const Level& fine, Level& coarse);
    static void restrict_to(const Level& fine, Level& coarse);
    static void prolong_from(const Level& coarse, Level& fine, std::span<double> correction);
    static void smooth(Level& level, int steps);
    static void solve_coarsest(Level& level);
    void cycle(std::size_t level);

    std::vector<Level> levels_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace turgor
