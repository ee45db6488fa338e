#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bounds.hpp"
#include "base/for_each.hpp"
#include "base/union_find.hpp"
#include "step/island_scratch.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

constexpr int most_sub_steps = 512;
constexpr int most_self_sub_steps = 16;  ///< because of how fast a body deforms
/// Of one body: where more are at the same place, not everybody can be asked about everybody.
constexpr std::uint32_t most_pairs = 32;
constexpr double longest_turn = 0.5;  ///< of a rigid body in a sub-step [rad]

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
    const Vec3 fall = world.fall_in(body, dt);
    if (body.copies.device_is_ahead()) {
        const CpuBody& state = body.cpu;
        m.box = {state.origin + body.device.low, state.origin + body.device.high};
        m.mean = state.drift + state.mean_v;
        m.spread = body.device.spread;
    } else if (world.cpu_is_current(body)) {
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
    // However fast it turns, it stays about as large as it is.
    const double swing = std::min(m.spread * dt, 0.5 * m.box.diagonal());
    m.swept = grown(united(m.box, moved(m.box, dt * m.mean)), swing + broad_phase_margin(body));
    return m;
}

BodyMotion motion_of(const WorldImpl& world, const RigidRecord& rigid, double dt) {
    BodyMotion m;
    m.box = rigid.geometry->bounds(rigid.state.pose);
    m.mean = rigid.state.velocity;
    m.spread = norm(rigid.state.angular_velocity) * rigid.geometry->radius;
    if (!rigid.asleep && !rigid.made.driven_by_host)
        m.mean +=
            dt * (rigid.made.gravity_factor * world.settings.gravity + rigid.force / rigid.mass);
    const double swing = std::min(m.spread * dt, rigid.geometry->radius);
    m.swept = grown(united(m.box, moved(m.box, dt * m.mean)),
                    swing + (contact_thickness + contact_margin) * rigid.geometry->extent);
    return m;
}

void need_sub_steps(Island& island, double speed, double dt, double edge, int most) {
    const double steps = speed * dt / (max_approach * edge);
    island.sub_steps = std::max(island.sub_steps,
                                static_cast<int>(std::ceil(std::min<double>(most, steps) - 1e-6)));
}

}  // namespace

double broad_phase_margin(const BodySim& body) {
    return (contact_thickness + contact_margin) * body.asset().contact_length;
}

/// Bodies that may meet: as the device has found out after the last step, or by sorting their boxes
/// along one axis. Soft bodies come first, then the rigid ones.
void WorldImpl::find_pairs(double dt) {
    IslandScratch& s = *island_scratch;
    s.pairs.clear();
    const auto soft = static_cast<std::uint32_t>(bodies.size());
    const auto n = soft + static_cast<std::uint32_t>(rigids.size());
    if (n < 2) return;
    const auto filter = [&](std::uint32_t i) -> const CollisionFilter& {
        return i < soft ? bodies[i]->filter : rigids[i - soft]->made.filter;
    };
    const auto driven = [&](std::uint32_t i) {
        return i >= soft && rigids[i - soft]->made.driven_by_host;
    };
    const auto may_collide = [&](std::uint32_t a, std::uint32_t b) {
        const bool left_to_host = std::min(a, b) >= soft && (driven(a) || driven(b));
        return filter(a).meets(filter(b)) && !left_to_host;
    };
    s.motions.resize(n);
    s.order.resize(n);
    // Few bodies are not worth waking anybody.
    constexpr std::uint32_t at_once = 64;
    for_each(on_cpu() ? scheduler.get() : nullptr, (n + at_once - 1) / at_once,
             [&](std::uint32_t part) {
                 const std::uint32_t end = std::min(n, (part + 1) * at_once);
                 for (std::uint32_t i = part * at_once; i < end; ++i)
                     s.motions[i] = i < soft ? motion_of(*this, *bodies[i], dt)
                                             : motion_of(*this, *rigids[i - soft], dt);
             });
    s.size.assign(n, 0);
    const auto try_pair = [&](std::uint32_t a, std::uint32_t b) {
        if (!may_collide(a, b) || !boxes_overlap(s.motions[a].swept, s.motions[b].swept)) return;
        if (s.size[a] >= most_pairs || s.size[b] >= most_pairs) {
            ++report.pairs_left_out;
            return;
        }
        ++s.size[a];
        ++s.size[b];
        s.pairs.push_back({std::min(a, b), std::max(a, b), 0});
    };
    if (device && device->pairs_ahead(*this, dt, s.ahead)) {
        for (const auto& [a, b] : s.ahead) try_pair(a, b);
        return;
    }
    std::iota(s.order.begin(), s.order.end(), 0u);
    std::ranges::sort(s.order, [&](auto a, auto b) {
        const double la = s.motions[a].swept.lower.x, lb = s.motions[b].swept.lower.x;
        return la < lb || (la == lb && a < b);
    });
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const auto a = s.order[i], b = s.order[j];
            if (s.motions[b].swept.lower.x > s.motions[a].swept.upper.x) break;
            try_pair(a, b);
        }
    std::ranges::sort(s.pairs, [](auto& p, auto& q) {
        return p.first < q.first || (p.first == q.first && p.second < q.second);
    });
}

