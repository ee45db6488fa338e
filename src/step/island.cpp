#include "body/papers_step.hpp"
#include "device/shared/constants.h"
#include "step/island_scratch.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "base/cancel.hpp"
#include "base/functions.hpp"
#include "step/invariants.hpp"
#include "step/island_bodies.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor {

std::size_t IslandScratch::bytes() const {
    std::size_t total = 0;
    for (const auto& slot : slots) total += slot->cpu.bytes();
    return total;
}

namespace {

constexpr int position_sweeps = 8, velocity_sweeps = 4;
/// With rigid bodies, which have few places to push at and no give.
constexpr int rigid_position_sweeps = 24, rigid_velocity_sweeps = 8;

constexpr double push_memory = TURGOR_PUSH_MEMORY;  ///< [s]

/// One sub-step of an island.
class IslandStep : IslandBodies {
public:
    using IslandBodies::IslandBodies;

    void advance() {
        begin();
        each_body([](BodyStep& step) { step.advance_to_colliders(); });
        for (RigidStep& step : s_.rigids) step.move_freely();
        bool any = false;
        timed([&] { any = solve_contacts(); });
        each_body([](BodyStep& step) { step.restore_volume(); });
        each_body([](BodyStep& step) { step.begin_removing_divergence(); });
        if (any)
            timed([&] {
                stop_closing();
                return_angular_momentum_errors();
            });
        each_body([](BodyStep& step) {
            step.end_removing_divergence();
            step.begin_settling();
        });
        if (any)
            timed([&] {
                stop_closing();
                record_body_contacts();
            });
        each_body([](BodyStep& step) { step.end_settling(); });
        record_sensors();
        for (RigidStep& step : s_.rigids) step.end_settling(grounded_);
        update_pair_cache();
        separate_bodies();
    }

    StepReport times;  ///< of the island's own work

private:
    template <class Work>
    void timed(Work&& work) {
        const Timer timer(times, Stage::contact);
        work();
    }

    void begin() {
        while (s_.slots.size() < count())
            s_.slots.push_back(std::make_unique<IslandScratch::Slot>());
        for (std::size_t i = 0; i < count(); ++i) {
            BodySim& body = *island_.bodies[i];
            IslandScratch::Slot& slot = *s_.slots[i];
            body.contact_summary.clear();
            slot.report = {};
            slot.has_constraints = false;  // until something is found near it
            slot.deforming = deforming_speed(world_, body);
            slot.self.clear();
            slot.near_bodies = slot.near_colliders = 0;
            if (body.form == Form::cpu) {
                slot.cpu.fit(*body.parts.cpu_asset, body.elastic->cpu()->memory());
                slot.step = &slot.cpu_step.emplace(world_, body, slot.cpu,
                                                   world_.is_large(body) ? threads_ : nullptr,
                                                   context_, slot.report);
            } else {
                slot.step = &slot.reference_step.emplace(world_, body, slot.reference, context_,
                                                         slot.report);
            }
        }
        s_.rigids.clear();
        for (RigidSim* record : island_.rigids) s_.rigids.emplace_back(*record, context_);
    }

