#include "base/rigid_system.hpp"

#include <algorithm>

namespace turgor {
namespace {

/// Eigenvalues and eigenvectors (columns of `v`) of a symmetric matrix by cyclic Jacobi.
Vec3 eigen_symmetric(Mat3 a, Mat3& v) {
    v = Mat3::identity();
    for (int sweep = 0; sweep < 20; ++sweep) {
        if (std::abs(a.m[0][1]) + std::abs(a.m[0][2]) + std::abs(a.m[1][2]) <
            1e-16 * std::abs(trace(a)))
            break;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a.m[p][q] == 0) continue;
                const double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                Mat3 j = Mat3::identity();
                j.m[p][p] = j.m[q][q] = c;
                j.m[p][q] = s;
                j.m[q][p] = -s;
                a = transpose(j) * a * j;
                v = v * j;
            }
    }
    return {a.m[0][0], a.m[1][1], a.m[2][2]};
}

}  // namespace

Vec3 centre_of_mass(std::span<const double> mass, std::span<const Vec3> x) {
    Vec3 sum;
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += mass[i] * (x[i] - x[0]);
        total += mass[i];
    }
    return x[0] + sum / total;
}

Vec3 solve_symmetric(const Mat3& m, Vec3 b) {
    Mat3 v;
    const Vec3 values = eigen_symmetric(m, v);
    const double largest = std::max({values.x, values.y, values.z, 0.0});
    Vec3 x;
    for (int i = 0; i < 3; ++i)
        if (values[i] > 1e-10 * largest) x += dot(v.column(i), b) / values[i] * v.column(i);
    return x;
}

RigidSystem::RigidSystem(double weight, Vec3 first, const Mat3& second_moment)
    : weight_(weight),
      first_(first),
      second_(trace(second_moment) * Mat3::identity() - second_moment) {}

void RigidSystem::add(double weight, Vec3 r) {
    weight_ += weight;
    first_ += weight * r;
    second_ += weight * (dot(r, r) * Mat3::identity() - outer(r, r));
}

RigidField RigidSystem::solve(Vec3 linear, Vec3 angular) const {
    if (!(weight_ > 0)) return {};
    // About the weighted centre c the system falls apart: P = w a', L − c × P = (inertia about c)
    // b.
    const Vec3 c = first_ / weight_;
    const Mat3 inertia = second_ - weight_ * (dot(c, c) * Mat3::identity() - outer(c, c));
    const Vec3 b = solve_symmetric(inertia, angular - cross(c, linear));
    return {linear / weight_ - cross(b, c), b};
}

}  // namespace turgor
