#include <gtest/gtest.h>

#include <cmath>

#include "turgor/turgor.hpp"

namespace turgor {
namespace {

TEST(Contact, a_body_put_inside_a_collider_comes_out_without_being_thrown) {
    for (const double dt : {0.001, 0.005, 0.0167}) {
        for (const double centre : {0.3, -0.2}) {
            World world;
            world.add_collider(Collider::ground());
            Body ball = world.add_body(shapes::uv_sphere(0.5, 12, 11), Material::named("gummy"),
                                       {.position = {0, centre, 0}});
            double highest = 0;
            while (world.time() < 1.5) {
                world.step(dt);
                highest = std::max(highest, ball.centre_of_mass().y);
            }
            EXPECT_LT(highest, 0.6) << dt << " " << centre;
            EXPECT_GT(ball.bounds().lower.y, -0.01) << dt << " " << centre;
        }
    }
}

TEST(Contact, growing_back_on_the_ground_throws_nothing) {
    World world;
    world.add_collider(Collider::ground());
    Body ball = world.add_body(shapes::uv_sphere(0.5, 12, 11), Material::named("gummy"));
    ball.set_positions(std::vector<Vec3>(ball.positions().size(), Vec3{0, 0.02, 0}));
    double highest = 0;
    while (world.time() < 2) {
        world.step();
        highest = std::max(highest, ball.centre_of_mass().y);
    }
    EXPECT_LT(highest, 0.8);
    EXPECT_LT(ball.shape_error(), 0.1);
    EXPECT_GT(ball.bounds().lower.y, -0.01);
}

TEST(World, what_overflows_is_stopped_and_the_others_go_on) {
    World world;
    Body wild = world.add_body(shapes::cube(1, 4), {}, {.name = "wild"});
    const Body other = world.add_body(shapes::cube(1, 4), {}, {.position = {5, 0, 0}});
    wild.apply_impulse({1e308, 1e308, 0});
    Status status;
    world.step(0.005, &status);
    EXPECT_EQ(status.code, ErrorCode::failed);
    EXPECT_NE(status.message.find("wild"), std::string::npos);
    EXPECT_TRUE(world.finite());
    for (int k = 0; k < 20; ++k) world.step();
    EXPECT_NEAR(world.time(), 0.105, 1e-12);
    EXPECT_NEAR(other.velocity(0).y, -9.81 * 0.105, 1e-3);
}

TEST(World, what_overflows_in_a_heap_or_while_it_recovers_stays_finite) {
    for (const Backend backend : {Backend::reference, Backend::cpu})
        for (const double huge : {1e20, 1e100, 1e200, 1e300}) {
            WorldSettings settings;
            settings.backend = backend;
            World world(settings);
            world.add_collider(Collider::ground());
            Body pushed = world.add_body(shapes::cube(0.6, 3), Material::named("gummy"),
                                         {.position = {0, 0.3, 0}});
            world.add_body(shapes::cube(0.6, 3), Material::named("gummy"),
                           {.position = {0.61, 0.3, 0}});
            world.add_rigid(RigidBody::sphere({0, 0.7, 0}, 0.1));
            Body lost = world.add_body(shapes::icosphere(0.4, 1), {}, {.position = {-3, 1, 0}});
            std::vector<Vec3> x(lost.positions().size(), Vec3{-3, 1, 0});
            lost.set_positions(x);
            world.step();
            ASSERT_TRUE(lost.recovering());
            x[7].x = huge;
            lost.set_positions(x);
            pushed.set_gravity_factor(huge);
            for (int k = 0; k < 4; ++k) {
                Status status;
                world.step(0.005, &status);
                EXPECT_TRUE(world.finite()) << huge << " " << k;
            }
        }
}

}  // namespace
}  // namespace turgor