    /// Finds who is near whom and solves that together with the volumes. False where nobody is.
    bool solve_contacts() {
        each(count(), [&](std::uint32_t i) {
            if (!step(i).in_stages()) return;
            s_.slots[i]->surface = step(i).collision_surface();
            s_.slots[i]->surface.refit();
            if (!step(i).response() &&
                may_touch_itself(*island_.bodies[i], s_.slots[i]->deforming, context_.h))
                find_self(*island_.bodies[i], s_.slots[i]->surface, s_.slots[i]->deforming,
                          context_.h, s_.slots[i]->self);
        });
        if (s_.found.size() < island_.pairs.size()) s_.found.resize(island_.pairs.size());
        if (s_.rigid_found.size() < s_.found.size()) s_.rigid_found.resize(s_.found.size());
        each(island_.pairs.size(), [&](std::uint32_t k) {
            const auto& [a, b, speed] = island_.pairs[k];
            if (!takes_part(k)) return;
            const NearFeatureQuery how = query(a, b, speed);
            if (is_rigid(a))
                find_near_features(rigid(a).posed_geometry(), rigid(b).posed_geometry(), how,
                                   s_.rigid_found[k]);
            else if (is_rigid(b))
                find_near_features(s_.slots[a]->surface, rigid(b).posed_geometry(), how,
                                   s_.rigid_found[k]);
            else
                find_near_features(s_.slots[a]->surface, s_.slots[b]->surface, how, s_.found[k]);
        });
        // Who answers as a whole meets colliders here, too.
        for (std::uint32_t i = 0; i < count(); ++i)
            if (step(i).in_stages() && step(i).response())
                s_.slots[i]->has_constraints = !island_.bodies[i]->contacts.empty();
        gather_constraints(*this);
        TURGOR_CHECK_ALL(is_coloured(s_.constraints));
        if (s_.constraints.all.empty()) return false;
        each_soft([&](std::uint32_t i) {
            const IslandScratch::Slot& slot = *s_.slots[i];
            if (!slot.has_constraints) return;
            step(i).to_solver(s_.bodies[i], s_.particles);
            // The volume that was missing before is left to stage 4 as far as a body lies on
            // colliders: it knows better how they push back.
            const double all = slot.near_bodies + slot.near_colliders;
            if (all > 0) s_.bodies[i].missing_volume *= std::min(1.0, 2 * slot.near_bodies / all);
        });
        for (std::uint32_t r = 0; r < s_.rigids.size(); ++r)
            s_.rigids[r].to_solver(s_.bodies[count() + r], s_.particles, r);
        double least = 1e300;
        for (const BodySim* body : island_.bodies)
            least = std::min(least, body->asset().contact_length);
        for (std::uint32_t i = static_cast<std::uint32_t>(count()); i < body_count(); ++i)
            least = std::min(least, edge(i, i));
        recover_overlaps(s_.constraints, s_.particles,
                         1 - portable::exp(-context_.h / depenetration_time),
                         0.25 * least * context_.h / papers_step, threads_);
        solve_positions(s_.constraints, s_.bodies, s_.particles,
                        s_.rigids.empty() ? position_sweeps : rigid_position_sweeps, 2e-5 * least,
                        threads_);
        write_back_solution();
        return true;
    }

    NearFeatureQuery query(std::uint32_t a, std::uint32_t b, double speed) const {
        const CachedPair* known = cached_pair(a, b);
        using Before = NearFeatureQuery::Before;
        const Before before = !known                   ? Before::unknown
                              : known->separating == 1 ? Before::separating
                                                       : Before::apart;
        return {speed * context_.h, before, id(a) * 2654435761u + id(b) * 40503u, !world_.on_cpu()};
    }

    const CachedPair* cached_pair(std::uint32_t a, std::uint32_t b) const {
        const auto& all = log(a).pair_cache;
        const auto at = std::ranges::find(all, id(b), &CachedPair::id);
        return at != all.end() ? &*at : nullptr;
    }

    /// What was found becomes the bodies' state; where they touch, they are held against the volume
    /// correction.
    void write_back_solution() {
        const auto all = std::span(s_.constraints.all);
        for (std::size_t k = 0; k < s_.contacts.size(); ++k) {
            const ContactConstraint& m = all[s_.between_bodies + k];
            if (!m.touching()) continue;
            s_.contacts[k]->touching = true;
            s_.contacts[k]->push += m.push / m.normal_mass;
        }
        each_batch(s_.constraints, threads_, [&](std::span<const ContactConstraint> batch) {
            for (const ContactConstraint& m : batch)
                if (m.body[1] != ContactConstraint::none) hold_at(m);
            return 0.0;
        });
        each_soft([&](std::uint32_t i) {
            if (s_.slots[i]->has_constraints) step(i).from_solver(s_.bodies[i], s_.particles);
        });
        for (std::uint32_t r = 0; r < s_.rigids.size(); ++r)
            if (s_.rigids[r].fine()) s_.rigids[r].from_solver(s_.bodies[count() + r], s_.particles);
    }

