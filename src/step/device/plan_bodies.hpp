#pragma once

#include <functional>
#include <map>

#include "step/device/step_pass.hpp"
#include "step/step_world.hpp"

namespace turgor::device {

/// What the device is told about each body that takes part in a step: what it is, the colliders
/// that it may come near, and what holds or pulls at its particles.
class BodyPlanner {
public:
    /// `find_geometry`: where the triangles or heights of a collider are.
    BodyPlanner(const StepWorld& world, double dt, DevicePlan& plan,
                std::function<uint(const std::shared_ptr<const ColliderGeometry>&)> find_geometry)
        : world_(world), dt_(dt), plan_(plan), find_geometry_(std::move(find_geometry)) {}

    /// Without its places in the device's memory.
    BodyInput describe(const BodySim& body, int sub_steps);

private:
    uint place_colliders(int sub_steps);
    void list_obstacles(const BodySim& body, int sub_steps, BodyInput& given);
    void list_handles(const BodySim& body, int sub_steps, BodyInput& given);

    const StepWorld& world_;
    double dt_;
    DevicePlan& plan_;
    std::function<uint(const std::shared_ptr<const ColliderGeometry>&)> find_geometry_;
    std::map<int, uint> collider_places_;  ///< by sub-steps
};

}  // namespace turgor::device
