#include "measure/measure.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "mesh/measures.hpp"
#include "scene/starts.hpp"

namespace turgor::measure {
namespace {

double relative_volume_error(const Body& body) {
    return body.recovering() ? 0 : std::abs(body.volume() / body.rest_volume() - 1);
}

Vec3 lowest_at(const Mesh& mesh, double height) {
    return {0, height - bounds(mesh).lower.y, 0};
}

/// Runs a world until `end` and keeps an eye on its body.
Ordeal endure(std::string name, World& world, Body body, double end) {
    Ordeal ordeal{std::move(name)};
    while (world.time() < end) {
        world.step();
        ordeal.recovered = ordeal.recovered || body.recovering();
        ordeal.volume = std::max(ordeal.volume, relative_volume_error(body));
        ordeal.penetration = std::max(ordeal.penetration, world.report().max_penetration);
    }
    return ordeal;
}

/// Of a body about the origin, whose vertices may be others than those of its mesh.
std::vector<std::uint32_t> end_of(const Body& body, double sign) {
    const double reach = body.bounds().upper.x;
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i)
        if (sign * body.position(i).x > 0.98 * reach) vertices.push_back(i);
    return vertices;
}

}  // namespace

std::vector<Vec3> positions_of(const Body& body) {
    std::vector<Vec3> x(body.positions().size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = body.position(i);
    return x;
}

World world_of(Backend backend, bool sleeping, Vec3 gravity) {
    WorldSettings settings;
    settings.backend = backend;
    settings.gravity = gravity;
    settings.sleeping = sleeping;
    return World(settings);
}

Laboratory::Laboratory(Backend backend, Model model)
    : backend_(world_of(backend, false).backend()), model_(std::move(model)) {}

Tolerances Laboratory::tolerances() const {
    return backend_ == Backend::reference ? Tolerances{1e-9, 1e-9, 1e-6}
           : backend_ == Backend::opencl  ? Tolerances{1e-6, 1e-6, 1e-5}
                                          : Tolerances{1e-7, 1e-6, 1e-5};
}

World Laboratory::world(Vec3 gravity) const {
    return world_of(backend_, false, gravity);
}

Difference difference_after_one_step(Backend backend, const Mesh& mesh, const Material& material,
                                     int steps) {
    World exact = world_of(Backend::reference, false), fast = world_of(backend, false);
    Difference largest;
    constexpr double h = 0.005;
    exact.add_collider(Collider::ground());
    BodyOptions options;
    options.position = lowest_at(mesh, 0.1);
    options.velocity = {1, -3, 0};
    options.angular_velocity = {1, 2, 3};
    const BodyId id = exact.add_body(mesh, material, options).id();
    for (int k = 0; k < steps; ++k) {
        const bool compare = k % 3 == 0;
        if (compare) fast.restore(exact.snapshot());
        exact.step(h);
        if (!compare) continue;
        fast.step(h);
        const Body a = exact.body(id), b = fast.body(id);
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            largest.position =
                std::max(largest.position, norm(a.position(i) - b.position(i)) / a.size());
            largest.velocity =
                std::max(largest.velocity, h * norm(a.velocity(i) - b.velocity(i)) / a.size());
        }
    }
    return largest;
}

Mesh of_size(Mesh mesh, double size) {
    const double now = sphere_diameter(volume(mesh));
    const Vec3 centre = bounds(mesh).centre();
    return transformed(transformed(std::move(mesh), -centre), {}, size / now);
}

std::vector<Specimen> demo_shapes(std::size_t vertices) {
    const int rings = static_cast<int>(std::lround(std::sqrt(static_cast<double>(vertices))));
    const int cells = static_cast<int>(std::lround(std::sqrt(static_cast<double>(vertices) / 6)));
    std::vector<Specimen> shapes{{"sphere", shapes::uv_sphere(0.5, rings, rings)},
                                 {"torus", shapes::torus(0.5, 0.22, rings * 5 / 4, rings * 4 / 5)},
                                 {"cube", shapes::cube(0.8, cells + 1)},
                                 {"bear", shapes::gummy_bear(1.3, vertices)},
                                 {"duck", shapes::rubber_duck(1.2, vertices)}};
    for (Specimen& shape : shapes) shape.mesh = of_size(shape.mesh, 1);
    return shapes;
}