void WorldImpl::find_islands(double dt) {
    island_count = islands_on_device = islands_side_by_side = 0;
    for (auto& body : bodies) body->in_island = false;
    const auto all_asleep = [](const auto& list) {
        return std::ranges::all_of(list, [](auto& b) { return b->asleep; });
    };
    if (all_asleep(bodies) && all_asleep(rigids)) return;
    if (!island_scratch) island_scratch = std::make_shared<IslandScratch>();
    IslandScratch& s = *island_scratch;
    find_pairs(dt);
    schedule_self_contact(dt);
    const auto soft = static_cast<std::uint32_t>(bodies.size());
    const auto n = soft + static_cast<std::uint32_t>(rigids.size());
    if (s.pairs.empty() && rigids.empty() &&
        std::ranges::all_of(s.self_closing_speeds, [](double speed) { return speed < 0; }))
        return;
    s.group.resize(n);
    std::iota(s.group.begin(), s.group.end(), 0u);
    for (const auto& [a, b, _] : s.pairs) unite(s.group, a, b);
    // Whoever is awake wakes all that it may meet.
    s.awake.assign(n, false);
    s.size.assign(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto group = find_root(s.group, i);
        if (!(i < soft ? bodies[i]->asleep : rigids[i - soft]->asleep)) s.awake[group] = true;
        ++s.size[group];
    }
    s.index_in_island.resize(n);
    s.island_of.assign(n, nullptr);
    islands.reserve(n);  // so that pointers into it stay
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto group = find_root(s.group, i);
        if (!s.awake[group] || (s.size[group] < 2 && i < soft && s.self_closing_speeds[i] < 0))
            continue;
        Island*& island = s.island_of[group];
        if (!island) {
            if (island_count == islands.size()) islands.emplace_back();
            island = &islands[island_count++];
            island->bodies.clear();
            island->rigids.clear();
            island->pairs.clear();
            island->sub_steps = 1;
        }
        s.index_in_island[i] =
            static_cast<std::uint32_t>(island->bodies.size() + island->rigids.size());
        if (i >= soft) {
            RigidRecord& rigid = *rigids[i - soft];
            if (rigid.asleep) wake(rigid);
            island->rigids.push_back(&rigid);
            island->sub_steps = std::max(island->sub_steps, sub_steps(rigid, dt));
            continue;
        }
        island->bodies.push_back(bodies[i].get());
        join_island(*bodies[i]);
        island->sub_steps = std::max(island->sub_steps, sub_steps_at_its_speed(*bodies[i], dt));
        if (s.self_closing_speeds[i] >= 0)
            need_sub_steps(*island, 2 * s.self_closing_speeds[i], dt,
                           bodies[i]->asset().contact_length, most_self_sub_steps);
    }
    for (const auto& [a, b, _] : s.pairs) {
        Island* const island = s.island_of[find_root(s.group, a)];
        if (!island) continue;
        const double speed =
            norm(s.motions[a].mean - s.motions[b].mean) + s.motions[a].spread + s.motions[b].spread;
        island->pairs.push_back({s.index_in_island[a], s.index_in_island[b], speed});
        const auto edge = [&](std::uint32_t i) {
            return i < soft ? bodies[i]->asset().contact_length
                            : rigids[i - soft]->geometry->extent;
        };
        need_sub_steps(*island, speed, dt, std::min(edge(a), edge(b)), most_sub_steps);
    }
    share_out_islands();
}

