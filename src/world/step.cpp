#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/errors.hpp"
#include "base/integrate.hpp"
#include "base/rigid_system.hpp"
#include "world/world_impl.hpp"

namespace turgor {
namespace {

/// Adds the time of its life to one stage of a report.
class Timer {
public:
    Timer(StepReport& report, Stage stage)
        : milliseconds_(report.milliseconds[static_cast<std::size_t>(stage)]),
          start_(Clock::now()) {}
    ~Timer() {
        milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& milliseconds_;
    Clock::time_point start_;
};

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
    // G2 has 0.1; with less an impact is spread alike by every step length, and a squeeze is as
    // local as before.
    const double comfortable =
        0.03 * view.body.parameters.stiffness_at(context.h) * asset.mean_edge;
    return {asset,       asset.rest_volume,      view.mass,     view.weight, supports,
            comfortable, f.momentum_free_volume, f.exact_volume};
}

/// Takes the angular momentum that stage 2 added back: shape matching keeps it about x*, velocities
/// from positions about xₙ.
void take_back_angular_drift(BodyView& view) {
    const Vec3 centre = centre_of_mass(view.mass, view.x);
    RigidSystem system;
    for (std::size_t i = 0; i < view.x.size(); ++i) system.add(view.mass[i], view.x[i] - centre);
    const RigidField spin = system.solve({}, view.angular_drift);
    for (std::size_t i = 0; i < view.x.size(); ++i)
        if (!is_held(view.support[i])) view.v[i] -= spin.at(view.x[i] - centre);
}

/// What weighs a body down here [m/s²].
double felt_gravity(const BodyView& view, const StepContext& context) {
    return norm(view.body.gravity_factor * context.gravity);
}

}  // namespace

bool is_held(const Support& support) {
    return support.hold == 1 && support.normal == Vec3{};
}

void stop_at_contacts(BodyView& view, const StepContext& context) {
    const double least_bounce = 2 * felt_gravity(view, context) * context.h;
    stop_closing(view.body.contacts, context.h, least_bounce, view.v);
}

void WorldImpl::step(double dt) {
    report = {};
    events.clear();
    std::string overflowed;
    for (auto& body : bodies) {
        BodyView slice = view(*body);
        const int n = sub_steps(*body, dt);
        report.sub_steps = std::max(report.sub_steps, n);
        for (int k = 0; k < n; ++k) {
            const double h = dt / n;
            const auto moving = moving_colliders(dt, k, n);
            if (!advance(slice, {h, time + k * h, dt, (k + 1.0) / n, settings.gravity,
                                 settings.formulation, moving})) {
                stop_body(slice);
                overflowed = body->name;
                break;
            }
            note_contacts(*body, moving);
        }
        report.contacts += static_cast<std::size_t>(
            std::ranges::count_if(body->contacts, [](const Contact& c) { return c.touching; }));
        for (Handle& handle : body->handles) handle.previous_targets = handle.targets;
        const Timer timer(report, Stage::publish);
        publish(*body);
    }
    time += dt;
    for (auto& c : colliders) {
        c.now = c.pose_at(time);
        if (!c.commanded) continue;
        c.collider.pose = c.now = *c.commanded;
        c.commanded.reset();
    }
    if (!overflowed.empty())
        fail(ErrorCode::failed,
             "body '{}' was no longer finite at {} s and is stopped: a force or a velocity was too "
             "large",
             overflowed, time);
}

void WorldImpl::stop_body(BodyView& view) {
    std::copy(view.x_start.begin(), view.x_start.end(), view.x.begin());
    std::fill(view.v.begin(), view.v.end(), Vec3{});
    std::fill(view.pressed.begin(), view.pressed.end(), 0.0);
    view.body.contacts.clear();
    view.body.forces.clear();
    view.body.force = {};
}

bool WorldImpl::advance(BodyView& view, const StepContext& context) {
    const auto timed = [&](Stage stage, auto&& run) {
        const Timer timer(report, stage);
        run(view, context);
    };
    timed(Stage::elasticity, damp_regions);
    timed(Stage::integrate, integrate);
    timed(Stage::elasticity, deform);
    timed(Stage::contact, collide);
    timed(Stage::volume_positions, keep_volume);
    timed(Stage::volume_velocities, keep_divergence);
    timed(Stage::contact, settle);
    // Far below the largest float, which positions are published as.
    const auto is_sane = [](const Vec3& a) { return norm(a) < 1e30; };
    return std::ranges::all_of(view.x, is_sane) && std::ranges::all_of(view.v, is_sane);
}

int WorldImpl::sub_steps(const BodyRecord& body, double dt) const {
    return std::max(1, static_cast<int>(std::ceil(dt / body.parameters.longest_step() - 1e-6)));
}

void damp_regions(BodyView& view, const StepContext& context) {
    const double k = view.body.parameters.damping_at(context.h);
    if (!(k > 0)) return;
    blend_rigid_velocities(view.body.asset(), *view.body.prepared.rest, view.x, view.v, view.goal);
    for (std::size_t i = 0; i < view.x.size(); ++i) view.v[i] += k * (view.goal[i] - view.v[i]);
}

void integrate(BodyView& view, const StepContext& context) {
    const Vec3 a = view.body.gravity_factor * context.gravity + view.body.force / view.body.mass;
    std::copy(view.x.begin(), view.x.end(), view.x_start.begin());
    pull_by_handles(view, context);
    for (const auto& [i, force] : view.body.forces) view.v[i] += context.h / view.mass[i] * force;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        symplectic_euler(view.x[i], view.v[i], a, context.h);
    place_pins(view, context);
}

void deform(BodyView& view, const StepContext& context) {
    const BodyAsset& asset = view.body.asset();
    const SurfaceRest& rest = *view.body.prepared.rest;
    const double s = view.body.parameters.stiffness_at(context.h);
    const Vec3 centre = centre_of_mass(view.mass, view.x_start);
    Vec3 before;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        before += cross(view.x_start[i] - centre, view.mass[i] / context.h * view.x[i]);

    match_regions(asset, rest, view.x, view.rotation, view.goal);
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        const Vec3 pull = view.goal[i] - view.x[i];
        view.change[i] = view.body.parameters.stiffness * norm(pull);
        if (!is_held(view.support[i])) view.x[i] += s * pull;
    }
    Vec3 after;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        after += cross(view.x_start[i] - centre, view.mass[i] / context.h * view.x[i]);
    view.angular_drift = after - before;
}