Drift Laboratory::momentum_drift(const Mesh& mesh, VolumeMode mode, int steps) const {
    World world = this->world({});
    BodyOptions options;
    options.model = model_;
    options.volume = mode;
    Body body = world.add_body(mesh, Material::named("jelly"), options);
    Random random(7);
    const Vec3 centre = body.centre_of_mass(), spin{1, 2, -1};
    std::vector<Vec3> v(body.positions().size());
    double scale = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = Vec3{0.3, -0.2, 0.1} + cross(spin, body.position(i) - centre) + random.in_cube();
        scale += body.mass() / static_cast<double>(v.size()) * norm(v[i]);
    }
    body.set_velocities(v);
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    Drift drift;
    for (int k = 0; k < steps; ++k) {
        world.step();
        drift.linear = std::max(drift.linear, norm(body.momentum() - linear) / scale);
        drift.angular =
            std::max(drift.angular, norm(body.angular_momentum() - angular) / norm(angular));
        drift.volume = std::max(drift.volume, relative_volume_error(body));
    }
    return drift;
}

Rest Laboratory::lie_down(const Mesh& mesh, const Material& material, double seconds,
                          double dt) const {
    World world = this->world();
    world.add_collider(Collider::ground());
    BodyOptions options;
    options.model = model_;
    options.position = lowest_at(mesh, 0);
    Body body = world.add_body(mesh, material, options);
    body.teleport(body.centre_of_mass() + Vec3{0, 0.25 * body.size(), 0});
    Rest rest;
    Vec3 half_way;
    const int steps = static_cast<int>(std::lround(seconds / dt));
    for (int k = 0; k < steps; ++k) {
        world.step(dt);
        rest.volume = std::max(rest.volume, relative_volume_error(body));
        if (k == steps / 2) half_way = body.centre_of_mass();
    }
    rest.max_speed = body.max_speed();
    const Vec3 moved = body.centre_of_mass() - half_way;
    rest.creep = std::hypot(moved.x, moved.z) / body.size();
    return rest;
}

Landing Laboratory::land(const Mesh& mesh, const Material& material, double dt) const {
    World world = this->world();
    world.add_collider(Collider::ground());
    const double height = bounds(mesh).extent().y;
    BodyOptions options;
    options.model = model_;
    options.position = lowest_at(mesh, 0.5 * height);
    Body body = world.add_body(mesh, material, options);
    const double start = body.centre_of_mass().y;
    double lowest = start, highest = 0;
    bool rising = false, falling_again = false;
    double before = start;
    while (world.time() < 8) {
        world.step(dt);
        const double y = body.centre_of_mass().y;
        if (!rising) lowest = std::min(lowest, y);
        if (y > before && !world.report().contacts && !falling_again) rising = true;
        if (!rising && y > lowest) rising = true;
        if (rising && !falling_again) highest = std::max(highest, y);
        if (rising && y < before) falling_again = true;
        before = y;
    }
    return {1 - body.bounds().extent().y / height, (highest - lowest) / (start - lowest)};
}

Recovery Laboratory::recover_from(const Mesh& mesh, const Material& material,
                                  BodyStart start) const {
    World world = this->world({});
    Body body = world.add_body(mesh, material, {.model = model_});
    body.set_positions(start_positions(start, positions_of(body), body.normals(), body.size(), 3));
    Recovery recovery;
    while (world.time() < 2 - 1e-9) {
        world.step();
        recovery.shape_error = body.shape_error();
        if (recovery.shape_error >= 0.01) recovery.seconds = -1;
        if (recovery.shape_error < 0.01 && recovery.seconds < 0) recovery.seconds = world.time();
    }
    return recovery;
}

Ordeal Laboratory::squeeze(double to_height) const {
    World world = this->world();
    world.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.1, 0}, {2, 0.1, 2});
    plate.path = {
        {{0, {}}, {1.5, {{0, to_height - 1, 0}, {}}}, {2, {{0, to_height - 1, 0}, {}}}, {3, {}}},
        false,
        true};
    world.add_collider(plate);
    BodyOptions options;
    options.model = model_;
    options.position = {0, 0.5, 0};
    Body ball = world.add_body(shapes::uv_sphere(0.5, 20, 19), Material::named("gummy"), options);
    return endure("a ball squeezed to " + std::to_string(static_cast<int>(100 * to_height + 0.5)) +
                      " % of its height",
                  world, ball, 3.5);
}

