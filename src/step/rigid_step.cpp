#include "step/rigid_step.hpp"

#include <algorithm>
#include <cmath>

#include "base/functions.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor {

Quat rotated_by(Quat q, Vec3 rotation) {
    // exp(rotation/2), by its series where it is short, squared until it is as long as it should
    // be.
    int halvings = 0;
    while (dot(rotation, rotation) > 0.25 && halvings < 128) {
        rotation *= 0.5;
        ++halvings;
    }
    const double t = 0.25 * dot(rotation, rotation);
    const Vec3 u = 0.5 * (1 - t / 6 * (1 - t / 20 * (1 - t / 42))) * rotation;
    Quat r = normalized(Quat{1 - t / 2 * (1 - t / 12 * (1 - t / 30)), u.x, u.y, u.z});
    for (int k = 0; k < halvings; ++k) r = normalized(r * r);
    return normalized(r * q);
}

RigidStep::RigidStep(RigidSim& rigid, const StepContext& context)
    : rigid_(&rigid), context_(&context), start_(rigid.state.pose) {
    rigid.contact_summary.clear();
    inertia_ = rigid.inertia();
    per_inertia_ = 1 / rigid.mass * rotated_tensor(start_.rotation, rigid.geometry->per_spread);
}

void RigidStep::move_freely() {
    const double h = context_->h;
    velocity_ = rigid_->state.velocity;
    spin_ = rigid_->state.angular_velocity;
    if (!rigid_->made.driven_by_host) {
        velocity_ +=
            h * (rigid_->made.gravity_factor * context_->gravity + rigid_->force / rigid_->mass);
        spin_ += h * (per_inertia_ * rigid_->torque);
    }
    // Half-way round, the same angular momentum turns it differently.
    const Quat half_way = rotated_by(start_.rotation, 0.5 * h * spin_);
    const Mat3 per_inertia =
        1 / rigid_->mass * rotated_tensor(half_way, rigid_->geometry->per_spread);
    position_ = predicted_position_ = start_.position + h * velocity_;
    rotation_ = predicted_rotation_ = h * (per_inertia * (inertia_ * spin_));
    if (!(norm(position_) < farthest_position && norm(rotation_) < farthest_position))
        return stop();
    rigid_->contacts.clear();
    if (rigid_->made.driven_by_host) return;
    const double margin = contact_margin * rigid_edge * rigid_->geometry->extent;
    find_contacts(context_->colliders, rigid_->made.filter, posed_geometry(),
                  {position_, rotated_by(start_.rotation, rotation_)}, margin, rigid_->contacts);
}

void RigidStep::to_solver(const SolverBody& solver_body, SolverParticles& p,
                          std::uint32_t number) const {
    const std::size_t i = solver_body.first;
    p.x_start[i] = start_.position;
    p.x[i] = position_;
    p.x_start[i + 1] = {};
    p.x[i + 1] = rotation_;
    p.v[i] = velocity_;
    p.v[i + 1] = spin_;
    p.per_mass[i] = 1 / rigid_->mass;
    p.per_mass[i + 1] = 0;
    p.per_inertia[number] = per_inertia_;
    for (const std::size_t k : {i, i + 1}) p.normal[k] = p.pressure_response[k] = {};
}

void RigidStep::from_solver(const SolverBody& solver_body, const SolverParticles& p) {
    const std::size_t i = solver_body.first;
    const Vec3 moved = p.x_start[i] - start_.position;
    velocity_ += (p.x[i] - moved - predicted_position_) / context_->h;
    spin_ += (p.x[i + 1] - p.x_start[i + 1] - predicted_rotation_) / context_->h;
    position_ = p.x[i];
    rotation_ = p.x[i + 1];
}

void RigidStep::velocities_to_solver(const SolverBody& solver_body, SolverParticles& p) const {
    p.x[solver_body.first] = position_;
    p.x[solver_body.first + 1] = rotation_;
    p.v[solver_body.first] = velocity_;
    p.v[solver_body.first + 1] = spin_;
}

void RigidStep::velocities_from_solver(const SolverBody& solver_body, const SolverParticles& p) {
    velocity_ = p.v[solver_body.first];
    spin_ = p.v[solver_body.first + 1];
}

/// What a rigid body on something has in common with a soft one (settling_factor,
/// whole_body_damping): the last trembling dies away, and on a soft body it does not roll for free.
void RigidStep::come_to_rest() {
    const double gravity = norm(rigid_->made.gravity_factor * context_->gravity);
    const double size = rigid_->geometry->size(), h = context_->h;
    if (support.soft > 0) {
        const Vec3 touch = support.soft_points / support.soft;
        const double roll = 1 - portable::exp(-std::sqrt(gravity / size) * h);
        velocity_ -= roll * cross(spin_, position_ - touch);
        spin_ -= roll * spin_;
    }
    if (rigid_->made.driven_by_host) return;
    const Vec3 carried = support.velocity / support.count;
    const double speed = norm(velocity_ - carried) + 0.5 * size * norm(spin_);
    const double settling = 0.03 * std::sqrt(gravity * size);
    if (speed >= settling) return;
    const double keep = portable::exp(-4 * (1 - speed / settling) * h);
    velocity_ = carried + keep * (velocity_ - carried);
    spin_ *= keep;
}

void RigidStep::end_settling(bool grounded) {
    RigidSim& r = *rigid_;
    if (!fine_) return;
    if (grounded && support.count > 0 && context_->formulation.settle) come_to_rest();
    const Quat end = rotated_by(start_.rotation, rotation_);
    const Mat3 per_inertia = 1 / r.mass * rotated_tensor(end, r.geometry->per_spread);
    r.state = {{position_, end}, velocity_, per_inertia * (inertia_ * spin_)};
    const double fastest = std::max(norm(velocity_), norm(r.state.angular_velocity));
    if (!(norm(position_) < farthest_position && fastest < farthest_position)) return stop();

    r.begin_sub_step();
    for (const ActiveContact& touch : r.contact_summary.contacts) r.add(touch);
    r.emit_events(r.id, ActiveContact::Kind::rigid);
    const double gravity = norm(r.made.gravity_factor * context_->gravity);
    const double size = r.geometry->size();
    // On a soft body it trembles with what it lies on.
    const double slow = (support.soft > 0 ? 4e-3 : 1e-3) * std::sqrt(gravity * size);
    const bool can = norm(velocity_) + 0.5 * size * norm(spin_) < slow && !r.touching.empty() &&
                     !r.made.driven_by_host && r.force == Vec3{} && r.torque == Vec3{} &&
                     !support.moving;
    r.sleep_timer = can ? r.sleep_timer + context_->h : 0;
}

void RigidStep::shift(Vec3 displacement, Vec3 velocity) {
    rigid_->state.pose.position += displacement;
    rigid_->state.velocity += velocity;
}

void RigidStep::stop() {
    rigid_->state = {start_, {}, {}};
    rigid_->overflowed = true;
    rigid_->force = rigid_->torque = {};
    rigid_->contacts.clear();
    fine_ = false;
}

}  // namespace turgor
