#pragma once

#include <memory>
#include <vector>

#include "base/mat3.hpp"
#include "contact/rigid_near_features.hpp"
#include "step/contact_log.hpp"
#include "step/state_copies.hpp"
#include "turgor/rigid.hpp"

namespace turgor {

/// What steps know of a rigid body.
struct RigidSim : ContactLog {
    RigidId id = 0;
    RigidBody made;  ///< with what was changed since; its pose and velocities are of the start
    std::shared_ptr<const RigidGeometry> geometry;
    double mass = 0;  ///< [kg]
    RigidState state;
    Vec3 force, torque;             ///< [N], [N m]
    Vec3 impulse, angular_impulse;  ///< of soft bodies in the last step, if a host drives it
    std::vector<RigidContact> contacts;
    bool overflowed = false;  ///< in this step
    double sleep_timer = 0;   ///< how long it has been slow enough to sleep [s]
    bool asleep = false;
    /// What is shown of it. It is made on the host when asked for, so it is never on its way.
    StateCopies::Display display = StateCopies::Display::old;

    Mat3 inertia() const { return mass * rotated_tensor(state.pose.rotation, geometry->spread); }
    Vec3 angular_momentum() const { return inertia() * state.angular_velocity; }
};

void wake(RigidSim& rigid);

}  // namespace turgor
