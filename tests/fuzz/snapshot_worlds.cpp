#include "fuzz/snapshot_worlds.hpp"

#include "turgor/turgor.hpp"

namespace turgor::fuzz {
namespace {

void run(World& world, int steps) {
    for (int k = 0; k < steps; ++k) world.step();
}

Mesh ball() {
    return shapes::icosphere(0.4, 1);
}

/// Pins, drags, follows and forces.
void handles(World& world) {
    world.add_collider(Collider::ground());
    const Path lift{{{0, {}}, {1, {{0, 0.3, 0}, Quat::about({0, 1, 0}, 1)}}}, true, true};
    Body pinned = world.add_body(ball(), Material::named("jelly"), {.position = {0, 1, 0}});
    pinned.pin(std::vector<std::uint32_t>{0, 1, 2}, lift);
    Body dragged = world.add_body(ball(), Material::named("gummy"), {.position = {2, 0.4, 0}});
    dragged.drag(std::vector<std::uint32_t>{3, 4}, {2, 1.5, 0});
    dragged.set_force({1, 0, 2});
    dragged.set_force(5, {3, 0, 0});
    Body led = world.add_body(ball(), {}, {.position = {4, 1, 0}});
    std::vector<Vec3> targets;
    for (const Vec3& p : ball().vertices) targets.push_back(p + Vec3{4, 1.1, 0});
    std::vector<double> strength(targets.size(), 0.3);
    strength[0] = 1;
    strength[1] = 0;
    led.follow(targets, strength);
    run(world, 5);
}

/// Rigid bodies of all shapes on soft ones, which touch each other, too.
void rigids(World& world) {
    world.add_collider(Collider::ground());
    for (int k = 0; k < 2; ++k)
        world.add_body(shapes::cube(0.6, 3), Material::named("gummy"),
                       {.position = {0.61 * k, 0.3, 0}});
    world.add_rigid(RigidBody::sphere({0, 0.7, 0}, 0.1));
    RigidBody box = RigidBody::box({0.3, 0.7, 0.1}, {0.1, 0.05, 0.1}, Quat::about({1, 1, 0}, 0.3));
    box.mass = 3;
    world.add_rigid(box);
    world.add_rigid(RigidBody::capsule({0.6, 0.75, 0}, 0.08, 0.3, Quat::about({1, 0, 0}, 1.5)));
    RigidBody stone = RigidBody::convex(shapes::icosphere(0.12, 0), {0.5, 0.72, 0.2});
    world.add_rigid(stone);
    RigidBody driven = RigidBody::sphere({0, 0.68, -0.2}, 0.1);
    driven.driven_by_host = true;
    world.add_rigid(driven).set_force({0, -1, 0}, {1, 0, 0});
    run(world, 30);
}

/// Colliders of all shapes, at rest, on paths and moved from outside, with frictions of pairs.
void colliders(World& world) {
    Collider ground = Collider::ground();
    ground.surface = "ice";
    ground.friction = 0.2;
    ground.static_friction = 0.3;
    world.add_collider(ground);
    Collider ball_collider = Collider::sphere({0, 1.2, 0}, 0.2);
    ball_collider.path = {{{0, {}}, {0.5, {{0, -0.2, 0}, Quat::about({0, 0, 1}, 2)}}}, true, true};
    world.add_collider(ball_collider);
    world.add_collider(Collider::box({0.7, 0.2, 0}, {0.2, 0.2, 0.2}, Quat::about({1, 2, 0}, 0.5)));
    Collider sensor = Collider::capsule({-0.7, 0.3, 0}, 0.2, 0.6);
    sensor.sensor = true;
    sensor.restitution = 0.5;
    world.add_collider(sensor);
    world.add_collider(Collider::cup({0, 0, 0.9}, 0.4, 0.3));
    const ColliderId moved =
        world.add_collider(Collider::mesh(shapes::icosphere(0.3, 0), {{0, 0.1, -0.7}, {}}));
    Mesh sheet{"sheet", {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}};
    world.add_collider(Collider::shell(sheet, 0.05, {{0, 0.1, 0}, {}}));
    std::vector<double> heights(12);
    for (std::size_t k = 0; k < heights.size(); ++k) heights[k] = 0.02 * static_cast<double>(k % 5);
    world.add_collider(Collider::height_field(4, 3, heights, 0.5, 0.5));
    world.set_friction("ice", "rubber", {0.1, 0.2, 0.3});
    world.set_friction("ice", "ice", {0.5, {}, {}});
    for (int k = 0; k < 3; ++k)
        world.add_body(
            shapes::icosphere(0.2, 1), Material::named("rubber"),
            {.position = {0.5 * k - 0.5, 0.45, 0.2 * k - 0.3}, .filter = {1u << k, 0xffffffff}});
    run(world, 20);
    world.move_collider(moved, {{0.1, 0.15, -0.6}, Quat::about({0, 1, 0}, 0.1)});
}

/// A body that touches itself, one put through itself, one asleep, one recovering with a display
/// mesh, some with masses and weights of their own.
void states(World& world) {
    world.add_collider(Collider::ground());
    Material material = Material::named("gummy");
    material.omega = 2;
    material.stiffness = 0.9;
    material.damping = 0.1;
    world.add_body(shapes::cube(0.4, 3), Material::named("dough"), {.position = {3, 0.2, 0}});
    run(world, 300);
    Body folded =
        world.add_body(shapes::bar({1.2, 0.12, 0.12}, 13), material, {.position = {0, 0.5, 0}});
    std::vector<Vec3> bent;
    for (const Vec3& p : shapes::bar({1.2, 0.12, 0.12}, 13).vertices) {
        const double radius = 0.2, angle = p.x / radius, r = radius - p.y;
        bent.push_back({r * std::sin(angle), 0.5 + radius - r * std::cos(angle), p.z});
    }
    folded.set_positions(bent);
    run(world, 3);
    const auto numbers = [](double from, double to) {
        std::vector<double> all;
        for (const Vec3& p : ball().vertices) all.push_back(from + (to - from) * (p.y + 0.4) / 0.8);
        return all;
    };
    world.add_body(ball(), {},
                   {.position = {-6, 1, 0},
                    .model = MeshlessModel{},
                    .relative_masses = numbers(1, 5),
                    .matching_weights = numbers(0.9, 0.1)});
    world.add_body(ball(), {}, {.position = {-8, 1, 0}, .relative_masses = numbers(5, 1)});
    const Mesh fine = shapes::icosphere(0.4, 2);
    Body lost = world.add_body(ball(), {}, {.position = {-2, 1, 0}, .display = &fine});
    lost.set_positions(std::vector<Vec3>(lost.positions().size(), Vec3{-2, 1, 0}));
    run(world, 2);
    // Changed from outside, not yet taken over.
    world.add_body(ball(), {}, {.position = {-4, 1, 0}});
}

}  // namespace

std::vector<Seed> seeds() {
    struct Kind {
        const char* name;
        void (*fill)(World&);
    };
    std::vector<Seed> all;
    for (const Kind& kind : {Kind{"handles", handles}, Kind{"rigids", rigids},
                             Kind{"colliders", colliders}, Kind{"states", states}})
        for (const char* form : {"cpu", "reference", "paper"}) {
            WorldSettings settings;
            settings.threads = 1;
            if (form != std::string("cpu")) settings.backend = Backend::reference;
            if (form == std::string("paper")) settings.formulation = Formulation::paper();
            // The formulation as published tells little about rest and recovery.
            if (form == std::string("paper") && kind.fill == states) continue;
            World world(settings);
            kind.fill(world);
            all.push_back({std::string(kind.name) + " " + form, world.snapshot()});
        }
    return all;
}

}  // namespace turgor::fuzz
