#include "step/cpu_step.hpp"
#include "device/shared/constants.h"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace turgor {
namespace {

/// Beyond this, in metres or metres per second relative to the body's own frame, products would
/// overflow: the body has exploded.
constexpr auto largest_extent = static_cast<float>(TURGOR_LARGEST_EXTENT);

}  // namespace

bool CpuStep::supports(const Formulation& f) {
    return f.exact_volume && f.momentum_free_volume && f.velocities_from_positions;
}

CpuStep::CpuStep(StepWorld& world, BodySim& body, CpuScratch& scratch, Scheduler* blocks,
                 const StepContext& context, StepReport& times)
    : BodyStep(world, body, context, times),
      now_(body.cpu),
      scratch_(scratch),
      blocks_(blocks),
      asset_(*body.parts.cpu_asset),
      elastic_(*body.elastic->cpu()),
      pass_{asset_,
            blocks,
            static_cast<float>(context.h),
            context.h,
            now_.x,
            now_.v,
            scratch.x_start,
            scratch.predicted_v,
            scratch.change,
            scratch.elastic,
            scratch.elastic_blocks},
      volume_(volume_view(asset_, body.parts.cpu_volume, world.settings.summation, now_, scratch)),
      h_(static_cast<float>(context.h)) {
    scratch_.touched.clear();
    TURGOR_ASSERT(body.copies.cpu_is_current() && !body.copies.device_is_ahead());
    TURGOR_CHECK_ALL(scratch.is_clear());
    body.copies.device_is_left();
    body.self.closing.outdated();
}

/// Scratch and state as the next body must find them, whatever happened.
CpuStep::~CpuStep() {
    for (const auto i : scratch_.touched.particle) {
        unpin(now_.x[i]);
        scratch_.free[i] = 1;
        scratch_.slot[i] = CpuScratch::none;
    }
    scratch_.touched.clear();
}

void CpuStep::advance_to_colliders() {
    if (body_.recovering) return advance_in_double();
    CpuStep* const alone = this;
    advance_to_colliders({&alone, 1}, lap_);
}

void CpuStep::advance_to_colliders(std::span<CpuStep* const> batch, Lap& lap) {
    TURGOR_ASSERT(!batch.empty() && batch.size() <= most_in_batch);
    StepReport& times = batch[0]->times_;
    std::array<CpuBatchMember, most_in_batch> members;
    {
        const Timer timer(times, Stage::elasticity, lap);
        for (std::size_t k = 0; k < batch.size(); ++k) {
            batch[k]->begin();
            members[k] = {&batch[k]->elastic_, &batch[k]->pass_, {}};
        }
        members[0].body->damp_batch(std::span(members).first(batch.size()));
    }
    {
        const Timer timer(times, Stage::integrate, lap);
        for (CpuStep* const step : batch) step->integrate();
    }
    std::array<CpuStep*, most_in_batch> going_on{};
    std::size_t count = 0;
    {
        const Timer timer(times, Stage::elasticity, lap);
        for (CpuStep* const step : batch) {
            if (!(step->reach_ < largest_extent)) {
                step->stop();
                continue;
            }
            step->pass_.reach = step->reach_;
            members[count] = {&step->elastic_, &step->pass_, to_quad(step->now_.mean_x)};
            going_on[count++] = step;
        }
        if (count > 0) members[0].body->deform_batch(std::span(members).first(count));
        for (std::size_t k = 0; k < count; ++k)
            if (!going_on[k]->take_goal(members[k].goal)) going_on[k]->stop();
    }
    const Timer timer(times, Stage::contact, lap);
    for (CpuStep* const step : std::span(going_on).first(count))
        if (step->in_stages()) step->collide();
}

void CpuStep::stop() {
    stop_body(body_, std::span(scratch_.x_start).first(asset_.padded), origin_start_);
    state_ = State::overflowed;
}

void CpuStep::advance_in_double() {
    ReferenceScratch scratch;
    ReferenceStep step(world_, body_, scratch, context_, times_);
    step.advance();
    come_back(step.fine());
}

