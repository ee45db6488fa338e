#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene.hpp"
#include "turgor/turgor.hpp"

/// The figures that docs/validation.md shows, measured through the public interface. `turgor
/// validate` prints them, the tests hold smaller ones to their limits.
namespace turgor::measure {

struct Specimen {
    std::string name;
    Mesh mesh;
};
/// Sphere, torus, bear, duck and cube of about 1 m and `vertices` vertices each.
std::vector<Specimen> demo_shapes(std::size_t vertices);
/// A mesh scaled to a diameter-of-equal-volume of `size` and centred.
Mesh of_size(Mesh mesh, double size);

struct Wobble {
    double frequency = 0;      ///< [Hz]
    double damping_ratio = 0;  ///< from the decay of its peaks
};
/// Stretches a free body along y by 4 % and watches it come back.
Wobble wobble(const Mesh& mesh, const Material& material, double dt);

struct Drift {
    double linear = 0;   ///< of Σ m|v| at the start
    double angular = 0;  ///< of the angular momentum at the start
    double volume = 0;   ///< largest relative error
};
/// A free body with random velocities and a spin.
Drift momentum_drift(const Mesh& mesh, VolumeMode volume, int steps);

struct Rest {
    double max_speed = 0;  ///< at the end [m/s]
    double creep = 0;      ///< sideways during the second half, relative to its size
    double volume = 0;     ///< largest relative error
};
/// Falls from a quarter of its size and lies on the ground.
Rest lie_down(const Mesh& mesh, const Material& material, double seconds, double dt = 0.005);

struct Landing {
    double sag = 0;      ///< lost height at rest, relative
    double rebound = 0;  ///< rise of the centre after the first impact, relative to the fall
};
Landing land(const Mesh& mesh, const Material& material, double dt);

/// The seven starts of METHODS E, with their names.
inline constexpr std::pair<BodyStart, std::string_view> starts[] = {
    {BodyStart::flat, "flat"},
    {BodyStart::point, "point plus noise"},
    {BodyStart::random_box, "random box"},
    {BodyStart::mirrored, "mirrored"},
    {BodyStart::shrunk, "shrunk"},
    {BodyStart::inside_out, "inside out"},
    {BodyStart::one_point, "one point"}};
struct Recovery {
    double shape_error = 0;  ///< after two seconds, rms relative to the rms radius
    double seconds = -1;     ///< until it was below 1 %; −1: never
};
Recovery recover_from(const Mesh& mesh, const Material& material, BodyStart start);

/// Hard but ordinary deeds, in which no body may be taken for lost.
struct Ordeal {
    std::string name;
    bool recovered = false;  ///< recovery was triggered
    double volume = 0;       ///< largest relative error
    double penetration = 0;  ///< largest, relative to the size
};
std::vector<Ordeal> ordeals();

struct Stability {
    int runs = 0, failed = 0;
    double volume = 0;  ///< largest relative error
    double reach = 0;   ///< farthest a body came from where it was dropped, in sizes
    std::string worst;  ///< the first combination that failed
};
/// Random materials, steps of 0.1 … 100 ms and starts, dropped on the ground.
Stability random_combinations(int runs, std::uint64_t seed);

/// Symplectic Euler on a spring (paper 001, tables 2.1 and 2.2): positions and velocities after
/// each step.
struct SpringState {
    double x = 0, v = 0;
};
std::vector<SpringState> spring_steps(double h, int steps);

}  // namespace turgor::measure
