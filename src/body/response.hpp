#pragma once

#include <cstdint>
#include <span>

#include "base/mat3.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// How a body answers contacts as a whole: a push at any of its points moves all of it. Bodies
/// without one answer locally, each particle by its own mass.
///
/// It is opened for a sub-step; points are added as contacts are found; then pushes move the body
/// in one of three fields, by the same map in each, and `finish` lets all particles follow.
class Response {
public:
    enum class Field : std::uint8_t { start, position, velocity };

    virtual ~Response() = default;
    /// Forgets points and pushes. `x_start` and `x`: where particles are when the sub-step begins,
    /// and where they would be without contacts.
    virtual void open(std::span<const double> mass, std::span<const Vec3> x_start,
                      std::span<const Vec3> x) = 0;
    /// A weighted mean of particles; weights add up to 1. Returns its number.
    virtual std::uint32_t add_point(std::span<const std::uint32_t> particles,
                                    std::span<const double> weights) = 0;
    /// How a push at point `b` moves point `a` [1/kg].
    virtual Mat3 compliance(std::uint32_t a, std::uint32_t b) const = 0;
    /// How far pushes have moved a point so far: [m], or [m/s] of velocities.
    virtual Vec3 displacement(Field field, std::uint32_t point) const = 0;
    /// Moves the body by a push at a point: [kg m], or [kg m/s] for velocities.
    virtual void push(Field field, std::uint32_t point, Vec3 by) = 0;
    /// All particles follow what was pushed in a field, which is then at rest again. Returns what
    /// that adds to the angular momentum Σ m x_start × Δ beyond that of the pushes [kg m²].
    virtual Vec3 finish(Field field, std::span<Vec3> particles) = 0;
};

}  // namespace turgor
