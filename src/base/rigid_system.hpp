#pragma once

#include <span>

#include "base/mat3.hpp"

namespace turgor {

/// Σ m x / Σ m, without losing digits far from the origin.
Vec3 centre_of_mass(std::span<const double> mass, std::span<const Vec3> x);

/// The field a + b × (p − origin).
struct RigidField {
    Vec3 a, b;
    Vec3 at(Vec3 r) const { return a + cross(b, r); }
};

/// A symmetric positive semi-definite matrix, taken apart to solve m x = b with several b; x is
/// zero along directions of (nearly) no stiffness.
class SymmetricSolver {
public:
    SymmetricSolver() = default;
    explicit SymmetricSolver(const Mat3& m);
    Vec3 solve(Vec3 b) const;

private:
    Mat3 vectors_;
    Vec3 values_;
};

/// Σ w GᵀG with G = [I, −[r]×]: the matrix that maps a rigid field to its weighted linear and
/// angular momentum about the origin of r.
class RigidSystem {
public:
    RigidSystem() = default;
    /// From Σ w, Σ w r and Σ w r rᵀ.
    RigidSystem(double weight, Vec3 first, const Mat3& second_moment);
    void add(double weight, Vec3 r);
    /// The field with the given momenta; zero along directions that nothing resists.
    RigidField solve(Vec3 linear, Vec3 angular) const;
    /// The same with `of_inertia`, made of inertia().
    RigidField solve(const SymmetricSolver& of_inertia, Vec3 linear, Vec3 angular) const;
    /// The same in a third of the time but for the last digits of a double, which must not matter.
    RigidField solve_for_single_precision(Vec3 linear, Vec3 angular) const;
    /// About the weighted centre.
    Mat3 inertia() const;

private:
    template <class Solve>
    RigidField solve_with(Solve&& spin_of, Vec3 linear, Vec3 angular) const;

    double weight_ = 0;
    Vec3 first_;
    Mat3 second_;
};

}  // namespace turgor