constexpr double lift_time = 0.05;  // [s]

void collide(BodyView& view, const StepContext& context) {
    const BodyAsset& asset = view.body.asset();
    const ContactSettings settings{0.5 * asset.mean_edge, view.body.material.friction,
                                   view.body.material.restitution};
    find_contacts(context.colliders, settings, view.x_start, view.x, view.v, view.body.contacts);
    std::erase_if(view.body.contacts,
                  [&](const Contact& c) { return is_held(view.support[c.particle]); });
    lift_out(view.body.contacts, 1 - std::exp(-context.h / lift_time), view.x_start, view.x);
    push_out(view.body.contacts, view.x_start, view.x, 0);
    // What the volume stage pressed on a collider in the last step rubs in this one.
    rub(view.body.contacts, view.pressed, view.x_start, view.x);
    std::fill(view.pressed.begin(), view.pressed.end(), 0.0);
}

void keep_volume(BodyView& view, const StepContext& context) {
    BodyRecord& body = view.body;
    const BodyAsset& asset = body.asset();
    const Formulation& f = context.formulation;
    const double volume = enclosed_volume(view.x, asset.triangles);
    if (f.recover && (body.recovering || lost_its_shape(view, volume)))
        return recover(view, context);
    if (!f.velocities_from_positions) take_velocities_from_positions(view, context.h);
    if (body.volume_mode != VolumeMode::off) {
        const WeightSettings local{body.material.alpha, body.material.beta,
                                   f.momentum_free_volume ? 3.0 : 0.0, f.momentum_free_volume};
        if (body.volume_mode == VolumeMode::local)
            local_weights(asset, view.x, view.change, local, view.weight);
        else
            std::fill(view.weight.begin(), view.weight.end(), 1.0);
        // The correction may push particles into a collider that they did not touch: those join the
        // contacts.
        constexpr int rounds = 4;
        const double fade = f.contact_fade ? 0.5 * asset.mean_edge : 0;
        for (int round = 0; round < rounds; ++round) {
            mark_supports(body.contacts, view.x, fade, view.support);
            correct_positions(volume_problem(view, context, view.support), view.x_start, view.x,
                              view.pressed);
            if (round + 1 == rounds || !f.exact_volume) break;
            if (!push_out(body.contacts, view.x_start, view.x, 1e-8 * asset.mean_edge)) break;
        }
    }
    if (f.velocities_from_positions) take_velocities_from_positions(view, context.h);
}

