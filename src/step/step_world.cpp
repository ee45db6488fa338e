#include "step/step_world.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/assert.hpp"
#include "base/cancel.hpp"
#include "base/rigid_system.hpp"
#include "mesh/measures.hpp"
#include "step/cpu_step.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor {

void Particles::resize(std::size_t n) {
    x.resize(n);
    v.resize(n);
    pressed.resize(n);
    mass.resize(n);
}

void Particles::insert(std::size_t at, std::size_t count) {
    const auto widen = [&](auto& array) {
        array.insert(array.begin() + static_cast<std::ptrdiff_t>(at), count, {});
    };
    widen(x), widen(v), widen(pressed), widen(mass);
}

void Particles::erase(std::size_t first, std::size_t count) {
    const auto cut = [&](auto& array) {
        const auto begin = array.begin() + static_cast<std::ptrdiff_t>(first);
        array.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    cut(x), cut(v), cut(pressed), cut(mass);
}

void wake(BodySim& body) {
    body.asleep = false;
    body.sleep_timer = 0;
}

namespace {

/// Struts measure a body against the shape that it comes back to: where that has changed, anew.
void follow_rest_shape(BodySim& body) {
    const std::uint64_t shape = body.elastic->rest_shape_changes();
    if (body.struts_of_shape == shape) return;
    BodyParts& parts = body.parts;
    parts.volume.struts = std::make_shared<const Struts>(
        measured_anew(*parts.volume.struts, body.elastic->rest_shape()));
    if (parts.cpu_volume.struts) parts.cpu_volume.struts = make_cpu_struts(*parts.volume.struts);
    body.struts_of_shape = shape;
}

}  // namespace

void StepWorld::begin_step(BodySim& body) {
    body.lost_at_start = false;
    if (body.elastic->is_plastic()) {
        const double volume = enclosed_volume(view(body).x, body.asset().triangles);
        body.lost_at_start = lost_its_shape(body, volume, body.count);
    }
    if (body.elastic->wants_rest_shape() && !body.lost_at_start && !body.recovering)
        body.elastic->measure_rest_shape(view(body).x);
    follow_rest_shape(body);
}

BodyView StepWorld::mirror(BodySim& body) {
    Particles& p = particles;
    const auto part = [&](auto& array) { return std::span(array).subspan(body.first, body.count); };
    return {body, part(p.x), part(p.v), part(p.mass), part(p.pressed)};
}

BodyView StepWorld::view(BodySim& body) {
    BodyView slice = mirror(body);
    if (body.copies.mirror_is_current()) return slice;
    const CpuBody& state = particles_of(body);
    for (std::size_t i = 0; i < body.count; ++i) {
        slice.x[i] = state.world_x(i);
        slice.v[i] = state.world_v(i);
        slice.pressed[i] = pressed_of(state.v[i]);
    }
    body.elastic->to_reference();
    body.copies.mirrored();
    return slice;
}

BodyView StepWorld::edit(BodySim& body) {
    const BodyView slice = view(body);
    body.copies.edited();
    body.copies.display = StateCopies::Display::old;
    body.self.closing.outdated();
    wake(body);
    return slice;
}

const CpuBody& StepWorld::particles_of(BodySim& body) {
    if (body.copies.device_is_ahead()) device->fetch(body);
    return body.cpu;
}

void StepWorld::load_cpu(BodySim& body) {
    if (body.copies.cpu_is_current()) return;
    const CpuAsset& asset = *body.parts.cpu_asset;
    const BodyView slice = view(body);
    CpuBody& state = body.cpu;
    state.x.assign(asset.padded, {});
    state.v.assign(asset.padded, {});
    state.origin = centre_of_mass(slice.mass, slice.x);
    state.drift = {};
    for (std::size_t i = 0; i < body.count; ++i)
        state.drift += slice.mass[i] / body.mass * slice.v[i];
    for (std::size_t i = 0; i < body.count; ++i) {
        state.x[i] = to_free_position(slice.x[i] - state.origin);
        state.v[i] = to_velocity(slice.v[i] - state.drift, slice.pressed[i]);
    }
    body.elastic->to_cpu();
    state.measure(asset);
    body.copies.loaded();
}

BodyView StepWorld::reference_view(BodySim& body, ReferenceScratch& scratch) {
    BodyView slice = view(body);
    scratch.x_start.resize(body.count);
    scratch.goal.resize(body.count);
    scratch.change.resize(body.count);
    scratch.weight.resize(body.count, 1.0);
    scratch.support.resize(body.count);
    slice.x_start = scratch.x_start;
    slice.goal = scratch.goal;
    slice.change = scratch.change;
    slice.weight = scratch.weight;
    slice.support = scratch.support;
    slice.scratch = &scratch;
    return slice;
}

CollisionSurface StepWorld::collision_surface_of(BodySim& body) {
    const BodyAsset& asset = body.asset();
    const CollisionTree* const tree = body.parts.tree.get();
    if (cpu_is_current(body))
        return {&asset,
                tree,
                &body.boxes,
                body.cpu.origin,
                std::span<const Quad>(particles_of(body).x).first(body.count),
                {}};
    const BodyView all = view(body);
    return {&asset, tree, &body.boxes, all.x[0], {}, all.x};
}

Vec3 StepWorld::fall_in(const BodySim& body, double dt) const {
    return dt * (body.gravity_factor * settings.gravity + body.force / body.mass);
}

bool StepWorld::is_large(const BodySim& body) const {
    constexpr std::uint32_t most_blocks_for_one_thread = 3;
    return body.form == Form::cpu && body.parts.cpu_asset->blocks > most_blocks_for_one_thread;
}

/// How far particles of a body move in a step relative to each other, or to what they may meet.
double StepWorld::way_in_step(BodySim& body, double dt) {
    const BodyView now = view(body);
    Bounds box;
    Vec3 mean;
    for (std::size_t i = 0; i < body.count; ++i) {
        box.add(now.x[i]);
        mean += now.mass[i] / body.mass * now.v[i];
    }
    double spread = 0;
    for (const Vec3& v : now.v) spread = std::max(spread, norm(v - mean));
    mean += fall_in(body, dt);
    const double swept = 0.5 * box.diagonal() + dt * (norm(mean) + spread);
    const bool meets = std::ranges::any_of(colliders_in_steps(1).moving, [&](auto& c) {
        return c.collider->filter.meets(body.filter) && in_reach(c, box.centre(), swept);
    });
    return dt * (spread + (meets ? norm(mean) : 0));
}

int StepWorld::sub_steps(const BodySim& body, double dt) const {
    const double longest = std::min(body.elastic->longest_step(), body.parts.longest_step);
    return std::max(1, static_cast<int>(std::ceil(dt / longest - 1e-6)));
}

int StepWorld::sub_steps_at_its_speed(BodySim& body, double dt) {
    constexpr double most = 200;
    const double longest = body.elastic->longest_way();
    const int steps = sub_steps(body, dt);
    if (!std::isfinite(longest)) return steps;
    const double wanted = std::min(most, way_in_step(body, dt) / longest);
    return std::max(steps, static_cast<int>(std::ceil(wanted - 1e-6)));
}

const CollidersInSteps& StepWorld::colliders_in_steps(int n) const {
    return *std::ranges::find(collider_plans, n, &CollidersInSteps::sub_steps);
}

StepContext StepWorld::sub_step_context(double dt, int n, int k) const {
    TURGOR_ASSERT(dt > 0 && n >= 1 && k >= 0 && k < n);
    const double h = dt / n;
    const std::span<const MovingCollider> moving = colliders_in_steps(n).moving;
    const std::size_t count = moving.size() / static_cast<unsigned>(n);
    return {h,
            time + k * h,
            dt,
            (k + 1.0) / n,
            settings.gravity,
            settings.formulation,
            moving.subspan(static_cast<unsigned>(k) * count, count),
            &friction_pairs};
}

void StepWorld::finish_body(BodySim& body, bool falls_asleep) {
    if (body.overflowed) {
        body.contacts.clear();
        body.forces.clear();
        body.force = {};
    } else if (falls_asleep) {
        body.asleep = true;
        const BodyView at_rest = view(body);
        std::fill(at_rest.v.begin(), at_rest.v.end(), Vec3{});
        body.copies.edited();
    }
    for (Handle& handle : body.handles) handle.previous_targets = handle.targets;
    body.copies.display = StateCopies::Display::old;
}

/// What is left to do of a sub-step whose stages are done; true: the body falls asleep.
bool StepWorld::end_sub_step(BodySim& body, const BodyStep& step, const StepContext& context,
                             double deforming) {
    body.overflowed = !step.fine();
    use_clearance(*this, body, deforming, context.h);
    update_sleep_timer(body, context, step.speed());
    return settings.sleeping && body.sleep_timer >= time_to_sleep;
}

void StepWorld::advance_body(BodySim& body, double dt, CpuScratch* scratch,
                             ReferenceScratch& reference, Scheduler* blocks, StepReport& times) {
    const int n = sub_steps_at_its_speed(body, dt);
    bool falls_asleep = false;
    for (int k = 0; k < n && !body.overflowed && !falls_asleep; ++k) {
        check_cancelled();
        const StepContext context = sub_step_context(dt, n, k);
        const double deforming = deforming_speed(*this, body);
        const auto advance = [&](BodyStep&& step) {
            step.advance();
            falls_asleep = end_sub_step(body, step, context, deforming);
        };
        if (body.form == Form::cpu) {
            scratch->fit(*body.parts.cpu_asset, body.elastic->cpu()->memory());
            advance(CpuStep(*this, body, *scratch, blocks, context, times));
        } else {
            advance(ReferenceStep(*this, body, reference, context, times));
        }
    }
    finish_body(body, falls_asleep);
}

bool StepWorld::joins_batches(const BodySim& body, int sub_steps) {
    constexpr std::uint32_t most_particles = 1024;
    return sub_steps == 1 && body.form == Form::cpu && !body.recovering &&
           body.count <= most_particles && body.elastic->cpu()->gains_from_batches();
}

void prefetch(std::span<BodySim* const> bodies, std::size_t next) {
    if (next < bodies.size()) bodies[next]->cpu.prefetch();
    if (next + 1 >= bodies.size()) return;
    const auto* const later = reinterpret_cast<const std::byte*>(bodies[next + 1]);
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < sizeof(BodySim); i += line) __builtin_prefetch(later + i);
}

