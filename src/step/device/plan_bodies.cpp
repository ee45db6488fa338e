#include "step/device/plan_bodies.hpp"

#include <numbers>

#include "base/functions.hpp"
#include "device/convert.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor::device {

BodyInput BodyPlanner::describe(const BodySim& body, int sub_steps) {
    const StepContext context = world_.sub_step_context(dt_, sub_steps, 0);
    const BodyAsset& asset = body.asset();
    const CpuAsset& fast = *body.parts.cpu_asset;
    const double beta = body.material.beta;
    BodyInput given{};
    given.count = fast.count;
    given.volume_mode = static_cast<uint>(body.volume_mode);
    given.sub_steps = static_cast<uint>(sub_steps);
    given.may_recover = context.formulation.recover;
    given.settles = context.formulation.settle;
    given.h = static_cast<float>(context.h);
    given.alpha = static_cast<float>(body.material.alpha);
    given.beta = static_cast<float>(beta);
    given.rounding = static_cast<float>(weight_noise_of_floats(body));
    given.reach = fast.reach;
    given.largest_region = body.parts.cpu_volume.smoothing->largest;
    given.whole_mass = fast.whole_mass;
    given.density = body.material.density;
    given.rest_volume = asset.rest_volume;
    given.size = asset.size;
    given.mean_edge = asset.contact_length;
    given.comfortable = comfortable_push(body, context);
    given.depenetration_share = 1 - portable::exp(-context.h / depenetration_time);
    given.least_bounce = least_bounce(body, context);
    given.sticking_speed = sticking_speed(body, context);
    given.keep = kept_of_wobble(body, context);
    given.roll = roll_of_touching(body, context);
    given.settling_speed = settling_speed(body, context);
    given.fade = context.formulation.contact_fade ? 0.5 * asset.contact_length : 0;
    given.step = context.h;
    given.time = world_.time;
    given.mass = body.mass;
    given.acceleration = to_device(acceleration(body, context));
    list_obstacles(body, sub_steps, given);
    list_handles(body, sub_steps, given);
    return given;
}

/// The colliders of all sub-steps, once for all bodies that have as many.
uint BodyPlanner::place_colliders(int n) {
    const auto known = collider_places_.find(n);
    if (known != collider_places_.end()) return known->second;
    const auto first = static_cast<uint>(plan_.colliders.size());
    collider_places_[n] = first;
    for (const MovingCollider& c : world_.colliders_in_steps(n).moving)
        plan_.colliders.push_back({to_device(c.start), to_device(c.end),
                                   to_device(c.collider->half_extent), c.collider->radius,
                                   c.collider->height, c.collider->wall, c.collider->thickness,
                                   static_cast<uint>(c.collider->shape), c.moves(),
                                   find_geometry_(c.collider->geometry), 0});
    return first;
}

void BodyPlanner::list_obstacles(const BodySim& body, int n, BodyInput& given) {
    given.collider_first = place_colliders(n);
    given.colliders = static_cast<uint>(world_.colliders_in_steps(1).moving.size());
    given.obstacle_first = static_cast<uint>(plan_.obstacles.size());
    const StepContext whole = world_.sub_step_context(dt_, 1, 0);
    const ContactSettings settings = contact_settings(body, whole);
    for (uint k = 0; k < whole.colliders.size(); ++k) {
        const MovingCollider& collider = whole.colliders[k];
        if (!world_.may_collide(body, collider, dt_)) continue;
        plan_.triangles |= collider.collider->geometry != nullptr;
        const ContactCoefficients coefficients = settings.on(collider);
        plan_.obstacles.push_back({k, collider.collider->sensor,
                                   static_cast<float>(coefficients.friction),
                                   static_cast<float>(coefficients.static_friction),
                                   static_cast<float>(coefficients.restitution)});
    }
    given.obstacle_count = static_cast<uint>(plan_.obstacles.size()) - given.obstacle_first;
}

void BodyPlanner::list_handles(const BodySim& body, int n, BodyInput& given) {
    given.handle_first = static_cast<uint>(plan_.handles.size());
    std::vector<Pin> pins;
    for (int k = 0; k < n; ++k) {
        const StepContext context = world_.sub_step_context(dt_, n, k);
        for (const Handle& handle : body.handles) {
            if (handle.kind == Handle::Kind::pin) continue;
            const bool drag = handle.kind == Handle::Kind::drag;
            for (std::size_t j = 0; j < handle.particles.size(); ++j) {
                const std::size_t target = drag ? 0 : j;
                if (!drag && (handle.strength[j] <= 0 || handle.strength[j] >= 1)) continue;
                HandleInput h{};
                h.target = to_device(target_of(handle, target, context));
                h.target_velocity = to_device(target_velocity(handle, target, context));
                h.rate = drag ? 2 * std::numbers::pi * handle.frequency
                              : spring_rate(handle.strength[j]);
                h.particle = handle.particles[j];
                h.kind = drag ? HANDLE_DRAG : HANDLE_FOLLOW;
                h.count = drag ? static_cast<uint>(handle.particles.size()) : 1;
                plan_.handles.push_back(h);
            }
        }
        for (const auto& [i, force] : body.forces) {
            HandleInput h{};
            h.force = to_device(force);
            h.particle = i;
            h.kind = HANDLE_FORCE;
            h.count = 1;
            plan_.handles.push_back(h);
        }
        find_pins(body, context, pins);
        for (const auto& [i, target] : pins) {
            HandleInput h{};
            h.target = to_device(target);
            h.particle = i;
            h.kind = HANDLE_PIN;
            h.count = 1;
            plan_.handles.push_back(h);
        }
    }
    given.handle_count =
        (static_cast<uint>(plan_.handles.size()) - given.handle_first) / static_cast<uint>(n);
}

}  // namespace turgor::device
