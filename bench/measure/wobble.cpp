#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "measure/measure.hpp"

namespace turgor::measure {
namespace {

/// Second moment along y less the mean of the others: what an ellipsoidal wobble changes.
double ellipticity(const Body& body, std::size_t vertices) {
    const Vec3 centre = body.centre_of_mass();
    double sum = 0;
    for (std::size_t i = 0; i < vertices; ++i) {
        const Vec3 r = body.position(i) - centre;
        sum += r.y * r.y - 0.5 * (r.x * r.x + r.z * r.z);
    }
    return sum;
}

/// Watches `value`, which is 0 at rest, swing to and fro.
template <class Value>
Wobble watch(World& world, const Body& body, double dt, Value&& value) {
    std::vector<double> crossings, peaks;
    double before = value(), peak = 0;
    const double end = 8 * body.size() / body.material().frequency;
    while (world.time() < end && crossings.size() < 7) {
        world.step(dt);
        const double now = value();
        if (before * now < 0) {
            crossings.push_back(world.time() - dt * now / (now - before));
            if (crossings.size() > 1) peaks.push_back(peak);
            peak = 0;
        }
        peak = std::max(peak, std::abs(now));
        before = now;
    }
    Wobble result;
    if (crossings.size() < 2) return result;
    result.frequency =
        0.5 * static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
    if (peaks.size() < 2) return result;
    const double decay =
        std::log(peaks.front() / peaks.back()) / static_cast<double>(peaks.size() - 1);
    result.damping_ratio = decay / std::hypot(std::numbers::pi, decay);
    return result;
}

std::vector<Vec3> displaced(std::vector<Vec3> x, std::span<const Vec3> by, double length) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += length * by[i];
    return x;
}

/// A sum of all polynomials of second order with random coefficients.
std::vector<Vec3> random_polynomial(std::span<const Vec3> x, double size) {
    Random random(5);
    std::vector<Vec3> sum(x.size());
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 4; ++b) {
            const Vec3 coefficient = random.in_cube();
            for (std::size_t i = 0; i < x.size(); ++i) {
                const Vec3 q = x[i] / size;
                sum[i] += q[a] * (b < 3 ? q[b] : 1) * coefficient;
            }
        }
    return sum;
}

/// Takes the motion of the whole off, as far as it is small, and makes the longest 1.
void make_unit(std::vector<Vec3>& u, std::span<const Vec3> rest) {
    Vec3 mean, turn;
    double spread = 0;
    for (const Vec3& d : u) mean += d / static_cast<double>(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
        turn += cross(rest[i], u[i] - mean);
        spread += 2.0 / 3 * dot(rest[i], rest[i]);
    }
    double longest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        u[i] -= mean + cross(turn / spread, rest[i]);
        longest = std::max(longest, norm(u[i]));
    }
    for (Vec3& d : u) d = d / longest;
}

}  // namespace

Wobble Laboratory::wobble(const Mesh& mesh, const Material& material, double dt) const {
    World world = this->world({});
    Body body = world.add_body(mesh, material, {.model = model_});
    const std::size_t n = body.positions().size();
    const double rest = ellipticity(body, n);
    constexpr double stretch = 1.04;
    const Vec3 centre = body.centre_of_mass();
    std::vector<Vec3> start = positions_of(body);
    for (Vec3& p : start) {
        const Vec3 r = p - centre;
        p = centre + Vec3{r.x / std::sqrt(stretch), r.y * stretch, r.z / std::sqrt(stretch)};
    }
    body.set_positions(start);
    return watch(world, body, dt, [&] { return ellipticity(body, n) - rest; });
}

Wobble Laboratory::wobble(const Mesh& mesh, const Material& material, double dt,
                          std::span<const Vec3> shape) const {
    World world = this->world({});
    Body body = world.add_body(mesh, material, {.model = model_});
    const std::vector<Vec3> rest = positions_of(body);
    body.set_positions(displaced(rest, shape, 0.02 * body.size()));
    return watch(world, body, dt, [&] {
        double along = 0;
        for (std::size_t i = 0; i < rest.size(); ++i)
            along += dot(shape[i], body.position(i) - rest[i]);
        return along;
    });
}

std::vector<Vec3> Laboratory::softest_shape(const Mesh& mesh, Material material) const {
    // After a period of the softest mode that one is where it was, but for its decay; others decay
    // faster.
    material.damping_ratio = 0.6;
    World world = this->world({});
    Body body = world.add_body(mesh, material, {.model = model_});
    const std::vector<Vec3> rest = positions_of(body), still(rest.size());
    std::vector<Vec3> shape = random_polynomial(rest, body.size());
    make_unit(shape, rest);
    constexpr int rounds = 80;
    const double period = body.size() / material.frequency;
    for (int k = 0; k < rounds; ++k) {
        body.set_positions(displaced(rest, shape, 0.02 * body.size()));
        body.set_velocities(still);
        const double end = world.time() + period;
        while (world.time() < end) world.step(period / 32);
        shape = positions_of(body);
        for (std::size_t i = 0; i < shape.size(); ++i) shape[i] -= rest[i];
        make_unit(shape, rest);
    }
    return shape;
}

}  // namespace turgor::measure
