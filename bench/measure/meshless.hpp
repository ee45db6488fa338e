#pragma once

#include "measure/measure.hpp"

namespace turgor::measure {

/// A bar of five by one by one, stretched a little, of a meshless body with so many clusters.
Mesh meshless_bar();

/// A brick that spins freely about its middle axis [rad/s], 20 s: how it turns over.
struct Flips {
    std::vector<double> times;  ///< at which its axis lies level [s]
    double energy = 0;          ///< largest relative change of its kinetic energy
    double angular = 0;         ///< of its angular momentum
};
Flips spin_brick(double spin, double dt);

/// A bar whose ends are turned against each other by `degrees`, held and let go: the twist that it
/// keeps [degrees], and how fast it still moves [m/s].
struct TwistKept {
    double degrees = 0, speed = 0, volume = 0;
};
TwistKept keep_twist(Backend backend, const Model& model, const Material& material, double degrees);

/// A body without gravity that two plates press to a share `to` of its height and let go of, some
/// seconds later.
struct Pressed {
    double height = 0;     ///< of what it was at first
    double pressed = 0;    ///< the same while it was held
    double thickness = 0;  ///< from the middle of what was its top to that of its bottom, likewise
    double roughness = 0;  ///< how far vertices stand out from their neighbours, of the same then
    double speed = 0;      ///< fastest particle at the end, the drift of all taken off [sizes/s]
    double volume = 0;     ///< largest relative error
    bool asleep = false;
};
Pressed press(Backend backend, const Model& model, const Material& material, const Mesh& mesh,
              double to, double seconds);

}  // namespace turgor::measure
