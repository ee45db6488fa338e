#include <cmath>
#include <limits>

#include "on_device.hpp"
#include "step/device_world.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

class DeviceWorlds : public OnDevice {
protected:
    static constexpr Backend both[] = {Backend::cpu, Backend::opencl};

    static void steps(World& world, int n, double dt = 0.005) {
        for (int k = 0; k < n; ++k) world.step(dt);
    }

    /// Bodies of several shapes and sizes that fly freely and wobble.
    static World flying(Backend backend, int count = 5) {
        World world(on(backend));
        world.set_gravity({0.3, -2, 0.1});
        for (int k = 0; k < count; ++k) {
            const Mesh mesh = k % 3 == 0   ? shapes::icosphere(0.3, 3)
                              : k % 3 == 1 ? shapes::torus(0.4, 0.15, 30, 14)
                                           : shapes::cube(0.6, 21);
            Body body = world.add_body(mesh, Material::named(k % 2 ? "jelly" : "rubber"),
                                       {.position = {3.0 * (k % 10), 3.0 * (k / 10), 0},
                                        .velocity = {0.1 * k, 1, -0.3},
                                        .angular_velocity = {2, 0.5 * k, -1}});
            std::vector<Vec3> stretched;
            const Vec3 c = body.centre_of_mass();
            for (std::size_t i = 0; i < body.positions().size(); ++i) {
                const Vec3 r = body.position(i) - c;
                stretched.push_back(c + Vec3{1.15 * r.x, 0.9 * r.y, r.z + 0.1 * r.x});
            }
            body.set_positions(stretched);
        }
        return world;
    }
};

TEST_F(DeviceWorlds, free_bodies_move_as_on_the_cpu_and_as_in_the_reference) {
    World device = flying(Backend::opencl), cpu = flying(Backend::cpu),
          reference = flying(Backend::reference);
    EXPECT_EQ(device.backend(), Backend::opencl);
    for (World* world : {&device, &cpu, &reference}) steps(*world, 1);
    EXPECT_LT(difference(device, cpu), 3e-6);
    EXPECT_LT(difference(device, reference), 1e-5);
    for (World* world : {&device, &cpu, &reference}) steps(*world, 39);
    EXPECT_LT(difference(device, cpu), 1e-5);
    EXPECT_LT(difference(device, reference), 1e-4);
}

TEST_F(DeviceWorlds, volume_and_momenta_are_kept) {
    World world = flying(Backend::opencl);
    world.set_gravity({});
    std::vector<Vec3> linear, angular;
    steps(world, 1);
    for (const Body& body : world.bodies()) {
        linear.push_back(body.momentum());
        angular.push_back(body.angular_momentum());
    }
    for (int k = 0; k < 200; ++k) {
        world.step();
        ASSERT_LT(worst_volume(world), 1e-6) << k;
    }
    const auto bodies = world.bodies();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        EXPECT_LT(norm(bodies[k].momentum() - linear[k]), 1e-6 * norm(linear[k])) << k;
        EXPECT_LT(norm(bodies[k].angular_momentum() - angular[k]), 1e-4 * norm(angular[k])) << k;
    }
}

TEST_F(DeviceWorlds, runs_are_bit_identical_for_every_run) {
    const auto hash = [] {
        World world = flying(Backend::opencl);
        world.add_collider(Collider::plane({0, -0.5, 0}, {0.1, 1, 0}));
        steps(world, 60);
        return world.state_hash();
    };
    EXPECT_EQ(hash(), hash());
}

TEST_F(DeviceWorlds, group_sizes_change_nothing_but_rounding) {
    World one = flying(Backend::opencl);
    one.add_collider(Collider::ground());
    steps(one, 40);
    for (const char* items : {"8", "64", "256"}) {
        setenv("TURGOR_OPENCL_GROUP", items, 1);
        World many = flying(Backend::opencl);
        unsetenv("TURGOR_OPENCL_GROUP");
        many.add_collider(Collider::ground());
        steps(many, 40);
        EXPECT_LT(difference(one, many), 1e-4) << items;
        EXPECT_LT(worst_volume(many), 1e-6) << items;
    }
}

