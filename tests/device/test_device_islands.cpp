#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "measure/bodies_in_contact.hpp"
#include "measure/folding.hpp"
#include "on_device.hpp"
#include "step/device_world.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

/// Bodies that meet each other or themselves, on a device.
class DeviceIslands : public OnDevice {
protected:
    static void steps(World& world, int n, double dt = 0.005) {
        for (int k = 0; k < n; ++k) world.step(dt);
    }

    /// Bears, ducks, cubes and balls that fall on each other.
    static World heap(Backend backend, int count = 6, bool sleeping = false) {
        WorldSettings settings = on(backend);
        settings.sleeping = sleeping;
        World world(settings);
        world.add_collider(Collider::ground());
        for (int k = 0; k < count; ++k) {
            const Mesh mesh = k % 4 == 0   ? shapes::gummy_bear(0.6, 700)
                              : k % 4 == 1 ? shapes::cube(0.4, 9)
                              : k % 4 == 2 ? shapes::rubber_duck(0.5, 500)
                                           : shapes::icosphere(0.25, 3);
            world.add_body(mesh, Material::named(k % 2 ? "gummy" : "rubber"),
                           {.position = {0.05 * (k % 3), 0.4 + 0.85 * k, 0.04 * (k % 2)},
                            .rotation = Quat::about({0, 1, 0.3}, 0.7 * k)});
        }
        return world;
    }

    static std::size_t particles_fetched(World& world) {
        return Inspection::device(world)->fetches();
    }
};

TEST_F(DeviceIslands, one_step_from_the_same_state_is_that_of_the_cpu) {
    World cpu = heap(Backend::cpu), device(on(Backend::opencl));
    double worst = 0;
    std::size_t touching = 0;
    for (int k = 0; k < 320; ++k) {
        const bool compare = k > 40 && k % 40 == 0;
        if (compare) device.restore(cpu.snapshot());
        cpu.step();
        for (const ContactEvent& event : cpu.events()) touching += event.other != 0;
        if (!compare) continue;
        device.step();
        worst = std::max(worst, difference(cpu, device));
        EXPECT_EQ(device.report().sub_steps, cpu.report().sub_steps) << k;
    }
    EXPECT_GT(touching, 0u);
    EXPECT_LT(worst, 3e-5);
}

TEST_F(DeviceIslands, balls_in_a_glass_come_to_rest) {
    World world = measure::balls_over_glass(Backend::opencl, 6);
    const measure::Watched w = measure::watch(world, 7.5, 50);
    EXPECT_LT(w.overlap, 0.01);
    EXPECT_LT(w.volume, 1e-6);
    EXPECT_LT(w.speed, 0.02);
    EXPECT_EQ(w.awake, 0);
}

TEST_F(DeviceIslands, a_heap_stays_on_the_device_and_apart) {
    World world = heap(Backend::opencl, 5, true);
    double overlap = 0, volume = 0;
    for (int k = 0; k < 500; ++k) {
        const std::size_t before = particles_fetched(world);
        world.step();
        // What falls asleep is brought back once, to be stopped.
        if (std::ranges::none_of(world.bodies(), &Body::asleep)) {
            EXPECT_EQ(particles_fetched(world), before) << k;
        }
        if (k % 50 != 0) continue;
        overlap = std::max(overlap, measure::deepest_overlap(world));
        volume = std::max(volume, worst_volume(world));
    }
    EXPECT_LT(overlap, 0.02);
    EXPECT_LT(volume, 1e-6);
    for (const Body& body : world.bodies()) EXPECT_GT(body.bounds().lower.y, -1e-3);
}

TEST_F(DeviceIslands, runs_are_equal_bit_for_bit_and_go_on_from_snapshots) {
    World first = heap(Backend::opencl, 5), second = heap(Backend::opencl, 5);
    steps(first, 150);
    steps(second, 100);
    World third(on(Backend::opencl));
    third.restore(second.snapshot());
    steps(second, 50);
    steps(third, 50);
    EXPECT_EQ(first.state_hash(), second.state_hash());
    EXPECT_EQ(first.state_hash(), third.state_hash());
}

TEST_F(DeviceIslands, any_size_of_work_groups_will_do) {
    World start = heap(Backend::cpu, 4);
    steps(start, 110);
    World one(on(Backend::opencl));
    setenv("TURGOR_OPENCL_GROUP", "32", 1);
    World many(on(Backend::opencl));
    for (World* world : {&many, &one}) {
        world->restore(start.snapshot());
        unsetenv("TURGOR_OPENCL_GROUP");
        steps(*world, 20);
    }
    EXPECT_LT(difference(one, many), 1e-4);
    EXPECT_LT(worst_volume(many), 1e-6);
}