Ordeal Laboratory::impact(double speed) const {
    World world = this->world();
    world.add_collider(Collider::ground());
    BodyOptions options;
    options.model = model_;
    options.position = {0, 0.6, 0};
    options.velocity = {0, -speed, 0};
    Body ball = world.add_body(shapes::uv_sphere(0.5, 20, 19), Material::named("gummy"), options);
    return endure("a ball hitting the ground at 15 m/s", world, ball, 1.5);
}

Ordeal Laboratory::turn_bar(const char* name, Vec3 axis, double degrees, double approach) const {
    const Mesh bar = shapes::bar({3, 0.6, 0.6}, 31);
    World world = this->world({});
    Body body = world.add_body(bar, Material::named("gummy"), {.model = model_});
    body.pin(end_of(body, -1));
    Path path;
    constexpr int keys = 16;
    for (int k = 0; k <= keys; ++k) {
        const double share = static_cast<double>(k) / keys,
                     angle = share * degrees * std::numbers::pi / 180;
        // A bend leads the end round a half circle of the bar's own length; a twist leaves it where
        // it is.
        const double radius = approach > 0 ? 3 / std::numbers::pi : 0;
        const Vec3 way =
            approach > 0 ? share * Vec3{-3, 0, 0} + std::sin(angle) * Vec3{0, radius, 0} : Vec3{};
        path.keys.push_back({3 * share, {way, Quat::about(axis, angle)}});
    }
    body.pin(end_of(body, 1), path);
    return endure(name, world, body, 4);
}

std::vector<Ordeal> Laboratory::ordeals() const {
    return {squeeze(0.3), squeeze(0.15), impact(15),
            turn_bar("a bar twisted by 720°", {1, 0, 0}, 720, 0),
            turn_bar("a bar bent by 180°", {0, 0, 1}, 180, 1)};
}

Stability Laboratory::random_combinations(int runs, std::uint64_t seed) const {
    const std::vector<Specimen> shapes = demo_shapes(200);
    Stability result;
    for (int run = 0; run < runs; ++run) {
        Random random(seed + static_cast<std::uint64_t>(run));
        const Specimen& shape = shapes[random.bits() % shapes.size()];
        Material m;
        m.alpha = random.between(0, 1);
        m.beta = random.between(0, 1);
        m.friction = random.between(0, 2);
        m.restitution = random.between(0, 1);
        m.damping_ratio = random.between(0, 2);
        if (random.between(0, 1) < 0.5) {
            m.omega = 1 + static_cast<int>(random.bits() % 5);
            m.stiffness = random.between(0, 1);
            m.damping = random.between(0, 1);
        } else {
            m.frequency = std::pow(10, random.between(-1, 1.7));
        }
        const double dt = std::pow(10, random.between(-4, -1));
        World world = this->world();
        world.add_collider(Collider::ground());
        BodyOptions options;
        options.model = model_;
        options.volume = random.between(0, 1) < 0.5 ? VolumeMode::local : VolumeMode::global;
        options.position = {0, 1.2, 0};
        options.velocity = 5.0 * random.in_cube();
        options.angular_velocity = 5.0 * random.in_cube();
        Body body = world.add_body(shape.mesh, m, options);
        const Vec3 start = body.centre_of_mass();
        Status status;
        const int steps = std::clamp(static_cast<int>(1.5 / dt), 30, 200);
        double volume = 0, reach = 0;
        for (int k = 0; k < steps && status.ok(); ++k) {
            world.step(dt, &status);
            if (!status.ok() || !world.finite()) break;
            volume = std::max(volume, relative_volume_error(body));
            const Bounds box = body.bounds();
            reach = std::max({reach, norm(box.lower - start), norm(box.upper - start)});
        }
        // Thrown at up to 9 m/s for this long, and no energy from nowhere.
        const double farthest = 4 + 15 * dt * steps + 5 * dt * steps * dt * steps;
        ++result.runs;
        result.volume = std::max(result.volume, volume);
        result.reach = std::max(result.reach, reach);
        if (status.ok() && world.finite() && volume <= tolerances().volume && reach < farthest)
            continue;
        if (result.failed++ == 0)
            result.worst = shape.name + ", run " + std::to_string(run) + ", step " +
                           std::to_string(dt) + " s, volume error " + std::to_string(volume) +
                           ", reach " + std::to_string(reach) + " " + status.message;
    }
    return result;
}

}  // namespace turgor::measure
