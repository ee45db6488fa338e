#include "device/device_step.hpp"

#include <algorithm>

namespace turgor::device {
namespace {

constexpr std::size_t block_sums = 40;      ///< BLOCK_SUMS of work_group.cl
constexpr int rounds = 4;                   ///< of stage 4, where contacts push back
constexpr std::size_t spare_contacts = 1024;

}  // namespace

void DeviceParticles::resize(Queue& queue, std::size_t particles, std::size_t rows) {
    const auto each = [&](std::size_t n, auto&... arrays) { (arrays.resize(queue, n), ...); };
    each(particles, x, v, rotation, x_start, predicted, normal, direction, support, pushed, change,
         weight, head);
    // A row of four quads; those of weights and of velocity fields have fewer.
    each(4 * rows, terms, transforms);
    contacts.resize(queue, particles + spare_contacts);
    contact_count.resize(queue, 1);
}

std::size_t DeviceParticles::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return sum(x, v, rotation, x_start, predicted, normal, direction, support, pushed, change,
               weight, terms, transforms, head, contacts);
}

void DevicePlan::clear() {
    active.clear();
    blocks.clear();
    obstacles.clear();
    colliders.clear();
    handles.clear();
    bodies_with.clear();
    blocks_with.clear();
}

DeviceStep::DeviceStep(Queue& queue) : program_(queue.device().program()) {
    begin_step_ = kernel("begin_step");
    damping_terms_ = kernel("damping_terms");
    damping_fields_ = kernel("damping_fields");
    damp_and_predict_ = kernel("damp_and_predict");
    predicted_ = kernel("predicted");
    follow_handles_ = kernel("follow_handles");
    matching_terms_ = kernel("matching_terms");
    fit_regions_ = kernel("fit_regions");
    move_to_goals_ = kernel("move_to_goals");
    deformed_ = kernel("deformed");
    find_contacts_ = kernel("find_contacts");
    lift_out_ = kernel("lift_out");
    meet_colliders_ = kernel("meet_colliders");
    measure_shape_ = kernel("measure_shape");
    shaped_ = kernel("shaped");
    cap_weights_ = kernel("cap_weights");
    smooth_weights_ = kernel("smooth_weights");
    weighed_ = kernel("weighed");
    direction_sums_ = kernel("direction_sums");
    solve_direction_ = kernel("solve_direction");
    make_direction_ = kernel("make_direction");
    cubic_terms_ = kernel("cubic_terms");
    solve_cubic_ = kernel("solve_cubic");
    move_along_ = kernel("move_along");
    measure_moved_ = kernel("measure_moved");
    moved_ = kernel("moved");
    meet_again_ = kernel("meet_again");
    another_round_ = kernel("another_round");
    move_again_ = kernel("move_again");
    slipped_ = kernel("slipped");
    stop_at_contacts_ = kernel("stop_at_contacts");
    stopped_ = kernel("stopped");
    velocity_direction_sums_ = kernel("velocity_direction_sums");
    solve_velocity_direction_ = kernel("solve_velocity_direction");
    move_last_ = kernel("move_last");
    take_back_turn_ = kernel("take_back_turn");
    settle_contacts_ = kernel("settle_contacts");
    settle_ = kernel("settle");
    change_velocities_ = kernel("change_velocities");
    finish_step_ = kernel("finish_step");
}

void DeviceStep::write(Queue& queue, const DevicePlan& plan, std::size_t places) {
    const auto put = [&](auto& array, const auto& values) {
        array.resize(queue, std::max<std::size_t>(1, values.size()));
        array.write(queue, 0, std::span(values));
    };
    put(active_, plan.active);
    put(blocks_, plan.blocks);
    put(given_, plan.given);
    put(obstacles_, plan.obstacles);
    put(colliders_, plan.colliders);
    put(handles_, plan.handles);
    states.resize(queue, std::max<std::size_t>(1, places));
    sums_.resize(queue, block_sums * plan.blocks.size());
    deepest_.resize(queue, 4 * plan.blocks.size());
}

std::size_t DeviceStep::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return sum(states, active_, blocks_, given_, obstacles_, colliders_, handles_, sums_, deepest_);
}

/// One sub-step: who takes part in it, and how its kernels are called.
struct DeviceStep::Pass {
    DeviceStep& step;
    Queue& queue;
    const DevicePlan& plan;
    std::uint32_t left;
    const DeviceAssets& a;
    DeviceParticles& p;