TEST_F(DeviceIslands, launches_do_not_depend_on_how_many_meet) {
    std::size_t launches[2] = {};
    for (const int pairs : {1, 12}) {
        World world(on(Backend::opencl));
        for (int k = 0; k < pairs; ++k)
            for (const double side : {-1.0, 1.0})
                world.add_body(shapes::icosphere(0.2, 2), Material::named("gummy"),
                               {.position = {0.205 * side, 0, 2.0 * k}, .velocity = {-side, 0, 0}});
        steps(world, 5);
        launches[pairs == 12] = Inspection::device(world)->launches();
    }
    EXPECT_GT(launches[0], 60u);
    EXPECT_EQ(launches[0], launches[1]);
}

TEST_F(DeviceIslands, grazing_balls_keep_momentum) {
    const measure::Grazing g = measure::graze(Backend::opencl);
    EXPECT_LT(g.linear, 1e-5);
    EXPECT_LT(g.angular, 1e-3);
    EXPECT_LT(g.energy, 1 + 1e-6);
}

TEST_F(DeviceIslands, overlapping_bodies_part) {
    for (const double share : {0.3, 0.8, 1.0}) {
        const measure::Separation p =
            measure::separate(Backend::opencl, shapes::icosphere(0.5, 2), share);
        EXPECT_GE(p.seconds, 0) << share;
        EXPECT_LT(p.speed, 1) << share;
    }
}

TEST_F(DeviceIslands, fast_bodies_do_not_pass_through_each_other) {
    const measure::Shots shots =
        measure::shoot(Backend::opencl, measure::Target::ball, 0.005, 8, 3);
    EXPECT_EQ(shots.fired, 8);
    EXPECT_EQ(shots.passed, 0);
}

TEST_F(DeviceIslands, a_folded_bar_does_not_pass_through_itself) {
    const measure::Folded kept = measure::fold_bar(Backend::opencl, 21),
                          through = measure::fold_bar(Backend::opencl, 21, false);
    EXPECT_LT(kept.deepest, 0.1);
    EXPECT_GT(through.deepest, 0.4);
    EXPECT_LT(kept.afterwards, 0.01);
    EXPECT_LT(kept.volume, 1e-6);
}

/// Bodies of very different sizes, some of them fast, many close together.
TEST_F(DeviceIslands, all_pairs_that_may_meet_are_found) {
    World world(on(Backend::opencl));
    Random random(7);
    for (int k = 0; k < 150; ++k) {
        const double size = k % 30 == 0 ? 3 : k % 5 == 0 ? 0.4 : 0.05;
        world.add_body(shapes::icosphere(size, 1), Material::named("rubber"),
                       {.position = 4.0 * random.in_cube() - Vec3{100, 0, 0},
                        .velocity = (k % 7 == 0 ? 100 : 1) * random.in_cube(),
                        .filter = {k % 3 == 0 ? 1u : 2u, k % 11 == 0 ? 2u : 3u},
                        .self_contact = false});
    }
    std::size_t constraint = 0;
    for (int k = 0; k < 4; ++k) {
        world.step();
        const auto found = Inspection::pairs_ahead(world, 0.005);
        ASSERT_TRUE(found.has_value());
        EXPECT_TRUE(std::ranges::is_sorted(*found));
        EXPECT_EQ(std::ranges::adjacent_find(*found), found->end());
        const std::vector<Body> bodies = world.bodies();
        for (std::uint32_t a = 0; a < bodies.size(); ++a)
            for (std::uint32_t b = a + 1; b < bodies.size(); ++b) {
                Bounds now[2] = {bodies[a].bounds(), bodies[b].bounds()};
                for (const auto& [body, box] :
                     {std::pair(&bodies[a], &now[0]), std::pair(&bodies[b], &now[1])}) {
                    const Vec3 way = 0.005 / body->mass() * body->momentum();
                    const Bounds then{box->lower + way, box->upper + way};
                    box->add(then.lower);
                    box->add(then.upper);
                }
                const bool meet =
                    now[0].lower.x <= now[1].upper.x && now[1].lower.x <= now[0].upper.x &&
                    now[0].lower.y <= now[1].upper.y && now[1].lower.y <= now[0].upper.y &&
                    now[0].lower.z <= now[1].upper.z && now[1].lower.z <= now[0].upper.z &&
                    bodies[a].filter().meets(bodies[b].filter());
                constraint += meet;
                if (meet) {
                    EXPECT_TRUE(std::ranges::binary_search(*found, std::pair(a, b)))
                        << a << " " << b;
                }
            }
        EXPECT_LT(found->size(), 5000u);
    }
    EXPECT_GT(constraint, 500u);
}

