#pragma once

#include "elastic/device/device_pass.hpp"

namespace turgor::device {

/// Which bodies take part, in the order of their sub-steps, most first; and what they are told.
struct DevicePlan {
    std::vector<std::uint32_t> active;  ///< slots of bodies
    std::vector<BlockInput> blocks;
    std::vector<BodyInput> given;  ///< by slot
    std::vector<ObstacleInput> obstacles;
    std::vector<ColliderInput> colliders;
    std::vector<HandleInput> handles;
    bool triangles = false;                             ///< some of the obstacles are of triangles
    std::vector<std::size_t> bodies_with, blocks_with;  ///< so many have at least k sub-steps

    void clear();
};

/// One sub-step of the bodies of a plan.
struct StepPass : DevicePass {
    StepPass(Queue& on, const DevicePlan& of, std::uint32_t sub_steps_left,
             const AssetArrays& assets, DeviceParticles& particles, const DeviceBodies& bodies)
        : DevicePass{on,
                     sub_steps_left,
                     of.bodies_with[sub_steps_left],
                     of.blocks_with[sub_steps_left],
                     assets,
                     particles,
                     bodies},
          plan(of) {}
    const DevicePlan& plan;

    bool contacts() const { return !plan.obstacles.empty(); }
    std::uint32_t with_contacts() const { return contacts() ? 1 : 0; }
    bool handles() const { return !plan.handles.empty(); }
};

}  // namespace turgor::device
