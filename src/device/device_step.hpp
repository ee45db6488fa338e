#pragma once

#include "device/device_assets.hpp"
#include "world/device_body.h"

namespace turgor::device {

/// The particles of all bodies, and what their steps need besides.
struct DeviceParticles {
    // Between steps (CpuBody).
    Array<Quad> x, v, rotation;
    // In a step (CpuScratch).
    Array<Quad> x_start, predicted, normal, direction, support, pushed;
    Array<float> change, weight;
    Array<FixedQuad> terms, transforms;  ///< prefix arrays, rows of up to four
    Array<std::uint32_t> head;           ///< the first contact of a particle
    Array<ContactState> contacts;
    Array<std::uint32_t> contact_count;

    void resize(Queue& queue, std::size_t particles, std::size_t rows);
    std::size_t bytes() const;
};

/// Which bodies take part, in the order of their sub-steps, most first; and what they are told.
struct DevicePlan {
    std::vector<std::uint32_t> active;  ///< places of bodies
    std::vector<BlockPlace> blocks;
    std::vector<BodyGiven> given;  ///< by place
    std::vector<ObstacleGiven> obstacles;
    std::vector<ColliderGiven> colliders;
    std::vector<HandleGiven> handles;
    std::vector<std::size_t> bodies_with, blocks_with;  ///< so many have at least k sub-steps

    void clear();
};

/// Sub-steps of all bodies at once: the order of the kernels. The same five stages as in
/// BodyStep::advance, each a few passes over blocks with a reckoning for each body in between.
class DeviceStep {
public:
    explicit DeviceStep(Queue& queue);

    void write(Queue& queue, const DevicePlan& plan, std::size_t places);
    /// One sub-step of all bodies that have as many left; nothing is waited for.
    void run(Queue& queue, const DevicePlan& plan, std::uint32_t left, const DeviceAssets& assets,
             DeviceParticles& particles);

    Array<BodyState> states;  ///< by place
    std::size_t bytes() const;

private:
    struct Pass;
    void integrate(Pass& pass);
    void deform(Pass& pass);
    void collide(Pass& pass);
    void keep_volume(Pass& pass);
    void correct_positions(Pass& pass);
    void keep_divergence(Pass& pass);
    void settle(Pass& pass);

    cl::Kernel kernel(const char* name) const { return {program_, name}; }
    cl::Program program_;
    Array<std::uint32_t> active_;
    Array<BlockPlace> blocks_;
    Array<BodyGiven> given_;
    Array<ObstacleGiven> obstacles_;
    Array<ColliderGiven> colliders_;
    Array<HandleGiven> handles_;
    Array<double> sums_, deepest_;

    cl::Kernel begin_step_, damping_terms_, damping_fields_, damp_and_predict_, predicted_,
        follow_handles_, matching_terms_, fit_regions_, move_to_goals_, deformed_, find_contacts_,
        lift_out_, meet_colliders_, measure_shape_, shaped_, cap_weights_, smooth_weights_,
        weighed_, direction_sums_, solve_direction_, make_direction_, cubic_terms_, solve_cubic_,
        move_along_, measure_moved_, moved_, meet_again_, another_round_, move_again_, slipped_,
        stop_at_contacts_, stopped_, velocity_direction_sums_, solve_velocity_direction_,
        move_last_, take_back_turn_, settle_contacts_, settle_, change_velocities_, finish_step_;
};

}  // namespace turgor::device