    void hold_at(const ContactConstraint& m) {
        const double hold =
            m.touching() ? 1 : nearness(gap_of(m, s_.particles), contact_margin * edge_of(m));
        if (hold == 0) return;
        for (std::uint32_t j = 0; j < m.count; ++j) {
            if (is_rigid(m.body_of(j))) continue;
            const auto solver_index = m.particle[j] - s_.bodies[m.body_of(j)].first;
            step(m.body_of(j))
                .hold(static_cast<std::uint32_t>(solver_index),
                      {std::min(1.0, 2 * std::abs(m.weight[j])) * hold,
                       (j < m.of_first ? 1.0 : -1.0) * m.normal, true});
        }
    }

    void stop_closing() {
        // A body that has gone its own way has no part in it any more.
        each_constraint(s_.constraints.all, threads_, [&](ContactConstraint& m) {
            m.disabled = !has_constraints(m.body[0]) ||
                         (m.body[1] != ContactConstraint::none && !has_constraints(m.body[1]));
        });
        double bounce = 0;
        for (const BodySim* body : island_.bodies)
            bounce = std::max(bounce, least_bounce(*body, context_));
        each(count(), [&](std::uint32_t i) {
            if (has_constraints(i)) step(i).velocities_to_solver(s_.bodies[i], s_.particles);
        });
        for (std::uint32_t i = static_cast<std::uint32_t>(count()); i < body_count(); ++i) {
            rigid(i).velocities_to_solver(s_.bodies[i], s_.particles);
            const double felt = norm(rigid(i).record().made.gravity_factor * context_.gravity);
            bounce = std::max(bounce, 2 * felt * context_.h);
        }
        solve_velocities(s_.constraints, s_.particles, context_.h, bounce,
                         s_.rigids.empty() ? velocity_sweeps : rigid_velocity_sweeps, threads_);
        each(count(), [&](std::uint32_t i) {
            if (has_constraints(i)) step(i).velocities_from_solver(s_.bodies[i], s_.particles);
        });
        for (std::uint32_t r = 0; r < s_.rigids.size(); ++r)
            s_.rigids[r].velocities_from_solver(s_.bodies[count() + r], s_.particles);
    }

    void return_angular_momentum_errors() {
        sum_angular_momentum_errors(s_.constraints.all, s_.particles, context_.h, s_.bodies);
        for (std::uint32_t i = 0; i < count(); ++i)
            if (has_constraints(i))
                step(i).return_angular_momentum(s_.bodies[i].angular_momentum_error);
        for (std::uint32_t r = 0; r < s_.rigids.size(); ++r)
            s_.rigids[r].return_angular_momentum(s_.bodies[count() + r].angular_momentum_error);
    }

    void record_body_contacts() {
        for (const BodySim* body : island_.bodies)
            grounded_ = grounded_ || std::ranges::any_of(body->contacts, &Contact::touching);
        const auto at_colliders = std::span(s_.constraints.all).last(s_.rigid_contacts.size());
        for (std::size_t k = 0; k < at_colliders.size(); ++k)
            record_collider_contact(at_colliders[k], *s_.rigid_contacts[k]);
        for (const ContactConstraint& m : std::span(s_.constraints.all).first(s_.between_bodies)) {
            if (m.disabled || m.body[0] == m.body[1]) continue;
            const auto& before = log(m.body[0]).touching;
            const auto at = std::ranges::lower_bound(before, id(m.body[1]), {}, &ActiveContact::id);
            const bool touched = at != before.end() && at->id == id(m.body[1]);
            if (!m.touching() && !(touched && gap_of(m, s_.particles) < 0.1 * edge_of(m))) continue;
            const Vec3 point = point_of(m, 0, s_.particles.x) + m.arm[0];
            for (const int side : {0, 1}) {
                const std::uint32_t other = m.body[1 - side];
                record_contact(
                    m.body[side],
                    {id(other),
                     is_rigid(other) ? ActiveContact::Kind::rigid : ActiveContact::Kind::body,
                     point, (side == 0 ? 1.0 : -1.0) * m.normal, m.push / context_.h});
                if (!is_rigid(m.body[side])) continue;
                RigidStep::Support& support = rigid(m.body[side]).support;
                support.velocity += point_of(m, 1 - side, s_.particles.v);
                support.count += 1;
                if (is_rigid(other)) continue;
                support.soft_points += point;
                support.soft += 1;
            }
        }
    }

