#include "body/rigid_response.hpp"

#include <numeric>

#include "base/rigid_system.hpp"

namespace turgor {

void RigidResponse::open(std::span<const double> mass, std::span<const Vec3> x_start,
                         std::span<const Vec3> x) {
    points_.clear();
    moved_ = turned_ = {};
    mass_ = mass;
    x_start_ = x_start;
    x_ = x;
    centre_ = centre_of_mass(mass, x);
    total_ = std::accumulate(mass.begin(), mass.end(), 0.0);
    RigidSystem inertia;
    for (std::size_t i = 0; i < x.size(); ++i) inertia.add(mass[i], x[i] - centre_);
    const auto spin = [&](Vec3 angular) { return inertia.solve({}, angular).b; };
    inverse_inertia_ = Mat3::from_columns(spin({1, 0, 0}), spin({0, 1, 0}), spin({0, 0, 1}));
}

std::uint32_t RigidResponse::add_point(std::span<const std::uint32_t> particles,
                                       std::span<const double> weights) {
    Vec3 at;
    for (std::size_t k = 0; k < particles.size(); ++k) at += weights[k] * x_[particles[k]];
    points_.push_back(at - centre_);
    return static_cast<std::uint32_t>(points_.size() - 1);
}

Mat3 RigidResponse::compliance(std::uint32_t a, std::uint32_t b) const {
    const auto column = [&](Vec3 e) {
        return e / total_ + cross(inverse_inertia_ * cross(points_[b], e), points_[a]);
    };
    const Vec3 x = column({1, 0, 0}), y = column({0, 1, 0}), z = column({0, 0, 1});
    return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

Vec3 RigidResponse::displacement(Field field, std::uint32_t point) const {
    const auto f = static_cast<std::size_t>(field);
    return moved_[f] + cross(turned_[f], points_[point]);
}

void RigidResponse::push(Field field, std::uint32_t point, Vec3 by) {
    const auto f = static_cast<std::size_t>(field);
    moved_[f] += by / total_;
    turned_[f] += inverse_inertia_ * cross(points_[point], by);
}

Vec3 RigidResponse::finish(Field field, std::span<Vec3> particles) {
    const auto f = static_cast<std::size_t>(field);
    const Vec3 moved = moved_[f], turned = turned_[f];
    moved_[f] = turned_[f] = {};
    Vec3 beyond;
    const double angle = norm(turned);
    const Quat turn = angle > 0 ? Quat::about(turned / angle, angle) : Quat{};
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3 arm = x_[i] - centre_;
        // Positions turn without growing; velocities are linear in the turn.
        const Vec3 change = field == Field::velocity ? cross(turned, arm) : rotate(turn, arm) - arm;
        if (field == Field::position)
            beyond += mass_[i] * cross(x_start_[i] - x_[i], moved + change);
        particles[i] += moved + change;
    }
    if (field == Field::position) {
        centre_ += moved;
        for (Vec3& arm : points_) arm = rotate(turn, arm);
    }
    return beyond;
}

}  // namespace turgor