/// The body has lost its shape in the middle of a step: the reference takes over after its
/// contacts.
void CpuStep::finish_in_double() {
    ReferenceScratch scratch;
    BodyView view = world_.reference_view(body_, scratch);
    std::ranges::fill(view.support, Support{});
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        view.x_start[i] = start_x(i);
        view.v[i] = predicted_v(i);
    }
    for (std::size_t k = 0; k < pinned_; ++k) view.support[scratch_.touched.particle[k]] = {1, {}};
    for (Contact& c : body_.contacts) c.entry = c.particle;
    recover(view, context_);
    turgor::remove_divergence(view, context_);
    turgor::settle(view, context_);
    const bool fine = is_sane(view);
    if (fine)
        record_contacts(body_, context_, view.x, times_);
    else
        turgor::stop(view);
    come_back(fine);
}

/// From the reference's arrays to single precision.
void CpuStep::come_back(bool fine) {
    body_.copies.edited();
    world_.load_cpu(body_);
    // What is stopped may be finite in double precision only.
    if (!fine) stop_body(body_, now_.x, now_.origin);
    speed_.rms = speed_.rigid = std::numeric_limits<double>::infinity();
    state_ = fine ? State::alone : State::overflowed;
}

void CpuStep::begin() {
    body_.copies.advanced();
    pass_.reach = now_.extent.reach;
    pass_.may_flow = !body_.lost_at_start;
    pass_.speed = now_.extent.speed;
}

void CpuStep::integrate() {
    // The frame takes over the body's mean velocity, and its place where it has strayed.
    FrameChange frame;
    frame.velocity = to_quad(now_.mean_v);
    if (norm(now_.mean_x) > 0.25 * asset_.reach) frame.shift = to_quad(now_.mean_x);
    const IntegrateSums found = elastic_.integrate(pass_, frame);
    reach_ = found.reach;
    angular_momentum_error_ +=
        body_.material.density * (found.damped_angular - cross(now_.mean_x, found.damped));
    origin_start_ = now_.origin + frame.shift.xyz();
    now_.mean_x -= frame.shift.xyz();
    // Damping within regions keeps the momentum: what the sum is now, rounding has added. It is
    // taken back with the frame, which costs nothing.
    const Vec3 rounding = found.linear / asset_.whole_mass - (now_.mean_v - frame.velocity.xyz());
    now_.drift += frame.velocity.xyz() - rounding + context_.h * acceleration(body_, context_);
    now_.origin = origin_start_ + context_.h * now_.drift;
    follow_handles();
}