    bool contacts() const { return !plan.obstacles.empty(); }
    bool handles() const { return !plan.handles.empty(); }

    template <class... Args>
    void blocks(cl::Kernel& kernel, const Args&... args) {
        queue.run(kernel, plan.blocks_with[left], queue.device().groups().blocks,
                  step.blocks_.buffer(), step.given_.buffer(), step.states.buffer(), left, args...);
    }
    template <class... Args>
    void bodies(cl::Kernel& kernel, const Args&... args) {
        queue.run(kernel, plan.bodies_with[left], queue.device().groups().bodies,
                  step.active_.buffer(), step.given_.buffer(), step.states.buffer(), left, args...);
    }
    /// A pass over blocks, and what bodies make of its sums.
    const cl::Buffer& sums() const { return step.sums_.buffer(); }
};

void DeviceStep::run(Queue& queue, const DevicePlan& plan, std::uint32_t left,
                     const DeviceAssets& assets, DeviceParticles& particles) {
    Pass pass{*this, queue, plan, left, assets, particles};
    integrate(pass);
    deform(pass);
    collide(pass);
    keep_volume(pass);
    keep_divergence(pass);
    settle(pass);
}

void DeviceStep::integrate(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.bodies(begin_step_);
    s.blocks(damping_terms_, p.x.buffer(), p.v.buffer(), a.fit.buffer(), p.terms.buffer());
    s.blocks(damping_fields_, a.centre.buffer(), a.run_starts.buffer(), a.runs.buffer(),
             p.terms.buffer(), p.transforms.buffer());
    s.blocks(damp_and_predict_, p.x.buffer(), p.v.buffer(), p.x_start.buffer(), p.support.buffer(),
             a.rest.buffer(), a.mass.buffer(), a.run_starts.buffer(), a.runs.buffer(),
             p.transforms.buffer(), s.sums());
    s.bodies(predicted_, s.sums());
    if (s.handles())
        s.bodies(follow_handles_, handles_.buffer(), p.x.buffer(), p.v.buffer(), p.x_start.buffer(),
                 p.support.buffer(), a.mass.buffer());
}

void DeviceStep::deform(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(matching_terms_, p.x.buffer(), a.fit.buffer(), p.terms.buffer());
    s.blocks(fit_regions_, a.centre.buffer(), a.exact_centre.buffer(), a.run_starts.buffer(),
             a.runs.buffer(), p.terms.buffer(), p.rotation.buffer(), p.transforms.buffer());
    s.blocks(move_to_goals_, p.x.buffer(), p.v.buffer(), p.x_start.buffer(), p.predicted.buffer(),
             p.change.buffer(), a.rest.buffer(), a.mass.buffer(), a.run_starts.buffer(),
             a.runs.buffer(), p.transforms.buffer(), s.sums());
    s.bodies(deformed_, s.sums(), p.contact_count.buffer());
}

void DeviceStep::collide(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    if (!s.contacts()) return;
    s.blocks(find_contacts_, obstacles_.buffer(), colliders_.buffer(), p.x.buffer(),
             p.x_start.buffer(), p.predicted.buffer(), a.mass.buffer(), p.head.buffer(),
             p.contacts.buffer(), p.contact_count.buffer(),
             static_cast<std::uint32_t>(p.contacts.size()), s.sums(), deepest_.buffer());
    s.bodies(lift_out_, deepest_.buffer());
    s.blocks(meet_colliders_, p.x.buffer(), p.v.buffer(), p.x_start.buffer(), p.support.buffer(),
             p.head.buffer(), p.contacts.buffer());
}

void DeviceStep::correct_positions(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(direction_sums_, p.x_start.buffer(), p.support.buffer(), p.normal.buffer(),
             p.weight.buffer(), a.mass.buffer(), a.per_mass.buffer(), s.sums());
    s.bodies(solve_direction_, s.sums());
    s.blocks(make_direction_, p.x_start.buffer(), p.support.buffer(), p.normal.buffer(),
             p.weight.buffer(), a.mass.buffer(), a.per_mass.buffer(), p.direction.buffer(),
             s.sums());
    s.blocks(cubic_terms_, p.x.buffer(), p.direction.buffer(), a.mass.buffer(),
             a.ring_starts.buffer(), a.ring.buffer(), s.sums());
    s.bodies(solve_cubic_, s.sums());
    s.blocks(move_along_, p.x.buffer(), p.v.buffer(), p.direction.buffer());
    s.blocks(measure_moved_, p.x.buffer(), p.v.buffer(), p.support.buffer(), p.direction.buffer(),
             p.weight.buffer(), a.per_mass.buffer(), a.ring_starts.buffer(), a.ring.buffer(),
             p.normal.buffer(), s.sums());
    s.bodies(moved_, s.sums());
}

