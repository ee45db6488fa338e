#include <gtest/gtest.h>

#include "turgor/turgor.hpp"

/// A little of everything that runs on several threads, short enough for builds with sanitizers;
/// they are what fails here. The asan and tsan presets run all other tests as well.
namespace turgor {
namespace {

World busy_world(int threads) {
    WorldSettings settings;
    settings.backend = Backend::cpu;
    settings.threads = threads;
    World world(settings);
    world.add_collider(Collider::ground());
    Collider cup = Collider::cup({-2, 0, 0}, 0.8, 1, 0.05);
    cup.path = {{{0, {}}, {0.1, {{0.1, 0, 0}, {}}}}, false, true};
    world.add_collider(cup);
    Material material = Material::named("jelly");
    material.omega = 2;
    world.add_body(
        shapes::cube(1, 36), material,
        {.position = {3, 0.6, 0}, .velocity = {0, -3, 0}, .angular_velocity = {1, 2, 0}});
    for (int k = 0; k < 5; ++k)
        world.add_body(shapes::icosphere(0.3, 2), material,
                       {.position = {-2, 0.5 + 0.6 * k, 0}, .velocity = {0.2 * k, -4, 0}});
    Body held = world.add_body(shapes::icosphere(0.3, 2), material, {.position = {0, 0.4, 2}});
    held.pin(std::vector<std::uint32_t>{0, 1});
    held.drag(std::vector<std::uint32_t>{9}, {0, 1, 2});
    held.set_force(5, {0, 20, 0});
    Body flat = world.add_body(shapes::icosphere(0.3, 2), material, {.position = {0, 1, -2}});
    std::vector<Vec3> x;
    for (std::size_t i = 0; i < flat.positions().size(); ++i)
        x.push_back({flat.position(i).x, 1, flat.position(i).z});
    flat.set_positions(x);
    return world;
}

TEST(Sanitized, steps_snapshots_and_pictures) {
    World one = busy_world(1), three = busy_world(3);
    for (int k = 0; k < 25; ++k) {
        one.step();
        three.step();
        for (const Body& body : three.bodies()) EXPECT_FALSE(body.normals().empty());
    }
    EXPECT_EQ(one.state_hash(), three.state_hash());
    const auto saved = three.snapshot();
    three.step();
    three.remove_body(three.bodies()[2].id());
    three.step();
    three.restore(saved);
    one.step();
    three.step();
    EXPECT_EQ(one.state_hash(), three.state_hash());
    EXPECT_TRUE(three.finite());
}

TEST(Sanitized, a_body_that_overflows) {
    World world = busy_world(2);
    Body wild = world.bodies()[3];
    wild.apply_impulse({1e300, 0, 0});
    Status status;
    world.step(0.005, &status);
    EXPECT_FALSE(status.ok());
    world.step();
    EXPECT_TRUE(world.finite());
}

TEST(Sanitized, naive_summation_and_the_reference) {
    for (const auto& [backend, summation] : {std::pair(Backend::cpu, Summation::naive),
                                             std::pair(Backend::reference, Summation::fast)}) {
        WorldSettings settings;
        settings.backend = backend;
        settings.summation = summation;
        World world(settings);
        world.add_collider(Collider::ground());
        world.add_body(shapes::rubber_duck(0.5, 300), {}, {.position = {0, 0.4, 0}});
        for (int k = 0; k < 10; ++k) world.step();
        EXPECT_TRUE(world.finite());
    }
}

}  // namespace
}  // namespace turgor
