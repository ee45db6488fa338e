#include <cmath>

#include "on_device.hpp"
#include "step/device_world.hpp"
#include "triangle_shapes.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

/// A body at a collider of triangles, on the cpu and on the device.
class TriangleColliders : public OnDevice {
protected:
    static std::size_t launches_of(const World& world, const std::string& kernel) {
        for (const auto& [name, time] : Inspection::device(world)->kernels())
            if (name == kernel) return time.launches;
        return 0;
    }

    struct ColliderCase {
        std::string name;
        std::vector<Collider> colliders;
        Mesh body;
        BodyOptions options;
        double most_different = 1e-3;
        std::string material = "gummy";
    };

    static World make_world(const ColliderCase& scenario, Backend backend) {
        World world(on(backend));
        for (const Collider& collider : scenario.colliders) world.add_collider(collider);
        BodyOptions options = scenario.options;
        options.self_contact = false;
        world.add_body(scenario.body, Material::named(scenario.material), options);
        return world;
    }

    /// Steps both worlds together; what must hold in every step is looked at in every step.
    static void expect_as_on_the_cpu(const ColliderCase& scenario, int steps = 80) {
        SCOPED_TRACE(scenario.name);
        World device = make_world(scenario, Backend::opencl),
              cpu = make_world(scenario, Backend::cpu);
        std::size_t most_contacts = 0;
        double deepest = 0, deepest_on_cpu = 0;
        for (int k = 0; k < steps; ++k) {
            const std::size_t launched = launches_of(device, "begin_step");
            device.step();
            cpu.step();
            ASSERT_GT(launches_of(device, "begin_step"), launched) << "left to the cpu, " << k;
            ASSERT_LT(worst_volume(device), 1e-6) << k;
            deepest = std::max(deepest, device.report().max_penetration);
            deepest_on_cpu = std::max(deepest_on_cpu, cpu.report().max_penetration);
            most_contacts = std::max(most_contacts, device.report().contacts);
        }
        EXPECT_LT(deepest, 1.1 * deepest_on_cpu + 1e-5);
        EXPECT_GT(most_contacts, 5u);
        EXPECT_GT(launches_of(device, "find_triangle_contacts"), 0u);
        EXPECT_LT(difference(device, cpu), scenario.most_different);
        EXPECT_NEAR(static_cast<double>(device.report().contacts),
                    static_cast<double>(cpu.report().contacts),
                    5 + 0.1 * static_cast<double>(cpu.report().contacts));
    }

    static Collider turning(Collider c) {
        c.path = {{{0, c.pose},
                   {0.4, {c.pose.position + Vec3{0.1, 0.15, 0}, Quat::about({0.2, 1, 0}, 0.8)}}},
                  true,
                  true};
        return c;
    }

    static Collider at(Collider c, Vec3 position) {
        c.pose.position = position;
        return c;
    }

    /// A closed plate, and a shell; both thinner than what a fast body moves in a step.
    static Mesh plate() { return shapes::bar({2, 0.02, 2}, 21); }
};

TEST_F(TriangleColliders, a_ball_falls_on_a_cube) {
    expect_as_on_the_cpu({.name = "cube",
                          .colliders = {at(Collider::mesh(shapes::cube(1, 4)), {0, -0.6, 0})},
                          .body = shapes::icosphere(0.3, 3),
                          .options = {.position = {0.05, 0.6, 0.02}, .velocity = {0.3, -3, 0.1}}});
}

TEST_F(TriangleColliders, a_ball_falls_into_a_bowl) {
    expect_as_on_the_cpu({.name = "bowl",
                          .colliders = {Collider::shell(bowl_mesh(0.7, 3, 0), 0.02)},
                          .body = shapes::icosphere(0.25, 3),
                          .options = {.position = {0.15, 0.3, 0.1}, .velocity = {0.5, -2, 0}}});
}

TEST_F(TriangleColliders, a_ball_rolls_over_hills) {
    expect_as_on_the_cpu({.name = "hills",
                          .colliders = {hills(41, 24, 0.1, 0.15, 0.03)},
                          .body = shapes::icosphere(0.25, 3),
                          .options = {.position = {-0.5, 0.5, 0.2}, .velocity = {2, -1, 0.3}}});
}

TEST_F(TriangleColliders, what_moves_and_turns_carries_a_body) {
    expect_as_on_the_cpu(
        {.name = "cube",
         .colliders = {turning(at(Collider::mesh(shapes::cube(0.8, 3)), {0, -0.45, 0}))},
         .body = shapes::cube(0.4, 8),
         .options = {.position = {0.05, 0.3, 0}, .velocity = {0, -1, 0}}});
    expect_as_on_the_cpu({.name = "bowl",
                          .colliders = {turning(Collider::shell(bowl_mesh(0.7, 3, 0), 0.02))},
                          .body = shapes::icosphere(0.25, 3),
                          .options = {.position = {0.1, 0.1, 0.1}}});
}

TEST_F(TriangleColliders, other_shapes_and_sensors_beside_them) {
    Collider sensor = Collider::mesh(shapes::cube(0.3, 3), {{0, 0.3, 0}, {}});
    sensor.sensor = true;
    const BodyOptions thrown{.position = {-0.15, 0.5, -0.15}, .velocity = {-1, -3, -1}};
    const ColliderCase scenario{.name = "corner",
                                .colliders = {Collider::ground(), triangle_shapes().back().second,
                                              sensor, Collider::sphere({0.2, 0, 0.2}, 0.2)},
                                .body = shapes::icosphere(0.2, 3),
                                .options = thrown};
    expect_as_on_the_cpu(scenario);
    World device = make_world(scenario, Backend::opencl), cpu = make_world(scenario, Backend::cpu);
    for (int k = 0; k < 60; ++k) {
        device.step();
        cpu.step();
        ASSERT_EQ(device.events().size(), cpu.events().size()) << k;
        for (std::size_t e = 0; e < device.events().size(); ++e)
            EXPECT_EQ(device.events()[e].kind, cpu.events()[e].kind) << k;
    }
}

