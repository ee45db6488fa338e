#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "base/functions.hpp"
#include "base/integrate.hpp"
#include "base/rigid_system.hpp"
#include "step/invariants.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/step_world.hpp"
#include "step/volume_rounds.hpp"
#include "volume/volume.hpp"

namespace turgor {
namespace {

void take_velocities_from_positions(BodyView& view, double h) {
    for (std::size_t i = 0; i < view.x.size(); ++i) view.v[i] = (view.x[i] - view.x_start[i]) / h;
}

/// The rigid field of the body's velocities, about its centre of mass.
struct RigidMotion {
    Vec3 centre;
    RigidField field;
    Vec3 at(Vec3 x) const { return field.at(x - centre); }
};

RigidMotion rigid_motion(std::span<const double> mass, std::span<const Vec3> x,
                         std::span<const Vec3> v) {
    RigidMotion motion;
    motion.centre = centre_of_mass(mass, x);
    RigidSystem system;
    Vec3 linear, angular;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 r = x[i] - motion.centre;
        system.add(mass[i], r);
        linear += mass[i] * v[i];
        angular += cross(r, mass[i] * v[i]);
    }
    motion.field = system.solve(linear, angular);
    return motion;
}

VolumeProblem volume_problem(BodyView& view, const StepContext& context,
                             std::span<const Support> supports) {
    const Formulation& f = context.formulation;
    const BodyAsset& asset = view.body.asset();
    return {asset,
            asset.rest_volume,
            view.mass,
            view.weight,
            supports,
            comfortable_push(view.body, context),
            f.momentum_free_volume,
            f.exact_volume,
            view.body.parts.volume.followers.get()};
}

/// Stage 4 in double precision, for correct_in_rounds.
struct ReferenceRounds {
    BodyView& view;
    const StepContext& context;

    double correct() {
        const Formulation& f = context.formulation;
        const double fade = f.contact_fade ? 0.5 * view.body.asset().contact_length : 0;
        mark_supports(view.body.contacts, view.x, fade, view.support);
        std::ranges::copy(view.x, view.goal.begin());
        project();
        correct_positions(volume_problem(view, context, view.support), view.x_start, view.x,
                          view.pressed);
        double farthest = 0;
        for (std::size_t i = 0; i < view.x.size() && f.exact_volume; ++i)
            farthest = std::max(farthest, norm(view.x[i] - view.goal[i]));
        return farthest;
    }
    /// The model's own constraints. Their pushes have no torque at x; about where the sub-step
    /// began they have, which stage 5 returns.
    void project() {
        std::vector<double> pressed(view.x.size());
        if (!view.body.elastic->project({view.support, view.x, pressed})) return;
        apply_pressed_friction(view.body.contacts, pressed, view.x_start, view.x,
                               view.scratch->nearest);
        for (std::size_t i = 0; i < view.x.size(); ++i)
            view.angular_momentum_error +=
                view.mass[i] / context.h *
                cross(view.x_start[i] - view.goal[i], view.x[i] - view.goal[i]);
    }
    void find_more_contacts(double) {
        const std::size_t surface = view.body.asset().surface_count;
        turgor::find_more_contacts(context.colliders, contact_settings(view.body, context),
                                   view.x_start.first(surface), view.x.first(surface), view.v,
                                   view.body.contacts);
        std::erase_if(view.body.contacts,
                      [&](const Contact& c) { return is_held(view.support[c.particle]); });
    }
    bool push_out() {
        if (!context.formulation.exact_volume) return false;
        std::vector<Vec3> before;
        if (view.body.asset().followers.size() > 0) before.assign(view.x.begin(), view.x.end());
        const bool pushed = turgor::push_out(view.body.contacts, view.x_start, view.x,
                                             1e-8 * view.body.asset().contact_length);
        lead_followers(view, before, context.h);
        return pushed;
    }
};

/// Takes the angular momentum that stage 2 added back: shape matching keeps it about x*, velocities
/// from positions about xₙ.
void return_angular_momentum(BodyView& view) {
    const Vec3 centre = centre_of_mass(view.mass, view.x);
    RigidSystem system;
    for (std::size_t i = 0; i < view.x.size(); ++i) system.add(view.mass[i], view.x[i] - centre);
    const RigidField spin = system.solve({}, view.angular_momentum_error);
    for (std::size_t i = 0; i < view.x.size(); ++i)
        if (!is_held(view.support[i])) view.v[i] -= spin.at(view.x[i] - centre);
}

}  // namespace

