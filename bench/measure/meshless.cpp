#include "measure/meshless.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace turgor::measure {
namespace {

double height(const Body& body) {
    const Bounds box = body.bounds();
    return box.upper.y - box.lower.y;
}

/// Rms over vertices of how far each stands out, along its normal, from the mean of its neighbours
/// [m].
double roughness(const Body& body, const Mesh& mesh) {
    const std::size_t n = mesh.vertices.size();
    std::vector<Vec3> around(n);
    std::vector<double> count(n);
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            around[t[k]] += body.position(t[(k + 1) % 3]);
            count[t[k]] += 1;
        }
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3f up = body.normals()[i];
        const double out = dot(Vec3{up.x, up.y, up.z}, body.position(i) - around[i] / count[i]);
        sum += out * out;
    }
    return std::sqrt(sum / static_cast<double>(n));
}

/// From the middle of what is uppermost in `mesh` to that of what is lowest, however it is turned.
double thickness(const Body& body, const Mesh& mesh) {
    const Bounds box = bounds(mesh);
    const double margin = 0.01 * (box.upper.y - box.lower.y);
    Vec3 top, bottom;
    double above = 0, below = 0;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const double y = mesh.vertices[i].y;
        if (y > box.upper.y - margin) top += body.position(i), ++above;
        if (y < box.lower.y + margin) bottom += body.position(i), ++below;
    }
    return norm(top / above - bottom / below);
}

double volume_error(const Body& body) {
    return std::abs(body.volume() / body.rest_volume() - 1);
}

/// By how much the far end of a bar along x is turned against the near one [degrees], beyond ±180
/// as well: added up from slice to slice.
double twist_of(const Body& body, const Mesh& bar, double half_length) {
    constexpr int slices = 24;
    double total = 0, before = 0;
    for (int k = 0; k < slices; ++k) {
        // The angle of a slice: of what lies in it, against where it was.
        const double lower = -half_length + 2 * half_length * k / slices,
                     upper = lower + 2 * half_length / slices;
        double sine = 0, cosine = 0;
        Vec3 middle;
        int count = 0;
        for (std::size_t i = 0; i < bar.vertices.size(); ++i)
            if (bar.vertices[i].x >= lower - 1e-9 && bar.vertices[i].x <= upper + 1e-9)
                middle += body.position(i), ++count;
        if (count == 0) continue;
        middle = middle / count;
        for (std::size_t i = 0; i < bar.vertices.size(); ++i) {
            const Vec3 q = bar.vertices[i];
            if (q.x < lower - 1e-9 || q.x > upper + 1e-9) continue;
            const Vec3 p = body.position(i) - middle;
            cosine += q.y * p.y + q.z * p.z;
            sine += q.y * p.z - q.z * p.y;
        }
        const double angle = std::atan2(sine, cosine);
        if (k > 0) total += std::remainder(angle - before, 2 * std::numbers::pi);
        before = angle;
    }
    return std::abs(total) * 180 / std::numbers::pi;
}

}  // namespace

Mesh meshless_bar() {
    return shapes::bar({1.5, 0.3, 0.3}, 31);
}

Flips spin_brick(double spin, double dt) {
    World world = world_of(Backend::cpu, false, {});
    const Mesh mesh = shapes::bar({0.6, 0.2, 0.4}, 7);
    BodyOptions options;
    options.model = MeshlessModel{.mode = MeshlessModel::Mode::rigid, .stiffness = 1};
    options.angular_velocity = spin * Vec3{0.01, 0.01, 1};
    Body body = world.add_body(mesh, Material::named("rubber"), options);
    const std::size_t n = mesh.vertices.size();
    // A vertex above the middle axis, which is z, shows where that axis points.
    const auto axis = [&] {
        Vec3 up;
        for (std::size_t i = 0; i < n; ++i) up += mesh.vertices[i].z * body.position(i);
        return up.z;
    };
    const Vec3 angular = body.angular_momentum();
    const double energy = body.kinetic_energy();
    Flips flips;
    double before = axis();
    while (world.time() < 20 - dt / 2) {
        world.step(dt);
        const double now = axis();
        if (now * before < 0) flips.times.push_back(world.time() - dt * now / (now - before));
        before = now;
        flips.energy = std::max(flips.energy, std::abs(body.kinetic_energy() / energy - 1));
        flips.angular =
            std::max(flips.angular, norm(body.angular_momentum() - angular) / norm(angular));
    }
    return flips;
}

