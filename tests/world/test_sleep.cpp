#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "turgor/turgor.hpp"
#include "world/settings.hpp"

namespace turgor {
namespace {

class Sleep : public testing::Test {
protected:
    Sleep() {
        ground = world.add_collider(Collider::ground());
        ball = world
                   .add_body(shapes::icosphere(0.5, 3), Material::named("rubber"),
                             {.position = {0, 0.5, 0}})
                   .id();
    }
    Body body() { return world.body(ball); }
    void fall_asleep() {
        for (int k = 0; k < 12000 && !body().asleep(); ++k) world.step();
        ASSERT_TRUE(body().asleep()) << body().max_speed();
    }
    /// Does something and says whether the body moves again.
    template <class Deed>
    bool wakes_from(Deed deed) {
        fall_asleep();
        deed();
        world.step();
        return !body().asleep();
    }
    World world{on(Backend::cpu)};
    ColliderId ground = 0;
    BodyId ball = 0;
};

TEST_F(Sleep, comes_with_rest_and_keeps_every_bit) {
    fall_asleep();
    EXPECT_EQ(body().max_speed(), 0);
    const auto before = body().positions();
    const std::vector<Vec3f> x(before.begin(), before.end());
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_TRUE(body().asleep());
    const auto after = body().positions();
    EXPECT_TRUE(std::equal(x.begin(), x.end(), after.begin()));
    EXPECT_GT(world.report().contacts, 0u);
}

TEST_F(Sleep, ends_when_something_happens_to_the_body) {
    EXPECT_FALSE(wakes_from([] {}));
    EXPECT_TRUE(wakes_from([&] { body().apply_impulse({0, 5, 0}); }));
    EXPECT_TRUE(wakes_from([&] { body().apply_impulse(3, {0, 1, 0}); }));
    EXPECT_TRUE(wakes_from([&] { body().set_force({0, 10, 0}); })) << 1;
    body().set_force({});
    EXPECT_TRUE(wakes_from([&] { body().set_force(5, {0, 10, 0}); }));
    body().set_force(5, {});
    EXPECT_TRUE(wakes_from([&] { world.set_gravity({0, -5, 0}); }));
    EXPECT_TRUE(wakes_from([&] { body().set_material(Material::named("jelly")); }));
    EXPECT_TRUE(wakes_from([&] { body().set_gravity_factor(0.5); }));
    EXPECT_TRUE(wakes_from([&] { body().teleport({0, 1, 0}); }));
    EXPECT_TRUE(wakes_from([&] { world.add_collider(Collider::sphere({2, 0, 0}, 0.5)); }));
    HandleId pin = 0;
    EXPECT_TRUE(wakes_from([&] { pin = body().pin(std::vector<std::uint32_t>{0, 1}); }));
    for (int k = 0; k < 2000; ++k) world.step();
    EXPECT_FALSE(body().asleep());
    body().release(pin);
    EXPECT_TRUE(wakes_from([&] { world.remove_collider(ground); }));
}

TEST_F(Sleep, ends_when_a_collider_comes_near_and_not_before) {
    const ColliderId hammer = world.add_collider(Collider::sphere({5, 0.5, 0}, 0.5));
    fall_asleep();
    for (double x = 5; x > 2; x -= 0.05) {
        world.move_collider(hammer, {{x, 0.5, 0}, {}});
        world.step();
        EXPECT_TRUE(body().asleep()) << x;
    }
    const double before = body().centre_of_mass().x;
    for (double x = 2; x > 0.5; x -= 0.05) {
        world.move_collider(hammer, {{x, 0.5, 0}, {}});
        world.step();
    }
    EXPECT_FALSE(body().asleep());
    EXPECT_LT(body().centre_of_mass().x, before - 0.1);
}

TEST_F(Sleep, can_be_switched_off_and_changes_nothing_for_who_is_awake) {
    std::map<bool, Vec3> end;
    for (const bool sleeping : {true, false}) {
        WorldSettings settings = on(Backend::cpu);
        settings.sleeping = sleeping;
        World two(settings);
        two.add_collider(Collider::ground());
        Body lies = two.add_body(shapes::icosphere(0.5, 3), Material::named("rubber"),
                                 {.position = {0, 0.5, 0}});
        Body flies = two.add_body(shapes::icosphere(0.5, 3), Material::named("jelly"),
                                  {.position = {5, 100, 0}, .angular_velocity = {1, 2, 3}});
        bool slept = false;
        for (int k = 0; k < 800; ++k) {
            two.step();
            slept = slept || lies.asleep();
        }
        EXPECT_EQ(slept, sleeping);
        end[sleeping] = flies.position(11);
    }
    EXPECT_EQ(end[true], end[false]);
}

TEST_F(Sleep, is_part_of_a_snapshot) {
    fall_asleep();
    World other(on(Backend::cpu));
    other.restore(world.snapshot());
    EXPECT_TRUE(other.body(ball).asleep());
    for (int k = 0; k < 50; ++k) {
        world.step();
        other.step();
    }
    EXPECT_EQ(world.state_hash(), other.state_hash());
    world.body(ball).apply_impulse({1, 2, 3});
    other.body(ball).apply_impulse({1, 2, 3});
    for (int k = 0; k < 50; ++k) {
        world.step();
        other.step();
    }
    EXPECT_EQ(world.state_hash(), other.state_hash());
}

TEST(Rest, is_relative_to_what_carries_the_body) {
    World world;
    Collider lift = Collider::box({0, -0.1, 0}, {1, 0.1, 1});
    lift.path = {{{0, {}}, {100, {{0, 5, 0}, {}}}}, false, false};
    world.add_collider(lift);
    Body cube =
        world.add_body(shapes::cube(0.5, 5), Material::named("gummy"), {.position = {0, 0.26, 0}});
    for (int k = 0; k < 1000; ++k) world.step();
    EXPECT_NEAR(cube.momentum().y / cube.mass(), 0.05, 1e-4);
    EXPECT_LT(cube.max_speed(), 0.0505);
}

TEST(Rest, leaves_sliding_alone) {
    World world;
    Collider ground = Collider::ground();
    ground.friction = 0;
    world.add_collider(ground);
    Body cube = world.add_body(shapes::cube(0.5, 5), Material::named("gummy"),
                               {.position = {0, 0.25, 0}, .velocity = {0.05, 0, 0}});
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_NEAR(cube.momentum().x / cube.mass(), 0.05, 5e-4);
}

}  // namespace
}  // namespace turgor
