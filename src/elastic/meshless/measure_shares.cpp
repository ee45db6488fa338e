#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/rigid_system.hpp"
#include "elastic/meshless/meshless.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

using Field = std::vector<Vec3>;

/// Displacements of the rest shape, under the masses' inner product.
class Displacements {
public:
    explicit Displacements(const BodyAsset& asset) : asset_(asset), pressure_(asset.rest.size()) {
        area_normals(asset.rest, asset.triangles, pressure_);
        for (std::size_t i = 0; i < pressure_.size(); ++i)
            pressure_[i] = pressure_[i] / asset.mass[i];
        remove_rigid(pressure_);
        square_ = product(pressure_, pressure_);
    }
    double product(const Field& a, const Field& b) const {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += asset_.mass[i] * dot(a[i], b[i]);
        return sum;
    }
    /// Takes the rigid motion and, to first order, the change of volume out.
    void make_pure(Field& u) const {
        remove_rigid(u);
        if (!(square_ > 0)) return;
        const double along = product(u, pressure_) / square_;
        for (std::size_t i = 0; i < u.size(); ++i) u[i] -= along * pressure_[i];
    }
    /// Makes them orthonormal; what depends on others is left out.
    void orthonormalise(std::vector<Field>& fields) const {
        std::vector<Field> kept;
        for (Field& u : fields) {
            const double before = product(u, u);
            for (int twice = 0; twice < 2; ++twice)
                for (const Field& other : kept) {
                    const double along = product(u, other);
                    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= along * other[i];
                }
            const double square = product(u, u);
            if (!(square > 1e-8 * before) || !(square > 0)) continue;
            for (Vec3& d : u) d /= std::sqrt(square);
            kept.push_back(std::move(u));
        }
        fields = std::move(kept);
    }

private:
    void remove_rigid(Field& u) const {
        RigidSystem system;
        Vec3 linear, angular;
        for (std::size_t i = 0; i < u.size(); ++i) {
            system.add(asset_.mass[i], asset_.rest[i]);
            linear += asset_.mass[i] * u[i];
            angular += cross(asset_.rest[i], asset_.mass[i] * u[i]);
        }
        const RigidField rigid = system.solve(linear, angular);
        for (std::size_t i = 0; i < u.size(); ++i) u[i] -= rigid.at(asset_.rest[i]);
    }
    const BodyAsset& asset_;
    Field pressure_;
    double square_ = 0;
};

/// All polynomials of first and second order, one component at a time.
std::vector<Field> polynomials(const BodyAsset& asset) {
    std::vector<Field> fields;
    for (int component = 0; component < 3; ++component)
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 4; ++b) {
                Field u(asset.rest.size());
                for (std::size_t i = 0; i < u.size(); ++i) {
                    const Vec3 q = asset.rest[i] / asset.size;
                    u[i][component] = q[a] * (b < 3 ? q[b] : 1);
                }
                fields.push_back(std::move(u));
            }
    return fields;
}

/// Eigenvectors (columns) of a small symmetric matrix by cyclic Jacobi; its diagonal becomes the
/// eigenvalues.
std::vector<std::vector<double>> diagonalise(std::vector<std::vector<double>>& a) {
    const std::size_t n = a.size();
    std::vector<std::vector<double>> v(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
    for (int sweep = 0; sweep < 12; ++sweep)
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (std::abs(a[p][q]) < 1e-18) continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
                    const double kp = v[k][p], kq = v[k][q];
                    v[k][p] = c * kp - s * kq, v[k][q] = s * kp + c * kq;
                }
            }
    return v;
}

/// What matching at stiffness 1 takes back of a small displacement.
Field taken_back(const BodyAsset& asset, const MeshlessRest& rest, const Field& u) {
    double largest = 0;
    for (const Vec3& d : u) largest = std::max(largest, norm(d));
    const double scale = 1e-5 * asset.size / std::max(largest, 1e-300);
    Field x(u.size()), goals(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) x[i] = asset.rest[i] + scale * u[i];
    ClusterStates states{std::vector<Quat>(rest.clusters.size()), {}};
    match_clusters(rest, x, states, goals);
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double firm = rest.importance.empty() ? 1 : rest.importance[i];
        x[i] = firm / scale * (x[i] - goals[i]);
    }
    return x;
}

}  // namespace

void measure_shares(const BodyAsset& asset, MeshlessRest& rest) {
    const Displacements space(asset);
    std::vector<Field> fields = polynomials(asset);
    for (int twice = 0; twice < 2; ++twice) {
        for (Field& u : fields) space.make_pure(u);
        space.orthonormalise(fields);
    }
    // Large bodies have many particles for each mode, and a few rounds tell as much.
    const int rounds = asset.rest.size() > 5000 ? 4 : 10;
    for (int round = 0; round < rounds && !fields.empty(); ++round) {
        check_cancelled();
        std::vector<Field> taken;
        for (const Field& u : fields) {
            taken.push_back(taken_back(asset, rest, u));
            space.make_pure(taken.back());
        }
        const std::size_t n = fields.size();
        std::vector<std::vector<double>> ritz(n, std::vector<double>(n));
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a; b < n; ++b)
                ritz[a][b] = ritz[b][a] =
                    0.5 * (space.product(fields[a], taken[b]) + space.product(fields[b], taken[a]));
        const auto vectors = diagonalise(ritz);
        std::size_t softest = 0;
        for (std::size_t k = 1; k < n; ++k)
            if (ritz[k][k] < ritz[softest][softest]) softest = k;
        rest.wobble_share = std::clamp(ritz[softest][softest], 1e-9, 1.0);
        Field mode(asset.rest.size());
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < mode.size(); ++i)
                mode[i] += vectors[k][softest] * fields[k][i];
        Field blended(mode.size());
        blend_cluster_velocities(rest, asset.rest, mode, blended);
        for (std::size_t i = 0; i < mode.size(); ++i)
            blended[i] =
                (rest.importance.empty() ? 1 : rest.importance[i]) * (mode[i] - blended[i]);
        rest.damping_share = std::clamp(space.product(mode, blended), 1e-9, 1.0);
        // The softest stay longest.
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < mode.size(); ++i) fields[k][i] -= taken[k][i];
        fields.push_back(std::move(mode));
        std::swap(fields.front(), fields.back());
        // What is left of one that others explain is rounding, rigid motion above all.
        for (int twice = 0; twice < 2; ++twice) {
            for (Field& u : fields) space.make_pure(u);
            space.orthonormalise(fields);
        }
        if (fields.size() > n) fields.resize(n);
    }
}

}  // namespace turgor
