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

struct Drift {
    double linear = 0;   ///< of Σ m|v| at the start
    double angular = 0;  ///< of the angular momentum at the start
    double volume = 0;   ///< largest relative error
};

struct Rest {
    double max_speed = 0;  ///< at the end [m/s]
    double creep = 0;      ///< sideways during the second half, relative to its size
    double volume = 0;     ///< largest relative error
};

struct Landing {
    double sag = 0;      ///< lost height at rest, relative
    double rebound = 0;  ///< rise of the centre after the first impact, relative to the fall
};

World world_of(Backend backend, bool sleeping, Vec3 gravity = {0, -9.81, 0});

/// The seven starts of docs/validation.md, "Stability and recovery", with their names.
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

/// Hard but ordinary deeds, in which no body may be taken for lost.
struct Ordeal {
    std::string name;
    bool recovered = false;  ///< recovery was triggered
    double volume = 0;       ///< largest relative error
    double penetration = 0;  ///< largest, relative to the size
};

struct Stability {
    int runs = 0, failed = 0;
    double volume = 0;  ///< largest relative error
    double reach = 0;   ///< farthest a body came from where it was dropped, in sizes
    std::string worst;  ///< the first combination that failed
};

/// What rounding may cost a back end.
struct Tolerances {
    double volume, linear, angular;
};

/// Of all vertices, in full precision.
std::vector<Vec3> positions_of(const Body& body);

/// Worlds of one back end, in which bodies never sleep, so that rest is their own doing.
class Laboratory {
public:
    /// Bodies have the model.
    explicit Laboratory(Backend backend, Model model = {});
    Tolerances tolerances() const;

    /// Stretches a free body along y by 4 % and watches it come back.
    Wobble wobble(const Mesh& mesh, const Material& material, double dt) const;
    /// The same in the shape that it wobbles slowest in (softest_shape).
    Wobble wobble(const Mesh& mesh, const Material& material, double dt,
                  std::span<const Vec3> shape) const;
    /// Displacements of the vertices that decay last when a body is damped, the longest one 1.
    std::vector<Vec3> softest_shape(const Mesh& mesh, Material material) const;
    /// A free body with random velocities and a spin.
    Drift momentum_drift(const Mesh& mesh, VolumeMode volume, int steps) const;
    /// Falls from a quarter of its size and lies on the ground.
    Rest lie_down(const Mesh& mesh, const Material& material, double seconds,
                  double dt = 0.005) const;
    Landing land(const Mesh& mesh, const Material& material, double dt) const;
    Recovery recover_from(const Mesh& mesh, const Material& material, BodyStart start) const;
    std::vector<Ordeal> ordeals() const;
    /// Random materials, steps of 0.1 … 100 ms and starts, dropped on the ground.
    Stability random_combinations(int runs, std::uint64_t seed) const;

private:
    World world(Vec3 gravity = {0, -9.81, 0}) const;
    Ordeal squeeze(double to_height) const;
    Ordeal impact(double speed) const;
    Ordeal turn_bar(const char* name, Vec3 axis, double degrees, double approach) const;
    Backend backend_;
    Model model_;
};

/// How far the cpu back end comes away from the reference: a body is thrown on the ground by the
/// reference, and after every third step the cpu back end makes one step from the same state.
/// Largest distance of any particle, relative to the body's size.
struct Difference {
    double position = 0;
    double velocity = 0;  ///< times the step; where a contact just touches or just does not,
                          ///< rounding decides on more than itself
};
Difference difference_after_one_step(Backend backend, const Mesh& mesh, const Material& material,
                                     int steps);

}  // namespace turgor::measure
