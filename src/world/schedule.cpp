#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <ranges>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/for_each.hpp"
#include "world/cpu_step.hpp"
#include "world/folding.hpp"
#include "world/island.hpp"
#include "world/world_impl.hpp"

namespace turgor {
namespace {

double sum(const StepReport& report) {
    double all = 0;
    for (const double ms : report.milliseconds) all += ms;
    return all;
}

}  // namespace

void merge(StepReport& total, const StepReport& part) {
    for (std::size_t k = 0; k < total.milliseconds.size(); ++k)
        total.milliseconds[k] += part.milliseconds[k];
    total.max_penetration = std::max(total.max_penetration, part.max_penetration);
}

namespace {

auto place_of(auto& list, std::uint32_t id) {
    return std::ranges::lower_bound(list, id, {}, &Touch::id);
}
bool has(const std::vector<Touch>& list, std::uint32_t id) {
    const auto at = place_of(list, id);
    return at != list.end() && at->id == id;
}

}  // namespace

void TouchLog::begin() {
    std::swap(touching, touched);
    touching.clear();
}

bool TouchLog::touched_before(std::uint32_t id) const {
    return has(touched, id);
}

void TouchLog::add(const Touch& touch) {
    const auto at = place_of(touching, touch.id);
    if (at != touching.end() && at->id == touch.id)
        at->impulse += touch.impulse;
    else
        touching.insert(at, touch);
}

void TouchLog::tell(std::uint32_t own_id, Touch::Kind own_kind) {
    const bool soft = own_kind == Touch::Kind::body;
    const auto tell_of = [&](ContactEvent::Kind kind, const Touch& t) {
        const bool rigid = t.kind == Touch::Kind::rigid;
        if (t.kind == own_kind ? t.id < own_id : t.kind == Touch::Kind::body) return;
        events.push_back({kind, soft ? own_id : 0, t.kind == Touch::Kind::collider ? t.id : 0,
                          t.point, t.normal, t.kind == own_kind ? t.id : 0, t.impulse,
                          soft ? (rigid ? t.id : 0) : own_id});
    };
    for (const Touch& t : touching)
        if (!has(touched, t.id)) tell_of(ContactEvent::Kind::began, t);
    for (const Touch& t : touched)
        if (!has(touching, t.id)) tell_of(ContactEvent::Kind::ended, t);
}

void note_contacts(BodyRecord& body, const StepContext& context, std::span<const Vec3> x,
                   std::span<const std::uint32_t> particles, StepReport& report) {
    report.max_penetration = std::max(
        report.max_penetration, deepest(context.colliders, body.filter, x) / body.asset().size);
    body.begin();
    for (const Contact& c : body.contacts) {
        const ColliderId id = context.colliders[c.collider].id;
        const double gap = dot(x[c.particle] - c.point, c.normal);
        // A contact lasts until every particle has clearly left, so that a resting body does not
        // flicker.
        const bool lingers =
            !c.sensor && body.touched_before(id) && gap < 0.1 * body.asset().mean_edge;
        if (!c.touching && !c.inside && !lingers) continue;
        const std::uint32_t particle = particles.empty() ? c.particle : particles[c.particle];
        const double impulse =
            body.material.density * body.asset().mass[particle] * c.push / context.h;
        body.add({id, Touch::Kind::collider, c.point, c.normal, impulse});
    }
    for (const Touch& touch : body.met.touches) body.add(touch);
    body.tell(body.id, Touch::Kind::body);
}

Pace pace_of(const MotionSums& sums, Vec3 drift, double size) {
    const double energy =
        (sums.energy + 2 * dot(drift, sums.linear)) / sums.mass + dot(drift, drift);
    return {std::sqrt(std::max(0.0, energy)),
            norm(drift + sums.linear / sums.mass) + 0.5 * size * norm(sums.rigid().b)};
}

void grow_drowsy(BodyRecord& body, const StepContext& context, const Pace& pace) {
    const double slow = 1e-3 * std::sqrt(felt_gravity(body, context) * body.asset().size);
    // In a pile single vertices may tremble where they are caught: the body rests all the same.
    const bool is_slow =
        body.met.count > 0 ? pace.rigid < slow && pace.rms < 10 * slow : pace.rms < slow;
    const bool can = is_slow && !body.touching.empty() && body.handles.empty() &&
                     body.forces.empty() && body.force == Vec3{} && !body.recovering &&
                     std::ranges::none_of(body.contacts, [&](const Contact& c) {
                         return c.touching && context.colliders[c.collider].moves();
                     });
    body.quiet = can ? body.quiet + context.h : 0;
}

bool WorldImpl::is_large(const BodyRecord& body) const {
    constexpr std::uint32_t most_blocks_for_one_thread = 3;
    return on_cpu() && body.prepared.fast->blocks > most_blocks_for_one_thread;
}

int WorldImpl::sub_steps(const BodyRecord& body, double dt) const {
    return std::max(1, static_cast<int>(std::ceil(dt / body.parameters.longest_step() - 1e-6)));
}

const CollidersInSteps& WorldImpl::colliders_in_steps(int n) const {
    return *std::ranges::find(collider_plans, n, &CollidersInSteps::sub_steps);
}

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
                plan.moving.back().surface = c.surface;
            }
    };
    for (ColliderRecord& c : colliders) c.surface = friction_pairs.number_of(c.collider.surface);
    whole.clear();
    split.clear();
    for_device.clear();
    add_plan(1);
    report.sub_steps = 0;
    const auto nearing = [&](BodyRecord& body) {
        return std::ranges::any_of(colliders_in_steps(1).moving, [&](const MovingCollider& c) {
            if (!c.moves() || !c.collider->filter.meets(body.filter)) return false;
            Bounds box;
            for (const Vec3& p : view(body).x) box.add(p);
            return in_reach(c, box.centre(), 0.5 * box.diagonal() + body.asset().mean_edge);
        });
    };
    for (auto& body : bodies) {
        body->events.clear();
        body->overflowed = false;
        body->met.clear();
        body->surface = friction_pairs.number_of(body->material.surface);
        if (body->asleep && (!settings.sleeping || nearing(*body))) wake(*body);
        if (!body->asleep && on_cpu()) load_cpu(*body);
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
        add_plan(sub_steps(*body, dt));
        if (goes_to_device(*body)) {
            for_device.push_back(body.get());
            continue;
        }
        particles_of(*body);
        (is_large(*body) ? split : whole).push_back(body.get());
    }
}

