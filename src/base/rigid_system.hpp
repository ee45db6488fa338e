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

private:
    double weight_ = 0;
    Vec3 first_;
    Mat3 second_;
};

/// Solves the symmetric positive semi-definite system m x = b; zero along directions of (nearly) no
/// stiffness.
Vec3 solve_symmetric(const Mat3& m, Vec3 b);

}  // namespace turgor
