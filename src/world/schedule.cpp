#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <ranges>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/for_each.hpp"
#include "step/cpu_step.hpp"
#include "step/island_scratch.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

double sum(const StepReport& report) {
    double all = 0;
    for (const double ms : report.milliseconds) all += ms;
    return all;
}

}  // namespace

void WorldImpl::plan(double dt) {
    // Plans keep their memory from step to step.
    for (CollidersInSteps& plan : collider_plans) {
        plan.sub_steps = 0;
        plan.moving.clear();
    }
    const auto with = [&](int sub_steps) {
        return std::ranges::find(collider_plans, sub_steps, &CollidersInSteps::sub_steps);
    };
    const auto add_plan = [&](int n) {
        report.sub_steps = std::max(report.sub_steps, n);
        if (with(n) != collider_plans.end()) return;
        const auto unused = with(0);
        CollidersInSteps& plan =
            unused != collider_plans.end() ? *unused : collider_plans.emplace_back();
        plan.sub_steps = n;
        for (int k = 0; k < n; ++k)
            for (const auto& c : colliders) {
                const double begin = static_cast<double>(k) / n, end = (k + 1.0) / n;
                plan.moving.push_back({&c.collider, c.id, c.pose_during(time, dt, begin),
                                       c.pose_during(time, dt, end)});
                plan.moving.back().surface_id = c.surface_id;
            }
    };
    for (ColliderRecord& c : colliders)
        c.surface_id = friction_pairs.surface_id(c.collider.surface);
    small_bodies.clear();
    large_bodies.clear();
    batched_bodies.clear();
    device_bodies.clear();
    add_plan(1);
    report.sub_steps = 0;
    const auto nearing = [&](BodyRecord& body) {
        return std::ranges::any_of(colliders_in_steps(1).moving, [&](const MovingCollider& c) {
            if (!c.moves() || !c.collider->filter.meets(body.filter)) return false;
            Bounds box;
            for (const Vec3& p : view(body).x) box.add(p);
            return in_reach(c, box.centre(), 0.5 * box.diagonal() + body.asset().contact_length);
        });
    };
    for (auto& body : bodies) {
        body->events.clear();
        body->overflowed = false;
        body->contact_summary.clear();
        body->surface_id = friction_pairs.surface_id(body->material.surface);
        if (body->asleep && (!settings.sleeping || nearing(*body))) wake(*body);
        if (body->asleep) continue;
        begin_step(*body);
        if (body->form == Form::cpu) load_cpu(*body);
    }
    for (auto& rigid : rigids) {
        rigid->events.clear();
        rigid->overflowed = false;
        const Bounds box = rigid->geometry->bounds(rigid->state.pose);
        const auto nears = [&](const MovingCollider& c) {
            return c.moves() && c.collider->filter.meets(rigid->made.filter) &&
                   in_reach(c, box.centre(), rigid->geometry->radius + rigid->geometry->extent);
        };
        if (rigid->asleep &&
            (!settings.sleeping || std::ranges::any_of(colliders_in_steps(1).moving, nears)))
            wake(*rigid);
    }
    find_islands(dt);
    for (const Island& island : std::span(islands).first(island_count)) add_plan(island.sub_steps);
    for (auto& body : bodies) {
        if (body->asleep || body->in_island) continue;
        const int n = sub_steps_at_its_speed(*body, dt);
        add_plan(n);
        if (goes_to_device(*body)) {
            device_bodies.push_back(body.get());
            continue;
        }
        particles_of(*body);
        (is_large(*body)           ? large_bodies
         : joins_batches(*body, n) ? batched_bodies
                                   : small_bodies)
            .push_back(body.get());
    }
    plan_batches();
}

/// Bodies of one model in a row, fewer towards the end so that all threads are done at once.
void WorldImpl::plan_batches() {
    batches.clear();
    if (batched_bodies.empty()) return;
    const auto threads = static_cast<std::size_t>(scheduler->threads());
    const std::span<BodySim* const> all = batched_bodies;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t most = threads == 1
                                     ? CpuStep::most_in_batch
                                     : std::clamp<std::size_t>((all.size() - begin) / (2 * threads),
                                                               1, CpuStep::most_in_batch);
        std::size_t end = begin + 1;
        while (end < all.size() && end - begin < most && all[end]->model == all[begin]->model)
            ++end;
        batches.push_back(all.subspan(begin, end - begin));
        begin = end;
    }
}

void WorldImpl::require_whole() const {
    if (!broken_by) return;
    Status cause;
    reporting_to(&cause, [&] { std::rethrow_exception(broken_by); });
    fail(ErrorCode::failed,
         "a step of this world ended half-way ({}) and left it broken; restore a snapshot, then it "
         "can go on",
         cause.message);
}

