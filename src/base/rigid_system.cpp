#include "base/rigid_system.hpp"

#include <algorithm>

#include "base/eigen.hpp"

namespace turgor {

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
