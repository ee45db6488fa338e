#include "step/device/device_islands.hpp"

#include <algorithm>

#include "device/convert.hpp"

namespace turgor::device {
namespace {

constexpr std::uint32_t overlap_sweeps = 4, position_sweeps = 8, velocity_sweeps = 4;
constexpr std::size_t box_group = 48;  ///< BOX_GROUP of collision_surface.cl
/// When velocities are solved for (contact_constraint.cl).
constexpr std::uint32_t in_stage_5 = 0, in_settling = 1;

}  // namespace

void IslandPlan::clear() {
    surfaces.clear();
    pairs.clear();
    states.clear();
    islands.clear();
    ranges.clear();
    pairs_of.clear();
    pairs_in.clear();
    colours.clear();
    cells = particles = 0;
}

void DeviceIslands::arrive(Queue& queue, const BodyAsset& asset,
                           const std::shared_ptr<const CollisionTree>& tree,
                           CollisionSurfaceSlot& slot) {
    slot.tree = tree;
    slot.given = trees_.take(queue, asset, tree);
    CollisionSurfaceInput& given = slot.given;
    given.triangles.group = narrow(group_ranges_.take(slot.groups()));
    given.edges.group = given.triangles.group + given.triangles.leaves / 4;
    given.cluster = narrow(cluster_ranges_.take(given.vertices.leaves));
    groups_.resize(queue, box_group * group_ranges_.end());
    facings_.resize(queue, box_group * group_ranges_.end());
    cluster_boxes_.resize(queue, 2 * cluster_ranges_.end());
    clusters.resize(queue, cluster_ranges_.end());
}

void DeviceIslands::leave(CollisionSurfaceSlot& slot) {
    if (!slot.tree) return;
    group_ranges_.give_back(slot.given.triangles.group, slot.groups());
    cluster_ranges_.give_back(slot.given.cluster, slot.given.vertices.leaves);
    trees_.give_back(slot.tree.get());
    slot = {};
}

void DeviceIslands::need_capacity(Queue& queue, std::size_t found) {
    nears_.resize(queue, found);
    constraints_.resize(queue, found);
}

void DeviceIslands::write(Queue& queue, const IslandPlan& plan) {
    plan_ = &plan;
    const auto put = [&](auto& array, const auto& values) {
        array.resize(queue, std::max<std::size_t>(1, values.size()));
        array.write(queue, 0, std::span(values));
    };
    put(given_, plan.surfaces);
    put(pairs_, plan.pairs);
    put(states, plan.states);
    put(islands_, plan.islands);
    put(pairs_of_, plan.pairs_of);
    if (plan.empty()) return;
    put(ranges_, plan.ranges);
    put(pairs_in_, plan.pairs_in);
    cells_.resize(queue, plan.cells);
    inside_.resize(queue, plan.cells);
    static constexpr std::uint32_t none[4] = {};
    counters.resize(queue, 4);
    counters.write(queue, 0, none);
    // More is made when it is needed.
    need_capacity(queue, std::max<std::size_t>(1024, plan.particles / 8));
}

std::size_t DeviceIslands::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return trees_.bytes() + sum(groups_, facings_, cluster_boxes_, clusters, given_, pairs_, states,
                                islands_, ranges_, pairs_of_, pairs_in_, cells_, inside_, nears_,
                                constraints_);
}

std::vector<const Kernel*> DeviceIslands::kernels() const {
    return {&refit_leaves_,
            &refit_nodes_,
            &compare_boxes_,
            &begin_looking_ahead_,
            &find_near_,
            &classify_pairs_,
            &look_inside_,
            &gather_constraints_,
            &recover_overlaps_,
            &begin_solving_,
            &measure_solver_bodies_,
            &begin_pressing_,
            &solve_positions_,
            &solve_bodies_,
            &change_velocities_by_pushes_,
            &add_pressure_torque_,
            &save_velocities_,
            &solve_velocities_,
            &solve_body_velocities_,
            &sum_angular_momentum_errors_,
            &record_body_contacts_,
            &separate_pairs_};
}

