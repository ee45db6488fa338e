#include "measure/folding.hpp"

#include <gtest/gtest.h>

namespace turgor::measure {
namespace {

class Folding : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(BackEnds, Folding, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(Folding, a_bar_folded_in_half_does_not_pass_through_itself_and_opens_again) {
    const Folded f = fold_bar(GetParam(), 21);
    if (GetParam() == Backend::cpu) {
        EXPECT_GT(fold_bar(GetParam(), 21, false).deepest, 0.5);
    }
    EXPECT_LT(f.deepest, 0.5);
    EXPECT_EQ(f.afterwards, 0);
    EXPECT_LT(f.volume, 1e-6);
    EXPECT_LT(f.shape, 0.1);
}

TEST(Folds, a_snake_coils_on_itself) {
    const Folded on = coil_snake(Backend::cpu, 2, 1.5);
    EXPECT_LT(on.deepest, 0.5);
    EXPECT_LT(on.volume, 1e-6);
    EXPECT_GT(coil_snake(Backend::cpu, 2, 1.5, false).deepest, 0.5);
}

TEST(Folds, a_duck_thrown_on_the_ground_is_not_turned_inside_out) {
    EXPECT_EQ(throw_duck(Backend::cpu, 25), 0);
    EXPECT_GT(throw_duck(Backend::cpu, 25, false), 2);
}

TEST(Folds, a_bear_pressed_flat_recovers) {
    const Folded on = press_flat(Backend::cpu, shapes::gummy_bear(1, 1200), 0.35);
    EXPECT_LT(on.deepest, 0.5);
    EXPECT_EQ(on.afterwards, 0);
    EXPECT_LT(on.volume, 1e-6);
    EXPECT_LT(on.shape, 0.05);
}

TEST(Folds, a_ball_pressed_to_a_quarter_stays_whole_and_calm) {
    const Crushed c = press_ball(Backend::cpu, 0.25);
    EXPECT_LT(c.penetration, 0.01);
    EXPECT_LT(c.volume, 1e-6);
    EXPECT_LT(c.trembling, 0.1);
    EXPECT_LT(c.shape, 0.05);
}

TEST(Folds, balls_in_a_shrinking_box_keep_apart) {
    const Crushed c = shrink_box(Backend::cpu, 1);
    EXPECT_LT(c.penetration, 0.01);
    EXPECT_LT(c.volume, 1e-6);
    EXPECT_LT(c.shape, 0.05);
}

/// A limp snake on its tail, which folds in every direction.
World falling_snake(int threads) {
    WorldSettings settings;
    settings.threads = threads;
    World world(settings);
    world.add_collider(Collider::ground());
    Material material = Material::named("gummy");
    material.omega = 3;
    material.stiffness = 1;
    world.add_body(shapes::capsule(0.05, 1.5, 10), material,
                   {.position = {0, 0.8, 0}, .rotation = Quat::about({0, 0, 1}, 0.02)});
    return world;
}

TEST(Folds, is_the_same_for_any_number_of_threads_and_after_a_snapshot) {
    const auto run = [](int threads, bool restored) {
        World world = falling_snake(threads);
        for (int k = 0; k < 120; ++k) world.step();
        if (restored) {
            const auto bytes = world.snapshot();
            world = falling_snake(threads);
            world.restore(bytes);
        }
        for (int k = 0; k < 120; ++k) world.step();
        return world.state_hash();
    };
    const auto hash = run(1, false);
    EXPECT_EQ(run(3, false), hash);
    EXPECT_EQ(run(2, true), hash);
}

TEST(Folds, can_be_switched_off_and_costs_nothing_where_nothing_folds) {
    const auto run = [](bool on, bool soft) {
        World world;
        world.add_collider(Collider::ground());
        Body ball = world.add_body(shapes::icosphere(0.5, 3), Material::named("rubber"),
                                   {.position = {0, soft ? 0.6 : 1.5, 0}, .self_contact = on});
        EXPECT_EQ(ball.self_contact(), on);
        for (int k = 0; k < 200; ++k) world.step();
        return world.state_hash();
    };
    EXPECT_EQ(run(true, false), run(false, false));
    EXPECT_EQ(run(true, true), run(false, true));
}

TEST(Folds, what_was_put_through_itself_is_let_out) {
    // The ends of a bar set past each other: nothing holds them there.
    World world({.gravity = {}});
    const Mesh bar = shapes::bar({2, 0.2, 0.2}, 31);
    Body body = world.add_body(bar, Material::named("gummy"));
    std::vector<Vec3> x;
    for (const Vec3& p : bar.vertices) {
        const double radius = 1 / 3.4, a = p.x / radius, r = radius - p.y;
        x.push_back({r * std::sin(a), radius - r * std::cos(a), p.z});
    }
    body.set_positions(x);
    const SelfJudge judge(bar);
    EXPECT_GT(judge.deepest(body), 0.2);
    for (int k = 0; k < 600; ++k) world.step();
    EXPECT_EQ(judge.deepest(body), 0);
    EXPECT_LT(body.shape_error(), 0.05);
}

}  // namespace
}  // namespace turgor::measure
