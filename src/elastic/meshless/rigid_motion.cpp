#include "elastic/meshless/rigid_motion.hpp"

#include <algorithm>
#include <cmath>

#include "base/eigen.hpp"
#include "base/rotation.hpp"

namespace turgor {

Quat turn_freely(std::span<const double> mass, std::span<const Vec3> offsets, Quat from,
                 Vec3 angular, double h) {
    Mat3 spread, axes;
    for (std::size_t i = 0; i < offsets.size(); ++i)
        spread += outer(mass[i] * offsets[i], offsets[i]);
    const Vec3 inertia = eigen_symmetric(trace(spread) * Mat3::identity() - spread, axes);
    const double largest = std::max({inertia.x, inertia.y, inertia.z});
    const auto velocity = [&](Quat orientation) {
        const Vec3 in_body = rotate(conjugate(orientation), angular);
        Vec3 v;
        for (int k = 0; k < 3; ++k)
            if (inertia[k] > 1e-10 * largest)
                v += dot(axes.column(k), in_body) / inertia[k] * axes.column(k);
        return rotate(orientation, v);
    };
    // The rule keeps the energy to the square of the angle of a step. A body that spins about its
    // middle axis turns over when a tiny part of that energy says so: its steps are short.
    constexpr double longest_angle = 0.01;  // [rad]
    constexpr double most_steps = 100;
    const double steps =
        std::clamp(std::ceil(h * norm(velocity(from)) / longest_angle), 1.0, most_steps);
    Quat now = from;
    for (int step = 0; step < static_cast<int>(steps); ++step) {
        Vec3 spin;  // of the step: h ω
        constexpr int iterations = 4;
        for (int k = 0; k < iterations; ++k)
            spin = h / steps * velocity(rotation_by(0.5 * spin) * now);
        now = normalized(rotation_by(spin) * now);
    }
    return now;
}

}  // namespace turgor
