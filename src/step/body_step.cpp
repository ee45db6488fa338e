#include "step/body_step.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/normals.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "volume/volume.hpp"

namespace turgor {

void BodyStep::advance() {
    lap_ = std::chrono::steady_clock::now();
    advance_to_colliders();
    advance_from_colliders(lap_);
}

Lap BodyStep::advance_from_colliders(Lap lap) {
    lap_ = lap;
    if (in_stages()) restore_volume();
    if (!in_stages()) return lap_;
    begin_removing_divergence();
    end_removing_divergence();
    begin_settling();
    end_settling();
    return lap_;
}

ReferenceStep::ReferenceStep(StepWorld& world, BodySim& body, ReferenceScratch& scratch,
                             const StepContext& context, StepReport& times)
    : BodyStep(world, body, context, times), view_(world.reference_view(body, scratch)) {
    view_.response = body.elastic->response();
}

void ReferenceStep::advance_to_colliders() {
    const auto timed = [&](Stage stage, auto&& run) {
        const Timer timer(times_, stage, lap_);
        run(view_, context_);
    };
    timed(Stage::elasticity, damp_regions);
    timed(Stage::integrate, integrate);
    timed(Stage::elasticity, deform);
    timed(Stage::contact, collide);
    if (view_.response) view_.response->open(view_.mass, view_.x_start, view_.x);
    if (is_sane(view_)) return;
    stop(view_);
    state_ = State::overflowed;
}

CollisionSurface ReferenceStep::collision_surface() {
    return {&body_.asset(), body_.parts.tree.get(), &body_.boxes, view_.x_start[0], {},
            view_.x_start};
}

void ReferenceStep::to_solver(SolverBody& solver_body, SolverParticles& p) {
    const std::size_t n = view_.x.size();
    const auto at = [&](auto& array) { return std::span(array).subspan(solver_body.first, n); };
    const auto normal = at(p.normal), pressure_response = at(p.pressure_response);
    area_normals(view_.x, body_.asset().triangles, normal);
    std::ranges::copy(view_.x_start, at(p.x_start).begin());
    std::ranges::copy(view_.x, at(p.x).begin());
    std::ranges::copy(view_.v, at(p.v).begin());
    const bool whole = view_.response != nullptr;
    const bool kept = body_.volume_mode != VolumeMode::off && !whole;
    double farthest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool held = whole || is_held(view_.support[i]);
        const double per_mass = held ? 0 : 1 / view_.mass[i];
        at(p.per_mass)[i] = held ? 0
                                 : 1 / (body_.material.density *
                                        body_.asset().mass_behind(static_cast<std::uint32_t>(i)));
        pressure_response[i] = kept ? per_mass * normal[i] : Vec3{};
        solver_body.compliance += dot(pressure_response[i], normal[i]) / 3;
        farthest = std::max(farthest, norm(pressure_response[i]));
    }
    solver_body.missing_volume =
        body_.asset().rest_volume - enclosed_volume(view_.x, body_.asset().triangles);
    if (farthest > 0) solver_body.max_pressure = 0.25 * body_.asset().contact_length / farthest;
}

void ReferenceStep::from_solver(const SolverBody& solver_body, const SolverParticles& p) {
    if (view_.response) {
        view_.response->finish(Response::Field::start, view_.x_start);
        return_angular_momentum(1 / context_.h *
                                view_.response->finish(Response::Field::position, view_.x));
        return;
    }
    std::vector<Vec3> before(view_.x.begin(), view_.x.end());
    for (std::size_t i = 0; i < body_.asset().surface_count; ++i) {
        const Vec3 response = p.pressure_response[solver_body.first + i];
        before[i] += solver_body.pressure * response;
        const Vec3 recovered = p.x_start[solver_body.first + i] - view_.x_start[i];
        // Overlap recovery moves where the step began, too: that is no push.
        before[i] += recovered;
        body_.asset().each_follower(static_cast<std::uint32_t>(i),
                                    [&](std::uint32_t f, double share) {
                                        view_.x_start[f] += share * recovered;
                                        view_.x[f] += share * recovered;
                                    });
        view_.x_start[i] = p.x_start[solver_body.first + i];
        view_.x[i] = p.x[solver_body.first + i];
        // Pressure on a closed surface has no torque; about where the step began it has.
        return_angular_momentum(solver_body.pressure / context_.h * view_.mass[i] *
                                cross(view_.x_start[i], response));
    }
    lead_followers(view_, before, context_.h);
}

void ReferenceStep::velocities_to_solver(const SolverBody& solver_body, SolverParticles& p) const {
    for (std::size_t i = 0; i < view_.x.size(); ++i) {
        p.x[solver_body.first + i] = view_.x[i];
        p.v[solver_body.first + i] = view_.v[i];
    }
}

void ReferenceStep::velocities_from_solver(const SolverBody& solver_body,
                                           const SolverParticles& p) {
    if (view_.response) {
        view_.response->finish(Response::Field::velocity, view_.v);
        return;
    }
    for (std::size_t i = 0; i < view_.body.asset().surface_count; ++i) {
        const Vec3 by = p.v[solver_body.first + i] - view_.v[i];
        view_.v[i] = p.v[solver_body.first + i];
        body_.asset().each_follower(
            static_cast<std::uint32_t>(i),
            [&](std::uint32_t f, double share) { view_.v[f] += share * by; });
    }
}

void ReferenceStep::hold(std::uint32_t solver_index, const Support& support) {
    Support& s = view_.support[solver_index];
    if (support.hold > s.hold) s = support;
}

void ReferenceStep::restore_volume() {
    const Timer timer(times_, Stage::volume_positions, lap_);
    turgor::restore_volume(view_, context_);
}

void ReferenceStep::end_removing_divergence() {
    const Timer timer(times_, Stage::volume_velocities, lap_);
    remove_divergence(view_, context_);
}

void ReferenceStep::end_settling() {
    const Timer timer(times_, Stage::contact, lap_);
    settle(view_, context_);
    body_.elastic->finish_velocities(view_.mass, view_.x, view_.v);
    MotionSums sums;
    for (std::size_t i = 0; i < view_.v.size(); ++i)
        sums.add(view_.mass[i], view_.x[i] - view_.x[0], view_.v[i]);
    speed_ = body_speed(sums, sums.rigid(), {}, body_.asset().size);
    if (is_sane(view_)) {
        record_contacts(body_, context_, view_.x, times_);
        return;
    }
    stop(view_);
    state_ = State::overflowed;
}

Vec3 ReferenceStep::mean_velocity() const {
    Vec3 sum;
    for (std::size_t i = 0; i < view_.v.size(); ++i) sum += view_.mass[i] / body_.mass * view_.v[i];
    return sum;
}

void ReferenceStep::shift(Vec3 displacement, Vec3 velocity) {
    for (Vec3& x : view_.x) x += displacement;
    for (Vec3& v : view_.v) v += velocity;
}

}  // namespace turgor