TEST_F(DeviceWorlds, launches_do_not_depend_on_the_number_of_bodies) {
    std::size_t few = 0, many = 0;
    for (const auto& [count, launches] : {std::pair(2, &few), std::pair(40, &many)}) {
        World world = flying(Backend::opencl, count);
        steps(world, 3);
        *launches = Inspection::device(world)->launches() /
                    static_cast<std::size_t>(world.report().sub_steps);
    }
    EXPECT_EQ(few, many);
    EXPECT_LE(few, 40u);
    EXPECT_GT(few, 0u);
}

TEST_F(DeviceWorlds, bodies_come_and_go) {
    World device = flying(Backend::opencl, 3), cpu = flying(Backend::cpu, 3);
    for (World* world : {&device, &cpu}) {
        steps(*world, 10);
        world->remove_body(world->bodies()[1].id());
        steps(*world, 10);
        for (int k = 0; k < 4; ++k)
            world->add_body(shapes::cube(0.3, 6 + k), Material::named("gummy"),
                            {.position = {0, 5.0 + k, 0}, .angular_velocity = {1, 2, 3}});
        steps(*world, 5);
        world->remove_body(world->bodies()[0].id());
        world->bodies()[0].set_material(Material::named("dough"));
        steps(*world, 10);
    }
    EXPECT_EQ(device.bodies().size(), cpu.bodies().size());
    EXPECT_LT(difference(device, cpu), 1e-5);
}

TEST_F(DeviceWorlds, ten_thousand_bodies_at_once) {
    World world(on(Backend::opencl));
    for (int k = 0; k < 10000; ++k)
        world.add_body(shapes::icosphere(0.1, 0), Material::named("gummy"),
                       {.position = {0.5 * (k % 100), 0.5 * (k / 100), 0},
                        .velocity = {0.01 * k, 0, 0},
                        .self_contact = false});
    steps(world, 3);
    EXPECT_LT(worst_volume(world), 1e-6);
    const auto bodies = world.bodies();
    for (const std::size_t k : {0, 77, 9999})
        EXPECT_NEAR(bodies[k].momentum().x / bodies[k].mass(), 0.01 * static_cast<double>(k),
                    1e-5 * (1 + 0.01 * static_cast<double>(k)));
}

TEST_F(DeviceWorlds, snapshots_move_between_back_ends) {
    World device = flying(Backend::opencl);
    steps(device, 20);
    World cpu(on(Backend::cpu)), again(on(Backend::opencl)), reference(on(Backend::reference));
    for (World* world : {&cpu, &again, &reference}) {
        world->restore(device.snapshot());
        EXPECT_LT(difference(device, *world), 1e-7);
    }
    for (World* world : {&device, &cpu, &again, &reference}) steps(*world, 20);
    EXPECT_EQ(again.state_hash(), device.state_hash());
    EXPECT_LT(difference(device, cpu), 1e-5);
    EXPECT_LT(difference(device, reference), 1e-4);
    device.restore(cpu.snapshot());
    EXPECT_LT(difference(device, cpu), 1e-7);
    steps(device, 5);
    EXPECT_LT(worst_volume(device), 1e-6);
}

TEST_F(DeviceWorlds, colliders_of_every_shape_stop_bodies_as_on_the_cpu) {
    const auto spinning = [](Collider c) {
        c.path = {{{0, {}}, {0.5, {{0.1, 0.1, 0}, Quat::about({0, 1, 0}, 0.5)}}}, true, true};
        return c;
    };
    Collider sensor = Collider::box({0, 0.4, 0}, {0.5, 0.1, 0.5});
    sensor.sensor = true;
    const std::pair<const char*, Collider> shapes_of[] = {
        {"plane", Collider::plane({0, -0.1, 0}, {0.2, 1, 0.1})},
        {"sphere", Collider::sphere({0.05, -0.6, 0}, 0.7)},
        {"box", Collider::box({0.2, -0.5, 0.1}, {0.4, 0.5, 0.4}, Quat::about({0, 1, 1}, 0.3))},
        {"capsule", Collider::capsule({0, -0.3, 0}, 0.3, 1.2, Quat::about({0, 0, 1}, 1.3))},
        {"cup", Collider::cup({0, -0.2, 0}, 0.5, 0.8, 0.05)},
        {"moving box", spinning(Collider::box({0.1, -0.5, 0}, {0.6, 0.5, 0.6}))},
        {"sensor", sensor},
        {"mesh", Collider::mesh(shapes::cube(1, 4), {{0, -0.6, 0}, {}})}};
    for (const auto& [name, collider] : shapes_of) {
        World device(on(Backend::opencl)), cpu(on(Backend::cpu));
        for (World* world : {&device, &cpu}) {
            world->add_collider(collider);
            world->add_body(shapes::icosphere(0.3, 3), Material::named("gummy"),
                            {.position = {0.05, 0.6, 0.02}, .velocity = {0.3, -3, 0.1}});
        }
        for (int k = 0; k < 80; ++k) {
            device.step();
            cpu.step();
            ASSERT_LT(worst_volume(device), 1e-6) << name << " " << k;
            ASSERT_LT(device.report().max_penetration, 1e-5) << name << " " << k;
            ASSERT_EQ(device.events().size(), cpu.events().size()) << name << " " << k;
            for (std::size_t e = 0; e < device.events().size(); ++e)
                EXPECT_EQ(device.events()[e].kind, cpu.events()[e].kind) << name << " " << k;
        }
        EXPECT_LT(difference(device, cpu), 1e-3) << name;
        EXPECT_NEAR(static_cast<double>(device.report().contacts),
                    static_cast<double>(cpu.report().contacts),
                    5 + 0.1 * static_cast<double>(cpu.report().contacts))
            << name;
    }
}