    /// Where one side of a constraint is, or how fast; of a rigid body without its arm.
    Vec3 point_of(const ContactConstraint& m, int side, const std::vector<Vec3>& a) const {
        Vec3 sum;
        const std::uint32_t first = side == 0 ? 0 : m.of_first;
        const std::uint32_t last = side == 0 ? m.of_first : m.count;
        for (std::uint32_t k = first; k < last; ++k)
            sum += std::abs(m.weight[k]) * a[m.particle[k]];
        if (is_rigid(m.body[side])) sum += cross(a[m.particle[first] + 1], m.arm[side]);
        return sum;
    }

    void record_contact(std::uint32_t i, const ActiveContact& touch) {
        ContactSummary& summary = log(i).contact_summary;
        const auto known = std::ranges::find(summary.contacts, touch.id, &ActiveContact::id);
        if (known != summary.contacts.end())
            known->impulse += touch.impulse;
        else
            summary.contacts.push_back(touch);
        summary.points += touch.point;
        summary.count += 1;
        summary.grounded = grounded_;
    }

    void record_collider_contact(const ContactConstraint& m, const RigidContact& c) {
        const RigidSim& record = rigid(m.body[0]).record();
        const MovingCollider& collider = context_.colliders[c.collider];
        const auto at =
            std::ranges::lower_bound(record.touching, collider.id, {}, &ActiveContact::id);
        const bool touched = at != record.touching.end() && at->id == collider.id;
        const double near = 0.1 * edge(m.body[0], m.body[0]);
        if (!m.touching() && !(touched && gap_of(m, s_.particles) < near)) return;
        grounded_ = true;
        record_contact(m.body[0], {collider.id, ActiveContact::Kind::collider, c.stop, c.normal,
                                   m.push / context_.h});
        RigidStep::Support& support = rigid(m.body[0]).support;
        support.velocity += c.surface_motion / context_.h;
        support.count += 1;
        support.moving = support.moving || collider.moves();
    }

    /// Sensors tell of rigid bodies that they hold.
    void record_sensors() {
        for (std::uint32_t i = static_cast<std::uint32_t>(count()); i < body_count(); ++i)
            for (const RigidContact& c : rigid(i).record().contacts)
                if (c.sensor && c.inside) {
                    auto& touches = log(i).contact_summary.contacts;
                    const std::uint32_t sensor = context_.colliders[c.collider].id;
                    if (std::ranges::find(touches, sensor, &ActiveContact::id) == touches.end())
                        touches.push_back(
                            {sensor, ActiveContact::Kind::collider, c.stop, c.normal, 0});
                }
    }

    /// What the pair cache keeps: who pushed whom where.
    void update_pair_cache() {
        const double fading = portable::exp(-context_.h / push_memory);
        s_.cached_pairs.assign(island_.pairs.size(), {});
        for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
            const auto& [a, b, speed] = island_.pairs[k];
            const bool deep = takes_part(k) && is_deep(k);
            const CachedPair* known = cached_pair(a, b);
            s_.cached_pairs[k] = {id(b), deep, known ? (deep ? 1 : fading) * known->push : Vec3{}};
        }
        for (const ContactConstraint& m : std::span(s_.constraints.all).first(s_.between_bodies)) {
            if (m.pair == ContactConstraint::none || m.disabled) continue;
            const bool first = m.body[0] == island_.pairs[m.pair].first;
            s_.cached_pairs[m.pair].push += (first ? m.push : -m.push) * m.normal;
        }
        // Of one that overflowed nothing is known.
        for (CachedPair& pair : s_.cached_pairs)
            if (!is_finite(pair.push)) pair.push = {};
    }

