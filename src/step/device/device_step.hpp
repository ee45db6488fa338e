#pragma once

#include "elastic/model.hpp"
#include "step/device/device_collider_geometry.hpp"
#include "step/device/device_islands.hpp"

namespace turgor::device {

/// Sub-steps of all bodies at once: the order of the kernels. The same five stages as in
/// BodyStep::advance, each a few passes over blocks with a reckoning for each body in between.
class DeviceStep {
public:
    explicit DeviceStep(Queue& queue);

    void write(Queue& queue, const DevicePlan& plan, const IslandPlan& island_plan,
               std::size_t slots);
    /// One sub-step of all bodies that have as many left; nothing is waited for.
    void run(Queue& queue, const DevicePlan& plan, std::uint32_t left, const AssetArrays& assets,
             DeviceParticles& particles);

    /// After the last sub-step: bodies look for what they may touch of themselves in the next step.
    void look_ahead(Queue& queue, const DevicePlan& plan, const AssetArrays& assets,
                    DeviceParticles& particles);

    /// Stages 1 and 2 of it only, for tests.
    void run_to_goals(Queue& queue, const DevicePlan& plan, std::uint32_t left,
                      const AssetArrays& assets, DeviceParticles& particles);

    /// The elastic models of bodies that have come to the device.
    struct ModelForm {
        const ElasticModel* model;
        std::unique_ptr<DeviceElasticity> form;
    };
    std::vector<ModelForm> models;
    /// A model's place among them; its form is made when its first body comes.
    std::uint32_t number_of(Queue& queue, const ElasticModel& model);

    DeviceBodies bodies;
    DeviceIslands islands;
    DeviceColliderGeometry collider_geometry;  ///< of colliders of triangles
    std::size_t bytes() const;
    std::vector<std::pair<std::string, KernelTime>> kernels() const;

private:
    void integrate(StepPass& pass);
    void deform(StepPass& pass);
    void collide(StepPass& pass);
    void collide_with_triangles(StepPass& pass);
    void collide_with_triangles_again(StepPass& pass);
    void restore_volume(StepPass& pass);
    struct Rounds;
    void correct_positions(StepPass& pass);
    void push_out(StepPass& pass);
    void measure_correction(StepPass& pass);
    void remove_divergence(StepPass& pass);
    void settle(StepPass& pass);

    const Device& device_;
    Array<ObstacleInput> obstacles_;
    Array<ColliderInput> colliders_;
    Array<HandleInput> handles_;
    Array<double> deepest_;

    Kernel begin_step_{device_, "begin_step"};
    Kernel reduce_integration_{device_, "reduce_integration"};
    Kernel follow_handles_{device_, "follow_handles"};
    Kernel reduce_deformation_{device_, "reduce_deformation"};
    Kernel find_contacts_{device_, "find_contacts"};
    Kernel find_triangle_contacts_{device_, "find_triangle_contacts"};
    Kernel find_deepest_{device_, "find_deepest"};
    Kernel depenetrate_{device_, "depenetrate"};
    Kernel push_out_of_colliders_{device_, "push_out_of_colliders"};
    Kernel measure_shape_{device_, "measure_shape"};
    Kernel reduce_shape_{device_, "reduce_shape"};
    Kernel cap_weights_{device_, "cap_weights"};
    Kernel smooth_weights_{device_, "smooth_weights"};
    Kernel reduce_weights_{device_, "reduce_weights"};
    Kernel direction_sums_{device_, "direction_sums"};
    Kernel solve_direction_{device_, "solve_direction"};
    Kernel make_direction_{device_, "make_direction"};
    Kernel cubic_terms_{device_, "cubic_terms"};
    Kernel solve_cubic_{device_, "solve_cubic"};
    Kernel move_along_{device_, "move_along"};
    Kernel measure_moved_{device_, "measure_moved"};
    Kernel reduce_correction_{device_, "reduce_correction"};
    Kernel find_triangle_contacts_again_{device_, "find_triangle_contacts_again"};
    Kernel push_out_again_{device_, "push_out_again"};
    Kernel another_round_{device_, "another_round"};
    Kernel move_again_{device_, "move_again"};
    Kernel reduce_push_out_{device_, "reduce_push_out"};
    Kernel stop_at_contacts_{device_, "stop_at_contacts"};
    Kernel reduce_stopping_{device_, "reduce_stopping"};
    Kernel velocity_direction_sums_{device_, "velocity_direction_sums"};
    Kernel solve_velocity_direction_{device_, "solve_velocity_direction"};
    Kernel move_last_{device_, "move_last"};
    Kernel return_angular_momentum_{device_, "return_angular_momentum"};
    Kernel settle_contacts_{device_, "settle_contacts"};
    Kernel settle_{device_, "settle"};
    Kernel change_velocities_{device_, "change_velocities"};
    Kernel finish_step_{device_, "finish_step"};
};

}  // namespace turgor::device
