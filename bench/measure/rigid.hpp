#pragma once

#include "measure/bodies_in_contact.hpp"

/// Rigid bodies among soft ones, measured from outside.
namespace turgor::measure {

/// How far a rigid ball reaches into a soft body: its radius less the distance of the surface, or
/// more where its middle is inside [m]; never below zero.
double depth_of_ball(const Body& soft, Vec3 centre, double radius);

/// A ball of 0.24 m falls on a firm cube of 0.4 m.
struct Drop {
    double penetration = 0;       ///< deepest at any time, of the cube's size
    double late_penetration = 0;  ///< after three seconds
    double volume = 0;            ///< largest relative error
    double lowest = 0;            ///< of the ball's centre, at any time [m]
    double height = 0;            ///< of the ball's centre, at the end [m]
    double late_speed = 0;        ///< largest of the ball in the last half second [m/s]
    double sideways = 0;          ///< of the ball, at the end [m]
    bool finite = true;
};
Drop drop_ball(Backend backend, double mass_ratio, double seconds, int points = 12);

/// A free rigid ball and a soft one graze each other.
Grazing graze_rigid(Backend backend);

/// A rigid ball of 0.02 m radius, at up to 100 m/s.
Shots shoot_rigid(Backend backend, Target target, double dt, int count, std::uint64_t seed);

/// A ball of 0.2 m radius that starts inside a soft one of 0.5 m, `off` [m] from its middle.
Separation separate_rigid(Backend backend, double off);

/// Boxes of 0.2 m on top of each other: how far the top one is from where it should be after a
/// while, of their side.
double stack_of_boxes(Backend backend, int count, double seconds);

}  // namespace turgor::measure
