#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/rotation.hpp"
#include "contact/contact.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

std::vector<Collider> all_shapes() {
    return {Collider::ground(), Collider::sphere({}, 0.5), Collider::box({}, {0.3, 0.5, 0.2}),
            Collider::capsule({}, 0.3, 1.2), Collider::cup({}, 0.5, 0.8, 0.1)};
}

TEST(NearestSurface, normal_is_the_gradient_and_leads_to_the_surface) {
    Random random(1);
    for (const Collider& c : all_shapes())
        for (int k = 0; k < 2000; ++k) {
            const Vec3 p = 1.2 * random.in_cube();
            const SignedDistance s = nearest_surface(c, p);
            EXPECT_NEAR(norm(s.normal), 1, 1e-12);
            if (s.distance <= 0) continue;
            EXPECT_NEAR(nearest_surface(c, p - s.distance * s.normal).distance, 0, 1e-9);
            // A distance never changes faster than the point moves.
            const Vec3 q = p + 0.1 * random.in_cube();
            EXPECT_LE(std::abs(nearest_surface(c, q).distance - s.distance), norm(q - p) + 1e-12);
        }
}

TEST(FindObstacle, nothing_passes_however_thin_the_wall_and_fast_the_particle) {
    Random random(2);
    const Collider wall = Collider::box({}, {5, 0.001, 5}), cup = Collider::cup({}, 0.5, 3, 0.01);
    for (int k = 0; k < 10000; ++k) {
        const Vec3 above{random.between(-1, 1), random.between(0.01, 1), random.between(-1, 1)};
        const Vec3 below{random.between(-1, 1), -random.between(0.01, 9), random.between(-1, 1)};
        const auto hit = find_obstacle(wall, above, below, 0);
        ASSERT_TRUE(hit);
        EXPECT_GT(hit->normal.y, 0.99);
        EXPECT_LT(hit->gap, 0);
        const double turn = random.between(0, 6.28);
        const Vec3 inside{0.3 * std::cos(turn), random.between(0.5, 2), 0.3 * std::sin(turn)};
        const auto caught =
            find_obstacle(cup, inside, inside + Vec3{3 * std::cos(turn), 0, 3 * std::sin(turn)}, 0);
        ASSERT_TRUE(caught);
        EXPECT_LT(dot(caught->normal, inside), 0);
    }
}

TEST(FindObstacle, free_particles_meet_nothing) {
    const Collider ball = Collider::sphere({}, 0.5);
    EXPECT_FALSE(find_obstacle(ball, {2, 0, 0}, {1, 0, 0}, 0.1));
    EXPECT_TRUE(find_obstacle(ball, {2, 0, 0}, {0.55, 0, 0}, 0.1));
    EXPECT_FALSE(find_obstacle(ball, {-2, 0.9, 0}, {2, 0.9, 0}, 0.1));
}

/// Where the plane that stops a particle brings it to.
Vec3 stopped(const Collider& collider, Vec3 from, Vec3 to) {
    const auto obstacle = find_obstacle(collider, from, to, 0);
    if (!obstacle || obstacle->gap >= 0) return to;
    EXPECT_NEAR(obstacle->gap, dot(to - obstacle->point, obstacle->normal), 1e-12);
    return to - obstacle->gap * obstacle->normal;
}

Vec3 around(double radius, double turn, double height) {
    return {radius * std::cos(turn), height, radius * std::sin(turn)};
}

TEST(FindObstacle, nothing_leaves_a_cup_through_its_round_wall_or_its_floor) {
    Random random(3);
    const Collider cup = Collider::cup({}, 0.5, 3, 0.01);
    for (int k = 0; k < 20000; ++k) {
        // Free, on the wall, and a little inside it.
        const double radius =
            k % 3 == 0 ? random.between(0, 0.5) : 0.5 + (k % 3 - 1) * random.between(0, 0.004);
        const Vec3 from = around(radius, random.between(0, 6.28), random.between(0, 2.9));
        const Vec3 way = around(std::pow(10, random.between(-5, 1)), random.between(0, 6.28),
                                random.between(-4, 0));
        const Vec3 to = from + way, end = stopped(cup, from, to);
        const bool in_corner = to.y < 0 && std::hypot(to.x, to.z) > 0.5;
        const double off = in_corner ? 0.25 * cup.wall : 1e-9;
        EXPECT_LE(std::hypot(end.x, end.z), 0.5 + off) << k;
        EXPECT_GE(end.y, -off) << k;
    }
}

