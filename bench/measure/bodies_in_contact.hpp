#pragma once

#include <functional>

#include "measure/measure.hpp"

/// What happens when bodies meet, measured from outside: who is inside whom is told by winding
/// numbers, not by the simulation's own tests.
namespace turgor::measure {

/// How deep the deepest vertex of one body is inside another, relative to that one's size.
double deepest_overlap(World& world);

/// A world watched for a while.
struct Watched {
    double overlap = 0;       ///< deepest at any time
    double late_overlap = 0;  ///< deepest after three seconds
    double volume = 0;        ///< largest relative error
    double speed = 0;         ///< of the fastest particle, at the end [m/s]
    double lowest = 0;        ///< of any vertex at any time [m]
    double farthest = 0;      ///< from the axis, at any time [m]
    int awake = 0;            ///< at the end
};
/// Looks every `every` steps of 5 ms; calls `passed` with the time now and then.
Watched watch(World& world, double seconds, int every = 10,
              const std::function<void(double)>& passed = {});

/// `count` soft balls over a glass, as in the paper's table 1 but of any number.
World balls_over_glass(Backend backend, int count);
/// Ten ducks as one column, a hand's breadth apart.
World column_of_ducks(Backend backend, int count);
/// Cubes of firm rubber on top of each other.
World stack_of_cubes(Backend backend, double side, int count);

/// Two free balls that graze each other.
struct Grazing {
    double linear = 0;   ///< largest change of the whole momentum, of Σ m|v|
    double angular = 0;  ///< of the whole angular momentum, of what it was
    double energy = 0;   ///< largest kinetic energy, of what it was
};
Grazing graze(Backend backend);

/// Two copies of a mesh that start overlapping, without gravity.
struct Separation {
    double seconds = -1;  ///< until nothing is inside any more; −1: not within two seconds
    double speed = 0;     ///< of the fastest particle then [m/s]
};
Separation separate(Backend backend, const Mesh& mesh, double overlap);

/// A ball of 0.1 m shot at something, at up to 100 m/s. Walls of triangles are 5 mm thick like the
/// plate, and shots at them are oblique.
enum class Target { plate, ball, coarse_wall, fine_wall, sheet };
struct Shots {
    int fired = 0;
    int passed = 0;      ///< through the target
    int around = 0;      ///< past a soft ball, but around it: both give way and are pressed flat
    double overlap = 0;  ///< deepest of two soft balls
};
/// Deeper than that in a soft ball, what gets past it has gone through it.
inline constexpr double gone_into = 0.1;  // of its size
Shots shoot(Backend backend, Target target, double dt, int count, std::uint64_t seed);

}  // namespace turgor::measure
