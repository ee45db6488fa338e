#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "elastic/cells/cells.hpp"

/// The slowest wobble by the method of Rayleigh and Ritz.
namespace turgor {
namespace {

/// Displacements along an axis that are polynomials in the place, up to third order.
constexpr std::size_t monomials = 20, functions = 3 * monomials;
/// What a change of a cell's volume costs, in shear moduli: it is kept, nearly.
constexpr double bulk = 100;
/// A motion takes part in a homogeneous strain from this share of it on.
constexpr double least_share = 0.05;

std::array<double, monomials> powers(Vec3 p) {
    std::array<double, monomials> all{};
    std::size_t n = 0;
    double of_x = 1;
    for (int i = 0; i <= 3; ++i, of_x *= p.x) {
        double of_y = 1;
        for (int j = 0; i + j <= 3; ++j, of_y *= p.y) {
            double of_z = 1;
            for (int k = 0; i + j + k <= 3; ++k, of_z *= p.z) all[n++] = of_x * of_y * of_z;
        }
    }
    return all;
}

/// A symmetric matrix of any size.
class Dense {
public:
    explicit Dense(std::size_t size) : size_(size), values_(size * size) {}
    double& operator()(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }
    double operator()(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
    std::size_t size() const { return size_; }
    /// Adds w f fᵀ.
    void add(double w, std::span<const double> f) {
        for (std::size_t i = 0; i < size_; ++i) {
            const double left = w * f[i];
            if (left == 0) continue;
            for (std::size_t j = 0; j < size_; ++j) (*this)(i, j) += left * f[j];
        }
    }

private:
    std::size_t size_;
    std::vector<double> values_;
};

/// Diagonalises `a` by cyclic Jacobi; the columns of the result are eigenvectors.
Dense eigenvectors(Dense& a) {
    const std::size_t n = a.size();
    Dense v(n);
    for (std::size_t i = 0; i < n; ++i) v(i, i) = 1;
    constexpr int most_rounds = 30;
    for (int round = 0; round < most_rounds; ++round) {
        double off = 0, all = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                all += a(i, j) * a(i, j);
                if (i != j) off += a(i, j) * a(i, j);
            }
        if (!(off > 1e-26 * all)) break;
        for (std::size_t p = 0; p + 1 < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (a(p, q) == 0) continue;
                const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
                const double t =
                    std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                const auto turn = [&](double& left, double& right) {
                    const double l = left, r = right;
                    left = c * l - s * r;
                    right = s * l + c * r;
                };
                for (std::size_t k = 0; k < n; ++k) turn(a(k, p), a(k, q));
                for (std::size_t k = 0; k < n; ++k) turn(a(p, k), a(q, k));
                for (std::size_t k = 0; k < n; ++k) turn(v(k, p), v(k, q));
            }
    }
    return v;
}

/// Stiffness and mass of the functions, for density 1.
struct Quadratic {
    Dense stiffness{functions}, mass{functions};
};

Quadratic assemble(const CellsRest& rest, const CellModuli& moduli) {
    const BodyAsset& asset = *rest.asset;
    std::vector<std::array<double, monomials>> at;
    for (const Vec3& p : asset.rest) at.push_back(powers(2 / asset.size * p));
    Quadratic q;
    std::array<double, functions> f{};
    // How much each function changes what changes by `by` when particle i is displaced.
    const auto add = [&](std::uint32_t i, Vec3 by) {
        for (std::size_t m = 0; m < monomials; ++m) {
            f[3 * m] += by.x * at[i][m];
            f[3 * m + 1] += by.y * at[i][m];
            f[3 * m + 2] += by.z * at[i][m];
        }
    };
    const auto add_springs = [&](std::span<const CellSpring> springs, double stiffness) {
        for (const CellSpring& s : springs) {
            const Vec3 along = normalized(asset.rest[s.second] - asset.rest[s.first]);
            f = {};
            add(s.second, along);
            add(s.first, -along);
            q.stiffness.add(stiffness * s.cells, f);
        }
    };
    add_springs(rest.edges, edge_stiffness(moduli, rest.edge));
    check_cancelled();
    add_springs(rest.diagonals, diagonal_stiffness(moduli, rest.edge));
    check_cancelled();
    for (const CellsRest::Cell& cell : rest.cells) {
        const CellCorners gradient = volume_gradient(cell_modes(corners_at(cell, asset.rest)));
        f = {};
        for (std::size_t k = 0; k < 8; ++k) add(cell.corners[k], gradient[k]);
        q.stiffness.add(bulk * moduli.largest() / cell.volume, f);
    }
    for (std::uint32_t i = 0; i < asset.rest.size(); ++i)
        for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            f = {};
            add(i, axis);
            q.mass.add(asset.mass[i], f);
        }
    return q;
}

/// All five stretches and shears that keep a volume at once, with equal energy in each, as
/// coefficients of the functions.
std::array<double, functions> homogeneous_strain() {
    const Mat3 strain{{{1.2, 0.7, -0.7}, {0.7, -0.2, 0.7}, {-0.7, 0.7, -1.0}}};
    std::array<double, functions> s{};
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 p;
        p[axis] = 2;
        // The monomial that is 2 there and of first order: the place itself.
        const auto twice = powers(p);
        for (std::size_t m = 0; m < monomials; ++m)
            if (twice[m] == 2)
                for (int row = 0; row < 3; ++row)
                    s[3 * m + static_cast<std::size_t>(row)] += strain.m[row][axis];
    }
    return s;
}

}  // namespace

