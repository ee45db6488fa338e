#include "world/island.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/bounds.hpp"
#include "base/groups.hpp"
#include "world/folding.hpp"

namespace turgor {
namespace {

// In units of the smaller mean edge of two bodies.
constexpr int most_sub_steps = 512;
constexpr int most_self_sub_steps = 16;  ///< because of how fast a body deforms
/// Of one body: where more are at the same place, not everybody can be asked about everybody.
constexpr std::uint32_t most_pairs = 32;
constexpr std::uint32_t no_colour = 0xffffffff;
constexpr int position_sweeps = 8, velocity_sweeps = 4;

Bounds united(Bounds a, const Bounds& b) {
    a.add(b.lower);
    a.add(b.upper);
    return a;
}

Bounds moved(const Bounds& a, Vec3 by) {
    return {a.lower + by, a.upper + by};
}

Bounds grown(const Bounds& a, double by) {
    const Vec3 v{by, by, by};
    return {a.lower - v, a.upper + v};
}

BodyMotion motion_of(WorldImpl& world, BodyRecord& body, double dt) {
    BodyMotion m;
    const Vec3 fall = dt * (body.gravity_factor * world.settings.gravity + body.force / body.mass);
    if (world.on_cpu() && !body.cpu_is_old) {
        const CpuBody& state = body.cpu;
        FloatBox box;
        for (std::size_t i = 0; i < body.count; ++i) box.add(state.x[i]);
        m.box = {state.origin + box.lower.xyz(), state.origin + box.upper.xyz()};
        m.mean = state.drift + state.mean_v;
        double fastest = 0;
        for (std::size_t k = 0; k < body.count; ++k) {
            const Vec3 v = state.v[k].xyz() - state.mean_v;
            fastest = std::max(fastest, dot(v, v));
        }
        m.spread = std::sqrt(fastest);
    } else {
        const BodyView view = world.view(body);
        for (const Vec3& x : view.x) m.box.add(x);
        for (std::size_t i = 0; i < body.count; ++i) m.mean += view.mass[i] / body.mass * view.v[i];
        for (const Vec3& v : view.v) m.spread = std::max(m.spread, norm(v - m.mean));
    }
    if (!body.asleep) m.mean += fall;
    const double edge = body.asset().mean_edge;
    // However fast it turns, it stays about as large as it is.
    const double swing = std::min(m.spread * dt, 0.5 * m.box.diagonal());
    m.swept = grown(united(m.box, moved(m.box, dt * m.mean)),
                    swing + (contact_thickness + contact_margin) * edge);
    return m;
}

/// 1 at no distance, fading to 0 at `fade`.
double nearness(double distance, double fade) {
    const double u = std::clamp(distance / fade, 0.0, 1.0);
    return 1 - u * u * (3 - 2 * u);
}

double smaller_edge(const BodyRecord& a, const BodyRecord& b) {
    return std::min(a.asset().mean_edge, b.asset().mean_edge);
}

void need_sub_steps(Island& island, double speed, double dt, double edge, int most) {
    const double steps = speed * dt / (longest_way * edge);
    island.sub_steps = std::max(island.sub_steps,
                                static_cast<int>(std::ceil(std::min<double>(most, steps) - 1e-6)));
}

}  // namespace

std::size_t IslandScratch::bytes() const {
    std::size_t total = 0;
    for (const auto& slot : slots) total += slot->cpu.bytes();
    return total;
}

/// Bodies that may meet, by sorting their boxes along one axis.
void WorldImpl::find_pairs(double dt) {
    IslandScratch& s = *island_scratch;
    s.pairs.clear();
    const auto n = static_cast<std::uint32_t>(bodies.size());
    if (n < 2) return;
    s.motions.resize(n);
    s.order.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) s.motions[i] = motion_of(*this, *bodies[i], dt);
    std::iota(s.order.begin(), s.order.end(), 0u);
    std::ranges::sort(s.order, [&](auto a, auto b) {
        const double la = s.motions[a].swept.lower.x, lb = s.motions[b].swept.lower.x;
        return la < lb || (la == lb && a < b);
    });
    s.size.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const auto a = s.order[i], b = s.order[j];
            if (s.motions[b].swept.lower.x > s.motions[a].swept.upper.x) break;
            if (!bodies[a]->filter.meets(bodies[b]->filter) ||
                !meet(s.motions[a].swept, s.motions[b].swept))
                continue;
            if (s.size[a] >= most_pairs || s.size[b] >= most_pairs) {
                ++report.pairs_left_out;
                continue;
            }
            ++s.size[a];
            ++s.size[b];
            s.pairs.push_back({std::min(a, b), std::max(a, b), 0});
        }
    std::ranges::sort(s.pairs, [](auto& p, auto& q) {
        return p.first < q.first || (p.first == q.first && p.second < q.second);
    });
}

