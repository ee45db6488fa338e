#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "elastic/meshless/meshless.hpp"

/// Shape matching to the letter of Müller, Heidelberger, Teschner and Gross (2005), for comparison:
/// what is wrong with it is left wrong. Symbols are those of the paper; docs/methods.md tells where
/// Turgor's own goals (meshless.hpp) differ, and why.
namespace turgor::published {

/// q̃ = (q_x, q_y, q_z, q_x², q_y², q_z², q_x q_y, q_y q_z, q_z q_x); the first three are q.
using Functions = std::array<double, 9>;
Functions functions_of(Vec3 q);

/// Of which the first n×n are in use, 3 or 9.
using Matrix9 = std::array<std::array<double, 9>, 9>;
/// By Gauss and Jordan. Of a singular matrix: nothing finite.
Matrix9 inverse(Matrix9 a, std::size_t n);

/// R of A_pq = R S with S = √(A_pqᵀ A_pq). A reflection where A_pq is inverted, not finite where it
/// is flat.
Mat3 polar_rotation(const Mat3& a_pq);

/// The largest factor by which a matrix stretches.
double spectral_norm(const Mat3& a);

/// A cell of the bounding box: particles that are matched together, by their plain masses.
struct Cell {
    std::vector<std::uint32_t> particles;
    Vec3 centre;                      ///< x⁰_cm
    Mat3 plastic = Mat3::identity();  ///< Sᵖ: q is Sᵖ (x⁰ − x⁰_cm)
    Matrix9 a_qq{};  ///< (Σ m q̃ q̃ᵀ)⁻¹ with this Sᵖ; of q alone unless quadratic
};

/// All clusters of a body.
struct Cells {
    MeshlessMode mode = MeshlessMode::quadratic;
    double beta = 0.8;
    std::vector<Cell> cells;
    std::vector<int> count;  ///< of the cells that a particle is in
};

Cells make_cells(const BodyAsset& asset, MeshlessMode mode, double beta,
                 const ClusterLayout& layout);
/// After `plastic` changed.
void update_inverse(const BodyAsset& asset, MeshlessMode mode, Cell& cell);

struct Match {
    Vec3 centre;                    ///< x_cm
    Mat3 rotation;                  ///< R
    Mat3 linear;                    ///< A = A_pq A_qq
    std::array<Vec3, 9> columns{};  ///< of the matrix that brings q̃ to its goal
    Vec3 goal(Vec3 q) const;
};
Match match(const BodyAsset& asset, const Cells& cells, const Cell& cell, std::span<const Vec3> x);

/// The mean over a particle's cells of where they draw it.
void goals_of(const BodyAsset& asset, const Cells& cells, std::span<const Vec3> x,
              std::span<Vec3> goals);

/// c_yield, c_creep [1/s] and c_max.
struct Flow {
    double yield = 0, creep = 0, most = 0;
    explicit Flow(const Plasticity& plasticity);
};
/// Sᵖ ← (I + h c_creep (S − I)) Sᵖ, bounded, of determinant 1; nothing where ‖S − I‖₂ is at most
/// c_yield.
std::optional<Mat3> flow(const Flow& flow, double h, const Match& match, const Mat3& plastic);

}  // namespace turgor::published