TwistKept keep_twist(Backend backend, const Model& model, const Material& material,
                     double degrees) {
    World world = world_of(backend, false, {});
    constexpr double half_length = 1;
    const Mesh bar = shapes::bar({2 * half_length, 0.3, 0.3}, 41);
    BodyOptions options;
    options.model = model;
    options.self_contact = false;
    Body body = world.add_body(bar, material, options);
    std::vector<std::uint32_t> ends[2];
    for (std::uint32_t i = 0; i < bar.vertices.size(); ++i)
        if (std::abs(bar.vertices[i].x) > 0.9 * half_length)
            ends[bar.vertices[i].x > 0].push_back(i);
    constexpr double turning = 2, holding = 1, free = 4;  // [s]
    HandleId pins[2];
    for (const int end : {0, 1}) {
        Path path;
        const int keys = 1 + static_cast<int>(std::ceil(degrees / 90));
        for (int k = 0; k <= keys; ++k) {
            const double share = static_cast<double>(k) / keys;
            const double angle = (end == 1 ? 0.5 : -0.5) * share * degrees * std::numbers::pi / 180;
            path.keys.push_back({share * turning, {{}, Quat::about({1, 0, 0}, angle)}});
        }
        pins[end] = body.pin(ends[end], path);
    }
    TwistKept kept;
    const auto run = [&](double until) {
        while (world.time() < until) {
            world.step();
            kept.volume = std::max(kept.volume, volume_error(body));
        }
    };
    run(turning + holding);
    for (const HandleId pin : pins) body.release(pin);
    run(turning + holding + free);
    kept.degrees = twist_of(body, bar, half_length);
    kept.speed = body.max_speed();
    return kept;
}

Pressed press(Backend backend, const Model& model, const Material& material, const Mesh& mesh,
              double to, double seconds) {
    World world = world_of(backend, true, {});
    const Bounds box = bounds(mesh);
    const double tall = box.upper.y - box.lower.y;
    // The lower one stays; the upper one comes down, waits and goes.
    world.add_collider(Collider::box({0, -tall, 0}, {4 * tall, tall, 4 * tall}));
    Collider plate = Collider::box({0, 1.15 * tall, 0}, {4 * tall, 0.1 * tall, 4 * tall});
    Path path;
    path.keys = {{0.0, {}},
                 {1.0, {{0, (to - 1.05) * tall, 0}, {}}},
                 {1.5, {{0, (to - 1.05) * tall, 0}, {}}},
                 {2.0, {{0, tall, 0}, {}}}};
    plate.path = path;
    world.add_collider(plate);
    BodyOptions options;
    options.model = model;
    options.position = {0, -box.lower.y, 0};
    Body body = world.add_body(mesh, material, options);
    Pressed result;
    double rough = 0;
    while (world.time() < 2 + seconds) {
        world.step();
        if (std::abs(world.time() - 1.5) < 0.003) {
            result.pressed = height(body) / tall;
            rough = roughness(body, mesh);
        }
        if (world.time() > 0.1) result.volume = std::max(result.volume, volume_error(body));
    }
    result.height = height(body) / tall;
    result.thickness = thickness(body, mesh) / tall;
    result.roughness = roughness(body, mesh) / rough;
    const Vec3 drift = body.momentum() / body.mass();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        result.speed = std::max(result.speed, norm(body.velocity(i) - drift) / body.size());
    result.asleep = body.asleep();
    return result;
}

}  // namespace turgor::measure