double wobble_of_unit_density(const CellsRest& rest, const CellModuli& moduli) {
    Quadratic q = assemble(rest, moduli);
    const auto strain = homogeneous_strain();
    std::array<double, functions> momentum{};  // M s
    double whole = 0;
    for (std::size_t i = 0; i < functions; ++i) {
        for (std::size_t j = 0; j < functions; ++j) momentum[i] += q.mass(i, j) * strain[j];
        whole += momentum[i] * strain[i];
    }
    // Coordinates in which the mass is the identity; functions that are hardly different from
    // others fall away.
    const Dense axes = eigenvectors(q.mass);
    double largest = 0;
    for (std::size_t i = 0; i < functions; ++i) largest = std::max(largest, q.mass(i, i));
    std::vector<std::array<double, functions>> basis;
    for (std::size_t k = 0; k < functions; ++k) {
        if (!(q.mass(k, k) > 1e-9 * largest)) continue;
        auto& f = basis.emplace_back();
        for (std::size_t i = 0; i < functions; ++i) f[i] = axes(i, k) / std::sqrt(q.mass(k, k));
    }
    Dense reduced(basis.size());
    for (std::size_t k = 0; k < basis.size(); ++k) {
        std::array<double, functions> pulled{};
        for (std::size_t i = 0; i < functions; ++i)
            for (std::size_t j = 0; j < functions; ++j)
                pulled[i] += q.stiffness(i, j) * basis[k][j];
        for (std::size_t l = 0; l < basis.size(); ++l)
            for (std::size_t i = 0; i < functions; ++i) reduced(k, l) += basis[l][i] * pulled[i];
    }
    const Dense modes = eigenvectors(reduced);
    double slowest = moduli.largest() / (rest.edge * rest.edge), stiffest = 0;
    for (std::size_t k = 0; k < basis.size(); ++k) stiffest = std::max(stiffest, reduced(k, k));
    for (std::size_t k = 0; k < basis.size(); ++k) {
        double share = 0;
        for (std::size_t l = 0; l < basis.size(); ++l)
            for (std::size_t i = 0; i < functions; ++i)
                share += modes(l, k) * basis[l][i] * momentum[i];
        if (share * share > least_share * whole && reduced(k, k) > 1e-9 * stiffest)
            slowest = std::min(slowest, reduced(k, k));
    }
    return slowest;
}

}  // namespace turgor