void WorldImpl::step(double dt) {
    require_whole();
    try {
        advance(dt);
    } catch (...) {
        // Some bodies have advanced and others have not, whatever it was: Cancelled, too, can come
        // between two sub-steps only.
        broken_by = std::current_exception();
        throw;
    }
    // Everything is where it should be, but for what was stopped.
    const auto overflowed = [](auto& body) { return body->overflowed; };
    const auto from_last = std::views::reverse(bodies);
    const auto soft = std::ranges::find_if(from_last, overflowed);
    const auto rigid = std::ranges::find_if(rigids, overflowed);
    if (soft != from_last.end() || rigid != rigids.end())
        fail(ErrorCode::failed,
             "body '{}' was no longer finite at {} s and is stopped: a force or a velocity was too "
             "large",
             soft != from_last.end() ? (*soft)->name : (*rigid)->name, time);
}

void WorldImpl::advance_side_by_side(double dt) {
    const auto begin = std::chrono::steady_clock::now();
    const auto small_islands =
        std::span<const Island>(islands).subspan(islands_on_device, islands_side_by_side);
    const std::size_t first_body = small_islands.size() + batches.size();
    const std::size_t count = first_body + small_bodies.size();
    const std::uint32_t threads = on_cpu()
                                      ? static_cast<std::uint32_t>(std::min<std::size_t>(
                                            static_cast<std::size_t>(scheduler->threads()), count))
                                      : 1;
    thread_reports.assign(std::max(1u, threads), {});
    while (on_cpu() && cpu_scratch.size() < thread_reports.size())
        cpu_scratch.push_back(std::make_unique<CpuScratch>());
    while (!batches.empty() && batch_scratch.size() < thread_reports.size())
        batch_scratch.emplace_back(CpuStep::most_in_batch);
    while (reference_scratch.size() < thread_reports.size())
        reference_scratch.push_back(std::make_unique<ReferenceScratch>());
    while (!small_islands.empty() && more_island_scratch.size() + 1 < thread_reports.size())
        more_island_scratch.push_back(std::make_shared<IslandScratch>());
    std::atomic<std::size_t> next{0};
    for_each(
        scheduler.get(), static_cast<std::uint32_t>(thread_reports.size()),
        [&](std::uint32_t thread) {
            for (std::size_t i = next++; i < count; i = next++) {
                if (i < small_islands.size()) {
                    advance_island(small_islands[i], dt,
                                   thread == 0 ? *island_scratch : *more_island_scratch[thread - 1],
                                   nullptr, thread_reports[thread]);
                    continue;
                }
                if (i < first_body) {
                    const std::size_t batch = i - small_islands.size();
                    advance_batch(batches[batch],
                                  batch + threads < batches.size() ? batches[batch + threads]
                                                                   : std::span<BodySim* const>(),
                                  dt, batch_scratch[thread], thread_reports[thread]);
                    continue;
                }
                const std::size_t body = i - first_body;
                prefetch(small_bodies, body + threads);
                advance_body(*small_bodies[body], dt,
                             on_cpu() ? cpu_scratch[thread].get() : nullptr,
                             *reference_scratch[thread], nullptr, thread_reports[thread]);
            }
        });
    for (const StepReport& part : thread_reports) merge(report, part);
    // Times of threads that worked side by side, as shares of the time that passed.
    const double passed =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const double busy = sum(report);
    if (busy > passed)
        for (double& ms : report.milliseconds) ms *= passed / busy;
}

void WorldImpl::advance(double dt) {
    report = {};
    events.clear();
    tears.clear();
    plan(dt);
    advance_side_by_side(dt);
    for (BodySim* body : large_bodies)
        advance_body(*body, dt, cpu_scratch.front().get(), *reference_scratch.front(),
                     scheduler.get(), report);
    const auto found = std::span<const Island>(islands).first(island_count);
    if (device) device->advance(*this, device_bodies, found.first(islands_on_device), dt);
    for (const Island& island : found.subspan(islands_on_device + islands_side_by_side))
        advance_island(island, dt, *island_scratch, on_cpu() ? scheduler.get() : nullptr, report);

    time += dt;
    for (auto& c : colliders) {
        c.now = c.pose_at(time);
        if (!c.commanded) continue;
        c.collider.pose = c.now = *c.commanded;
        c.commanded.reset();
    }
    for (const auto& body : bodies) {
        events.insert(events.end(), body->events.begin(), body->events.end());
        // In a corner of triangles a pair has several contacts, one after the other. (Those that a
        // device found have an entry each, and all count.)
        const Contact* last = nullptr;
        for (const Contact& c : body->contacts) {
            if (!c.touching) continue;
            report.contacts += !last || last->entry != c.entry || last->collider != c.collider;
            last = &c;
        }
    }
    for (const auto& rigid : rigids)
        events.insert(events.end(), rigid->events.begin(), rigid->events.end());
    tear_bodies();
}

}  // namespace turgor
