#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "step/body_sim.hpp"
#include "step/display_geometry.hpp"
#include "step/rigid_sim.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// A body of a world.
struct BodyRecord : BodySim {
    std::string name;
    Vec3f colour;
    DisplayGeometry display;
};

/// A rigid body of a world.
struct RigidRecord : RigidSim {
    std::string name;
    std::vector<Vec3f> positions, normals;  ///< of its mesh as it is shown
};

struct ColliderRecord {
    ColliderId id = 0;
    Collider collider;
    Pose now;                       ///< where it is
    std::optional<Pose> commanded;  ///< where move_collider wants it at the end of the next step
    std::uint32_t surface_id = FrictionPairs::no_surface_id;  ///< its number, in this step
    Pose pose_at(double time) const;
    /// After a share 0 … 1 of a step from `time` on.
    Pose pose_during(double time, double dt, double share) const;
};

/// Names in use, and the number that the next body of a name may try.
class BodyNames {
public:
    std::string take(const std::string& wanted);
    void release(const std::string& name) { taken_.erase(name); }

private:
    std::set<std::string> taken_;
    std::map<std::string, int> next_;
};

}  // namespace turgor