void WorldImpl::share_out_islands() {
    const auto found = std::span(islands).first(island_count);
    for (Island& island : found) {
        island.on_device =
            device && island.rigids.empty() &&
            std::ranges::all_of(island.bodies, [&](auto* b) { return goes_to_device(*b); });
        if (!island.on_device && on_cpu())
            for (BodySim* body : island.bodies) particles_of(*body);
    }
    // It asks for memory even where there is nothing to do.
    if (device) {
        const auto on_cpu_from = std::ranges::stable_partition(found, &Island::on_device).begin();
        islands_on_device = static_cast<std::size_t>(on_cpu_from - found.begin());
    }
    share_out_among_threads(found.subspan(islands_on_device));
}

/// Where there are many small islands, each is worth one thread; few or large ones are worth all
/// threads, one after the other.
void WorldImpl::share_out_among_threads(std::span<Island> candidates) {
    constexpr std::size_t most_bodies_for_one_thread = 32, least_islands_for_a_thread = 2;
    const auto threads = static_cast<std::size_t>(scheduler ? scheduler->threads() : 1);
    if (threads < 2 || !on_cpu()) return;
    const auto is_small = [&](const Island& island) {
        return island.bodies.size() + island.rigids.size() <= most_bodies_for_one_thread &&
               std::ranges::none_of(island.bodies, [&](auto* body) { return is_large(*body); });
    };
    const auto small = static_cast<std::size_t>(std::ranges::count_if(candidates, is_small));
    if (small < least_islands_for_a_thread * threads) return;
    // In place: the order of the islands means nothing, and nobody points at them any more.
    std::ranges::partition(candidates, is_small);
    islands_side_by_side = small;
}

int WorldImpl::sub_steps(const RigidRecord& rigid, double dt) const {
    const RigidState& state = rigid.state;
    double steps = norm(state.angular_velocity) * dt / longest_turn;
    const double way = norm(state.velocity) * dt;
    if (!rigid.made.driven_by_host &&
        std::ranges::any_of(colliders_in_steps(1).moving, [&](auto& c) {
            return in_reach(c, state.pose.position, rigid.geometry->radius + way);
        }))
        steps = std::max(steps, way / (max_approach * rigid.geometry->extent));
    return std::max(1, static_cast<int>(std::ceil(std::min<double>(most_sub_steps, steps) - 1e-6)));
}

void WorldImpl::join_island(BodySim& body) {
    if (body.asleep) {
        wake(body);
        begin_step(body);
    }
    if (body.form == Form::cpu) load_cpu(body);
    body.in_island = true;
    need_tree(body);
}

void WorldImpl::need_tree(BodySim& body) {
    std::shared_ptr<const CollisionTree>& tree = body.parts.tree;
    if (tree) return;
    tree = bakes.find_or_make<CollisionTree>(
        {body.parts.source->hash, "collision tree " + std::string(body.model->name()),
         body.asset().settings},
        [&] { return make_collision_tree(body.asset()); });
}

void WorldImpl::schedule_self_contact(double dt) {
    IslandScratch& s = *island_scratch;
    s.self_closing_speeds.assign(bodies.size(), -1);
    s.order.clear();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        BodyRecord& body = *bodies[i];
        body.self_search.found_now = false;
        // Who answers contacts as a whole is in an island, alone if need be.
        if (!body.asleep && body.elastic->response()) {
            s.self_closing_speeds[i] = 0;
            continue;
        }
        if (body.asleep || !may_touch_itself(body, deforming_speed(*this, body), dt)) continue;
        // The device looks for itself, when the step has begun.
        if (goes_to_device(body)) {
            s.self_closing_speeds[i] = body.self.closing.expected();
            continue;
        }
        s.order.push_back(i);
        need_tree(body);
        if (!cpu_is_current(body)) view(body);
        particles_of(body);
    }
    for_each(on_cpu() ? scheduler.get() : nullptr, static_cast<std::uint32_t>(s.order.size()),
             [&](std::uint32_t k) {
                 BodyRecord& body = *bodies[s.order[k]];
                 s.self_closing_speeds[s.order[k]] =
                     self_closing_speed(*this, body, deforming_speed(*this, body), dt);
             });
}

}  // namespace turgor