/// Coulomb friction takes a particle back along the plane that stops it, towards where it came
/// from.
TEST(FindObstacle, friction_does_not_take_a_particle_behind_a_round_wall) {
    Random random(4);
    const Collider cup = Collider::cup({}, 0.5, 3, 0.01);
    const MovingCollider there{&cup, 1, {}, {}};
    for (int k = 0; k < 20000; ++k) {
        const std::vector<Vec3> start{around(random.between(0, 0.5), random.between(0, 6.28), 1)};
        std::vector<Vec3> x{start[0] + around(0.2, random.between(0, 6.28), 0)};
        std::vector<Contact> contacts;
        find_contacts(std::span(&there, 1), {0.01, {0.7, 0.7, 0}}, start, x, start, contacts);
        push_out(contacts, start, x, 0);
        EXPECT_LT(std::hypot(x[0].x, x[0].z), 0.5 + 0.3 * cup.wall) << k;
    }
}

/// A plane between the two would let a particle that is pressed on it slide up behind the wall.
TEST(FindObstacle, in_the_corner_of_a_cup_the_deeper_of_wall_and_floor_counts) {
    const Collider cup = Collider::cup({}, 0.5, 3, 0.05);
    const Vec3 from{0.49, 0.01, 0};
    EXPECT_NEAR(find_obstacle(cup, from, {0.501, -0.002, 0}, 0)->normal.y, 1, 1e-9);
    EXPECT_NEAR(find_obstacle(cup, from, {0.502, -0.001, 0}, 0)->normal.x, -1, 1e-9);
    const Vec3 far_out = stopped(cup, from, {2, -2, 0});
    EXPECT_NEAR(norm(far_out - Vec3{0.5, 0, 0}), 0, 1e-9);
}

TEST(FindObstacle, a_way_over_the_rim_is_free) {
    const Collider cup = Collider::cup({}, 0.5, 1, 0.01);
    EXPECT_FALSE(find_obstacle(cup, {0, 0.9, 0}, {2, 2, 0}, 0.1));
    EXPECT_TRUE(find_obstacle(cup, {0, 0.9, 0}, {2, 1.1, 0}, 0.1));
    EXPECT_TRUE(find_obstacle(cup, {0, 2, 0}, {1, -1, 0}, 0.1));  // in by the mouth
}

TEST(FindObstacle, shallow_ways_do_not_lead_through_a_thin_plate) {
    const Collider plate = Collider::box({}, {50, 0.005, 50});
    for (const double slope : {0.1, 0.03, 0.01, 0.003}) {
        const Vec3 from{-20, 0.005 + 10 * slope, 0}, to{20, 0.005 - 30 * slope, 0};
        EXPECT_NEAR(stopped(plate, from, to).y, 0.005, 1e-5) << slope;
        // Beside it the same way is free.
        const Vec3 aside{0, 0, 60};
        EXPECT_FALSE(find_obstacle(plate, from + aside, to + aside, 0)) << slope;
    }
}

TEST(FindObstacle, a_particle_a_little_inside_does_not_leave_by_the_far_side) {
    const Collider plate = Collider::box({}, {5, 0.005, 5});
    EXPECT_NEAR(stopped(plate, {0, 0.004, 0}, {0.1, -1, 0}).y, 0.005, 1e-9);
    EXPECT_NEAR(stopped(plate, {0, 0.004, 0}, {0.1, -0.004, 0}).y, 0.005, 1e-9);
    EXPECT_EQ(stopped(plate, {0, 0.004, 0}, {0.1, 1, 0}).y, 1);
}

