#pragma once

#include <span>

#include "base/motion_sums.hpp"
#include "step/body_sim.hpp"
#include "step/context.hpp"

namespace turgor {

/// A body whose sleep timer reaches this falls asleep [s].
inline constexpr double time_to_sleep = 0.5;

// Parameters that all back ends share.
inline constexpr double depenetration_time =
    0.05;                                     ///< to come out of a collider it was put into [s]
double collider_margin(const BodySim& body);  ///< contacts are kept within this gap [m]
ContactSettings contact_settings(const BodySim& body, const StepContext& context);
double felt_gravity(const BodySim& body, const StepContext& context);  ///< [m/s²]
double least_bounce(const BodySim& body, const StepContext& context);  ///< [m/s]
/// Up to which static friction acts, along a surface [m/s].
double sticking_speed(const BodySim& body, const StepContext& context);
double comfortable_push(const BodySim& body, const StepContext& context);
/// What of local weights says nothing: struts are measured from a rest shape that is not quite
/// known, and in single precision positions are rounded.
double weight_noise(const BodySim& body);
double weight_noise_of_floats(const BodySim& body);
Vec3 acceleration(const BodySim& body, const StepContext& context);
/// How whole-body damping changes velocities in a step.
struct WholeBodyDamping {
    double keep = 1;  ///< of what is not rigid motion
    double roll = 0;  ///< taken off the turning about the middle of the contacts
    Vec3 touch;       ///< that middle
};
WholeBodyDamping whole_body_damping(const BodySim& body, const StepContext& context);
double kept_of_wobble(const BodySim& body, const StepContext& context);    ///< `keep`
double roll_of_touching(const BodySim& body, const StepContext& context);  ///< `roll`
/// Whether settling may take momentum from it: not where it only touches bodies that are as free as
/// it is.
bool may_settle(const BodySim& body);
double settling_speed(const BodySim& body, const StepContext& context);  ///< [m/s]
/// What is left of the velocities of a supported body that moves at `rms` relative to its support.
double settling_factor(const BodySim& body, const StepContext& context, double rms);
/// Who touches the body, and how deep it is in colliders. `x`: by the entries of its contacts.
void record_contacts(BodySim& body, const StepContext& context, std::span<const Vec3> x,
                     StepReport& report);
/// How fast a body moves.
struct BodySpeed {
    double rms = 0;    ///< of all particles [m/s]
    double rigid = 0;  ///< of its motion as a whole, turning included [m/s]
};
/// From the sums over all particles, relative to a frame that moves at `drift`, and their motion as
/// a whole.
BodySpeed body_speed(const MotionSums& sums, const RigidField& rigid, Vec3 drift, double size);
/// Counts the time for which a body has been slow enough to sleep.
void update_sleep_timer(BodySim& body, const StepContext& context, const BodySpeed& speed);

}  // namespace turgor