void keep_divergence(BodyView& view, const StepContext& context) {
    BodyRecord& body = view.body;
    if (body.recovering) return;
    if (body.volume_mode != VolumeMode::off) {
        // First, so that an impact gives the same impulse wherever in the step it happens.
        stop_at_contacts(view, context);
        // Contacts take part; pins do not.
        std::vector<Support> pins(view.support.begin(), view.support.end());
        for (Support& s : pins)
            if (!is_held(s)) s = {};
        correct_velocities(volume_problem(view, context, pins), context.h, view.x, view.v);
    }
    if (context.formulation.share_mass) take_back_angular_drift(view);
}

/// What region damping cannot see: wobbles wider than the regions, and rolling, which a soft thing
/// does not do for free. Rolling is turning about the middle of the contacts, so sliding is left
/// alone. A body rocks at about √(g/size); its rocking decays at half that rate.
void damp_whole_body(BodyView& view, const StepContext& context) {
    const BodyRecord& body = view.body;
    Vec3 touch;
    double touching = 0;
    for (const Contact& c : body.contacts)
        if (c.touching) {
            touch += c.point;
            touching += 1;
        }
    const RigidMotion rigid = rigid_motion(view.mass, view.x, view.v);
    const double keep = std::exp(-body.parameters.global_damping * context.h);
    const double rocking = 0.5 * std::sqrt(felt_gravity(view, context) / body.asset().size);
    const double roll = touching > 0 ? 1 - std::exp(-rocking * context.h) : 0;
    if (touching > 0) touch /= touching;
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        if (is_held(view.support[i])) continue;
        const Vec3 at = rigid.at(view.x[i]);
        view.v[i] = at + keep * (view.v[i] - at) - roll * cross(rigid.field.b, view.x[i] - touch);
    }
}

/// Slow and supported: the last trembling dies away, so that a body at rest is at rest (G, step 6).
/// Slow is meant relative to what supports it: a lift carries it along, and a body that slides goes
/// on sliding.
void calm_down(BodyView& view, const StepContext& context) {
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
    const double rms = std::sqrt(energy / view.body.mass);
    const double calm = 0.03 * std::sqrt(felt_gravity(view, context) * view.body.asset().size);
    if (!(rms < calm)) return;
    const double slow = std::exp(-4 * (1 - rms / calm) * context.h);
    for (std::size_t i = 0; i < view.x.size(); ++i)
        if (!is_held(view.support[i])) view.v[i] = carried + slow * (view.v[i] - carried);
}

void settle(BodyView& view, const StepContext& context) {
    stop_at_contacts(view, context);
    if (!context.formulation.settle) return;
    damp_whole_body(view, context);
    calm_down(view, context);
}

}  // namespace turgor