void StepWorld::advance_batch(std::span<BodySim* const> bodies, std::span<BodySim* const> next,
                              double dt, std::span<CpuScratch> scratch, StepReport& times) {
    check_cancelled();
    const StepContext context = sub_step_context(dt, 1, 0);
    std::array<std::optional<CpuStep>, CpuStep::most_in_batch> steps;
    std::array<CpuStep*, CpuStep::most_in_batch> batch{};
    std::array<double, CpuStep::most_in_batch> deforming{};
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        BodySim& body = *bodies[k];
        deforming[k] = deforming_speed(*this, body);
        scratch[k].fit(*body.parts.cpu_asset, body.elastic->cpu()->memory());
        batch[k] = &steps[k].emplace(*this, body, scratch[k], nullptr, context, times);
    }
    Lap lap = std::chrono::steady_clock::now();
    CpuStep::advance_to_colliders(std::span(batch).first(bodies.size()), lap);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        prefetch(next, k);
        lap = steps[k]->advance_from_colliders(lap);
        const bool falls_asleep = end_sub_step(*bodies[k], *steps[k], context, deforming[k]);
        steps[k].reset();
        finish_body(*bodies[k], falls_asleep);
    }
}

void merge(StepReport& total, const StepReport& part) {
    for (std::size_t k = 0; k < total.milliseconds.size(); ++k)
        total.milliseconds[k] += part.milliseconds[k];
    total.max_penetration = std::max(total.max_penetration, part.max_penetration);
}

void wake(RigidSim& rigid) {
    rigid.asleep = false;
    rigid.sleep_timer = 0;
}

void StepWorld::finish_rigid(RigidSim& rigid, const RigidState& before, bool falls_asleep) {
    rigid.display = StateCopies::Display::old;
    rigid.impulse = rigid.angular_impulse = {};
    if (rigid.made.driven_by_host && !rigid.overflowed) {
        const Mat3 inertia =
            rigid.mass * rotated_tensor(before.pose.rotation, rigid.geometry->spread);
        rigid.impulse = rigid.mass * (rigid.state.velocity - before.velocity);
        rigid.angular_impulse = rigid.angular_momentum() - inertia * before.angular_velocity;
    }
    if (!falls_asleep) return;
    rigid.asleep = true;
    rigid.state.velocity = rigid.state.angular_velocity = {};
}

}  // namespace turgor
