#include "step/device/device_step.hpp"

#include <algorithm>
#include <limits>

#include "step/volume_rounds.hpp"

namespace turgor::device {
namespace {

constexpr std::size_t block_sums = 40;  ///< BLOCK_SUMS of work_group.cl

}  // namespace

void DevicePlan::clear() {
    active.clear();
    blocks.clear();
    obstacles.clear();
    colliders.clear();
    handles.clear();
    triangles = false;
    bodies_with.clear();
    blocks_with.clear();
}

DeviceStep::DeviceStep(Queue& queue) : islands(queue), device_(queue.device()) {}

std::vector<std::pair<std::string, KernelTime>> DeviceStep::kernels() const {
    std::vector<std::pair<std::string, KernelTime>> all;
    for (const Kernel* kernel : {&begin_step_,
                                 &reduce_integration_,
                                 &follow_handles_,
                                 &reduce_deformation_,
                                 &find_contacts_,
                                 &find_triangle_contacts_,
                                 &find_deepest_,
                                 &depenetrate_,
                                 &push_out_of_colliders_,
                                 &measure_shape_,
                                 &reduce_shape_,
                                 &cap_weights_,
                                 &smooth_weights_,
                                 &reduce_weights_,
                                 &direction_sums_,
                                 &solve_direction_,
                                 &make_direction_,
                                 &cubic_terms_,
                                 &solve_cubic_,
                                 &move_along_,
                                 &measure_moved_,
                                 &reduce_correction_,
                                 &find_triangle_contacts_again_,
                                 &push_out_again_,
                                 &another_round_,
                                 &move_again_,
                                 &reduce_push_out_,
                                 &stop_at_contacts_,
                                 &reduce_stopping_,
                                 &velocity_direction_sums_,
                                 &solve_velocity_direction_,
                                 &move_last_,
                                 &return_angular_momentum_,
                                 &settle_contacts_,
                                 &settle_,
                                 &change_velocities_,
                                 &finish_step_})
        all.emplace_back(kernel->name, kernel->done);
    for (const ModelForm& model : models)
        for (const Kernel* kernel : model.form->kernels())
            all.emplace_back(kernel->name, kernel->done);
    for (const Kernel* kernel : islands.kernels()) all.emplace_back(kernel->name, kernel->done);
    return all;
}

void DeviceStep::write(Queue& queue, const DevicePlan& plan, const IslandPlan& island_plan,
                       std::size_t slots) {
    const auto put = [&](auto& array, const auto& values) {
        array.resize(queue, std::max<std::size_t>(1, values.size()));
        array.write(queue, 0, std::span(values));
    };
    put(bodies.active, plan.active);
    put(bodies.blocks, plan.blocks);
    put(bodies.given, plan.given);
    put(obstacles_, plan.obstacles);
    put(colliders_, plan.colliders);
    put(handles_, plan.handles);
    bodies.states.resize(queue, std::max<std::size_t>(1, slots));
    bodies.sums.resize(queue, block_sums * plan.blocks.size());
    deepest_.resize(queue, 4 * plan.blocks.size());
    islands.write(queue, island_plan);
}

std::uint32_t DeviceStep::number_of(Queue& queue, const ElasticModel& model) {
    const auto known = std::ranges::find(models, &model, &ModelForm::model);
    const auto number = static_cast<std::uint32_t>(known - models.begin());
    if (known == models.end()) models.push_back({&model, model.make_device_form(queue)});
    return number;
}

std::size_t DeviceStep::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    std::size_t of_models = 0;
    for (const ModelForm& model : models) of_models += model.form->bytes();
    return of_models + islands.bytes() + collider_geometry.bytes() +
           sum(bodies.states, bodies.active, bodies.blocks, bodies.given, bodies.sums, obstacles_,
               colliders_, handles_, deepest_);
}