    /// Pairs that overlap too far to be pushed apart.
    void separate_bodies() {
        for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
            CachedPair& pair = s_.cached_pairs[k];
            if (pair.separating == 0) continue;
            const auto& [a, b, speed] = island_.pairs[k];
            const Vec3 found = with_rigid(k) ? s_.rigid_found[k].separation_direction
                                             : s_.found[k].separation_direction;
            // Never out on the other side: what is inside may tell a way there after a hard blow.
            const Vec3 before = normalized(pair.push);
            const double short_of_it = std::max(0.0, 0.5 - dot(found, before));
            const Vec3 apart = normalized(found + short_of_it * before);
            const double share = mass(b) / (mass(a) + mass(b));
            const double distance = 0.25 * edge(a, b) * context_.h / papers_step;
            if (pair.push == Vec3{}) pair.push = share * mass(a) * distance * apart;
            // They do not come any closer meanwhile.
            const Vec3 closing = mean_velocity(a) - mean_velocity(b);
            Vec3 stop;
            for (const Vec3 direction : {before, apart})
                stop -= std::min(0.0, dot(closing + stop, direction)) * direction;
            if (!is_finite(apart) || !is_finite(stop)) continue;
            shift(a, share * distance * apart, share * stop);
            shift(b, (share - 1) * distance * apart, (share - 1) * stop);
        }
        for (std::uint32_t i = 0; i < body_count(); ++i) log(i).pair_cache.clear();
        for (std::size_t k = 0; k < island_.pairs.size(); ++k)
            if (s_.cached_pairs[k].separating == 1 || (takes_part(k) && !nothing_near(k)))
                log(island_.pairs[k].first).pair_cache.push_back(s_.cached_pairs[k]);
    }

    Vec3 mean_velocity(std::uint32_t i) const {
        return is_rigid(i) ? rigid(i).record().state.velocity : step(i).mean_velocity();
    }
    void shift(std::uint32_t i, Vec3 displacement, Vec3 velocity) {
        if (is_rigid(i))
            rigid(i).shift(displacement, velocity);
        else
            step(i).shift(displacement, velocity);
    }

    bool grounded_ = false;  ///< somebody touches a collider
};

/// However a sub-step ends, no step that refers to its bodies is left.
struct StepsEnd {
    IslandScratch& scratch;
    ~StepsEnd() {
        for (const auto& slot : scratch.slots) {
            slot->cpu_step.reset();
            slot->reference_step.reset();
        }
    }
};

}  // namespace

void StepWorld::advance_island(const Island& island, double dt, IslandScratch& scratch,
                               Scheduler* threads, StepReport& times) {
    std::vector<RigidState> before;
    for (const RigidSim* rigid : island.rigids) before.push_back(rigid->state);
    for (int k = 0; k < island.sub_steps; ++k) {
        check_cancelled();
        const StepContext context = sub_step_context(dt, island.sub_steps, k);
        const StepsEnd end{scratch};
        IslandStep step(*this, island, scratch, threads, context);
        step.advance();
        merge(times, step.times);
        const double at_once = threads ? threads->threads() : 1;
        for (std::size_t i = 0; i < island.bodies.size(); ++i) {
            IslandScratch::Slot& slot = *scratch.slots[i];
            BodySim& body = *island.bodies[i];
            for (double& ms : slot.report.milliseconds) ms /= is_large(body) ? 1 : at_once;
            merge(times, slot.report);
            if (!slot.step->fine()) body.overflowed = true;
            use_clearance(*this, body, slot.deforming, context.h);
            update_sleep_timer(body, context, slot.step->speed());
        }
    }
    const auto at_rest = [](auto* body) { return body->sleep_timer >= time_to_sleep; };
    const bool all_at_rest = settings.sleeping && std::ranges::all_of(island.bodies, at_rest) &&
                             std::ranges::all_of(island.rigids, at_rest);
    for (BodySim* body : island.bodies) finish_body(*body, all_at_rest);
    for (std::size_t i = 0; i < island.rigids.size(); ++i)
        finish_rigid(*island.rigids[i], before[i], all_at_rest);
}

}  // namespace turgor