void WorldImpl::find_islands(double dt) {
    island_count = 0;
    for (auto& body : bodies) body->in_island = false;
    if (std::ranges::all_of(bodies, [](auto& b) { return b->asleep; })) return;
    if (!island_scratch) island_scratch = std::make_shared<IslandScratch>();
    IslandScratch& s = *island_scratch;
    find_pairs(dt);
    const auto n = static_cast<std::uint32_t>(bodies.size());
    find_folding(dt);
    if (s.pairs.empty() && std::ranges::all_of(s.folding, [](double speed) { return speed < 0; }))
        return;
    s.group.resize(n);
    std::iota(s.group.begin(), s.group.end(), 0u);
    for (const auto& [a, b, _] : s.pairs) unite(s.group, a, b);
    // Whoever is awake wakes all that it may meet.
    s.awake.assign(n, false);
    s.size.assign(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto group = root_of(s.group, i);
        if (!bodies[i]->asleep) s.awake[group] = true;
        ++s.size[group];
    }
    s.place.resize(n);
    s.island_of.assign(n, nullptr);
    islands.reserve(n);  // so that places in it stay
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto group = root_of(s.group, i);
        if (!s.awake[group] || (s.size[group] < 2 && s.folding[i] < 0)) continue;
        Island*& island = s.island_of[group];
        if (!island) {
            if (island_count == islands.size()) islands.emplace_back();
            island = &islands[island_count++];
            island->bodies.clear();
            island->pairs.clear();
            island->sub_steps = 1;
        }
        s.place[i] = static_cast<std::uint32_t>(island->bodies.size());
        island->bodies.push_back(bodies[i].get());
        join_island(*bodies[i]);
        island->sub_steps = std::max(island->sub_steps, sub_steps(*bodies[i], dt));
        if (s.folding[i] >= 0)
            need_sub_steps(*island, 2 * s.folding[i], dt, bodies[i]->asset().mean_edge,
                           most_self_sub_steps);
    }
    for (const auto& [a, b, _] : s.pairs) {
        Island* const island = s.island_of[root_of(s.group, a)];
        if (!island) continue;
        const double speed =
            norm(s.motions[a].mean - s.motions[b].mean) + s.motions[a].spread + s.motions[b].spread;
        island->pairs.push_back({s.place[a], s.place[b], speed});
        need_sub_steps(*island, speed, dt, smaller_edge(*bodies[a], *bodies[b]), most_sub_steps);
    }
}

void WorldImpl::join_island(BodyRecord& body) {
    if (body.asleep) wake(body);
    if (on_cpu()) load_cpu(body);
    body.in_island = true;
    need_tree(body);
}

void WorldImpl::need_tree(BodyRecord& body) {
    std::shared_ptr<const CollisionTree>& tree = body.prepared.tree;
    if (tree) return;
    auto& kept = prepared[{body.prepared.source->hash, body.asset().omega}].tree;
    tree = kept.lock();
    if (!tree) kept = tree = make_collision_tree(body.asset());
}

CollisionSurface WorldImpl::surface_of(BodyRecord& body) {
    const BodyView all = view(body);
    return {&body.asset(), body.prepared.tree.get(), &body.boxes, all.x[0], {}, all.x};
}

namespace {

/// One sub-step of an island.
class IslandStep {
public:
    IslandStep(WorldImpl& world, const Island& island, IslandScratch& scratch, Scheduler* threads,
               const StepContext& context)
        : world_(world), island_(island), s_(scratch), threads_(threads), context_(context) {}

