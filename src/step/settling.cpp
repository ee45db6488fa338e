#include "step/settling.hpp"

#include <algorithm>
#include <cmath>

#include "base/functions.hpp"
#include "step/recovery.hpp"
#include "step/stages.hpp"

namespace turgor {

void record_contacts(BodySim& body, const StepContext& context, std::span<const Vec3> x,
                     StepReport& report) {
    const auto surface = x.first(std::min(x.size(), body.asset().surface_count));
    report.max_penetration =
        std::max(report.max_penetration,
                 deepest(context.colliders, body.filter, surface) / body.asset().size);
    body.begin_sub_step();
    for (const Contact& c : body.contacts) {
        const ColliderId id = context.colliders[c.collider].id;
        const double gap = dot(x[c.entry] - c.point, c.normal);
        // A contact lasts until every particle has clearly left, so that a resting body does not
        // flicker.
        const bool lingers =
            !c.sensor && body.was_touching(id) && gap < 0.1 * body.asset().contact_length;
        if (!c.touching && !c.inside && !lingers) continue;
        const double impulse =
            body.material.density * body.asset().mass[c.particle] * c.push / context.h;
        body.add({id, ActiveContact::Kind::collider, c.point, c.normal, impulse});
    }
    for (const ActiveContact& touch : body.contact_summary.contacts) body.add(touch);
    body.emit_events(body.id, ActiveContact::Kind::body);
}

BodySpeed body_speed(const MotionSums& sums, const RigidField& rigid, Vec3 drift, double size) {
    const double energy =
        (sums.energy + 2 * dot(drift, sums.linear)) / sums.mass + dot(drift, drift);
    return {std::sqrt(std::max(0.0, energy)),
            norm(drift + sums.linear / sums.mass) + 0.5 * size * norm(rigid.b)};
}

void update_sleep_timer(BodySim& body, const StepContext& context, const BodySpeed& speed) {
    const double slow = 1e-3 * std::sqrt(felt_gravity(body, context) * body.asset().size);
    // In a pile single vertices may tremble where they are caught: the body rests all the same.
    const bool is_slow = body.contact_summary.count > 0
                             ? speed.rigid < slow && speed.rms < 10 * slow
                             : speed.rms < slow;
    const bool can = is_slow && !body.touching.empty() && body.handles.empty() &&
                     body.forces.empty() && body.force == Vec3{} && !body.recovering &&
                     body.elastic->at_rest() &&
                     std::ranges::none_of(body.contacts, [&](const Contact& c) {
                         return c.touching && context.colliders[c.collider].moves();
                     });
    body.sleep_timer = can ? body.sleep_timer + context.h : 0;
}

double collider_margin(const BodySim& body) {
    return 0.5 * body.asset().contact_length;
}

ContactSettings contact_settings(const BodySim& body, const StepContext& context) {
    return {collider_margin(body),
            coefficients_of(body.material),
            body.filter,
            context.h,
            sticking_speed(body, context),
            body.surface_id,
            context.friction_pairs};
}

double felt_gravity(const BodySim& body, const StepContext& context) {
    return norm(body.gravity_factor * context.gravity);
}

double least_bounce(const BodySim& body, const StepContext& context) {
    return 2 * felt_gravity(body, context) * context.h;
}

double sticking_speed(const BodySim& body, const StepContext& context) {
    // As slow as what settles; a thousandth of the speed of its waves, where nothing weighs; and
    // what gravity adds in this step is no sliding yet.
    const double size = body.asset().size, gravity = felt_gravity(body, context);
    return 0.03 * std::sqrt(gravity * size) + 0.001 * size * body.elastic->frequency() +
           gravity * context.h;
}

double comfortable_push(const BodySim& body, const StepContext& context) {
    return body.elastic->comfortable_push(context.h);
}

double weight_noise(const BodySim& body) {
    return StrutStiffness{}.most * body.material.beta * body.elastic->rest_shape_tolerance();
}

double weight_noise_of_floats(const BodySim& body) {
    // Goals and struts are good to a few units in the last digit of a float.
    const double beta = body.material.beta;
    return 3e-7 * body.asset().size *
               (StrutStiffness{}.most * beta + (1 - beta) * body.elastic->change_noise()) +
           weight_noise(body);
}

Vec3 acceleration(const BodySim& body, const StepContext& context) {
    return body.gravity_factor * context.gravity + body.force / body.mass;
}

/// What region damping cannot see: wobbles wider than the regions, and rolling, which a soft thing
/// does not do for free. Rolling is turning about the middle of the contacts, so sliding is left
/// alone. A body rocks at about √(g/size); its rocking decays at half that rate.
WholeBodyDamping whole_body_damping(const BodySim& body, const StepContext& context) {
    WholeBodyDamping damping;
    double touching = 0;
    for (const Contact& c : body.contacts)
        if (c.touching) {
            damping.touch += c.point;
            touching += 1;
        }
    if (body.contact_summary.grounded) {
        damping.touch += body.contact_summary.points;
        touching += body.contact_summary.count;
    }
    damping.keep = kept_of_wobble(body, context);
    if (touching == 0) return damping;
    damping.touch /= touching;
    damping.roll = roll_of_touching(body, context);
    return damping;
}

double kept_of_wobble(const BodySim& body, const StepContext& context) {
    return portable::exp(-body.elastic->residual_damping() * context.h);
}

double roll_of_touching(const BodySim& body, const StepContext& context) {
    const double rocking = 0.5 * std::sqrt(felt_gravity(body, context) / body.asset().size);
    return 1 - portable::exp(-rocking * context.h);
}

double settling_speed(const BodySim& body, const StepContext& context) {
    return 0.03 * std::sqrt(felt_gravity(body, context) * body.asset().size);
}

/// Slow and supported: the last trembling dies away, so that a body at rest is at rest.
double settling_factor(const BodySim& body, const StepContext& context, double rms) {
    const double settling = settling_speed(body, context);
    return rms < settling ? portable::exp(-4 * (1 - rms / settling) * context.h) : 1;
}

bool may_settle(const BodySim& body) {
    return body.contact_summary.count == 0 || body.contact_summary.grounded;
}

}  // namespace turgor