void lead_followers(BodyView& view, std::span<const Vec3> before, double h) {
    const BodyAsset& asset = view.body.asset();
    for (std::uint32_t c = 0; c < asset.followers.size(); ++c) {
        const Vec3 moved = view.x[c] - before[c];
        if (moved == Vec3{}) continue;
        asset.each_follower(c, [&](std::uint32_t i, double share) {
            // Contact acts on the corner: what it has as a moment about that is given back.
            view.angular_momentum_error +=
                share * view.mass[i] / h * cross(view.x[i] - view.x[c], moved);
            view.x[i] += share * moved;
        });
    }
}

void stop_at_contacts(BodyView& view, const StepContext& context) {
    const BodyAsset& asset = view.body.asset();
    std::vector<Vec3> before;
    if (asset.followers.size() > 0) before.assign(view.v.begin(), view.v.end());
    stop_closing(view.body.contacts, context.h, least_bounce(view.body, context), view.v);
    for (std::uint32_t c = 0; c < asset.followers.size(); ++c)
        asset.each_follower(c, [&](std::uint32_t i, double share) {
            view.v[i] += share * (view.v[c] - before[c]);
        });
}

bool is_sane(const BodyView& view) {
    const auto near = [](const Vec3& a) { return norm(a) < farthest_position; };
    return std::ranges::all_of(view.x, near) && std::ranges::all_of(view.v, near);
}

bool is_finite_rotation(Quat q) {
    return std::isfinite(q.w + q.x + q.y + q.z);
}

void stop(BodyView& view) {
    BodySim& body = view.body;
    if (!is_finite_rotation(body.orientation)) body.orientation = {};
    body.elastic->reset(body.orientation);
    if (std::ranges::all_of(view.x_start, is_finite))
        std::ranges::copy(view.x_start, view.x.begin());
    else  // Numbers that were too large to begin with leave nothing but the rest shape.
        for (std::size_t i = 0; i < view.x.size(); ++i)
            view.x[i] = rotate(body.orientation, body.elastic->rest_shape()[i]);
    std::ranges::fill(view.v, Vec3{});
    std::ranges::fill(view.pressed, 0.0);
}

void damp_regions(BodyView& view, const StepContext& context) {
    view.body.elastic->damp(context.h, view.x, view.v, view.goal);
}

void integrate(BodyView& view, const StepContext& context) {
    const Vec3 a = acceleration(view.body, context);
    std::copy(view.x.begin(), view.x.end(), view.x_start.begin());
    HandledParticles& held = view.scratch->handled;
    for (const Handle& handle : view.body.handles) {
        held.clear();
        for (const auto i : handle.particles) {
            held.x.push_back(view.x[i]);
            held.v.push_back(view.v[i]);
            held.mass.push_back(view.mass[i]);
        }
        pull(handle, view.body, context, held);
        for (std::size_t k = 0; k < held.v.size(); ++k) view.v[handle.particles[k]] = held.v[k];
    }
    for (const auto& [i, force] : view.body.forces) view.v[i] += context.h / view.mass[i] * force;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        symplectic_euler(view.x[i], view.v[i], a, context.h);
    std::fill(view.support.begin(), view.support.end(), Support{});
    find_pins(view.body, context, view.scratch->pins);
    for (const auto& [i, target] : view.scratch->pins) {
        view.x[i] = target;
        view.v[i] = (target - view.x_start[i]) / context.h;
        view.support[i] = {1, {}};
    }
}

void deform(BodyView& view, const StepContext& context) {
    const Vec3 centre = centre_of_mass(view.mass, view.x_start);
    Vec3 before;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        before += cross(view.x_start[i] - centre, view.mass[i] / context.h * view.x[i]);

    const bool may_flow = !view.body.recovering && !view.body.lost_at_start;
    std::vector<Vec3> held_back(view.x.size());
    const ReferencePass pass{context.h,   view.x_start, view.support, view.x,
                             view.change, view.goal,    may_flow,     held_back};
    std::vector<Vec3> predicted;
    if constexpr (checks_all) predicted.assign(view.x.begin(), view.x.end());
    view.body.elastic->deform(pass);
    TURGOR_CHECK_ALL(keeps_promises(pass, predicted, view.mass,
                                    view.body.model->conserves_momentum(context.formulation)));
    Vec3 after;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        after += cross(view.x_start[i] - centre,
                       view.mass[i] / context.h * (view.x[i] + held_back[i]));
    view.angular_momentum_error = after - before;
}

