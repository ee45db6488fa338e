#pragma once

#include "elastic/meshless/meshless.hpp"
#include "turgor/world.hpp"

/// What the meshless model makes of the same things as published in 2005
/// (Formulation::Meshless::published) and as Turgor has it.
namespace turgor::measure {

enum class Form { published, turgor };

/// Force and torque of all goals of a gummy bear of 500 vertices, bent sideways and dented,
/// relative to Σ m |g − x| and Σ m |x| |g − x|.
struct Imbalance {
    double force = 0, torque = 0;
};
Imbalance imbalance_of_goals(Form form, MeshlessMode mode, int clusters);

/// How far goals are from a plate of 1 × 1 × 0.02 m whose particles have been shaken out of their
/// places by up to 1 cm, rms [m]; one linear cluster of β 0.8.
double goals_off_a_plate(Form form);

/// The fastest particle after a step of a cube pressed to this share of its height [m/s], and 1e9
/// where it is not finite; one linear cluster.
double speed_after_pressing(Form form, double height);

/// How far a bar of 2 × 0.5 × 0.5 m with one quadratic cluster of this β reaches out from its
/// middle within ten seconds after it was set to bend at 2 m/s [m].
double reach_of_quadratic(Form form, double beta);

/// What a free brick of 3 : 2 : 1 that spins at 12 rad/s has of its angular momentum after a while.
double spin_left(Form form, double seconds);

/// Frequency of a ball of 1 m whose material asks for 4 Hz, in steps of h [Hz].
double wobble(Form form, double h);

/// What a cluster held stretched by 1.3 keeps after 0.2 s, in steps of h: the logarithm of the
/// stretch. Its yield is 0.05. And what it should keep, (log 1.3 − 0.05)(1 − e^(−t/τ)).
double kept_stretch(Form form, double h, double flow_time);
double true_kept_stretch(double flow_time);

/// A bar of clay of 2 × 0.4 × 0.4 m is twisted by an angle within a second, held for one and let go
/// for two: the twist that is left [degrees].
double kept_twist(Form form, double degrees);

}  // namespace turgor::measure