TEST_F(DeviceWorlds, a_body_put_into_a_collider_comes_out_and_rests) {
    WorldSettings settings = on(Backend::opencl);
    settings.sleeping = true;
    World world(settings);
    world.add_collider(Collider::ground());
    Body body =
        world.add_body(shapes::cube(0.5, 9), Material::named("rubber"), {.position = {0, 0.2, 0}});
    steps(world, 600);
    EXPECT_NEAR(body.bounds().lower.y, 0, 1e-4);
    EXPECT_TRUE(body.asleep());
    EXPECT_LT(body.max_speed(), 1e-12);
    body.apply_impulse({0, 1.5 * body.mass(), 0});
    steps(world, 10);
    EXPECT_FALSE(body.asleep());
    EXPECT_GT(body.bounds().lower.y, 0.001);
}

TEST_F(DeviceWorlds, handles_hold_and_pull_as_on_the_cpu) {
    World device(on(Backend::opencl)), cpu(on(Backend::cpu));
    for (World* world : {&device, &cpu}) {
        const Mesh bar = shapes::bar({1.2, 0.3, 0.3}, 13);
        std::vector<std::uint32_t> left, right;
        for (std::uint32_t i = 0; i < bar.vertices.size(); ++i) {
            if (bar.vertices[i].x < -0.55) left.push_back(i);
            if (bar.vertices[i].x > 0.55) right.push_back(i);
        }
        Body wrung = world->add_body(bar, Material::named("jelly"), {.position = {0, 2, 0}});
        wrung.pin(left);
        wrung.pin(right,
                  {{{0, {}}, {0.3, {{-0.1, 0.1, 0}, Quat::about({1, 0, 0}, 1)}}}, false, false});
        Body ball = world->add_body(shapes::icosphere(0.3, 3), Material::named("gummy"),
                                    {.position = {3, 2, 0}});
        const std::uint32_t some[] = {0, 1, 2, 3, 4, 5};
        const HandleId dragged = ball.drag(some, {3.2, 2.3, 0.3});
        ball.set_force(20, {2, 0, 1});
        Body follower = world->add_body(shapes::cube(0.4, 7), Material::named("gummy"),
                                        {.position = {-3, 2, 0}});
        std::vector<Vec3> targets;
        std::vector<double> strength;
        for (std::size_t i = 0; i < follower.positions().size(); ++i) {
            targets.push_back(follower.position(i) + Vec3{0.02, 0, 0.01});
            strength.push_back(i % 3 == 0 ? 0.5 : i % 7 == 0 ? 1 : 0);
        }
        const HandleId followed = follower.follow(targets, strength);
        for (int k = 0; k < 60; ++k) {
            ball.move_handle(dragged, Vec3{3.2 + 0.01 * k, 2.3, 0.3});
            for (Vec3& t : targets) t.y += 0.002;
            follower.move_handle(followed, targets);
            world->step();
            ASSERT_LT(worst_volume(*world), 1e-6) << k;
        }
    }
    EXPECT_LT(difference(device, cpu), 1e-4);
}