void CpuStep::follow_handles() {
    scratch_.pins.clear();
    if (body_.handles.empty() && body_.forces.empty()) return;
    const double density = body_.material.density;
    const auto note_reach = [&](const Quad& x) {
        reach_ = std::max({reach_, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    };
    const auto kick = [&](std::uint32_t i, Vec3 by) {
        Quad& x = now_.x[i];
        Quad& v = now_.v[i];
        x.set_xyz(x.xyz() + context_.h * by);
        v.set_xyz(v.xyz() + by);
        note_reach(x);
    };
    // Springs act before gravity does.
    const Vec3 drift = now_.drift - context_.h * acceleration(body_, context_);
    HandledParticles& held = scratch_.handled;
    for (const Handle& handle : body_.handles) {
        if (handle.kind == Handle::Kind::pin) continue;
        held.clear();
        for (const auto i : handle.particles) {
            held.x.push_back(start_x(i));
            held.v.push_back(drift + now_.v[i].xyz());
            held.mass.push_back(density * asset_.mass[i]);
        }
        pull(handle, body_, context_, held);
        for (std::size_t k = 0; k < held.v.size(); ++k) {
            const auto i = handle.particles[k];
            kick(i, held.v[k] - (drift + now_.v[i].xyz()));
        }
    }
    for (const auto& [i, force] : body_.forces)
        kick(i, context_.h / (density * asset_.mass[i]) * force);
    find_pins(body_, context_, scratch_.pins);
    for (const auto& [i, target] : scratch_.pins) {
        now_.x[i] = to_pinned_position(target - now_.origin);
        now_.v[i] = to_velocity((target - start_x(i)) / context_.h - now_.drift, 0);
        note_reach(now_.x[i]);
        scratch_.touched.support[touch(i)] = {1, {}};
    }
    pinned_ = scratch_.touched.size();
    take_touched(0);
}

bool CpuStep::take_goal(const GoalSums& found) {
    goal_ = found;
    // Elasticity moves the body as a whole only where it is pinned; else it was rounding.
    if (pinned_ == 0) {
        const Vec3 rounding = goal_.linear / asset_.whole_mass;
        now_.origin -= rounding;
        now_.drift -= rounding / context_.h;
    }
    return is_finite(goal_.linear) && is_finite(goal_.angular) &&
           is_finite(goal_.high.xyz() - goal_.low.xyz());
}

void CpuStep::change_by(const VelocityChange& next) {
    free_.change(next.keep, next.a, next.b);
    change_ = change_.then(next);
}

Vec3 CpuStep::touched_velocity(std::size_t k) const {
    const auto i = scratch_.touched.particle[k];
    const Vec3 v = now_.v[i].xyz(), x = now_.x[i].xyz();
    return is_pinned(now_.x[i]) ? v : change_.at(x, v);
}

void CpuStep::begin_settling() {
    const Timer timer(times_, Stage::contact, lap_);
    free_ = collect(&BlockSums::motion,
                    [&](auto block, MotionSums& sums) { move_last(volume_, last_, block, sums); });
    held_ = {};
    for (std::size_t k = 0; k < pinned_; ++k) {
        const auto i = scratch_.touched.particle[k];
        held_.add(asset_.mass[i], now_.x[i].xyz(), now_.v[i].xyz());
    }
    free_.add(held_, -1);
    change_ = {};
    // What stage 2 added to the angular momentum is returned: shape matching keeps it about x*,
    // velocities from positions about xₙ.
    MotionSums all = free_;
    all.add(held_);
    const Vec3 drift =
        goal_.angular / context_.h + angular_momentum_error_ / body_.material.density;
    // Positions stay from here on, and with them the inertia.
    inertia_ = SymmetricSolver(all.system().inertia());
    const RigidField spin = all.system().solve(inertia_, {}, drift);
    change_by({1, -1.0 * spin.a, -1.0 * spin.b});
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) t.v[k] = now_.drift + touched_velocity(k);
    t.v_before = t.v;
}

void CpuStep::end_settling() {
    const Timer timer(times_, Stage::contact, lap_);
    stop_closing_touched(&free_, nullptr);
    MotionSums all = free_;
    const auto change = [&](const VelocityChange& next) {
        change_by(next);
        all = free_;
        all.add(held_);
    };
    change({});
    TouchedParticles& t = scratch_.touched;
    if (context_.formulation.settle) {
        WholeBodyDamping damping = whole_body_damping(body_, context_);
        // Particles take it in single precision: what is returned to the rigid motion must be the
        // rest of that.
        if (elastic_.counts_rounding()) damping.keep = static_cast<float>(damping.keep);
        const RigidField rigid = all.rigid(inertia_);
        const Vec3 touch = damping.touch - now_.origin;
        change({damping.keep, (1 - damping.keep) * rigid.a + damping.roll * cross(rigid.b, touch),
                (1 - damping.keep - damping.roll) * rigid.b});
        Vec3 carried;
        double supported = 0;
        for (std::size_t k = 0; k < t.size() && may_settle(body_); ++k) {
            if (!(t.support[k].hold > 0.5)) continue;
            const double m = asset_.mass[t.particle[k]];
            carried += m * touched_velocity(k);
            supported += m;
        }
        if (supported > 0) {
            carried /= supported;
            const double energy =
                all.energy - 2 * dot(carried, all.linear) + all.mass * dot(carried, carried);
            const double slow =
                settling_factor(body_, context_, std::sqrt(std::max(0.0, energy) / all.mass));
            if (slow < 1) change({slow, (1 - slow) * carried, {}});
        }
    }
    const RigidField rigid_motion = all.rigid(inertia_);
    now_.extent = collect(&BlockSums::extent, [&](auto block, Extent& extent) {
        change_velocities(volume_, change_, rigid_motion, block, extent);
    });
    make_up_for_rounding();
    now_.mean_x = all.centre();
    now_.mean_v = all.linear / all.mass;
    speed_ = body_speed(all, rigid_motion, now_.drift, body_.asset().size);
    for (std::size_t k = 0; k < t.size(); ++k) t.x[k] = now_.world_x(t.particle[k]);
    record_contacts(body_, context_, t.x, times_);
    const bool sane = now_.extent.reach < largest_extent && now_.extent.speed < largest_extent &&
                      is_finite(now_.mean_x) && is_finite(now_.mean_v) &&
                      norm(now_.origin) < farthest_position && norm(now_.drift) < farthest_position;
    if (!sane) stop();
}

void CpuStep::shift(Vec3 displacement, Vec3 velocity) {
    now_.origin += displacement;
    now_.drift += velocity;
}

}  // namespace turgor
