#include "elastic/meshless/rigid_motion.hpp"

#include "base/rigid_system.hpp"
#include "base/rotation.hpp"

namespace turgor {

Quat turn_freely(std::span<const double> mass, std::span<const Vec3> offsets, Quat from,
                 Vec3 angular, double h) {
    Mat3 spread;
    for (std::size_t i = 0; i < offsets.size(); ++i)
        spread += outer(mass[i] * offsets[i], offsets[i]);
    const Mat3 inertia = trace(spread) * Mat3::identity() - spread;
    Vec3 spin;  // h ω
    constexpr int iterations = 4;
    for (int k = 0; k < iterations; ++k) {
        const Quat middle = rotation_by(0.5 * spin) * from;
        const Vec3 in_body = rotate(conjugate(middle), angular);
        spin = h * rotate(middle, solve_symmetric(inertia, in_body));
    }
    return normalized(rotation_by(spin) * from);
}

}  // namespace turgor