std::size_t DeviceIslands::groups_for(const StepPass& s, std::size_t items) const {
    const std::size_t size = s.queue.device().groups().bodies;
    return (items + size - 1) / size;
}

/// What looks at pairs and at surfaces.
template <class... Args>
void DeviceIslands::surfaces(StepPass& s, Kernel& kernel, std::size_t groups, const Array<Quad>& x,
                             const Args&... args) {
    s.queue.run(kernel, s.stage, groups, s.queue.device().groups().bodies, s.b.given, s.b.states,
                pairs_, states, s.left, given_, trees_.corners, trees_.vertices, trees_.edges,
                trees_.around_starts, trees_.around, groups_, facings_, cluster_boxes_, x, args...);
}

/// A work-item for each pair of a colour.
template <class... Args>
void DeviceIslands::solve(StepPass& s, Kernel& kernel, const IslandPlan::Colour& colour,
                          const Args&... args) {
    const std::uint32_t count = s.left < colour.with.size() ? colour.with[s.left] : 0;
    s.queue.run(kernel, s.stage, groups_for(s, count), s.queue.device().groups().bodies, pairs_,
                states, islands_, constraints_, s.b.given, s.b.states, s.left, colour.first, count,
                args...);
}

/// One colour after the other.
template <class... Args>
void DeviceIslands::solve_all(StepPass& s, Kernel& kernel, const Args&... args) {
    for (const IslandPlan::Colour& colour : plan_->colours) solve(s, kernel, colour, args...);
}

/// A work-group for each body.
template <class... Args>
void DeviceIslands::solver_bodies(StepPass& s, Kernel& kernel, const Args&... args) {
    s.whole_bodies(kernel, given_, pairs_of_, pairs_, states, constraints_, args...);
}

void DeviceIslands::refit(StepPass& s, const Array<Quad>& x) {
    s.blocks(refit_leaves_, given_, trees_.corners, trees_.vertices, trees_.edges,
             trees_.around_starts, trees_.around, groups_, facings_, cluster_boxes_, x);
    s.bodies(refit_nodes_, given_, trees_.corners, trees_.vertices, trees_.edges,
             trees_.around_starts, trees_.around, groups_, facings_, cluster_boxes_, x);
}

void DeviceIslands::find(StepPass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    const auto pairs = narrow(plan_->pairs.size()), islands = narrow(plan_->islands.size());
    const auto room = narrow(capacity());
    refit(s, p.x_start);
    surfaces(s, compare_boxes_, groups_for(s, pairs), p.x_start, islands_, counters, pairs,
             islands);
    surfaces(s, find_near_, plan_->ranges.size(), p.x_start, ranges_, clusters, a.rest,
             a.ring_starts, a.ring, cells_, nears_, counters, room);
    surfaces(s, classify_pairs_, pairs, p.x_start, cells_, nears_, clusters, p.predicted_v,
             counters);
    surfaces(s, look_inside_, plan_->ranges.size(), p.x_start, ranges_, a.ring_starts, a.ring,
             inside_);
    s.queue.run(gather_constraints_, s.stage, pairs, s.queue.device().groups().bodies, s.b.given,
                s.b.states, pairs_, states, s.left, given_, islands_, cells_, nears_, inside_, p.x,
                p.x_start, p.predicted_v, a.per_mass, constraints_, counters, room);
}

void DeviceIslands::look_ahead(StepPass& s) {
    if (std::ranges::none_of(plan_->surfaces, &CollisionSurfaceInput::looks_ahead)) return;
    s.stage = Stage::contact;
    const auto& [a, p] = std::tie(s.a, s.p);
    const auto pairs = narrow(plan_->pairs.size());
    refit(s, p.x);
    s.queue.run(begin_looking_ahead_, s.stage, groups_for(s, pairs),
                s.queue.device().groups().bodies, s.b.given, s.b.states, pairs_, states, s.left,
                given_, counters, pairs);
    surfaces(s, find_near_, plan_->ranges.size(), p.x, ranges_, clusters, a.rest, a.ring_starts,
             a.ring, cells_, nears_, counters, narrow(capacity()));
    surfaces(s, classify_pairs_, pairs, p.x, cells_, nears_, clusters, p.v, counters);
}

