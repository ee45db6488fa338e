#pragma once

#include <memory>
#include <span>

#include "elastic/cpu_pass.hpp"
#include "elastic/meshless/meshless.hpp"

namespace turgor {

/// Stage 2 of the meshless model for the cpu back end: sums over particles in single precision,
/// many particles at once; what is few, the fits of clusters, in double precision
/// (cluster_fits.hpp). Particles go in groups; a *cell* is a group's members of one cluster.

/// Rows of a cell: weights w, w q and w φ of each particle of the group, 0 where it is no member.
inline constexpr std::size_t linear_rows = 4, quadratic_rows = linear_rows + most_bends;

struct MeshlessCpuRest {
    struct Cell {
        std::uint32_t group = 0, cluster = 0;
    };
    std::size_t rows = linear_rows;  ///< of a cell
    std::vector<Cell> cells;         ///< by block, cluster, group
    AlignedVector<float> row;        ///< of each cell `rows` × group
    /// Of block b and cluster c the cells starts[b · clusters + c] …; one more at the end.
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> group_starts, group_cells;  ///< the cells of each group
    AlignedVector<float> per_weight;  ///< of particles: 1 over mass × importance
    AlignedVector<float> importance;  ///< 0 in the padding
    /// Σ of the rounded rows of each cluster: what is left of Σ w = 1, Σ w q = 0, Σ w φ = 0.
    std::vector<std::array<double, quadratic_rows>> row_sums;
};
std::shared_ptr<const MeshlessCpuRest> make_meshless_cpu_rest(const CpuAsset& asset,
                                                              const MeshlessRest& rest);
std::size_t bytes(const MeshlessCpuRest& rest);

/// Sums of one cluster over one block: of x, y and z, with each row.
using CellSums = std::array<std::array<double, quadratic_rows>, 3>;
/// Goals of a cluster as coefficients of its rows, times its mass.
using CellGoals = std::array<std::array<float, quadratic_rows>, 3>;
/// Of one cluster over one block: Σ w v, Σ w r × v, Σ w r, Σ w r rᵀ (xx yy zz, xy yz zx).
using CellMotion = std::array<double, 15>;

struct MeshlessCpuView {
    const CpuPass& pass;
    const MeshlessCpuRest& rest;
    std::size_t clusters = 0;
    float look_ahead = 1;          ///< η
    std::span<CellSums> sums;      ///< of each block each cluster
    std::span<CellMotion> motion;  ///< likewise
    std::span<CellGoals> goals;    ///< of each cluster
};

void sum_motion(const MeshlessCpuView& body, std::uint32_t block);
/// v += k (rigid velocity of the clusters − v), and the prediction. `goals` are the fields: rows 0
/// … 3 as of a goal.
void damp_and_integrate_block(const MeshlessCpuView& body, float k, const FrameChange& frame,
                              std::uint32_t block, IntegrateSums& sums);
/// Fills `sums` from x_e = x_n + η (x − x_n).
void sum_cells(const MeshlessCpuView& body, std::uint32_t block);
/// x += s (goal − x_e), and v by the same over h; `change` becomes `weight_stiffness` |goal − x_e|.
void move_to_cluster_goals(const MeshlessCpuView& body, float s, float weight_stiffness,
                           Quad centre, std::uint32_t block, GoalSums& sums);

}  // namespace turgor
