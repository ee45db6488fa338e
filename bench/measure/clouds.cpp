#include "measure/clouds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/random.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor::measure {
namespace {

constexpr double dt = 0.005;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

WorldSettings settings_for(Backend backend) {
    WorldSettings settings;
    settings.backend = backend;
    settings.threads = 1;
    settings.sleeping = false;
    return settings;
}

double step_ms(World& world) {
    const auto start = std::chrono::steady_clock::now();
    world.step(dt);
    return 1e3 * seconds_since(start);
}

void fly(Backend backend, const Mesh& cage, BodyOptions options, CloudFigures& out) {
    WorldSettings settings = settings_for(backend);
    settings.gravity = {};
    World world(settings);
    options.velocity = {1, 2, -1};
    options.angular_velocity = {3, -2, 5};
    const Body body = world.add_body(cage, Material::named("gummy"), options);
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    std::vector<double> ms;
    for (int i = 0; i < 800; ++i) {
        ms.push_back(step_ms(world));
        out.momentum = std::max(out.momentum, norm(body.momentum() - linear) / norm(linear));
        out.angular =
            std::max(out.angular, norm(body.angular_momentum() - angular) / norm(angular));
        out.volume = std::max(out.volume, std::abs(body.volume() / body.rest_volume() - 1));
    }
    out.flying = median(ms);
    out.particles = world.particles();
}

void land(Backend backend, const Mesh& cage, BodyOptions options, CloudFigures& out) {
    World world(settings_for(backend));
    world.add_collider(Collider::ground());
    const Bounds box = bounds(cage);
    options.position.y = 0.5 * box.extent().y - box.lower.y;
    const Body body = world.add_body(cage, Material::named("gummy"), options);
    std::vector<double> ms;
    for (int i = 0; i < 1200; ++i) {
        const double now = step_ms(world);
        const double low = -body.bounds().lower.y / body.size();
        if (low > -1e-3) ms.push_back(now);
        out.cage_penetration = std::max(out.cage_penetration, low);
        out.volume = std::max(out.volume, std::abs(body.volume() / body.rest_volume() - 1));
        if (i % 10 == 0)
            for (const Vec3f& p : body.display_positions())
                out.penetration = std::max(out.penetration, -double{p.y} / body.size());
    }
    out.penetration = std::max(out.penetration, out.cage_penetration);
    out.touching = median(ms);
    out.speed = norm(body.momentum()) / body.mass();
}

}  // namespace

Mesh scanned(const Mesh& mesh, std::size_t points, double uneven) {
    Random random(2);
    std::vector<double> until;
    double whole = 0;
    const Bounds box = bounds(mesh);
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto& x = mesh.vertices;
        const Vec3 middle = (x[a] + x[b] + x[c]) / 3.0;
        const double front = (middle.z - box.lower.z) / box.extent().z;
        whole += norm(cross(x[b] - x[a], x[c] - x[a])) * (1 + (uneven - 1) * front);
        until.push_back(whole);
    }
    Mesh cloud{mesh.name, {}, {}};
    while (cloud.vertices.size() < points) {
        const auto at = std::ranges::upper_bound(until, random.between(0, whole));
        const auto t =
            std::min<std::size_t>(until.size() - 1, static_cast<std::size_t>(at - until.begin()));
        double u = random.between(0, 1), v = random.between(0, 1);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const auto& [a, b, c] = mesh.triangles[t];
        cloud.vertices.push_back(mesh.vertices[a] + u * (mesh.vertices[b] - mesh.vertices[a]) +
                                 v * (mesh.vertices[c] - mesh.vertices[a]));
    }
    return cloud;
}

CloudFigures cloud_figures(Backend backend, const Mesh& mesh, std::size_t points, double uneven) {
    const Mesh cloud = scanned(mesh, points, uneven);
    CloudFigures out;
    BodyOptions options;
    options.model = MeshlessModel{};
    options.display = &cloud;
    const auto start = std::chrono::steady_clock::now();
    const Mesh cage = wrap(cloud, 2000);
    {
        World world(settings_for(backend));
        world.add_body(cage, Material::named("gummy"), options);
    }
    out.prepared = seconds_since(start);
    out.cage_volume = std::abs(volume(cage) / volume(mesh) - 1);
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    double square = 0;
    for (const Vec3& p : cage.vertices) square += std::pow(tree.nearest(p).distance, 2);
    out.cage_distance = std::sqrt(square / static_cast<double>(cage.vertices.size())) /
                        std::cbrt(6 / 3.14159265358979 * volume(mesh));
    fly(backend, cage, options, out);
    land(backend, cage, options, out);
    return out;
}

}  // namespace turgor::measure
