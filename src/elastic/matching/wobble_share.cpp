#include <algorithm>

#include "base/rigid_system.hpp"
#include "elastic/matching/region_fit.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

/// Takes the rigid motion and, to first order, the change of volume out of a displacement of the
/// rest shape.
void make_pure(const BodyAsset& asset, std::span<const Vec3> normals, std::span<Vec3> u) {
    double change = 0, effect = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        change += dot(u[i], normals[i]);
        effect += dot(normals[i], normals[i]) / asset.mass[i];
    }
    RigidSystem system;
    Vec3 linear, angular;
    for (std::size_t i = 0; i < u.size(); ++i) {
        u[i] -= change / effect / asset.mass[i] * normals[i];
        system.add(asset.mass[i], asset.rest[i]);
        linear += asset.mass[i] * u[i];
        angular += cross(asset.rest[i], asset.mass[i] * u[i]);
    }
    const RigidField rigid = system.solve(linear, angular);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= rigid.at(asset.rest[i]);
}

double largest(std::span<const Vec3> u) {
    double l = 0;
    for (const Vec3& d : u) l = std::max(l, norm(d));
    return l;
}

}  // namespace

double find_wobble_share(const BodyAsset& asset, const FindGoals& match) {
    const std::size_t n = asset.rest.size();
    // All five volume-keeping stretches and shears at once, with equal energy in each.
    const Mat3 strain{{{1.2, 0.7, -0.7}, {0.7, -0.2, 0.7}, {-0.7, 0.7, -1.0}}};
    std::vector<Vec3> u(n), x(n), goals(n), normals(n);
    area_normals(asset.rest, asset.triangles, normals);
    for (std::size_t i = 0; i < n; ++i) u[i] = strain * asset.rest[i];

    double share = 0;
    int rounds = 1;
    for (int round = 0; round <= rounds; ++round) {
        make_pure(asset, normals, u);
        const double scale = 1e-3 * asset.size / std::max(1e-300, largest(u));
        double taken_back = 0, total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            u[i] *= scale;
            x[i] = asset.rest[i] + u[i];
        }
        match(x, goals);
        for (std::size_t i = 0; i < n; ++i) {
            taken_back += asset.mass[i] * dot(x[i] - goals[i], u[i]);
            total += asset.mass[i] * dot(u[i], u[i]);
            u[i] += 1.5 * (goals[i] - x[i]);
        }
        share = std::clamp(taken_back / total, 1e-9, 1.0);
        // A mode of share κ needs about 1/κ rounds to come out.
        if (round == 0) rounds = std::clamp(static_cast<int>(1 / share), 4, 20);
    }
    return share;
}

}  // namespace turgor