void DeviceStep::keep_volume(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(measure_shape_, p.x.buffer(), p.support.buffer(), p.change.buffer(), a.mass.buffer(),
             a.ring_starts.buffer(), a.ring.buffer(), a.strut.buffer(), a.strut_partner.buffer(),
             p.normal.buffer(), p.weight.buffer(), s.sums());
    s.bodies(shaped_, s.sums());
    s.blocks(cap_weights_, p.weight.buffer(), p.terms.buffer());
    s.blocks(smooth_weights_, p.support.buffer(), p.normal.buffer(), a.rest.buffer(),
             a.per_mass.buffer(), a.run_starts.buffer(), a.runs.buffer(), p.terms.buffer(),
             p.weight.buffer(), s.sums());
    s.bodies(weighed_, s.sums());
    correct_positions(s);
    // The correction may push particles into a collider that they did not touch: those join the
    // contacts.
    for (int round = 1; round < rounds && s.contacts(); ++round) {
        s.blocks(meet_again_, obstacles_.buffer(), colliders_.buffer(), p.x.buffer(),
                 p.x_start.buffer(), p.predicted.buffer(), p.direction.buffer(), a.mass.buffer(),
                 p.head.buffer(), p.contacts.buffer(), p.contact_count.buffer(),
                 static_cast<std::uint32_t>(p.contacts.size()), p.pushed.buffer(), s.sums());
        s.bodies(another_round_, s.sums());
        s.blocks(move_again_, p.x.buffer(), p.v.buffer(), p.direction.buffer(), p.pushed.buffer(),
                 p.head.buffer(), p.contacts.buffer(), p.support.buffer(), a.mass.buffer(),
                 s.sums());
        s.bodies(slipped_, s.sums());
        s.blocks(measure_moved_, p.x.buffer(), p.v.buffer(), p.support.buffer(),
                 p.direction.buffer(), p.weight.buffer(), a.per_mass.buffer(),
                 a.ring_starts.buffer(), a.ring.buffer(), p.normal.buffer(), s.sums());
        s.bodies(moved_, s.sums());
        correct_positions(s);
    }
}

void DeviceStep::keep_divergence(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    if (s.contacts()) {
        s.blocks(stop_at_contacts_, p.v.buffer(), p.normal.buffer(), p.direction.buffer(),
                 p.head.buffer(), p.contacts.buffer(), s.sums());
        s.bodies(stopped_, s.sums());
    }
    s.blocks(velocity_direction_sums_, p.x.buffer(), p.normal.buffer(), p.weight.buffer(),
             a.mass.buffer(), a.per_mass.buffer(), s.sums());
    s.bodies(solve_velocity_direction_, s.sums());
    s.blocks(move_last_, p.x.buffer(), p.v.buffer(), p.normal.buffer(), p.direction.buffer(),
             p.weight.buffer(), a.mass.buffer(), a.per_mass.buffer(), s.sums());
    s.bodies(take_back_turn_, s.sums());
}

void DeviceStep::settle(Pass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    const bool touched = s.contacts() || s.handles();
    const std::uint32_t with_contacts = s.contacts();
    if (touched)
        s.blocks(settle_contacts_, p.x.buffer(), p.v.buffer(), p.support.buffer(), p.head.buffer(),
                 p.contacts.buffer(), a.mass.buffer(), with_contacts, s.sums());
    s.bodies(settle_, s.sums(), static_cast<std::uint32_t>(touched));
    s.blocks(change_velocities_, p.x.buffer(), p.v.buffer(), p.predicted.buffer(), a.mass.buffer(),
             p.head.buffer(), p.contacts.buffer(), with_contacts, s.sums());
    s.bodies(finish_step_, s.sums());
}

}  // namespace turgor::device
