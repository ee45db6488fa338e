#include "base/rigid_system.hpp"

#include <algorithm>

#include "base/eigen.hpp"
#include "base/positive_definite.hpp"

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

SymmetricSolver::SymmetricSolver(const Mat3& m) : values_(eigen_symmetric(m, vectors_)) {}

Vec3 SymmetricSolver::solve(Vec3 b) const {
    const double largest = std::max({values_.x, values_.y, values_.z, 0.0});
    Vec3 x;
    for (int i = 0; i < 3; ++i)
        if (values_[i] > 1e-10 * largest)
            x += dot(vectors_.column(i), b) / values_[i] * vectors_.column(i);
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

Mat3 RigidSystem::inertia() const {
    if (!(weight_ > 0)) return {};
    const Vec3 c = first_ / weight_;
    return second_ - weight_ * (dot(c, c) * Mat3::identity() - outer(c, c));
}

/// About the weighted centre c the system falls apart: P = w a', L − c × P = (inertia about c) b.
template <class Solve>
RigidField RigidSystem::solve_with(Solve&& spin_of, Vec3 linear, Vec3 angular) const {
    if (!(weight_ > 0)) return {};
    const Vec3 c = first_ / weight_;
    const Vec3 b = spin_of(angular - cross(c, linear));
    return {linear / weight_ - cross(b, c), b};
}

RigidField RigidSystem::solve(Vec3 linear, Vec3 angular) const {
    return solve_with([&](Vec3 spin) { return SymmetricSolver(inertia()).solve(spin); }, linear,
                      angular);
}

RigidField RigidSystem::solve(const SymmetricSolver& of_inertia, Vec3 linear, Vec3 angular) const {
    return solve_with([&](Vec3 spin) { return of_inertia.solve(spin); }, linear, angular);
}

RigidField RigidSystem::solve_for_single_precision(Vec3 linear, Vec3 angular) const {
    constexpr double least_pivot = 1e-3;  // of the trace: far from where digits are lost
    return solve_with(
        [&](Vec3 spin) {
            const Mat3 m = inertia();
            if (const auto b = solve_positive_definite(m, spin, least_pivot * trace(m))) return *b;
            return SymmetricSolver(m).solve(spin);
        },
        linear, angular);
}

}  // namespace turgor