TEST(Cup, a_ball_shot_about_in_it_stays_inside) {
    for (const double dt : {0.005, 1.0 / 60})
        for (const double speed : {5.0, 10.0, 20.0, 40.0, 80.0})
            for (const double aside : {0.0, 0.3}) {
                World world({.gravity = {}});
                world.add_collider(Collider::cup({0, -5, 0}, 0.5, 10, 0.01));
                const Body ball =
                    world.add_body(shapes::icosphere(0.1, 1), {},
                                   {.position = {0, 0, aside}, .velocity = {speed, 0, 0}});
                double farthest = 0;
                for (int k = 0; k < 60; ++k) {
                    world.step(dt);
                    for (const Vec3f& p : ball.positions())
                        farthest = std::max<double>(farthest, std::hypot(p.x, p.z));
                }
                EXPECT_LT(farthest, 0.505) << speed << " m/s, " << aside << ", steps of " << dt;
            }
}

TEST(PushOut, friction_holds_up_to_its_cone_and_no_further) {
    for (const double slide : {0.003, 0.02}) {
        const std::vector<Vec3> start{{0, 0, 0}};
        std::vector<Vec3> x{{slide, -0.01, 0}};
        std::vector<Contact> contacts(1);
        contacts[0].normal = {0, 1, 0};
        contacts[0].friction = 0.5;
        EXPECT_TRUE(push_out(contacts, start, x, 0));
        EXPECT_NEAR(x[0].y, 0, 1e-15);
        EXPECT_NEAR(x[0].x, std::max(0.0, slide - 0.5 * 0.01), 1e-15);
        EXPECT_FALSE(push_out(contacts, start, x, 0));
    }
}

TEST(StopClosing, restitution_reflects_fast_hits_only) {
    Contact c;
    c.normal = {0, 1, 0};
    c.touching = true;
    c.restitution = 0.5;
    c.approach = -2;
    std::vector<Vec3> v{{1, -1.5, 0}};
    stop_closing(std::span(&c, 1), 0.005, 0.1, v);
    EXPECT_NEAR(v[0].y, 1, 1e-15);
    EXPECT_EQ(v[0].x, 1);
    c.approach = -0.05;
    v[0] = {0, -0.05, 0};
    stop_closing(std::span(&c, 1), 0.005, 0.1, v);
    EXPECT_EQ(v[0].y, 0);
}

TEST(Path, interpolates_loops_and_stands_still_outside) {
    Path path{{{1, {{0, 0, 0}, {}}}, {2, {{2, 0, 0}, rotation_by({0, 1, 0})}}}, false, false};
    EXPECT_EQ(path.at(0).position.x, 0);
    EXPECT_NEAR(path.at(1.25).position.x, 0.5, 1e-15);
    EXPECT_NEAR(path.at(1.5).rotation.y, std::sin(0.25), 1e-12);
    EXPECT_EQ(path.at(9).position.x, 2);
    path.loop = true;
    EXPECT_NEAR(path.at(2.5).position.x, 1, 1e-12);
    path.smooth = true;
    EXPECT_LT(path.at(1.1).position.x, 0.1);
    EXPECT_EQ(Path{}.at(3), Pose{});
}

TEST(Collider, bad_ones_are_named) {
    Collider c = Collider::sphere({}, -1);
    EXPECT_TRUE(problem_with(c));
    c = Collider::box({NAN, 0, 0}, {1, 1, 1});
    EXPECT_TRUE(problem_with(c));
    c = Collider::ground();
    c.path.keys = {{1, {}}, {1, {}}};
    EXPECT_TRUE(problem_with(c));
    c.path.keys = {{1, {}}, {2, {}}};
    EXPECT_FALSE(problem_with(c));
    c.friction = -1;
    EXPECT_TRUE(problem_with(c));
    for (const Vec3 normal : {Vec3{}, Vec3{0, NAN, 0}, Vec3{0, INFINITY, 0}}) {
        const auto problem = problem_with(Collider::plane({}, normal));
        ASSERT_TRUE(problem);
        EXPECT_NE(problem->find("normal"), std::string::npos) << *problem;
        EXPECT_THROW(World().add_collider(Collider::plane({}, normal)), Error);
    }
    EXPECT_FALSE(problem_with(Collider::plane({}, {0, -1e-6, 0})));
    c = Collider::plane({}, {1, 1, 0});
    EXPECT_NEAR(norm(rotate(c.pose.rotation, {0, 1, 0}) - normalized(Vec3{1, 1, 0})), 0, 1e-12);
}

}  // namespace
}  // namespace turgor