TEST_F(DeviceIslands, pairs_that_the_device_finds_are_those_of_the_host) {
    World with = heap(Backend::opencl, 5), without = heap(Backend::opencl, 5);
    // Where there are rigid bodies, the host looks for pairs.
    without.add_rigid(RigidBody::sphere({50, 1, 0}, 0.2));
    for (int k = 0; k < 150; ++k) {
        with.step();
        without.step();
        EXPECT_TRUE(Inspection::pairs_ahead(with, 0.005).has_value()) << k;
        EXPECT_FALSE(Inspection::pairs_ahead(without, 0.005).has_value());
        EXPECT_FALSE(Inspection::pairs_ahead(with, 0.006).has_value());
    }
    const auto a = with.bodies(), b = without.bodies();
    for (std::size_t k = 0; k < a.size(); ++k)
        for (std::size_t i = 0; i < a[k].positions().size(); ++i)
            ASSERT_EQ(a[k].position(i), b[k].position(i)) << k << " " << i;
    with.body(a[0].id()).set_velocities(std::vector<Vec3>(a[0].positions().size()));
    EXPECT_FALSE(Inspection::pairs_ahead(with, 0.005).has_value());
}

TEST_F(DeviceIslands, events_are_those_of_the_cpu) {
    struct Seen {
        ContactEvent::Kind kind;
        BodyId body, other;
        int step;
    };
    std::vector<Seen> seen[2];
    for (const Backend backend : {Backend::cpu, Backend::opencl}) {
        World world(on(backend));
        world.set_gravity({});
        for (const double side : {-1.0, 1.0})
            world.add_body(
                shapes::icosphere(0.3, 3), Material::named("rubber"),
                {.position = {0.5 * side, 0.05 * side, 0}, .velocity = {-2 * side, 0, 0}});
        for (int k = 0; k < 120; ++k) {
            world.step();
            for (const ContactEvent& e : world.events()) {
                seen[backend == Backend::opencl].push_back({e.kind, e.body, e.other, k});
                EXPECT_NEAR(norm(e.normal), 1, 1e-5);
                EXPECT_LT(std::abs(e.point.x), 0.15);
                if (e.kind == ContactEvent::Kind::began) {
                    EXPECT_GT(e.impulse, 0);
                }
            }
        }
    }
    ASSERT_EQ(seen[0].size(), 2u);
    ASSERT_EQ(seen[1].size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(seen[0][k].kind, seen[1][k].kind);
        EXPECT_EQ(seen[0][k].body, seen[1][k].body);
        EXPECT_EQ(seen[0][k].other, seen[1][k].other);
        EXPECT_NEAR(seen[0][k].step, seen[1][k].step, 1);
    }
}

/// Two large faces lie on each other at once: more contacts than there was room for.
TEST_F(DeviceIslands, room_for_contacts_is_made_without_losing_any) {
    World cpu(on(Backend::cpu)), device(on(Backend::opencl));
    cpu.add_collider(Collider::ground());
    for (int k = 0; k < 3; ++k)
        cpu.add_body(shapes::cube(1, 31), Material::named("rubber"),
                     {.position = {0, 0.5 + 1.004 * k, 0}});
    steps(cpu, 8);  // they press on each other now
    device.restore(cpu.snapshot());
    const std::size_t before = Inspection::device(device)->memory();
    cpu.step();
    device.step();
    EXPECT_GT(Inspection::device(device)->memory(), before);
    EXPECT_LT(difference(cpu, device), 3e-5);
}

TEST_F(DeviceIslands, bodies_come_and_go_in_a_heap) {
    World world = heap(Backend::opencl, 4);
    std::vector<BodyId> added;
    for (int k = 0; k < 12; ++k) {
        steps(world, 25);
        added.push_back(world
                            .add_body(shapes::icosphere(0.2, k % 2 ? 2 : 3),
                                      Material::named("jelly"),
                                      {.position = {0.6 * (k % 4) - 0.9, 4.2, 0}})
                            .id());
        if (k % 3 == 2) {
            world.remove_body(added[added.size() / 2]);
            added.erase(added.begin() + static_cast<std::ptrdiff_t>(added.size() / 2));
        }
        ASSERT_LT(worst_volume(world), 1e-6) << k;
        ASSERT_LT(measure::deepest_overlap(world), 0.01) << k;
    }
}

TEST_F(DeviceIslands, bodies_that_meet_rigid_ones_are_left_to_the_cpu_and_come_back) {
    World world(on(Backend::opencl));
    world.add_collider(Collider::ground());
    Body mattress =
        world.add_body(shapes::cube(0.8, 11), Material::named("gummy"), {.position = {0, 0.42, 0}});
    Rigid stone = world.add_rigid(RigidBody::sphere({0, 1.2, 0}, 0.15));
    steps(world, 200);
    EXPECT_GT(stone.pose().position.y, 0.5);
    EXPECT_LT(worst_volume(world), 1e-6);
    world.remove_rigid(stone.id());
    steps(world, 2);
    const std::size_t before = particles_fetched(world);
    steps(world, 5);
    EXPECT_EQ(particles_fetched(world), before);
    EXPECT_GT(mattress.bounds().upper.y, 0.7);
}

}  // namespace
}  // namespace turgor
