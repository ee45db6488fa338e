#pragma once

#include "base/rigid_system.hpp"

namespace turgor {

/// Everything that damping as a whole has to know of the motion of many particles.
struct MotionSums {
    double mass = 0;    ///< Σ m
    Vec3 first;         ///< Σ m x
    Vec3 second;        ///< Σ m x xᵀ: xx yy zz
    Vec3 mixed;         ///< Σ m x xᵀ: xy yz zx
    Vec3 linear;        ///< Σ m v
    Vec3 angular;       ///< Σ m x × v
    double energy = 0;  ///< Σ m v·v

    void add(double m, Vec3 x, Vec3 v) {
        mass += m;
        first += m * x;
        second += m * Vec3{x.x * x.x, x.y * x.y, x.z * x.z};
        mixed += m * Vec3{x.x * x.y, x.y * x.z, x.z * x.x};
        linear += m * v;
        angular += m * cross(x, v);
        energy += m * dot(v, v);
    }
    void add(const MotionSums& o, double sign = 1) {
        mass += sign * o.mass;
        first += sign * o.first;
        second += sign * o.second;
        mixed += sign * o.mixed;
        linear += sign * o.linear;
        angular += sign * o.angular;
        energy += sign * o.energy;
    }
    Mat3 second_moment() const { return symmetric(second, mixed); }
    /// All velocities become keep v + a + b × x.
    void change(double keep, Vec3 a, Vec3 b) {
        const Mat3 s = second_moment();
        const Vec3 spun = trace(s) * b - s * b;  // Σ m x × (b × x)
        energy = keep * keep * energy + 2 * keep * (dot(a, linear) + dot(b, angular)) +
                 mass * dot(a, a) + 2 * dot(a, cross(b, first)) + dot(b, spun);
        linear = keep * linear + mass * a + cross(b, first);
        angular = keep * angular + cross(first, a) + spun;
    }
    Vec3 centre() const { return first / mass; }
    RigidSystem system() const { return {mass, first, second_moment()}; }
    /// The rigid field with the same momenta, about the origin.
    RigidField rigid() const { return system().solve(linear, angular); }
    /// With what `system` has of the inertia; positions must not have changed since.
    RigidField rigid(const SymmetricSolver& inertia) const {
        return system().solve(inertia, linear, angular);
    }
};

}  // namespace turgor
