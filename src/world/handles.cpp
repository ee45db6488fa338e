#include <numbers>

#include "world/world_impl.hpp"

namespace turgor {
namespace {

/// The velocity after one implicit Euler step of the critically damped spring a = ω²(target − x) +
/// 2ω(target_v − v), where `target` is the target at the end of the step.
Vec3 spring(Vec3 x, Vec3 v, Vec3 target, Vec3 target_v, double omega, double h) {
    const double stiff = omega * omega * h, drag = 2 * omega * h;
    return (v + stiff * (target - x) + drag * target_v) / (1 + stiff * h + drag);
}

/// A strength in 0 … 1 as the angular frequency of a spring: 0.5 follows within about 5 ms.
double spring_rate(double strength) {
    return std::sqrt(strength / (1 - strength)) / papers_step;
}

Vec3 target_of(const Handle& handle, std::size_t k, const StepContext& context) {
    return handle.previous_targets[k] +
           context.progress * (handle.targets[k] - handle.previous_targets[k]);
}

Vec3 target_velocity(const Handle& handle, std::size_t k, const StepContext& context) {
    return (handle.targets[k] - handle.previous_targets[k]) / context.dt;
}

/// The spring moves the whole body by the few particles it holds, so it pulls harder the fewer they
/// are, though not with the force for the whole mass, which would tear them out; no kick carries
/// them further than a quarter of the body's size per step.
void drag_by(const Handle& handle, BodyView& view, const StepContext& context) {
    Vec3 centre, velocity;
    double held = 0;
    for (const auto i : handle.particles) {
        centre += view.mass[i] * view.x[i];
        velocity += view.mass[i] * view.v[i];
        held += view.mass[i];
    }
    centre /= held;
    velocity /= held;
    const Vec3 after =
        spring(centre, velocity, target_of(handle, 0, context), target_velocity(handle, 0, context),
               2 * std::numbers::pi * handle.frequency, context.h);
    const Vec3 kick = std::sqrt(view.body.mass / held) * (after - velocity);
    const double limit = 0.25 * view.body.asset().size / context.h, length = norm(kick);
    for (const auto i : handle.particles)
        view.v[i] += (length > limit ? limit / length : 1.0) * kick;
}

void follow(const Handle& handle, BodyView& view, const StepContext& context) {
    for (std::size_t k = 0; k < handle.particles.size(); ++k) {
        const double strength = handle.strength[k];
        if (strength <= 0 || strength >= 1) continue;
        const auto i = handle.particles[k];
        const Vec3 velocity = target_velocity(handle, k, context);
        view.v[i] = spring(view.x[i], view.v[i], target_of(handle, k, context), velocity,
                           spring_rate(strength), context.h);
    }
}

void place(BodyView& view, std::uint32_t i, Vec3 target, double h) {
    view.x[i] = target;
    view.v[i] = (target - view.x_start[i]) / h;
    view.support[i] = {1, {}};
}

}  // namespace

void pull_by_handles(BodyView& view, const StepContext& context) {
    for (const Handle& handle : view.body.handles) {
        if (handle.kind == Handle::Kind::drag) drag_by(handle, view, context);
        if (handle.kind == Handle::Kind::follow) follow(handle, view, context);
    }
}

void place_pins(BodyView& view, const StepContext& context) {
    std::fill(view.support.begin(), view.support.end(), Support{});
    for (const Handle& handle : view.body.handles) {
        const Pose pose = handle.path.at(context.time_end() - handle.start_time);
        for (std::size_t k = 0; k < handle.particles.size(); ++k) {
            if (handle.kind == Handle::Kind::pin)
                place(view, handle.particles[k], handle.pivot + pose.to_world(handle.offsets[k]),
                      context.h);
            if (handle.kind == Handle::Kind::follow && handle.strength[k] >= 1)
                place(view, handle.particles[k], target_of(handle, k, context), context.h);
        }
    }
}

}  // namespace turgor
