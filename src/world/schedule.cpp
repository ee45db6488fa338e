#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>

#include "base/errors.hpp"
#include "world/cpu_step.hpp"
#include "world/world_impl.hpp"

namespace turgor {
namespace {

/// Bodies of more blocks are worth all threads at once; smaller ones are advanced side by side.
constexpr std::uint32_t most_blocks_for_one_thread = 3;

/// A body asleep has been slow for this long [s].
constexpr double drowsy_time = 0.5;

void merge(StepReport& total, const StepReport& part) {
    for (std::size_t k = 0; k < total.milliseconds.size(); ++k)
        total.milliseconds[k] += part.milliseconds[k];
    total.max_penetration = std::max(total.max_penetration, part.max_penetration);
}

double sum(const StepReport& report) {
    double all = 0;
    for (const double ms : report.milliseconds) all += ms;
    return all;
}

double rms_speed(const BodyView& view) {
    double energy = 0;
    for (std::size_t i = 0; i < view.v.size(); ++i)
        energy += view.mass[i] * dot(view.v[i], view.v[i]);
    return std::sqrt(energy / view.body.mass);
}

}  // namespace

void note_contacts(BodyRecord& body, const StepContext& context, std::span<const Vec3> x,
                   StepReport& report) {
    report.max_penetration =
        std::max(report.max_penetration, deepest(context.colliders, x) / body.asset().size);
    std::swap(body.touching, body.touched);
    body.touching.clear();
    const auto find = [](std::vector<Touch>& list, ColliderId id) {
        return std::ranges::lower_bound(list, id, {}, &Touch::collider);
    };
    const auto has = [&](std::vector<Touch>& list, ColliderId id) {
        const auto at = find(list, id);
        return at != list.end() && at->collider == id;
    };
    for (const Contact& c : body.contacts) {
        const ColliderId id = context.colliders[c.collider].id;
        const double gap = dot(x[c.particle] - c.point, c.normal);
        // A contact lasts until every particle has clearly left, so that a resting body does not
        // flicker.
        if (!c.touching && !(has(body.touched, id) && gap < 0.1 * body.asset().mean_edge)) continue;
        if (!has(body.touching, id))
            body.touching.insert(find(body.touching, id), {id, c.point, c.normal});
    }
    for (const Touch& t : body.touching)
        if (!has(body.touched, t.collider))
            body.events.push_back(
                {ContactEvent::Kind::began, body.id, t.collider, t.point, t.normal});
    for (const Touch& t : body.touched)
        if (!has(body.touching, t.collider))
            body.events.push_back(
                {ContactEvent::Kind::ended, body.id, t.collider, t.point, t.normal});
}

bool fall_asleep(BodyRecord& body, const StepContext& context, double rms_speed) {
    const double slow = 1e-3 * std::sqrt(felt_gravity(body, context) * body.asset().size);
    const bool can = rms_speed < slow && !body.touching.empty() && body.handles.empty() &&
                     body.forces.empty() && body.force == Vec3{} && !body.recovering &&
                     std::ranges::none_of(body.contacts, [&](const Contact& c) {
                         return c.touching && context.colliders[c.collider].moves();
                     });
    body.quiet = can ? body.quiet + context.h : 0;
    body.asleep = body.quiet >= drowsy_time;
    return body.asleep;
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
            }
    };
    whole.clear();
    split.clear();
    add_plan(1);
    const auto nearing = [&](BodyRecord& body) {
        return std::ranges::any_of(colliders_in_steps(1).moving, [&](const MovingCollider& c) {
            if (!c.moves()) return false;
            Bounds box;
            for (const Vec3& p : view(body).x) box.add(p);
            return in_reach(c, box.centre(), 0.5 * box.diagonal() + body.asset().mean_edge);
        });
    };
    for (auto& body : bodies) {
        body->events.clear();
        body->overflowed = false;
        if (body->asleep && (!settings.sleeping || nearing(*body))) wake(*body);
        if (body->asleep) continue;
        const int n = sub_steps(*body, dt);
        report.sub_steps = std::max(report.sub_steps, n);
        add_plan(n);
        const bool large = on_cpu() && body->prepared.fast->blocks > most_blocks_for_one_thread;
        (large ? split : whole).push_back(body.get());
    }
}

