#include "measure/bodies_in_contact.hpp"

#include <gtest/gtest.h>

namespace turgor::measure {
namespace {

class BodiesInContact : public testing::TestWithParam<Backend> {
protected:
    World world(Vec3 gravity = {0, -9.81, 0}) const {
        WorldSettings settings;
        settings.backend = GetParam();
        settings.gravity = gravity;
        return World(settings);
    }
    const Material gummy = Material::named("gummy");
};
INSTANTIATE_TEST_SUITE_P(BackEnds, BodiesInContact,
                         testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(BodiesInContact, a_graze_keeps_momentum_and_adds_no_energy) {
    const Grazing g = graze(GetParam());
    EXPECT_LT(g.linear, 1e-5);
    EXPECT_LT(g.angular, 1e-3);
    EXPECT_LT(g.energy, 1 + 1e-6);
}

TEST_P(BodiesInContact, what_starts_overlapping_comes_apart_calmly) {
    for (const double share : {0.3, 0.6, 1.0}) {
        const Separation p = separate(GetParam(), shapes::icosphere(0.5, 2), share);
        EXPECT_GT(p.seconds, 0) << share;
        EXPECT_LT(p.speed, 0.5) << share;
    }
    EXPECT_GT(separate(GetParam(), shapes::cube(0.8, 6), 0.6).seconds, 0);
}

TEST_P(BodiesInContact, a_small_pile_comes_to_rest_and_nobody_is_inside_another) {
    World pile = balls_over_glass(GetParam(), 4);
    const Watched w = watch(pile, GetParam() == Backend::cpu ? 7 : 1, 20);
    EXPECT_LT(w.overlap, 0.002);
    EXPECT_LT(w.volume, 1e-6);
    EXPECT_LT(w.farthest, 0.76);
    if (GetParam() == Backend::cpu) {
        EXPECT_LT(w.speed, 0.02);
    }
}

TEST_P(BodiesInContact, two_coarse_bars_do_not_interlock_edge_over_edge) {
    World bars = world();
    bars.add_collider(Collider::ground());
    const Mesh bar = shapes::bar({1, 0.4, 0.4}, 2);
    const Quat on_edge = Quat::about({1, 0, 0}, 0.785);
    bars.add_body(bar, Material::named("rubber"), {.position = {0, 0.3, 0}, .rotation = on_edge});
    bars.add_body(bar, Material::named("rubber"),
                  {.position = {0, 0.95, 0}, .rotation = Quat::about({0, 1, 0}, 1.5708) * on_edge});
    for (int k = 0; k < 60; ++k) bars.step();
    // An edge rests on an edge.
    EXPECT_GT(bars.bodies()[1].centre_of_mass().y, 0.85);
}

TEST_P(BodiesInContact, a_stack_of_small_cubes_stands) {
    World stack = stack_of_cubes(GetParam(), 0.05, 3);
    const Vec3 before = stack.bodies()[2].centre_of_mass();
    for (int k = 0; k < (GetParam() == Backend::cpu ? 400 : 60); ++k) stack.step();
    const Vec3 moved = stack.bodies()[2].centre_of_mass() - before;
    EXPECT_LT(std::hypot(moved.x, moved.z), 0.005);
    EXPECT_GT(moved.y, -0.015);
}

TEST_P(BodiesInContact, no_shot_passes_a_thin_plate) {
    for (const double dt : {0.005, 0.016})
        EXPECT_EQ(shoot(GetParam(), Target::plate, dt, 3, 1).passed, 0);
}

TEST(BodiesInContact, balls_shot_flat_on_each_other_stay_apart) {
    World space(WorldSettings{.gravity = {}});
    const Mesh ball = shapes::icosphere(0.05, 3);
    const Material gummy = Material::named("gummy");
    space.add_body(ball, gummy, {.position = {-0.12, -0.0045, -0.0012}, .velocity = {89, 0, 0}});
    space.add_body(ball, gummy);
    double overlap = 0, flattest = 1;
    for (int k = 0; k < 30; ++k) {
        space.step(0.0005);
        overlap = std::max(overlap, deepest_overlap(space));
        flattest = std::min(flattest, space.bodies()[1].bounds().extent().x / 0.1);
    }
    EXPECT_LT(flattest, 0.8);
    EXPECT_LT(overlap, gone_into);
}

TEST_P(BodiesInContact, no_shot_passes_a_wall_of_triangles) {
    for (const Target target : {Target::coarse_wall, Target::fine_wall, Target::sheet})
        for (const double dt : {0.005, 0.016})
            EXPECT_EQ(shoot(GetParam(), target, dt, GetParam() == Backend::cpu ? 3 : 1, 1).passed,
                      0);
}

TEST_P(BodiesInContact, are_told_once_for_each_pair) {
    World balls = world({});
    const Mesh ball = shapes::icosphere(0.5, 2);
    const Body a = balls.add_body(ball, gummy, {.position = {-0.7, 0, 0}, .velocity = {2, 0, 0}});
    const Body b = balls.add_body(ball, gummy, {.position = {0.7, 0, 0}, .velocity = {-2, 0, 0}});
    std::vector<ContactEvent> told;
    for (int k = 0; k < 200; ++k) {
        balls.step();
        told.insert(told.end(), balls.events().begin(), balls.events().end());
    }
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].kind, ContactEvent::Kind::began);
    EXPECT_EQ(told[1].kind, ContactEvent::Kind::ended);
    for (const ContactEvent& event : told) {
        EXPECT_EQ(event.body, a.id());
        EXPECT_EQ(event.other, b.id());
        EXPECT_EQ(event.collider, 0u);
        EXPECT_NEAR(event.point.x, 0, 0.1);
        EXPECT_LT(event.normal.x, -0.9);
    }
}

TEST(BodiesInContact, a_sleeping_pile_wakes_when_something_falls_on_it) {
    World pile;
    pile.add_collider(Collider::ground());
    const Mesh cube = shapes::cube(0.2, 5);
    for (int k = 0; k < 2; ++k)
        pile.add_body(cube, Material::named("rubber"), {.position = {0, 0.11 + 0.22 * k, 0}});
    const auto awake = [&] {
        int count = 0;
        for (const Body& body : pile.bodies()) count += !body.asleep();
        return count;
    };
    for (int k = 0; k < 1000 && awake() > 0; ++k) pile.step();
    ASSERT_EQ(awake(), 0);
    pile.add_body(cube, Material::named("rubber"), {.position = {0, 1, 0}});
    for (int k = 0; k < 100; ++k) pile.step();
    EXPECT_EQ(awake(), 3);
    // And lies down again, with the newcomer on top.
    for (int k = 0; k < 2000 && awake() > 0; ++k) pile.step();
    EXPECT_EQ(awake(), 0);
    EXPECT_GT(pile.bodies()[2].centre_of_mass().y, 0.4);
}

TEST(BodiesInContact, a_crowd_in_one_point_spreads_out) {
    World crowd;
    crowd.add_collider(Collider::ground());
    const Mesh ball = shapes::icosphere(0.1, 1);
    for (int k = 0; k < 100; ++k)
        crowd.add_body(ball, Material::named("gummy"), {.position = {0, 1, 0}});
    crowd.step();
    EXPECT_GT(crowd.report().pairs_left_out, 1000u);
    for (int k = 0; k < 300; ++k) crowd.step();
    EXPECT_TRUE(crowd.finite());
    EXPECT_EQ(crowd.report().pairs_left_out, 0u);
    EXPECT_LT(deepest_overlap(crowd), 0.01);
    for (const Body& body : crowd.bodies()) EXPECT_GT(body.bounds().lower.y, -0.01);
}

TEST(BodiesInContact, bodies_crushed_to_nothing_come_back_when_there_is_room) {
    World press;
    press.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.6, 0}, {2, 0.1, 2});
    plate.path = {
        {{0, {}}, {0.5, {{0, -1.48, 0}, {}}}, {1, {{0, -1.48, 0}, {}}}, {1.3, {}}}, false, true};
    press.add_collider(plate);
    const Mesh ball = shapes::icosphere(0.3, 3);
    for (int k = 0; k < 2; ++k)
        press.add_body(ball, Material::named("gummy"),
                       {.position = {0.02 * k, 0.35 + 0.65 * k, 0}});
    for (int k = 0; k < 1000; ++k) {
        press.step();
        ASSERT_TRUE(press.finite()) << press.time();
    }
    for (const Body& body : press.bodies()) {
        EXPECT_FALSE(body.recovering());
        EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-6);
        EXPECT_LT(body.shape_error(), 0.2);
        EXPECT_GT(body.bounds().lower.y, -0.01);
    }
    EXPECT_LT(deepest_overlap(press), 0.01);
}

TEST(BodiesInContact, one_step_of_both_back_ends_agrees) {
    // From the same state, which the reference has reached.
    WorldSettings settings;
    settings.backend = Backend::reference;
    World reference(settings);
    reference.add_collider(Collider::ground());
    const Mesh ball = shapes::icosphere(0.3, 3);
    for (int k = 0; k < 2; ++k)
        reference.add_body(ball, Material::named("jelly"),
                           {.position = {0.1 * k, 0.35 + 0.7 * k, 0.03 * k},
                            .rotation = Quat::about({1, 2, 3}, 0.3 + k),
                            .velocity = {0, -2, 0}});
    settings.backend = Backend::cpu;
    double apart = 0;
    for (int k = 0; k < 60; ++k) {
        World cpu(settings);
        cpu.restore(reference.snapshot());
        reference.step();
        cpu.step();
        for (std::size_t b = 0; b < 2; ++b) {
            const Body p = reference.bodies()[b], q = cpu.bodies()[b];
            for (std::size_t i = 0; i < ball.vertices.size(); ++i)
                apart = std::max(apart, norm(p.position(i) - q.position(i)) / p.size());
        }
    }
    EXPECT_LT(apart, 1e-5);
}

}  // namespace
}  // namespace turgor::measure