    void advance() {
        begin();
        each_body([](BodyStep& step) { step.predict(); });
        bool any = false;
        timed([&] { any = meet_others(); });
        each_body([](BodyStep& step) { step.keep_volume(); });
        each_body([](BodyStep& step) { step.begin_divergence(); });
        if (any)
            timed([&] {
                stop_closing();
                take_back_turns();
            });
        each_body([](BodyStep& step) {
            step.end_divergence();
            step.begin_settling();
        });
        if (any)
            timed([&] {
                stop_closing();
                note_touches();
            });
        each_body([](BodyStep& step) { step.end_settling(); });
        move_apart();
    }

    StepReport times;  ///< of the island's own work

private:
    template <class Work>
    void each(std::size_t count, Work&& work) {
        for_each(threads_, static_cast<std::uint32_t>(count), work);
    }
    template <class Work>
    void each_body(Work&& work) {
        each(count(), [&](std::uint32_t i) {
            if (step(i).in_stages()) work(step(i));
        });
    }
    std::size_t count() const { return island_.bodies.size(); }
    BodyStep& step(std::uint32_t i) const { return *s_.slots[i]->step; }
    bool meets(std::uint32_t i) const { return s_.slots[i]->meets && step(i).in_stages(); }
    template <class Work>
    void timed(Work&& work) {
        const Timer timer(times, Stage::contact);
        work();
    }

    void begin() {
        while (s_.slots.size() < count())
            s_.slots.push_back(std::make_unique<IslandScratch::Slot>());
        for (std::size_t i = 0; i < count(); ++i) {
            BodyRecord& body = *island_.bodies[i];
            IslandScratch::Slot& slot = *s_.slots[i];
            body.met.clear();
            slot.report = {};
            slot.meets = false;
            slot.spread = spread_of(world_, body);
            slot.self.clear();
            slot.near_bodies = slot.near_colliders = 0;
            if (world_.on_cpu()) {
                slot.cpu.fit(*body.prepared.fast);
                slot.step =
                    &slot.cpu_step.emplace(world_, body, slot.cpu, nullptr, context_, slot.report);
            } else {
                slot.step = &slot.reference_step.emplace(world_, body, slot.reference, context_,
                                                         slot.report);
            }
        }
    }

    /// Finds who is near whom and solves that together with the volumes. False where nobody is.
    bool meet_others() {
        each(count(), [&](std::uint32_t i) {
            if (!step(i).in_stages()) return;
            s_.slots[i]->surface = step(i).surface();
            s_.slots[i]->surface.refit();
            if (may_touch_itself(*island_.bodies[i], s_.slots[i]->spread, context_.h))
                find_self(*island_.bodies[i], s_.slots[i]->surface, s_.slots[i]->self);
        });
        if (s_.found.size() < island_.pairs.size()) s_.found.resize(island_.pairs.size());
        each(island_.pairs.size(), [&](std::uint32_t k) {
            const auto& [a, b, speed] = island_.pairs[k];
            if (takes_part(k))
                find_encounter(s_.slots[a]->surface, s_.slots[b]->surface,
                               query(*island_.bodies[a], *island_.bodies[b], speed), s_.found[k]);
        });
        gather();
        if (s_.between_bodies == 0) return false;
        each(count(), [&](std::uint32_t i) {
            const IslandScratch::Slot& slot = *s_.slots[i];
            if (!slot.meets) return;
            step(i).begin_meeting(s_.bodies[i], s_.particles);
            // The volume that was missing before is left to stage 4 as far as a body lies on
            // colliders: it knows better how they push back.
            const double all = slot.near_bodies + slot.near_colliders;
            if (all > 0) s_.bodies[i].missing *= std::min(1.0, 2 * slot.near_bodies / all);
        });
        double edge = 1e300;
        for (const BodyRecord* body : island_.bodies)
            edge = std::min(edge, body->asset().mean_edge);
        part_gently(s_.meetings, s_.particles, 1 - std::exp(-context_.h / lift_time),
                    0.25 * edge * context_.h / papers_step, threads_);
        solve_positions(s_.meetings, s_.bodies, s_.particles, position_sweeps, 2e-5 * edge,
                        threads_);
        tell_bodies();
        return true;
    }

    EncounterQuery query(const BodyRecord& first, const BodyRecord& second, double speed) const {
        return {speed * context_.h,
                std::ranges::find(first.parting, second.id) != first.parting.end(),
                first.id * 2654435761u + second.id * 40503u, !world_.on_cpu()};
    }

