#include <numbers>

#include "body/papers_step.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/step_world.hpp"

namespace turgor {
namespace {

/// The velocity after one implicit Euler step of the critically damped spring a = r²(target − x) +
/// 2r(target_v − v) with the rate r [rad/s], where `target` is the target at the end of the step.
Vec3 spring(Vec3 x, Vec3 v, Vec3 target, Vec3 target_v, double rate, double h) {
    const double stiff = rate * rate * h, drag = 2 * rate * h;
    return (v + stiff * (target - x) + drag * target_v) / (1 + stiff * h + drag);
}

/// The spring moves the whole body by the few particles it holds, so it pulls harder the fewer they
/// are, though not with the force for the whole mass, which would tear them out; no kick carries
/// them further than a quarter of the body's size per step.
void drag_by(const Handle& handle, const BodySim& body, const StepContext& context,
             HandledParticles& held) {
    Vec3 centre, velocity;
    double mass = 0;
    for (std::size_t k = 0; k < held.x.size(); ++k) {
        centre += held.mass[k] * held.x[k];
        velocity += held.mass[k] * held.v[k];
        mass += held.mass[k];
    }
    centre /= mass;
    velocity /= mass;
    const Vec3 after =
        spring(centre, velocity, target_of(handle, 0, context), target_velocity(handle, 0, context),
               2 * std::numbers::pi * handle.frequency, context.h);
    const Vec3 kick = std::sqrt(body.mass / mass) * (after - velocity);
    const double limit = 0.25 * body.asset().size / context.h, length = norm(kick);
    for (Vec3& v : held.v) v += (length > limit ? limit / length : 1.0) * kick;
}

void follow(const Handle& handle, const StepContext& context, HandledParticles& held) {
    for (std::size_t k = 0; k < held.x.size(); ++k) {
        const double strength = handle.strength[k];
        if (strength <= 0 || strength >= 1) continue;
        held.v[k] = spring(held.x[k], held.v[k], target_of(handle, k, context),
                           target_velocity(handle, k, context), spring_rate(strength), context.h);
    }
}

}  // namespace

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

void pull(const Handle& handle, const BodySim& body, const StepContext& context,
          HandledParticles& held) {
    if (handle.kind == Handle::Kind::drag) drag_by(handle, body, context, held);
    if (handle.kind == Handle::Kind::follow) follow(handle, context, held);
}

void find_pins(const BodySim& body, const StepContext& context, std::vector<Pin>& pins) {
    pins.clear();
    for (const Handle& handle : body.handles) {
        const Pose pose = handle.path.at(context.time_end() - handle.start_time);
        for (std::size_t k = 0; k < handle.particles.size(); ++k) {
            if (handle.kind == Handle::Kind::pin)
                pins.push_back(
                    {handle.particles[k], handle.pivot + pose.to_world(handle.offsets[k])});
            if (handle.kind == Handle::Kind::follow && handle.strength[k] >= 1)
                pins.push_back({handle.particles[k], target_of(handle, k, context)});
        }
    }
}

}  // namespace turgor