void DeviceStep::run(Queue& queue, const DevicePlan& plan, std::uint32_t left,
                     const AssetArrays& assets, DeviceParticles& particles) {
    StepPass pass{queue, plan, left, assets, particles, bodies};
    integrate(pass);
    deform(pass);
    collide(pass);
    islands.solve_contacts(pass);
    restore_volume(pass);
    islands.begin_removing_divergence(pass);
    remove_divergence(pass);
    islands.begin_settling(pass);
    settle(pass);
    islands.separate(pass);
}

void DeviceStep::look_ahead(Queue& queue, const DevicePlan& plan, const AssetArrays& assets,
                            DeviceParticles& particles) {
    StepPass pass{queue, plan, 0, assets, particles, bodies};
    islands.look_ahead(pass);
}

void DeviceStep::run_to_goals(Queue& queue, const DevicePlan& plan, std::uint32_t left,
                              const AssetArrays& assets, DeviceParticles& particles) {
    StepPass pass{queue, plan, left, assets, particles, bodies};
    integrate(pass);
    deform(pass);
}

void DeviceStep::integrate(StepPass& s) {
    s.stage = Stage::integrate;
    const auto& [a, p] = std::tie(s.a, s.p);
    s.bodies(begin_step_);
    for (s.model = 0; s.model < models.size(); ++s.model) models[s.model].form->integrate(s);
    s.stage = Stage::integrate;
    s.bodies(reduce_integration_, s.sums());
    if (s.handles()) s.bodies(follow_handles_, handles_, p.x, p.v, p.x_start, p.support, a.mass);
}

void DeviceStep::deform(StepPass& s) {
    for (s.model = 0; s.model < models.size(); ++s.model) models[s.model].form->deform(s);
    s.stage = Stage::elasticity;
    s.bodies(reduce_deformation_, s.sums(), s.p.contact_count);
}

void DeviceStep::collide(StepPass& s) {
    s.stage = Stage::contact;
    const auto& [a, p] = std::tie(s.a, s.p);
    if (!s.contacts()) return;
    s.blocks(find_contacts_, obstacles_, colliders_, p.x, p.x_start, p.predicted_v, a.mass, p.head,
             p.contacts, p.contact_count, static_cast<std::uint32_t>(p.contacts.size()), s.sums(),
             deepest_);
    if (s.plan.triangles) collide_with_triangles(s);
    s.bodies(depenetrate_, deepest_);
    s.blocks(push_out_of_colliders_, p.x, p.v, p.x_start, p.support, p.head, p.contacts);
}

void DeviceStep::collide_with_triangles(StepPass& s) {
    const auto& [p, t] = std::tie(s.p, collider_geometry);
    s.blocks(find_triangle_contacts_, obstacles_, colliders_, t.given, t.nodes, t.triangles,
             t.normals, t.heights, t.ranges, p.x, p.x_start, p.predicted_v, p.head, p.contacts,
             p.contact_count, static_cast<std::uint32_t>(p.contacts.size()), s.sums());
    s.blocks(find_deepest_, p.head, p.contacts, deepest_);
}

void DeviceStep::collide_with_triangles_again(StepPass& s) {
    const auto& [p, t] = std::tie(s.p, collider_geometry);
    s.blocks(find_triangle_contacts_again_, obstacles_, colliders_, t.given, t.nodes, t.triangles,
             t.normals, t.heights, t.ranges, p.x, p.x_start, p.predicted_v, p.direction, p.head,
             p.contacts, p.contact_count, static_cast<std::uint32_t>(p.contacts.size()));
}

void DeviceStep::measure_correction(StepPass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(measure_moved_, p.x, p.v, p.support, p.direction, p.weight, a.per_mass, a.ring_starts,
             a.ring, p.normal, s.sums());
    s.bodies(reduce_correction_, s.sums());
}

