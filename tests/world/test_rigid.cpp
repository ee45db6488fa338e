#include <gtest/gtest.h>

#include "measure/rigid.hpp"

namespace turgor::measure {
namespace {

class Rigids : public testing::TestWithParam<Backend> {
protected:
    World world(Vec3 gravity = {0, -9.81, 0}) const { return world_of(GetParam(), true, gravity); }
    const Material gummy = Material::named("gummy"), rubber = Material::named("rubber");
};
INSTANTIATE_TEST_SUITE_P(BackEnds, Rigids, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(Rigids, a_graze_keeps_momentum_and_adds_no_energy) {
    const Grazing g = graze_rigid(GetParam());
    EXPECT_LT(g.linear, 1e-5);
    EXPECT_LT(g.angular, 1e-3);
    EXPECT_LT(g.energy, 1 + 1e-6);
}

TEST_P(Rigids, a_heavy_ball_rests_on_a_cube) {
    const bool cpu = GetParam() == Backend::cpu;
    const Drop d = drop_ball(GetParam(), 10, cpu ? 4 : 0.4, cpu ? 10 : 8);
    EXPECT_LT(d.penetration, 0.01);
    EXPECT_LT(d.volume, 1e-6);
    EXPECT_GT(d.lowest, 0.4);
    // It dents it.
    EXPECT_LT(d.lowest, 0.5);
    if (cpu) {
        EXPECT_LT(d.late_penetration, 0.002);
        EXPECT_GT(d.height, 0.47);
        EXPECT_LT(d.late_speed, 0.2);
    }
}

TEST_P(Rigids, of_any_mass_leave_the_world_sane) {
    for (const double ratio : {0.1, 1000.0}) {
        const Drop d = drop_ball(GetParam(), ratio, 0.7, 6);
        EXPECT_TRUE(d.finite);
        EXPECT_LT(d.volume, 1e-6);
        EXPECT_GT(d.lowest, 0.119) << ratio;
    }
}

TEST_P(Rigids, no_shot_passes) {
    const int shots = GetParam() == Backend::cpu ? 8 : 2;
    EXPECT_EQ(shoot_rigid(GetParam(), Target::plate, 0.005, 20, 2).passed, 0);
    EXPECT_EQ(shoot_rigid(GetParam(), Target::plate, 0.016, 20, 3).passed, 0);
    EXPECT_EQ(shoot_rigid(GetParam(), Target::ball, 0.005, shots, 2).passed, 0);
}

TEST_P(Rigids, that_start_inside_come_out_calmly) {
    for (const double off :
         GetParam() == Backend::cpu ? std::vector{0.0, 0.3, 0.55} : std::vector{0.55}) {
        const Separation p = separate_rigid(GetParam(), off);
        EXPECT_GT(p.seconds, 0) << off;
        EXPECT_LT(p.speed, 0.5) << off;
    }
}

TEST_P(Rigids, a_corner_does_not_slip_between_particles) {
    // The point of a box on the middle of a large triangle.
    World w = world();
    w.add_collider(Collider::ground());
    const Body slab = w.add_body(shapes::bar({1, 0.4, 1}, 3), rubber, {.position = {0, 0.2, 0}});
    RigidBody box =
        RigidBody::box({0.15, 0.56, 0.2}, {0.05, 0.05, 0.05}, Quat::about({1, 0, -1}, 0.9553));
    box.angular_velocity = {0, 1, 0};
    const Rigid r = w.add_rigid(box);
    for (int k = 0; k < 200; ++k) w.step();
    EXPECT_GT(r.pose().position.y, slab.bounds().upper.y + 0.03);
}

TEST_P(Rigids, hosts_let_a_ball_rest_on_a_cube) {
    World w = world();
    w.add_collider(Collider::ground());
    Material firm = rubber;
    firm.frequency = 30;
    firm.damping_ratio = 1;
    const Body cube = w.add_body(shapes::cube(0.4, 10), firm, {.position = {0, 0.2, 0}});
    RigidBody made = RigidBody::sphere({0, 0.55, 0}, 0.12);
    made.mass = 2 * cube.mass();
    made.driven_by_host = true;
    Rigid ball = w.add_rigid(made);
    RigidState state{made.pose, {}, {}};
    const double h = 0.005, inertia = 0.4 * *made.mass * 0.12 * 0.12;
    const int steps = GetParam() == Backend::cpu ? 600 : 60;
    for (int k = 0; k < steps; ++k) {
        state.velocity += h * w.gravity();
        ball.set_state(state);
        w.step(h);
        state.velocity += ball.impulse() / *made.mass;
        state.angular_velocity += ball.angular_impulse() / inertia;
        state.pose.position += h * state.velocity;
    }
    EXPECT_GT(state.pose.position.y, 0.48);
    EXPECT_LT(state.pose.position.y, 0.54);
    if (GetParam() == Backend::cpu) {
        EXPECT_LT(norm(state.velocity), 0.05);
    }
    EXPECT_LT(norm(ball.pose().position - state.pose.position), 1e-3);
}

TEST_P(Rigids, coarse_triangles_do_not_cut_a_ball) {
    EXPECT_LT(drop_ball(GetParam(), 10, 0.4, 4).penetration, 0.005);
}

TEST_P(Rigids, hosts_are_told_all_that_soft_bodies_do) {
    World w = world({});
    const Body soft = w.add_body(shapes::icosphere(0.5, 2), gummy,
                                 {.position = {1, 0.4, 0.1}, .velocity = {-3, 0, 0}});
    RigidBody made = RigidBody::sphere({-0.2, 0, 0}, 0.3);
    made.driven_by_host = true;
    const Rigid ball = w.add_rigid(made);
    const Vec3 before = soft.momentum();
    Vec3 impulse, angular_impulse;
    for (int k = 0; k < 100; ++k) {
        w.step();
        impulse += ball.impulse();
        angular_impulse += ball.angular_impulse();
    }
    EXPECT_GT(norm(impulse), 0.1 * norm(before));
    EXPECT_LT(norm(soft.momentum() + impulse - before), 1e-4 * norm(before));
    EXPECT_GT(norm(angular_impulse), 0);
    EXPECT_LT(norm(ball.angular_momentum() - angular_impulse), 1e-6 * norm(angular_impulse));
}

TEST(Rigids, two_boxes_at_one_place_part) {
    World w(WorldSettings{.gravity = {}});
    for (int k = 0; k < 2; ++k) w.add_rigid(RigidBody::box({}, {0.1, 0.1, 0.1}));
    for (int k = 0; k < 200; ++k) w.step();
    const Rigid a = w.rigids()[0], b = w.rigids()[1];
    EXPECT_GT(norm(a.pose().position - b.pose().position), 0.19);
    EXPECT_LT(norm(a.velocity() - b.velocity()), 0.5);
}

TEST(Rigids, boxes_stand_on_each_other) {
    EXPECT_LT(stack_of_boxes(Backend::cpu, 3, 4), 0.1);
}

TEST(Rigids, lie_still_on_the_ground_and_in_a_cup) {
    World w;
    w.add_collider(Collider::ground());
    w.add_collider(Collider::cup({5, 0.05, 0}, 0.3, 0.4));
    w.add_collider(Collider::sphere({10, 0.5, 0}, 0.5));
    const Quat tilt = Quat::about({1, 0, 1}, 0.6);
    w.add_rigid(RigidBody::capsule({0, 0.6, 0}, 0.1, 0.5, tilt));
    w.add_rigid(RigidBody::box({2, 0.6, 0}, {0.2, 0.1, 0.15}, tilt));
    w.add_rigid(RigidBody::convex(shapes::icosphere(0.2, 0), {4, 0.6, 0}, tilt));
    w.add_rigid(RigidBody::sphere({5.1, 0.6, 0}, 0.15));
    w.add_rigid(RigidBody::box({5, 1, 0}, {0.1, 0.1, 0.1}, tilt));
    w.add_rigid(RigidBody::box({10, 1.15, 0}, {0.3, 0.1, 0.3}));
    for (int k = 0; k < 600; ++k) w.step();
    const std::vector<Rigid> all = w.rigids();
    for (const Rigid& r : all) EXPECT_TRUE(r.asleep()) << r.name();
    EXPECT_NEAR(all[0].pose().position.y, 0.1, 1e-3);
    EXPECT_NEAR(all[1].pose().position.y, 0.1, 1e-3);
    EXPECT_NEAR(all[3].pose().position.y, 0.2, 2e-3);
    const Vec3 in_cup = all[3].pose().position - Vec3{5, 0, 0};
    EXPECT_LT(std::hypot(in_cup.x, in_cup.z), 0.152);
    EXPECT_NEAR(all[4].pose().position.y, 0.15, 2e-3);
    EXPECT_NEAR(all[5].pose().position.y, 1.1, 2e-3);
}

TEST(Rigids, a_pushed_ball_slides_then_rolls) {
    World w;
    w.add_collider(Collider::ground());
    RigidBody made = RigidBody::sphere({0, 0.2, 0}, 0.2);
    made.velocity = {2, 0, 0};
    const Rigid ball = w.add_rigid(made);
    for (int k = 0; k < 400; ++k) w.step();
    // Whatever the friction, 5/7 of the speed is left when it rolls.
    EXPECT_NEAR(ball.velocity().x, 2 * 5.0 / 7, 0.01);
    EXPECT_NEAR(ball.angular_velocity().z, -ball.velocity().x / 0.2, 0.05);
}

TEST(Rigids, tumble_with_the_angular_momentum_they_have) {
    World w(WorldSettings{.gravity = {}});
    RigidBody made = RigidBody::box({}, {0.1, 0.2, 0.4});
    made.angular_velocity = {0.1, 5, 0.1};  // about the middle axis, which is unstable
    const Rigid box = w.add_rigid(made);
    const Vec3 l = box.angular_momentum();
    const double e = box.kinetic_energy();
    double turned_over = 1;
    for (int k = 0; k < 2000; ++k) {
        w.step();
        turned_over = std::min(turned_over, rotate(box.pose().rotation, {0, 1, 0}).y);
        ASSERT_LT(norm(box.angular_momentum() - l) / norm(l), 1e-9);
        ASSERT_NEAR(box.kinetic_energy() / e, 1, 0.01);
    }
    EXPECT_LT(turned_over, -0.9);
}

TEST(Rigids, bounce_as_their_restitution_says) {
    for (const double restitution : {0.0, 0.6}) {
        World w(WorldSettings{.gravity = {}});
        w.add_collider(Collider::ground());
        RigidBody made = RigidBody::sphere({0, 0.5, 0}, 0.2);
        made.velocity = {0, -4, 0};
        made.restitution = restitution;
        const Rigid ball = w.add_rigid(made);
        for (int k = 0; k < 60; ++k) w.step();
        EXPECT_NEAR(ball.velocity().y, 4 * restitution, 1e-6);
    }
}

TEST(Rigids, sleep_on_a_sleeping_body_and_wake_with_it) {
    World w;
    w.add_collider(Collider::ground());
    Body cube =
        w.add_body(shapes::cube(0.4, 8), Material::named("rubber"), {.position = {0, 0.2, 0}});
    Rigid box = w.add_rigid(RigidBody::box({0, 0.46, 0}, {0.1, 0.05, 0.1}));
    const auto sleep = [&] {
        for (int k = 0; k < 3000 && !(box.asleep() && cube.asleep()); ++k) w.step();
        return box.asleep() && cube.asleep();
    };
    ASSERT_TRUE(sleep());
    const auto before = w.state_hash();
    w.step();
    EXPECT_NE(w.state_hash(), before);  // the time goes on
    EXPECT_TRUE(box.asleep());
    box.apply_impulse({0.5, 0, 0});
    w.step();
    EXPECT_FALSE(box.asleep());
    EXPECT_FALSE(cube.asleep());
    ASSERT_TRUE(sleep());
    const double height = box.pose().position.y;
    w.remove_body(cube.id());
    for (int k = 0; k < 40; ++k) w.step();
    EXPECT_LT(box.pose().position.y, height - 0.1);
}

World busy_world(int threads) {
    WorldSettings settings;
    settings.threads = threads;
    World w(settings);
    w.add_collider(Collider::ground());
    for (int k = 0; k < 3; ++k)
        w.add_body(shapes::icosphere(0.3, 2), Material::named("gummy"),
                   {.position = {0.5 * k, 0.31, 0.05 * k}});
    w.add_rigid(RigidBody::sphere({0.2, 0.8, 0}, 0.15));
    w.add_rigid(RigidBody::box({0.7, 0.9, 0}, {0.2, 0.1, 0.1}, Quat::about({1, 1, 0}, 0.5)));
    w.add_rigid(RigidBody::capsule({0.4, 1.3, 0}, 0.1, 0.5, Quat::about({1, 0, 0}, 1.2)));
    w.add_rigid(RigidBody::convex(shapes::icosphere(0.15, 1), {0.4, 1.7, 0}));
    return w;
}

TEST(Rigids, have_the_same_bits_for_every_number_of_threads_and_from_a_snapshot) {
    World one = busy_world(1), three = busy_world(3);
    for (int k = 0; k < 80; ++k) one.step(), three.step();
    EXPECT_EQ(one.state_hash(), three.state_hash());
    World back;
    back.restore(one.snapshot());
    EXPECT_EQ(back.state_hash(), one.state_hash());
    EXPECT_EQ(back.rigids()[1].name(), one.rigids()[1].name());
    EXPECT_EQ(back.rigids()[3].mass(), one.rigids()[3].mass());
    for (int k = 0; k < 80; ++k) one.step(), back.step();
    EXPECT_EQ(back.state_hash(), one.state_hash());
    one.rigids()[0].apply_impulse({0, 1, 0});
    EXPECT_NE(back.state_hash(), one.state_hash());
}

TEST(Rigids, are_seen_by_queries_and_events) {
    World w(WorldSettings{.gravity = {}});
    const Rigid ball = w.add_rigid(RigidBody::sphere({2, 0, 0}, 0.5));
    const Rigid stone = w.add_rigid(RigidBody::convex(shapes::cube(1, 2), {0, 3, 0}));
    auto hit = w.cast_ray({}, {1, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->rigid, ball.id());
    EXPECT_EQ(hit->body, 0u);
    EXPECT_NEAR(hit->distance, 1.5, 1e-6);
    EXPECT_NEAR(hit->normal.x, -1, 1e-6);
    hit = w.cast_ray({0.1, 0, 0.2}, {0, 1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->rigid, stone.id());
    EXPECT_NEAR(hit->distance, 2.5, 1e-9);
    EXPECT_FALSE(w.cast_ray({}, {1, 0, 0}, 1.4));
    const auto near = w.closest_point({0, 2, 0}, 1);
    ASSERT_TRUE(near);
    EXPECT_EQ(near->rigid, stone.id());
    EXPECT_NEAR(near->distance, 0.5, 1e-9);

    const Body soft = w.add_body(shapes::icosphere(0.5, 2), Material::named("gummy"),
                                 {.position = {3.2, 0, 0}, .velocity = {-2, 0, 0}});
    const ColliderId wall = w.add_collider(Collider::plane({-0.5, 0, 0}, {1, 0, 0}));
    std::vector<ContactEvent> told;
    for (int k = 0; k < 500; ++k) {
        w.step();
        told.insert(told.end(), w.events().begin(), w.events().end());
    }
    ASSERT_GE(told.size(), 3u);
    EXPECT_EQ(told[0].body, soft.id());
    EXPECT_EQ(told[0].rigid, ball.id());
    EXPECT_GT(told[0].normal.x, 0.9);
    EXPECT_GT(told[0].impulse, 0);
    EXPECT_EQ(told[1].kind, ContactEvent::Kind::ended);
    EXPECT_EQ(told[1].rigid, ball.id());
    EXPECT_EQ(told[2].body, 0u);
    EXPECT_EQ(told[2].rigid, ball.id());
    EXPECT_EQ(told[2].collider, wall);
}

TEST(Rigids, that_cannot_be_are_refused_with_a_sentence) {
    World w;
    const auto refused = [&](auto&& change) {
        RigidBody body = RigidBody::sphere({}, 0.5);
        body.name = "it";
        change(body);
        Status status;
        w.add_rigid(body, &status);
        return status.message.find("rigid body 'it'") != std::string::npos;
    };
    const double nan = std::nan("");
    EXPECT_TRUE(refused([](RigidBody& b) { b.mass = 0; }));
    EXPECT_TRUE(refused([](RigidBody& b) { b.mass = -1; }));
    EXPECT_TRUE(refused([](RigidBody& b) { b.density = 0; }));
    EXPECT_TRUE(refused([&](RigidBody& b) { b.pose.position.x = nan; }));
    EXPECT_TRUE(refused([&](RigidBody& b) { b.pose.rotation = {0, 0, 0, 0}; }));
    EXPECT_TRUE(refused([&](RigidBody& b) { b.velocity.x = nan; }));
    EXPECT_TRUE(refused([&](RigidBody& b) { b.friction = -1; }));
    EXPECT_TRUE(refused([&](RigidBody& b) { b.radius = -1; }));
    EXPECT_TRUE(w.rigids().empty());

    Rigid ball = w.add_rigid(RigidBody::sphere({}, 0.5));
    Status status;
    ball.set_state({{{nan, 0, 0}, {}}, {}, {}}, &status);
    EXPECT_FALSE(status.message.empty());
    ball.set_force({1e300, 0, 0}, {});
    w.step(0.005, &status);
    EXPECT_NE(status.message.find(ball.name()), std::string::npos);
    EXPECT_TRUE(w.finite());
    w.remove_rigid(ball.id());
    EXPECT_FALSE(ball.alive());
    EXPECT_THROW(ball.mass(), Error);
}

TEST(Rigids, at_one_place_come_apart_without_an_explosion) {
    World w;
    w.add_collider(Collider::ground());
    for (int k = 0; k < 2000; ++k)
        w.add_rigid(k % 3 == 0   ? RigidBody::sphere({0, 0.5, 0}, 0.1)
                    : k % 3 == 1 ? RigidBody::box({0, 0.5, 0}, {0.1, 0.1, 0.1})
                                 : RigidBody::capsule({0, 0.5, 0}, 0.1, 0.4));
    for (int k = 0; k < 4; ++k) w.step();
    EXPECT_TRUE(w.finite());
    EXPECT_GT(w.report().pairs_left_out, 0u);
    for (const Rigid& r : w.rigids()) ASSERT_LT(norm(r.velocity()), 10) << r.name();
}

TEST(Rigids, of_absurd_speed_stay_finite) {
    World w;
    w.add_collider(Collider::ground());
    w.add_body(shapes::icosphere(0.3, 2), Material::named("gummy"), {.position = {0, 0.5, 0}});
    RigidBody fast = RigidBody::box({0, 1, 0}, {0.1, 0.1, 0.3});
    fast.velocity = {0, -1e6, 0};
    fast.angular_velocity = {1e5, 1e8, 0};
    w.add_rigid(fast);
    for (int k = 0; k < 3; ++k) {
        Status status;
        w.step(0.005, &status);
    }
    EXPECT_TRUE(w.finite());
}

}  // namespace
}  // namespace turgor::measure
