#include "measure/rigid.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor::measure {
namespace {

Vec3 whole_momentum(World& world) {
    Vec3 sum;
    for (const Body& b : world.bodies()) sum += b.momentum();
    for (const Rigid& r : world.rigids()) sum += r.momentum();
    return sum;
}

Vec3 whole_angular_momentum(World& world) {
    Vec3 sum;
    for (const Body& b : world.bodies())
        sum += b.angular_momentum() + cross(b.centre_of_mass(), b.momentum());
    for (const Rigid& r : world.rigids())
        sum += r.angular_momentum() + cross(r.pose().position, r.momentum());
    return sum;
}

double whole_energy(World& world) {
    double sum = 0;
    for (const Body& b : world.bodies()) sum += b.kinetic_energy();
    for (const Rigid& r : world.rigids()) sum += r.kinetic_energy();
    return sum;
}

}  // namespace

double depth_of_ball(const Body& soft, Vec3 centre, double radius) {
    std::vector<Vec3> x;
    for (std::size_t k = 0; k < soft.positions().size(); ++k) x.push_back(soft.position(k));
    const TriangleTree tree(x, soft.triangles());
    const double distance = tree.nearest(centre).distance;
    const bool inside = tree.winding_number(centre) > 0.5;
    return std::max(0.0, radius + (inside ? distance : -distance));
}

Drop drop_ball(Backend backend, double mass_ratio, double seconds, int points) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    Material firm = Material::named("rubber");
    firm.frequency = 30;
    firm.damping_ratio = 1;
    const Body cube = world.add_body(shapes::cube(0.4, points), firm, {.position = {0, 0.2, 0}});
    const double radius = 0.12;
    RigidBody made = RigidBody::sphere({0, 0.6, 0}, radius);
    made.mass = mass_ratio * cube.mass();
    const Rigid ball = world.add_rigid(made);
    Drop drop;
    drop.lowest = 1e300;
    const int steps = static_cast<int>(std::round(seconds / 0.005));
    for (int k = 1; k <= steps; ++k) {
        world.step();
        drop.volume = std::max(drop.volume, std::abs(cube.volume() / cube.rest_volume() - 1));
        drop.lowest = std::min(drop.lowest, ball.pose().position.y);
        if (k > steps - 100) drop.late_speed = std::max(drop.late_speed, norm(ball.velocity()));
        if (k % 4 != 0) continue;
        const double depth = depth_of_ball(cube, ball.pose().position, radius) / cube.size();
        drop.penetration = std::max(drop.penetration, depth);
        if (world.time() > 3) drop.late_penetration = std::max(drop.late_penetration, depth);
    }
    drop.height = ball.pose().position.y;
    drop.sideways = std::hypot(ball.pose().position.x, ball.pose().position.z);
    drop.finite = world.finite();
    return drop;
}

Grazing graze_rigid(Backend backend) {
    World world = world_of(backend, true, {});
    world.add_body(shapes::icosphere(0.5, 3), Material::named("gummy"),
                   {.position = {1, 0.4, 0.1}, .velocity = {-3, 0, 0}});
    RigidBody ball = RigidBody::sphere({-1, 0, 0}, 0.3);
    ball.velocity = {3, 0, 0};
    world.add_rigid(ball);
    const double scale = norm(world.bodies()[0].momentum()) + norm(world.rigids()[0].momentum());
    const Vec3 p = whole_momentum(world), l = whole_angular_momentum(world);
    const double e = whole_energy(world);
    Grazing g;
    for (int k = 0; k < 300; ++k) {
        world.step();
        g.linear = std::max(g.linear, norm(whole_momentum(world) - p) / scale);
        g.angular = std::max(g.angular, norm(whole_angular_momentum(world) - l) / norm(l));
        g.energy = std::max(g.energy, whole_energy(world) / e);
    }
    return g;
}

Shots shoot_rigid(Backend backend, Target target, double dt, int count, std::uint64_t seed) {
    Random random(seed);
    Shots shots;
    const Mesh soft = shapes::icosphere(0.1, 3);
    for (int k = 0; k < count; ++k) {
        World world = world_of(backend, true, {});
        const double off = target == Target::plate ? 0.3 : 0.07;
        RigidBody ball =
            RigidBody::sphere({-random.between(0.2, 0.4), off * random.between(-0.7, 0.7),
                               off * random.between(-0.7, 0.7)},
                              0.02);
        const double speed = random.between(5, 100);
        ball.velocity = {speed, 0, 0};
        const Rigid shot = world.add_rigid(ball);
        if (target == Target::plate)
            world.add_collider(Collider::box({}, {0.0025, 1, 1}));
        else
            world.add_body(soft, Material::named("gummy"));
        bool passed = false, touched = target == Target::plate;
        for (double time = 0; time < 0.5 / speed + 0.05; time += dt) {
            world.step(dt);
            touched = touched || !world.events().empty();
            const double limit = target == Target::plate ? 0 : world.bodies()[0].centre_of_mass().x;
            passed = passed || shot.pose().position.x > limit;
        }
        ++shots.fired;
        shots.passed += passed || !touched;
    }
    return shots;
}

Separation separate_rigid(Backend backend, double off) {
    World world = world_of(backend, true, {});
    const Body soft = world.add_body(shapes::icosphere(0.5, 3), Material::named("gummy"));
    const Rigid ball = world.add_rigid(RigidBody::sphere({off, 0, 0}, 0.2));
    Separation separating;
    for (int k = 0; k < 400; ++k) {
        world.step();
        separating.speed = std::max({separating.speed, norm(ball.velocity()), soft.max_speed()});
        if (k % 5 != 0) continue;
        const bool apart = depth_of_ball(soft, ball.pose().position, 0.2) == 0;
        if (!apart) separating.seconds = -1;
        if (apart && separating.seconds < 0) separating.seconds = world.time();
    }
    return separating;
}

double stack_of_boxes(Backend backend, int count, double seconds) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    for (int k = 0; k < count; ++k)
        world.add_rigid(RigidBody::box({0.01 * (k % 2), 0.1 + 0.205 * k, 0}, {0.1, 0.1, 0.1}));
    const Vec3 before = world.rigids().back().pose().position;
    for (double time = 0; time < seconds; time += 0.005) world.step();
    return norm(world.rigids().back().pose().position - before) / 0.2;
}

}  // namespace turgor::measure