void collide(BodyView& view, const StepContext& context) {
    std::vector<Contact>& contacts = view.body.contacts;
    const std::size_t surface = view.body.asset().surface_count;
    find_contacts(context.colliders, contact_settings(view.body, context),
                  view.x_start.first(surface), view.x.first(surface), view.v, contacts);
    std::erase_if(contacts, [&](const Contact& c) { return is_held(view.support[c.particle]); });
    const Vec3 shift = depenetrate(contacts, 1 - portable::exp(-context.h / depenetration_time));
    for (std::size_t i = 0; i < view.x.size() && shift != Vec3{}; ++i) {
        view.x_start[i] += shift;
        view.x[i] += shift;
    }
    // A body that answers as a whole meets colliders as it meets other bodies.
    if (view.response) return;
    std::vector<Vec3> before;
    if (view.body.asset().followers.size() > 0) before.assign(view.x.begin(), view.x.end());
    push_out(contacts, view.x_start, view.x, 0);
    // What the volume stage pressed on a collider in the last step has friction in this one.
    apply_pressed_friction(contacts, view.pressed, view.x_start, view.x, view.scratch->nearest);
    std::fill(view.pressed.begin(), view.pressed.end(), 0.0);
    lead_followers(view, before, context.h);
}

void restore_volume(BodyView& view, const StepContext& context) {
    BodySim& body = view.body;
    const BodyAsset& asset = body.asset();
    const Formulation& f = context.formulation;
    if (view.response) {
        mark_supports(body.contacts, view.x, 0.5 * asset.contact_length, view.support);
        return take_velocities_from_positions(view, context.h);
    }
    const double volume = enclosed_volume(view.x, asset.triangles);
    std::size_t held = 0;
    for (const Contact& c : body.contacts) held += c.touching;
    for (const Support& s : view.support) held += is_held(s) || (s.shared && s.hold > 0.5);
    if (f.recover && (body.recovering || lost_its_shape(body, volume, held)))
        return recover(view, context);
    if (!f.velocities_from_positions) take_velocities_from_positions(view, context.h);
    if (body.volume_mode != VolumeMode::off) {
        const WeightSettings local{body.material.alpha, body.material.beta,
                                   f.momentum_free_volume ? 3.0 : 0.0, f.momentum_free_volume,
                                   weight_noise(body)};
        if (body.volume_mode == VolumeMode::local)
            local_weights(asset, body.parts.volume, view.x, view.change, local, view.weight);
        else
            set_uniform_weights(asset, view.weight);
        ReferenceRounds rounds{view, context};
        correct_in_rounds(rounds, collider_margin(body));
    }
    if (f.velocities_from_positions) take_velocities_from_positions(view, context.h);
}

void remove_divergence(BodyView& view, const StepContext& context) {
    BodySim& body = view.body;
    if (body.recovering) return;
    if (body.volume_mode != VolumeMode::off && !view.response) {
        // First, so that an impact gives the same impulse wherever in the step it happens.
        stop_at_contacts(view, context);
        // Contacts take part; pins do not.
        std::vector<Support> pins(view.support.begin(), view.support.end());
        for (Support& s : pins)
            if (!is_held(s)) s = {};
        correct_velocities(volume_problem(view, context, pins), context.h, view.x, view.v);
    }
    if (view.body.model->conserves_momentum(context.formulation)) return_angular_momentum(view);
}

void damp_whole_body(BodyView& view, const StepContext& context) {
    const WholeBodyDamping damping = whole_body_damping(view.body, context);
    const RigidMotion rigid = rigid_motion(view.mass, view.x, view.v);
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        if (is_held(view.support[i])) continue;
        const Vec3 at = rigid.at(view.x[i]);
        view.v[i] = at + damping.keep * (view.v[i] - at) -
                    damping.roll * cross(rigid.field.b, view.x[i] - damping.touch);
    }
}

/// Slow is meant relative to what supports it: a lift carries it along, and a body that slides goes
/// on sliding.
void damp_slow_motion(BodyView& view, const StepContext& context) {
    if (!may_settle(view.body)) return;
    Vec3 carried;
    double supported = 0;
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        if (!(view.support[i].hold > 0.5)) continue;
        carried += view.mass[i] * view.v[i];
        supported += view.mass[i];
    }
    if (!(supported > 0)) return;
    carried /= supported;
    double energy = 0;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        energy += view.mass[i] * dot(view.v[i] - carried, view.v[i] - carried);
    const double slow = settling_factor(view.body, context, std::sqrt(energy / view.body.mass));
    if (slow == 1) return;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        if (!is_held(view.support[i])) view.v[i] = carried + slow * (view.v[i] - carried);
}

void settle(BodyView& view, const StepContext& context) {
    if (!view.response) stop_at_contacts(view, context);
    if (!context.formulation.settle) return;
    damp_whole_body(view, context);
    damp_slow_motion(view, context);
}

}  // namespace turgor