TEST_F(TriangleColliders, fast_bodies_do_not_pass) {
    const std::pair<const char*, Collider> thin[] = {
        {"plate", Collider::mesh(plate())},
        {"sheet", Collider::shell(bowl_mesh(2, 4, -1.2), 0.001, {{0, 2, 0}, {}})},
        {"hills", hills(31, 31, 0.1, 0.1, 0.03)}};
    for (const auto& [name, collider] : thin)
        for (const double speed : {20.0, 60.0}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(speed));
            World world(on(Backend::opencl));
            world.add_collider(collider);
            Body ball = world.add_body(
                shapes::icosphere(0.2, 3), Material::named("rubber"),
                {.position = {0.05, 0.5, 0.02}, .velocity = {0, -speed, 0}, .self_contact = false});
            double lowest = 1;
            for (int k = 0; k < 40; ++k) {
                world.step();
                lowest = std::min(lowest, ball.bounds().lower.y);
                ASSERT_LT(worst_volume(world), 1e-6) << k;
            }
            EXPECT_GT(lowest, -0.07);
            EXPECT_GT(launches_of(world, "find_triangle_contacts"), 0u);
        }
}

TEST_F(TriangleColliders, a_body_put_into_a_mesh_comes_out) {
    World world(on(Backend::opencl));
    world.add_collider(Collider::mesh(shapes::cube(1, 5), {{0, -0.5, 0}, {}}));
    Body body = world.add_body(shapes::icosphere(0.2, 3), Material::named("gummy"),
                               {.position = {0, 0.1, 0}});
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_NEAR(body.bounds().lower.y, 0, 1e-4);
    EXPECT_LT(body.max_speed(), 0.02);
}

TEST_F(TriangleColliders, a_correction_that_goes_far_finds_what_it_runs_into) {
    // A body that was shrunk grows back in one step, by more than the margin of its contacts.
    constexpr double scale = 0.92, gap = 0.016;
    World device(on(Backend::opencl)), cpu(on(Backend::cpu));
    for (World* world : {&device, &cpu}) {
        world->set_gravity({});
        world->add_collider(
            Collider::mesh(shapes::cube(1, 9), {{0, -0.5 - 0.3 * scale - gap, 0}, {}}));
        Body body = world->add_body(shapes::icosphere(0.3, 4), Material::named("jelly"));
        std::vector<Vec3> shrunk;
        for (std::size_t i = 0; i < body.positions().size(); ++i)
            shrunk.push_back(scale * body.position(i));
        body.set_positions(shrunk);
        world->step();
    }
    EXPECT_LT(device.report().max_penetration, 1e-6);
    EXPECT_GT(device.report().contacts, 20u);
    EXPECT_EQ(device.report().contacts, cpu.report().contacts);
    EXPECT_LT(worst_volume(device), 1e-6);
}

TEST_F(TriangleColliders, group_sizes_change_nothing_but_rounding) {
    const BodyOptions thrown{.position = {0, 0.45, 0.2}, .velocity = {1, -2, 0.3}};
    const ColliderCase scenario{.name = "hills",
                                .colliders = {hills(41, 24, 0.1, 0.15, 0.06)},
                                .body = shapes::cube(0.5, 21),
                                .options = thrown};
    World one = make_world(scenario, Backend::opencl);
    for (int k = 0; k < 40; ++k) one.step();
    for (const char* items : {"8", "256"}) {
        setenv("TURGOR_OPENCL_GROUP", items, 1);
        World many = make_world(scenario, Backend::opencl);
        unsetenv("TURGOR_OPENCL_GROUP");
        for (int k = 0; k < 40; ++k) many.step();
        EXPECT_LT(difference(one, many), 1e-4) << items;
        EXPECT_LT(worst_volume(many), 1e-6) << items;
    }
}

TEST_F(TriangleColliders, runs_are_bit_identical) {
    const auto hash = [] {
        World world(on(Backend::opencl));
        world.add_collider(hills(41, 24, 0.1, 0.15, 0.06));
        world.add_collider(Collider::mesh(shapes::torus(0.4, 0.15, 30, 14)));
        for (int k = 0; k < 3; ++k)
            world.add_body(shapes::icosphere(0.2, 3), Material::named("gummy"),
                           {.position = {0.7 * k - 0.7, 0.5, 0}, .velocity = {0, -2, 0}});
        for (int k = 0; k < 60; ++k) world.step();
        return world.state_hash();
    };
    EXPECT_EQ(hash(), hash());
}

TEST_F(TriangleColliders, memory_of_colliders_that_are_gone_is_used_again) {
    World world(on(Backend::opencl));
    world.add_body(shapes::icosphere(0.2, 2), Material::named("gummy"), {.position = {0, 0.7, 0}});
    std::size_t memory = 0;
    for (int k = 0; k < 12; ++k) {
        const ColliderId mesh =
            world.add_collider(Collider::mesh(shapes::torus(0.4, 0.15, 30, 14)));
        const ColliderId field = world.add_collider(hills(41, 24, 0.1, 0.15, 0.06));
        world.step();
        const std::size_t now = Inspection::device(world)->memory();
        if (k == 0) memory = now;
        EXPECT_EQ(now, memory) << k;
        world.remove_collider(mesh);
        world.remove_collider(field);
        world.step();
    }
}

}  // namespace
}  // namespace turgor