StepContext WorldImpl::sub_step_context(double dt, int n, int k) const {
    const double h = dt / n;
    return {h,
            time + k * h,
            dt,
            (k + 1.0) / n,
            settings.gravity,
            settings.formulation,
            std::span(colliders_in_steps(n).moving)
                .subspan(colliders.size() * static_cast<unsigned>(k), colliders.size()),
            &friction_pairs};
}

void WorldImpl::finish_body(BodyRecord& body, bool falls_asleep) {
    if (body.overflowed) {
        body.contacts.clear();
        body.forces.clear();
        body.force = {};
    } else if (falls_asleep) {
        body.asleep = true;
        const BodyView at_rest = view(body);
        std::fill(at_rest.v.begin(), at_rest.v.end(), Vec3{});
        body.cpu_is_old = true;
    }
    for (Handle& handle : body.handles) handle.previous_targets = handle.targets;
    body.shown_is_old = true;
}

void WorldImpl::advance_body(BodyRecord& body, double dt, CpuScratch* scratch, Scheduler* blocks,
                             StepReport& times) {
    const int n = sub_steps(body, dt);
    bool falls_asleep = false;
    for (int k = 0; k < n && !body.overflowed && !falls_asleep; ++k) {
        check_cancelled();
        const StepContext context = sub_step_context(dt, n, k);
        const double deforming = deforming_speed(*this, body);
        const auto advance = [&](BodyStep&& step) {
            step.advance();
            body.overflowed = !step.fine();
            use_clearance(*this, body, deforming, context.h);
            grow_drowsy(body, context, step.pace());
        };
        if (on_cpu()) {
            scratch->fit(*body.prepared.fast);
            advance(CpuStep(*this, body, *scratch, blocks, context, times));
        } else {
            advance(ReferenceStep(*this, body, reference_scratch, context, times));
        }
        falls_asleep = settings.sleeping && body.quiet >= drowsy_time;
    }
    finish_body(body, falls_asleep);
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

void WorldImpl::advance(double dt) {
    report = {};
    events.clear();
    plan(dt);
    const auto begin = std::chrono::steady_clock::now();
    // Side by side: every thread takes the next body.
    const std::uint32_t threads =
        on_cpu() ? static_cast<std::uint32_t>(std::min<std::size_t>(
                       static_cast<std::size_t>(scheduler->threads()), whole.size()))
                 : 1;
    thread_reports.assign(std::max(1u, threads), {});
    while (on_cpu() && cpu_scratch.size() < thread_reports.size())
        cpu_scratch.push_back(std::make_unique<CpuScratch>());
    std::atomic<std::size_t> next{0};
    for_each(scheduler.get(), static_cast<std::uint32_t>(thread_reports.size()),
             [&](std::uint32_t thread) {
                 for (std::size_t i = next++; i < whole.size(); i = next++)
                     advance_body(*whole[i], dt, on_cpu() ? cpu_scratch[thread].get() : nullptr,
                                  nullptr, thread_reports[thread]);
             });
    for (const StepReport& part : thread_reports) merge(report, part);
    // Times of threads that worked side by side, as shares of the time that passed.
    const double passed =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const double busy = sum(report);
    if (busy > passed)
        for (double& ms : report.milliseconds) ms *= passed / busy;
    for (BodyRecord* body : split)
        advance_body(*body, dt, cpu_scratch.front().get(), scheduler.get(), report);
    const auto found = std::span<const Island>(islands).first(island_count);
    if (device) device->advance(*this, for_device, found.first(islands_on_device), dt);
    for (const Island& island : found.subspan(islands_on_device))
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
        // In a corner of triangles a pair has several contacts, one after the other.
        const Contact* last = nullptr;
        for (const Contact& c : body->contacts) {
            if (!c.touching) continue;
            report.contacts +=
                !last || last->particle != c.particle || last->collider != c.collider;
            last = &c;
        }
    }
    for (const auto& rigid : rigids)
        events.insert(events.end(), rigid->events.begin(), rigid->events.end());
}

}  // namespace turgor