TEST_F(DeviceWorlds, volume_modes_and_steps_of_any_length) {
    for (const VolumeMode mode : {VolumeMode::local, VolumeMode::global, VolumeMode::off})
        for (const double dt : {0.001, 0.02, 0.1}) {
            World device(on(Backend::opencl)), cpu(on(Backend::cpu));
            for (World* world : {&device, &cpu}) {
                world->add_collider(Collider::ground());
                for (const char* material : {"jelly", "rubber"})
                    world->add_body(shapes::icosphere(0.3, 3), Material::named(material),
                                    {.position = {material[0] == 'j' ? 0.0 : 2.0, 0.5, 0},
                                     .velocity = {0, -1, 0},
                                     .volume = mode});
                steps(*world, static_cast<int>(0.2 / dt), dt);
            }
            EXPECT_LT(difference(device, cpu), 2e-3) << static_cast<int>(mode) << " " << dt;
            if (mode != VolumeMode::off) {
                EXPECT_LT(worst_volume(device), 1e-6) << dt;
            }
        }
}

/// Pressed to a seventh of its height a ball trembles wildly; now and then nothing that is free
/// leads back to the volume.
TEST_F(DeviceWorlds, a_ball_pressed_flat_keeps_its_volume) {
    World world(on(Backend::opencl));
    world.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.1, 0}, {2, 0.1, 2});
    plate.path = {
        {{0, {}}, {1.5, {{0, -0.85, 0}, {}}}, {2, {{0, -0.85, 0}, {}}}, {3, {}}}, false, true};
    world.add_collider(plate);
    world.add_body(shapes::uv_sphere(0.5, 20, 19), Material::named("gummy"),
                   {.position = {0, 0.5, 0}});
    for (int k = 0; k < 480; ++k) {
        world.step();
        ASSERT_LT(worst_volume(world), 1e-6) << k;
    }
}

TEST_F(DeviceWorlds, a_collapsed_body_comes_back) {
    World world(on(Backend::opencl));
    world.set_gravity({});
    Body body = world.add_body(shapes::icosphere(0.3, 3), Material::named("gummy"));
    std::vector<Vec3> flat;
    for (std::size_t i = 0; i < body.positions().size(); ++i) {
        const Vec3 p = body.position(i);
        flat.push_back({p.x, 0.01 * p.y, p.z});
    }
    body.set_positions(flat);
    steps(world, 1);
    EXPECT_TRUE(body.recovering());
    steps(world, 200);
    EXPECT_FALSE(body.recovering());
    EXPECT_LT(worst_volume(world), 1e-6);
    EXPECT_LT(body.shape_error(), 0.05);
}

TEST_F(DeviceWorlds, bodies_that_meet_keep_apart) {
    World device(on(Backend::opencl)), cpu(on(Backend::cpu));
    for (World* world : {&device, &cpu}) {
        world->add_collider(Collider::ground());
        for (int k = 0; k < 3; ++k)
            world->add_body(shapes::icosphere(0.3, 3), Material::named("gummy"),
                            {.position = {0.02 * k, 0.35 + 0.65 * k, 0}});
        steps(*world, 200);
    }
    EXPECT_LT(worst_volume(device), 1e-6);
    EXPECT_LT(difference(device, cpu), 0.02);
}

TEST_F(DeviceWorlds, numbers_that_overflow_stop_the_body_and_are_told) {
    World world(on(Backend::opencl));
    Body wild = world.add_body(shapes::icosphere(0.3, 2), Material::named("gummy"));
    Body calm = world.add_body(shapes::icosphere(0.3, 2), Material::named("gummy"),
                               {.position = {5, 0, 0}});
    steps(world, 3);
    wild.set_force(0, {1e30, 0, 0});
    Status status;
    world.step(0.005, &status);
    EXPECT_EQ(status.code, ErrorCode::failed);
    EXPECT_TRUE(world.finite());
    steps(world, 20);
    EXPECT_LT(worst_volume(world), 1e-6);
    EXPECT_LT(calm.centre_of_mass().y, -0.01);
}

TEST_F(DeviceWorlds, what_cannot_be_is_told) {
    WorldSettings settings = on(Backend::opencl);
    settings.device = "no such device";
    try {
        const World world(settings);
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_argument);
        EXPECT_NE(std::string(e.what()).find("no such device"), std::string::npos);
    }
    settings.device.clear();
    settings.formulation = Formulation::paper();
    EXPECT_THROW(World{settings}, Error);
}

}  // namespace
}  // namespace turgor
