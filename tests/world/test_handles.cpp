#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "turgor/turgor.hpp"

namespace turgor {
namespace {

Mesh ball() {
    return shapes::uv_sphere(0.5, 16, 15);
}

/// What pins take was once given back to the body as an error of its angular momentum: how far it
/// hung depended on the form and on how many particles were inside, and it kept on moving.
TEST(Handles, what_is_held_by_its_end_hangs_alike_in_all_forms_and_steps) {
    for (const Model& model : {Model(LatticeModel{.cells = 10})}) {
        std::vector<double> sags;
        for (const Backend backend : {Backend::reference, Backend::cpu})
            for (const double dt : {0.005, 0.01}) {
                WorldSettings settings;
                settings.backend = backend;
                World world(settings);
                Material material = Material::named("gummy");
                material.frequency = 12;
                material.damping_ratio = 0.5;
                Body bar =
                    world.add_body(shapes::bar({1, 0.3, 0.3}, 11), material, {.model = model});
                std::vector<std::uint32_t> end;
                for (std::uint32_t v = 0; v < bar.positions().size(); ++v)
                    if (bar.position(v).x < -0.25) end.push_back(v);
                bar.pin(end);
                const double before = bar.centre_of_mass().y;
                for (int k = 0; k * dt < 3; ++k) world.step(dt);
                sags.push_back(before - bar.centre_of_mass().y);
                EXPECT_LT(bar.max_speed(), 0.02) << model.name;
            }
        const auto [least, most] = std::ranges::minmax(sags);
        EXPECT_GT(least, 0.001);
        EXPECT_LT(most / least, 1.03) << model.name;
    }
}

TEST(Handles, pinned_vertices_are_where_the_path_says) {
    World world;
    const Mesh bar = shapes::bar({2, 0.4, 0.4}, 15);
    Body body = world.add_body(bar, {}, {.position = {0, 1, 0}});
    std::vector<std::uint32_t> end;
    for (std::uint32_t i = 0; i < bar.vertices.size(); ++i)
        if (bar.vertices[i].x < -0.99) end.push_back(i);
    const Vec3 start = body.position(end[0]);
    const HandleId pin = body.pin(end, {{{0, {}}, {1, {{0, 1, 0}, {}}}}, false, false});
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_LT(norm(body.position(end[0]) - (start + Vec3{0, 0.5, 0})), 1e-7);
    EXPECT_GT(body.centre_of_mass().y, 0.9);
    body.release(pin);
    for (int k = 0; k < 200; ++k) world.step();
    EXPECT_LT(body.centre_of_mass().y, -1);
    EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-7);
}

TEST(Handles, a_dragged_body_arrives_at_its_target_and_hangs_there) {
    World world;
    Body body = world.add_body(ball(), {}, {.position = {0, 0, 0}});
    body.drag(body.vertices_near({0, 0.5, 0}, 0.15), {1, 2, 0});
    for (int k = 0; k < 1000; ++k) world.step();
    EXPECT_NEAR(body.centre_of_mass().x, 1, 0.3);
    EXPECT_NEAR(body.bounds().upper.y, 2, 0.3);
    EXPECT_LT(body.max_speed(), 1);
    EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-7);
}

TEST(Handles, a_followed_target_carries_the_strong_vertices_and_lets_the_others_jiggle) {
    const Mesh duck = shapes::rubber_duck(1, 300);
    World world({.gravity = {}, .formulation = {}});
    Body body = world.add_body(duck, Material::named("jelly"));
    std::vector<Vec3> rest, target;
    std::vector<double> strength;
    for (std::size_t i = 0; i < duck.vertices.size(); ++i) {
        rest.push_back(body.position(i));
        strength.push_back(rest[i].y < 0.3 ? 1.0 : rest[i].y < 0.4 ? 0.3 : 0.0);
    }
    const HandleId follow = body.follow(rest, strength);
    double lag = 0;
    for (int k = 1; k <= 200; ++k) {
        target = rest;
        for (Vec3& p : target) p.x += 0.3 * std::sin(0.05 * k);
        body.move_handle(follow, target);
        world.step();
        for (std::size_t i = 0; i < rest.size(); ++i) {
            if (strength[i] == 1) {
                EXPECT_LT(norm(body.position(i) - target[i]), 1e-7);
            }
            if (strength[i] == 0) lag = std::max(lag, norm(body.position(i) - target[i]));
        }
    }
    EXPECT_GT(lag, 0.02);
    EXPECT_LT(lag, 1);
    Status status;
    body.follow(rest, std::vector<double>(3, 1.0), &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
}

TEST(Handles, pins_move_with_a_teleported_body) {
    World world({.gravity = {}, .formulation = {}});
    Body ball = world.add_body(shapes::uv_sphere(0.5, 12, 11));
    const std::vector<std::uint32_t> top{0, 1, 2};
    ball.pin(top);
    ball.teleport({10, 0, 0}, Quat::about({0, 1, 0}, 1));
    const Vec3 there = ball.position(1);
    for (int k = 0; k < 10; ++k) world.step();
    EXPECT_LT(norm(ball.position(1) - there), 1e-7);
    EXPECT_LT(ball.max_speed(), 1e-4);
}

}  // namespace
}  // namespace turgor