    bool takes_part(std::size_t pair) const {
        const auto& [a, b, speed] = island_.pairs[pair];
        return step(a).in_stages() && step(b).in_stages();
    }

    /// Colours the pairs so that those of one colour have no body in common. Returns how many
    /// colours there are; the last one may have pairs with bodies in common, which are one batch.
    std::uint32_t colour_pairs() {
        constexpr std::uint32_t most = 63;
        std::uint32_t colours = 0;
        s_.colours_of.assign(count(), 0);
        s_.colour_of.assign(island_.pairs.size(), no_colour);
        for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
            const auto& [a, b, speed] = island_.pairs[k];
            const Encounter& found = s_.found[k];
            if (!takes_part(k) || found.deep || found.empty()) continue;
            const std::uint64_t used = s_.colours_of[a] | s_.colours_of[b];
            const auto colour = std::min(most, static_cast<std::uint32_t>(std::countr_one(used)));
            s_.colour_of[k] = colour;
            s_.colours_of[a] |= std::uint64_t{1} << colour;
            s_.colours_of[b] |= std::uint64_t{1} << colour;
            colours = std::max(colours, colour + 1);
        }
        return colours;
    }

    /// Meetings between bodies, and with their colliders too: a body may be caught between both.
    void gather() {
        Meetings& meetings = s_.meetings;
        meetings.clear();
        const std::uint32_t colours = colour_pairs();
        for (std::uint32_t colour = 0; colour < colours; ++colour) {
            for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
                if (s_.colour_of[k] != colour) continue;
                const auto& [a, b, speed] = island_.pairs[k];
                note_rubbing(*island_.bodies[a], *island_.bodies[b]);
                for (const VertexNear& n : s_.found[k].first_in_second) add_vertex(a, b, n);
                for (const VertexNear& n : s_.found[k].second_in_first) add_vertex(b, a, n);
                for (const EdgeNear& n : s_.found[k].edges) add_edges(a, b, n);
                if (colour < 63) meetings.end_batch();
            }
            meetings.end_batch();
            meetings.end_colour();
        }
        for (std::uint32_t i = 0; i < count(); ++i) {
            note_rubbing(*island_.bodies[i], *island_.bodies[i]);
            for (const VertexNear& n : s_.slots[i]->self) add_vertex(i, i, n);
            meetings.end_batch();
        }
        meetings.end_colour();
        s_.between_bodies = meetings.all.size();
        s_.contacts.clear();
        s_.bodies.assign(count(), {});
        std::size_t first = 0;
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (!s_.slots[i]->meets) continue;
            BodyRecord& body = *island_.bodies[i];
            for (Contact& c : body.contacts) {
                if (c.sensor) continue;
                Meeting m;
                m.body[0] = i;
                m.particle[0] = c.particle;
                m.count = m.of_first = 1;
                m.weight[0] = 1;
                m.normal = c.normal;
                m.offset = dot(c.normal, c.point);
                m.surface_motion = c.surface_motion;
                m.friction = c.friction;
                meetings.all.push_back(m);
                s_.contacts.push_back(&c);
                const double gap = dot(step(i).start(c.particle) - c.point, c.normal);
                s_.slots[i]->near_colliders += nearness(gap, 0.5 * body.asset().mean_edge);
            }
            meetings.end_batch();
            s_.bodies[i].first = first;
            s_.bodies[i].count = step(i).places();
            first += s_.bodies[i].count;
        }
        meetings.end_colour();
        s_.particles.resize(first);
        for (Meeting& m : meetings.all)
            for (std::uint32_t k = 0; k < m.count; ++k)
                m.particle[k] += static_cast<std::uint32_t>(s_.bodies[m.body_of(k)].first);
    }

    void note_rubbing(const BodyRecord& first, const BodyRecord& second) {
        rubbing_ = mixed(rubbing_of(first.material), rubbing_of(second.material));
        if (const auto* pair = world_.friction_pairs.find(first.surface, second.surface))
            rubbing_ = of_pair(*pair, rubbing_);
        sticking_speed_ =
            std::max(sticking_speed(first, context_), sticking_speed(second, context_));
    }

    Meeting between(std::uint32_t a, std::uint32_t b, Vec3 normal) {
        const BodyRecord &first = *island_.bodies[a], &second = *island_.bodies[b];
        Meeting m;
        m.body[0] = a;
        m.body[1] = b;
        m.normal = normal;
        m.offset = contact_thickness * smaller_edge(first, second);
        m.rubbing = rubbing_;
        m.friction = rubbing_.friction;
        m.sticking_speed = sticking_speed_;
        s_.slots[a]->meets = s_.slots[b]->meets = true;
        return m;
    }

    void add_particle(Meeting& m, std::uint32_t body, std::uint32_t particle, double weight) {
        if (weight == 0) return;
        m.particle[m.count] = step(body).meet(particle);
        m.weight[m.count++] = weight;
    }

    void add_vertex(std::uint32_t a, std::uint32_t b, const VertexNear& n) {
        Meeting m = between(a, b, n.normal);
        s_.slots[a]->near_bodies += nearness(n.distance, m.offset + contact_margin * edge_of(m));
        add_particle(m, a, n.vertex, 1);
        m.of_first = m.count;
        const Triangle& corner = island_.bodies[b]->asset().triangles[n.triangle];
        for (std::size_t k = 0; k < 3; ++k) add_particle(m, b, corner[k], -n.weight[k]);
        s_.meetings.all.push_back(m);
    }

    void add_edges(std::uint32_t a, std::uint32_t b, const EdgeNear& n) {
        Meeting m = between(a, b, n.normal);
        add_particle(m, a, n.first[0], 1 - n.share[0]);
        add_particle(m, a, n.first[1], n.share[0]);
        m.of_first = m.count;
        add_particle(m, b, n.second[0], n.share[1] - 1);
        add_particle(m, b, n.second[1], -n.share[1]);
        s_.meetings.all.push_back(m);
    }

    /// What was found becomes the bodies' state; where they touch, they are held against the volume
    /// correction.
    void tell_bodies() {
        const auto all = std::span(s_.meetings.all);
        for (std::size_t k = 0; k < s_.contacts.size(); ++k) {
            const Meeting& m = all[s_.between_bodies + k];
            if (!m.touching()) continue;
            s_.contacts[k]->touching = true;
            s_.contacts[k]->push += m.push / m.mass;
        }
        for (const Meeting& m : all.first(s_.between_bodies)) {
            const double hold =
                m.touching() ? 1 : nearness(gap_of(m, s_.particles), contact_margin * edge_of(m));
            if (hold == 0) continue;
            for (std::uint32_t j = 0; j < m.count; ++j) {
                const auto place = m.particle[j] - s_.bodies[m.body_of(j)].first;
                step(m.body_of(j))
                    .hold(static_cast<std::uint32_t>(place),
                          {std::min(1.0, 2 * std::abs(m.weight[j])) * hold,
                           (j < m.of_first ? 1.0 : -1.0) * m.normal, true});
            }
        }
        each(count(), [&](std::uint32_t i) {
            if (s_.slots[i]->meets) step(i).end_meeting(s_.bodies[i], s_.particles);
        });
    }

    double edge_of(const Meeting& m) const {
        return smaller_edge(*island_.bodies[m.body[0]], *island_.bodies[m.body[1]]);
    }

    void stop_closing() {
        // A body that has gone its own way has no part in it any more.
        for (Meeting& m : s_.meetings.all)
            m.void_now = !meets(m.body[0]) || (m.body[1] != Meeting::nobody && !meets(m.body[1]));
        double bounce = 0;
        for (const BodyRecord* body : island_.bodies)
            bounce = std::max(bounce, least_bounce(*body, context_));
        each(count(), [&](std::uint32_t i) {
            if (meets(i)) step(i).take_out(s_.bodies[i], s_.particles);
        });
        solve_velocities(s_.meetings, s_.particles, context_.h, bounce, velocity_sweeps, threads_);
        each(count(), [&](std::uint32_t i) {
            if (meets(i)) step(i).put_back(s_.bodies[i], s_.particles);
        });
    }

    void take_back_turns() {
        note_turns(s_.meetings.all, s_.particles, context_.h, s_.bodies);
        for (std::uint32_t i = 0; i < count(); ++i)
            if (meets(i)) step(i).take_back(s_.bodies[i].turn);
    }

    void note_touches() {
        bool grounded = false;
        for (const BodyRecord* body : island_.bodies)
            grounded = grounded || std::ranges::any_of(body->contacts, &Contact::touching);
        for (const Meeting& m : std::span(s_.meetings.all).first(s_.between_bodies)) {
            if (m.void_now || m.body[0] == m.body[1]) continue;
            const BodyRecord* both[2] = {island_.bodies[m.body[0]], island_.bodies[m.body[1]]};
            const auto at =
                std::ranges::lower_bound(both[0]->touching, both[1]->id, {}, &Touch::id);
            const bool touched = at != both[0]->touching.end() && at->id == both[1]->id;
            if (!m.touching() && !(touched && gap_of(m, s_.particles) < 0.1 * edge_of(m))) continue;
            Vec3 point;
            for (std::uint32_t j = 0; j < m.of_first; ++j)
                point += m.weight[j] * s_.particles.x[m.particle[j]];
            for (const int side : {0, 1}) {
                Met& met = island_.bodies[m.body[side]]->met;
                const std::uint32_t other = both[1 - side]->id;
                const double impulse = m.push / context_.h;
                const auto known = std::ranges::find(met.touches, other, &Touch::id);
                if (known != met.touches.end())
                    known->impulse += impulse;
                else
                    met.touches.push_back({other, Touch::Kind::body, point,
                                           (side == 0 ? 1.0 : -1.0) * m.normal, impulse});
                met.points += point;
                met.count += 1;
                met.grounded = grounded;
            }
        }
    }

    /// Pairs that overlap too far to be pushed apart.
    void move_apart() {
        for (BodyRecord* body : island_.bodies) body->parting.clear();
        for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
            const Encounter& found = s_.found[k];
            if (!takes_part(k) || !found.deep) continue;
            island_.bodies[island_.pairs[k].first]->parting.push_back(
                island_.bodies[island_.pairs[k].second]->id);
            const auto& [a, b, speed] = island_.pairs[k];
            BodyRecord &first = *island_.bodies[a], &second = *island_.bodies[b];
            const double share = second.mass / (first.mass + second.mass);
            const double way = 0.25 * smaller_edge(first, second) * context_.h / papers_step;
            // They do not come any closer meanwhile.
            const double closing =
                dot(step(a).mean_velocity() - step(b).mean_velocity(), found.apart);
            const double stop = std::max(0.0, -closing);
            step(a).shift(share * way * found.apart, share * stop * found.apart);
            step(b).shift((share - 1) * way * found.apart, (share - 1) * stop * found.apart);
        }
    }

    WorldImpl& world_;
    const Island& island_;
    IslandScratch& s_;
    Scheduler* threads_;
    const StepContext& context_;
    // Of the pair whose meetings are being gathered.
    Rubbing rubbing_;
    double sticking_speed_ = 0;  ///< [m/s]
};

}  // namespace

void WorldImpl::advance_island(const Island& island, double dt, IslandScratch& scratch,
                               Scheduler* threads, StepReport& times) {
    for (int k = 0; k < island.sub_steps; ++k) {
        const StepContext context = sub_step_context(dt, island.sub_steps, k);
        IslandStep step(*this, island, scratch, threads, context);
        step.advance();
        merge(times, step.times);
        const double at_once = threads ? threads->threads() : 1;
        for (std::size_t i = 0; i < island.bodies.size(); ++i) {
            IslandScratch::Slot& slot = *scratch.slots[i];
            for (double& ms : slot.report.milliseconds) ms /= at_once;
            merge(times, slot.report);
            BodyRecord& body = *island.bodies[i];
            if (!slot.step->fine()) body.overflowed = true;
            use_clearance(*this, body, slot.spread, context.h);
            grow_drowsy(body, context, slot.step->pace());
            slot.cpu_step.reset();
            slot.reference_step.reset();
        }
    }
    const bool all_quiet = settings.sleeping && std::ranges::all_of(island.bodies, [](auto* body) {
                               return body->quiet >= drowsy_time;
                           });
    for (BodyRecord* body : island.bodies) finish_body(*body, all_quiet);
}

}  // namespace turgor