void WorldImpl::advance_body(BodyRecord& body, double dt, CpuScratch* scratch, Scheduler* blocks,
                             StepReport& times) {
    const int n = sub_steps(body, dt);
    const auto& all = colliders_in_steps(n).moving;
    const double h = dt / n;
    for (int k = 0; k < n; ++k) {
        const StepContext context{
            h,
            time + k * h,
            dt,
            (k + 1.0) / n,
            settings.gravity,
            settings.formulation,
            std::span(all).subspan(colliders.size() * static_cast<unsigned>(k), colliders.size())};
        double speed = 0;
        if (on_cpu()) {
            load_cpu(body);
            scratch->fit(*body.prepared.fast);
            CpuStep step(*this, body, *scratch, blocks, context, times);
            body.overflowed = !step.advance();
            speed = step.rms_speed();
        } else {
            BodyView slice = reference_view(body, reference_scratch);
            body.overflowed = !advance(slice, context, times);
            if (body.overflowed)
                stop(slice);
            else
                note_contacts(body, context, slice.x, times);
            speed = rms_speed(slice);
        }
        if (body.overflowed) {
            body.contacts.clear();
            body.forces.clear();
            body.force = {};
            break;
        }
        if (settings.sleeping && fall_asleep(body, context, speed)) {
            const BodyView at_rest = view(body);
            std::fill(at_rest.v.begin(), at_rest.v.end(), Vec3{});
            body.cpu_is_old = true;
            break;
        }
    }
    for (Handle& handle : body.handles) handle.previous_targets = handle.targets;
    body.shown_is_old = true;
}

void WorldImpl::step(double dt) {
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
    struct Work {
        WorldImpl& world;
        double dt;
        std::atomic<std::size_t> next{0};
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
        /// Work for a scheduler must not throw: what was thrown first is kept.
        void take(std::uint32_t thread) {
            try {
                for (std::size_t i = next++; i < world.whole.size(); i = next++)
                    world.advance_body(*world.whole[i], dt,
                                       world.on_cpu() ? world.cpu_scratch[thread].get() : nullptr,
                                       nullptr, world.thread_reports[thread]);
            } catch (...) {
                if (!failed.exchange(true)) error = std::current_exception();
            }
        }
    } work{*this, dt};
    if (threads > 1)
        scheduler->run(
            threads,
            [](void* context, std::uint32_t thread) { static_cast<Work*>(context)->take(thread); },
            &work);
    else
        work.take(0);
    if (work.error) std::rethrow_exception(work.error);
    for (const StepReport& part : thread_reports) merge(report, part);
    // Times of threads that worked side by side, as shares of the time that passed.
    const double passed =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const double busy = sum(report);
    if (busy > passed)
        for (double& ms : report.milliseconds) ms *= passed / busy;
    for (BodyRecord* body : split)
        advance_body(*body, dt, cpu_scratch.front().get(), scheduler.get(), report);

    time += dt;
    for (auto& c : colliders) {
        c.now = c.pose_at(time);
        if (!c.commanded) continue;
        c.collider.pose = c.now = *c.commanded;
        c.commanded.reset();
    }
    const BodyRecord* overflowed = nullptr;
    for (const auto& body : bodies) {
        events.insert(events.end(), body->events.begin(), body->events.end());
        if (body->overflowed) overflowed = body.get();
        report.contacts += static_cast<std::size_t>(
            std::ranges::count_if(body->contacts, [](const Contact& c) { return c.touching; }));
    }
    if (overflowed)
        fail(ErrorCode::failed,
             "body '{}' was no longer finite at {} s and is stopped: a force or a velocity was too "
             "large",
             overflowed->name, time);
}

}  // namespace turgor