void DeviceIslands::solve_positions(StepPass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    for (std::uint32_t sweep = 0; sweep < overlap_sweeps; ++sweep)
        solve_all(s, recover_overlaps_, p.x, p.x_start);
    const IslandPlan::Colour all{
        0, std::vector<std::uint32_t>(s.left + 1, narrow(plan_->pairs.size()))};
    solve(s, begin_solving_, all, p.x_start);
    s.blocks(measure_solver_bodies_, p.x, p.x_start, a.per_mass, a.ring_starts, a.ring, p.head,
             p.contacts, s.with_contacts(), p.normal, p.pushed, s.sums());
    solver_bodies(s, begin_pressing_, p.normal, a.per_mass, s.sums(), p.x);
    for (std::uint32_t sweep = 0; sweep < position_sweeps; ++sweep) {
        const std::uint32_t is_last = sweep + 1 == position_sweeps;
        solve_all(s, solve_positions_, p.x, p.support, sweep, is_last);
        solver_bodies(s, solve_bodies_, islands_, p.x, p.x_start, p.pushed, p.normal, a.per_mass,
                      p.head, p.contacts, s.with_contacts(), p.support, sweep, is_last);
    }
    s.blocks(change_velocities_by_pushes_, p.x, p.v, p.x_start, p.pushed, p.normal, a.mass,
             s.sums());
    s.bodies(add_pressure_torque_, s.sums());
}

void DeviceIslands::solve_contacts(StepPass& s) {
    if (!any()) return;
    s.stage = Stage::contact;
    find(s);
    solve_positions(s);
}

void DeviceIslands::solve_velocities(StepPass& s, std::uint32_t when) {
    const DeviceParticles& p = s.p;
    s.blocks(save_velocities_, given_, islands_, p.v, p.pushed, p.head, p.contacts,
             s.with_contacts());
    for (std::uint32_t sweep = 0; sweep < velocity_sweeps; ++sweep) {
        const std::uint32_t is_first = sweep == 0;
        solve_all(s, solve_velocities_, p.x, p.v, p.direction, when, is_first);
        if (s.contacts())
            s.blocks(solve_body_velocities_, p.x, p.v, p.direction, p.head, p.contacts, when,
                     is_first);
    }
}

void DeviceIslands::begin_removing_divergence(StepPass& s) {
    if (!any()) return;
    s.stage = Stage::contact;
    solve_velocities(s, in_stage_5);
    solver_bodies(s, sum_angular_momentum_errors_, s.p.x, s.p.x_start);
}

void DeviceIslands::begin_settling(StepPass& s) {
    if (!any()) return;
    s.stage = Stage::contact;
    solve_velocities(s, in_settling);
    const auto pairs = narrow(plan_->pairs.size());
    s.queue.run(record_body_contacts_, s.stage, groups_for(s, pairs),
                s.queue.device().groups().bodies, s.b.given, s.b.states, pairs_, states, s.left,
                islands_, constraints_, s.p.x, pairs);
}

void DeviceIslands::settle(StepPass& s, Kernel& kernel, std::uint32_t touched) {
    const std::uint32_t in_contact = any();
    s.bodies(kernel, s.sums(), touched, in_contact, given_, pairs_of_, pairs_, states, islands_);
}

void DeviceIslands::separate(StepPass& s) {
    if (!any()) return;
    s.stage = Stage::contact;
    const auto islands = narrow(plan_->islands.size());
    s.queue.run(separate_pairs_, s.stage, groups_for(s, islands), s.queue.device().groups().bodies,
                s.b.given, s.b.states, pairs_, states, s.left, islands_, pairs_in_, counters,
                islands);
}

}  // namespace turgor::device
