#include "elastic/meshless/published.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cancel.hpp"
#include "base/eigen.hpp"
#include "base/functions.hpp"

namespace turgor::published {

Functions functions_of(Vec3 q) {
    return {q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x};
}

Matrix9 inverse(Matrix9 a, std::size_t n) {
    Matrix9 b{};
    for (std::size_t k = 0; k < n; ++k) b[k][k] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        const double scale = 1 / a[k][k];
        for (std::size_t j = 0; j < n; ++j) a[k][j] *= scale, b[k][j] *= scale;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double by = a[i][k];
            for (std::size_t j = 0; j < n; ++j) a[i][j] -= by * a[k][j], b[i][j] -= by * b[k][j];
        }
    }
    return b;
}

Mat3 polar_rotation(const Mat3& a_pq) {
    Mat3 vectors;
    const Vec3 squares = eigen_symmetric(transpose(a_pq) * a_pq, vectors);
    const Mat3 inverse_root = from_eigen(
        vectors, {1 / std::sqrt(squares.x), 1 / std::sqrt(squares.y), 1 / std::sqrt(squares.z)});
    return a_pq * inverse_root;
}

double spectral_norm(const Mat3& a) {
    Mat3 vectors;
    const Vec3 squares = eigen_symmetric(transpose(a) * a, vectors);
    return std::sqrt(std::max({squares.x, squares.y, squares.z}));
}

void update_inverse(const BodyAsset& asset, MeshlessMode mode, Cell& cell) {
    const std::size_t n = mode == MeshlessMode::quadratic ? 9 : 3;
    Matrix9 sum{};
    for (const std::uint32_t i : cell.particles) {
        const Functions q = functions_of(cell.plastic * (asset.rest[i] - cell.centre));
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t c = 0; c < n; ++c) sum[r][c] += asset.mass[i] * q[r] * q[c];
    }
    cell.a_qq = inverse(sum, n);
}

Cells make_cells(const BodyAsset& asset, MeshlessMode mode, double beta,
                 const ClusterLayout& layout) {
    Cells cells{mode, beta, {}, std::vector<int>(asset.rest.size())};
    for (const auto& shares : layout.clusters) {
        check_cancelled();
        Cell cell;
        double mass = 0;
        for (const ClusterShare& s : shares) {
            cell.particles.push_back(s.particle);
            cell.centre += asset.mass[s.particle] * asset.rest[s.particle];
            mass += asset.mass[s.particle];
            ++cells.count[s.particle];
        }
        cell.centre /= mass;
        update_inverse(asset, mode, cell);
        cells.cells.push_back(std::move(cell));
    }
    return cells;
}

Vec3 Match::goal(Vec3 q) const {
    const Functions f = functions_of(q);
    Vec3 at = centre;
    for (std::size_t k = 0; k < f.size(); ++k) at += f[k] * columns[k];
    return at;
}

Match match(const BodyAsset& asset, const Cells& cells, const Cell& cell, std::span<const Vec3> x) {
    const std::size_t n = cells.mode == MeshlessMode::quadratic ? 9 : 3;
    Match found;
    double mass = 0;
    for (const std::uint32_t i : cell.particles) {
        found.centre += asset.mass[i] * x[i];
        mass += asset.mass[i];
    }
    found.centre /= mass;
    std::array<Vec3, 9> moments{};  // columns of Σ m p q̃ᵀ
    for (const std::uint32_t i : cell.particles) {
        const Vec3 p = asset.mass[i] * (x[i] - found.centre);
        const Functions q = functions_of(cell.plastic * (asset.rest[i] - cell.centre));
        for (std::size_t k = 0; k < n; ++k) moments[k] += q[k] * p;
    }
    found.rotation = polar_rotation(Mat3::from_columns(moments[0], moments[1], moments[2]));
    std::array<Vec3, 9> deformation{};  // of A, or Ã
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) deformation[k] += cell.a_qq[j][k] * moments[j];
    found.linear = Mat3::from_columns(deformation[0], deformation[1], deformation[2]);

    const double beta = cells.mode == MeshlessMode::rigid ? 0 : cells.beta;
    const bool scaled = cells.mode == MeshlessMode::linear;
    const double scale = scaled ? 1 / portable::cbrt(determinant(found.linear)) : 1;
    for (std::size_t k = 0; k < 9; ++k) {
        if (beta > 0 && k < n) found.columns[k] = beta * scale * deformation[k];
        if (k < 3) found.columns[k] += (1 - beta) * found.rotation.column(static_cast<int>(k));
    }
    return found;
}

void goals_of(const BodyAsset& asset, const Cells& cells, std::span<const Vec3> x,
              std::span<Vec3> goals) {
    std::ranges::fill(goals, Vec3{});
    for (const Cell& cell : cells.cells) {
        check_cancelled();
        const Match found = match(asset, cells, cell, x);
        for (const std::uint32_t i : cell.particles)
            goals[i] += found.goal(cell.plastic * (asset.rest[i] - cell.centre)) / cells.count[i];
    }
}

Flow::Flow(const Plasticity& p)
    : yield(p.yield ? portable::exp(*p.yield) - 1 : std::numeric_limits<double>::infinity()),
      creep(1 / p.flow_time),
      most(portable::exp(p.cap) - 1) {}

std::optional<Mat3> flow(const Flow& f, double h, const Match& match, const Mat3& plastic) {
    const Mat3 one = Mat3::identity();
    const Mat3 strain = transpose(match.rotation) * match.linear - one;  // S − I
    if (!(spectral_norm(strain) > f.yield)) return std::nullopt;
    Mat3 next = (one + std::min(1.0, h * f.creep) * strain) * plastic;
    const double kept = spectral_norm(next - one);
    if (kept > f.most) next = one + f.most / kept * (next - one);
    next *= 1 / portable::cbrt(determinant(next));
    return next;
}

}  // namespace turgor::published
