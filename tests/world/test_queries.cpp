#include <gtest/gtest.h>

#include "base/random.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

class Queries : public testing::TestWithParam<Backend> {
protected:
    Queries() : world(settings()) {
        duck = world
                   .add_body(shapes::rubber_duck(1, 500), Material::named("gummy"),
                             {.position = {3, 1, 0}})
                   .id();
        ball = world
                   .add_body(shapes::icosphere(0.5, 3), Material::named("gummy"),
                             {.position = {0, 2, 0}})
                   .id();
        ground = world.add_collider(Collider::ground());
        for (int k = 0; k < 20; ++k) world.step();
    }
    static WorldSettings settings() {
        WorldSettings s;
        s.backend = GetParam();
        return s;
    }
    std::vector<Vec3> positions(BodyId id) {
        std::vector<Vec3> x;
        for (std::size_t i = 0; i < world.body(id).positions().size(); ++i)
            x.push_back(world.body(id).position(i));
        return x;
    }
    World world;
    BodyId duck = 0, ball = 0;
    ColliderId ground = 0;
};
INSTANTIATE_TEST_SUITE_P(BackEnds, Queries, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(Queries, rays_meet_what_comes_first) {
    const TriangleTree oracle(positions(duck), world.body(duck).triangles());
    Random random(1);
    int hits = 0;
    for (int k = 0; k < 500; ++k) {
        const Vec3 from = Vec3{3, 1.2, 0} + 2.0 * normalized(random.in_cube());
        const Vec3 way = Vec3{3, 1.2, 0} + 0.4 * random.in_cube() - from;
        const auto hit = world.cast_ray(from, 5.0 * way);
        const auto wanted = oracle.first_hit(from, normalized(way), 0);
        if (!hit || hit->body != duck) continue;
        ASSERT_TRUE(wanted);
        EXPECT_NEAR(hit->distance, wanted->distance, 1e-9);
        EXPECT_EQ(hit->triangle, wanted->triangle);
        EXPECT_LT(dot(hit->normal, way), 0);
        EXPECT_LT(norm(hit->point - wanted->point), 1e-9);
        ++hits;
    }
    EXPECT_GT(hits, 200);
    // From above: the ball, then without it the ground.
    const auto above = world.cast_ray({0.01, 9, 0.02}, {0, -1, 0});
    ASSERT_TRUE(above);
    EXPECT_EQ(above->body, ball);
    world.body(ball).set_filter({.layers = 2});
    const auto through = world.cast_ray({0.01, 9, 0.02}, {0, -1, 0}, 100, {1, 1});
    ASSERT_TRUE(through);
    EXPECT_EQ(through->collider, ground);
    EXPECT_NEAR(through->distance, 9, 1e-6);
    EXPECT_FALSE(world.cast_ray({0, 9, 5}, {0, 1, 0}));
}

TEST_P(Queries, closest_points_are_closest) {
    const TriangleTree oracle(positions(duck), world.body(duck).triangles());
    Random random(2);
    for (int k = 0; k < 200; ++k) {
        const Vec3 p = Vec3{3, 1.3, 0} + 0.5 * random.in_cube();
        const auto near = world.closest_point(p, 5, {1, 1});
        ASSERT_TRUE(near);
        if (near->body != duck) continue;
        EXPECT_NEAR(std::abs(near->distance), oracle.nearest(p).distance, 1e-9);
        EXPECT_EQ(near->distance<0, oracle.winding_number(p)> 0.5);
        EXPECT_EQ(world.bodies_in_ball(p, 0) == std::vector<BodyId>{duck}, near->distance < 0);
    }
    EXPECT_FALSE(world.closest_point({50, 50, 50}, 1));
    EXPECT_EQ(world.bodies_in_ball({1.5, 1.5, 0}, 3), (std::vector<BodyId>{duck, ball}));
    EXPECT_TRUE(world.bodies_in_ball({1.5, 9, 0}, 1).empty());
}

TEST_P(Queries, refuse_nonsense) {
    Status status;
    EXPECT_FALSE(world.cast_ray({}, {}, 1, {}, &status));
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(world.cast_ray({}, {0, 1, 0}, -1, {}, &status));
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(world.closest_point({NAN, 0, 0}, 1, {}, &status));
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(world.bodies_in_ball({}, NAN, {}, &status).empty());
    EXPECT_FALSE(status.ok());
}

TEST_P(Queries, layers_tell_who_collides) {
    World stage(settings());
    const CollisionFilter ghost{.layers = 2, .collides_with = 2};
    const Mesh mesh = shapes::icosphere(0.3, 2);
    stage.add_collider(Collider::ground());
    Collider shelf = Collider::box({0, 1, 0}, {1, 0.05, 1});
    shelf.filter = ghost;
    stage.add_collider(shelf);
    const Body falls = stage.add_body(mesh, {}, {.position = {0, 1.6, 0}});
    const Body stays = stage.add_body(mesh, {}, {.position = {0, 1.5, 0.05}, .filter = ghost});
    for (int k = 0; k < 300; ++k) stage.step();
    // They pass through each other; one through the shelf, the other would through the ground.
    EXPECT_LT(falls.centre_of_mass().y, 0.5);
    EXPECT_NEAR(stays.centre_of_mass().y, 1.3, 0.1);
    EXPECT_LT(stage.report().max_penetration, 0.01);
}

TEST_P(Queries, sensors_tell_and_do_not_push) {
    World stage(settings());
    stage.add_collider(Collider::ground());
    Collider light = Collider::box({0, 1, 0}, {1, 0.1, 1});
    light.sensor = true;
    const ColliderId id = stage.add_collider(light);
    const Body body = stage.add_body(shapes::icosphere(0.2, 2), {},
                                     {.position = {0, 2, 0}, .velocity = {0, -1, 0}});
    World same(settings());
    same.add_collider(Collider::ground());
    const Body other = same.add_body(shapes::icosphere(0.2, 2), {},
                                     {.position = {0, 2, 0}, .velocity = {0, -1, 0}});
    std::vector<ContactEvent::Kind> told;
    for (int k = 0; k < 100; ++k) {
        stage.step();
        same.step();
        for (const ContactEvent& event : stage.events())
            if (event.collider == id) told.push_back(event.kind);
    }
    EXPECT_EQ(told, (std::vector{ContactEvent::Kind::began, ContactEvent::Kind::ended}));
    EXPECT_LT(norm(body.centre_of_mass() - other.centre_of_mass()), 1e-5);
}

TEST_P(Queries, events_carry_the_impulse) {
    World stage(settings());
    stage.add_collider(Collider::ground());
    const Body body = stage.add_body(shapes::icosphere(0.2, 2), {},
                                     {.position = {0, 0.3, 0}, .velocity = {0, -3, 0}});
    double impulse = 0;
    for (int k = 0; k < 40; ++k) {
        stage.step();
        for (const ContactEvent& event : stage.events())
            if (event.kind == ContactEvent::Kind::began) impulse = event.impulse;
    }
    EXPECT_GT(impulse, 0);
    EXPECT_LT(impulse, 3 * body.mass());
}

}  // namespace
}  // namespace turgor