void DeviceStep::correct_positions(StepPass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(direction_sums_, p.x_start, p.support, p.normal, p.weight, a.mass, a.per_mass,
             s.sums());
    s.bodies(solve_direction_, s.sums());
    s.blocks(make_direction_, p.x_start, p.support, p.normal, p.weight, a.mass, a.per_mass,
             p.direction, s.sums());
    s.blocks(cubic_terms_, p.x, p.direction, a.mass, a.ring_starts, a.ring, s.sums());
    s.bodies(solve_cubic_, s.sums(), p.x, p.x_start, p.support, p.normal, a.mass, a.per_mass,
             a.ring_starts, a.ring, p.direction);
    s.blocks(move_along_, p.x, p.v, p.direction);
    measure_correction(s);
}

/// Stage 4 for correct_in_rounds: all bodies at once. Those that are done, which only the device
/// knows, take no more part in kernels.
struct DeviceStep::Rounds {
    DeviceStep& step;
    StepPass& s;

    double correct() {
        step.correct_positions(s);
        return std::numeric_limits<double>::infinity();
    }
    void find_more_contacts(double) {
        if (s.plan.triangles) step.collide_with_triangles_again(s);
    }
    bool push_out() {
        if (s.contacts()) step.push_out(s);
        return s.contacts();
    }
};

void DeviceStep::push_out(StepPass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(push_out_again_, obstacles_, colliders_, p.x, p.x_start, p.predicted_v, p.direction,
             a.mass, p.head, p.contacts, p.contact_count,
             static_cast<std::uint32_t>(p.contacts.size()), p.pushed, s.sums());
    s.bodies(another_round_, s.sums());
    s.blocks(move_again_, p.x, p.v, p.direction, p.pushed, p.head, p.contacts, p.support, a.mass,
             s.sums());
    s.bodies(reduce_push_out_, s.sums());
    measure_correction(s);
}

void DeviceStep::restore_volume(StepPass& s) {
    s.stage = Stage::volume_positions;
    const auto& [a, p] = std::tie(s.a, s.p);
    s.blocks(measure_shape_, p.x, p.support, p.change, a.mass, a.ring_starts, a.ring, a.strut,
             a.strut_partner, p.normal, p.weight, s.sums());
    s.bodies(reduce_shape_, s.sums());
    s.blocks(cap_weights_, p.weight, p.terms);
    s.blocks(smooth_weights_, p.support, p.normal, a.rest, a.per_mass, a.run_starts, a.runs,
             p.terms, p.weight, s.sums());
    s.bodies(reduce_weights_, s.sums());
    Rounds rounds{*this, s};
    correct_in_rounds(rounds, 0);
}

void DeviceStep::remove_divergence(StepPass& s) {
    s.stage = Stage::volume_velocities;
    const auto& [a, p] = std::tie(s.a, s.p);
    if (s.contacts() || islands.any()) {
        s.blocks(stop_at_contacts_, p.v, p.pushed, p.normal, p.direction, p.head, p.contacts,
                 s.with_contacts(), s.sums());
        s.bodies(reduce_stopping_, s.sums());
    }
    s.blocks(velocity_direction_sums_, p.x, p.normal, p.weight, a.mass, a.per_mass, s.sums());
    s.bodies(solve_velocity_direction_, s.sums());
    s.blocks(move_last_, p.x, p.v, p.normal, p.direction, p.weight, a.mass, a.per_mass, s.sums());
    s.bodies(return_angular_momentum_, s.sums());
}

void DeviceStep::settle(StepPass& s) {
    s.stage = Stage::contact;
    const auto& [a, p] = std::tie(s.a, s.p);
    const bool touched = s.contacts() || s.handles() || islands.any();
    if (touched)
        s.blocks(settle_contacts_, p.x, p.v, p.pushed, p.support, p.head, p.contacts, a.mass,
                 s.with_contacts(), s.sums());
    islands.settle(s, settle_, static_cast<std::uint32_t>(touched));
    s.blocks(change_velocities_, p.x, p.v, p.predicted_v, a.mass, p.head, p.contacts,
             s.with_contacts(), s.sums());
    s.bodies(finish_step_, s.sums());
}

}  // namespace turgor::device
