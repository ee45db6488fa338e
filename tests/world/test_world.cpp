#include <gtest/gtest.h>

#include <cmath>

#include "turgor/turgor.hpp"
#include "world/mixed_world.hpp"

namespace turgor {
namespace {

Mesh ball() {
    return shapes::uv_sphere(0.5, 16, 15);
}

TEST(World, same_input_same_bits) {
    Mixed one, two;
    one.run(60);
    two.run(60);
    EXPECT_EQ(one.world.state_hash(), two.world.state_hash());
    two.run(1);
    EXPECT_NE(one.world.state_hash(), two.world.state_hash());
}

TEST(World, a_body_does_not_notice_another) {
    World one, two;
    for (World* w : {&one, &two}) w->add_collider(Collider::ground());
    two.add_body(shapes::cube(0.5, 5), {}, {.position = {5, 1, 0}});
    Body a = one.add_body(ball(), {}, {.position = {0, 0.8, 0}}),
         b = two.add_body(ball(), {}, {.position = {0, 0.8, 0}});
    for (int k = 0; k < 100; ++k) one.step(), two.step();
    for (std::size_t i = 0; i < ball().vertices.size(); ++i)
        EXPECT_EQ(a.position(i), b.position(i));
}

TEST(World, bodies_come_and_go_while_it_runs) {
    World world;
    world.add_collider(Collider::ground());
    Body a = world.add_body(ball(), {}, {.position = {0, 1, 0}});
    Body b = world.add_body(shapes::cube(1, 5), {}, {.position = {3, 1, 0}});
    Body c = world.add_body(ball(), {}, {.name = "c", .position = {6, 1, 0}});
    for (int k = 0; k < 20; ++k) world.step();
    const Vec3 before = c.position(7);
    world.remove_body(b.id());
    EXPECT_FALSE(b.alive());
    EXPECT_TRUE(c.alive());
    EXPECT_EQ(c.position(7), before);
    EXPECT_EQ(c.name(), "c");
    Status status;
    b.set_force({1, 0, 0}, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    EXPECT_THROW((void)b.volume(), Error);
    world.add_body(ball());
    for (int k = 0; k < 20; ++k) world.step();
    EXPECT_TRUE(world.finite());
    EXPECT_EQ(world.bodies().size(), 3u);
    (void)a;
}

TEST(World, published_positions_are_those_of_the_mesh_in_its_order) {
    const Mesh duck = shapes::rubber_duck(1, 300);
    World world;
    Body body = world.add_body(duck, {}, {.position = {1, 2, 3}});
    for (std::size_t i = 0; i < duck.vertices.size(); ++i) {
        EXPECT_LT(norm(body.position(i) - duck.vertices[i] - Vec3{1, 2, 3}), 1e-12);
        EXPECT_LT(norm(to_double(body.positions()[i]) - body.position(i)), 1e-6);
        EXPECT_NEAR(norm(to_double(body.normals()[i])), 1, 1e-6);
    }
}

TEST(World, display_mesh_follows) {
    const Mesh fine = shapes::gummy_bear(1, 3000), coarse = simplify(fine, 400);
    World world;
    world.add_collider(Collider::ground());
    Body body = world.add_body(coarse, {}, {.position = {0, 0.3, 0}, .display = &fine});
    ASSERT_EQ(body.display_positions().size(), fine.vertices.size());
    for (std::size_t i = 0; i < fine.vertices.size(); ++i)
        EXPECT_LT(norm(to_double(body.display_positions()[i]) - fine.vertices[i] - Vec3{0, 0.3, 0}),
                  1e-6);
    for (int k = 0; k < 60; ++k) world.step();
    Bounds shown;
    for (const Vec3f& p : body.display_positions()) shown.add(to_double(p));
    EXPECT_LT(norm(shown.centre() - body.bounds().centre()), 0.03);
}

TEST(World, contact_events_begin_and_end_once) {
    World world;
    const ColliderId ground = world.add_collider(Collider::ground());
    Material m = Material::named("rubber");
    Body body = world.add_body(ball(), m, {.position = {0, 1.0, 0}});
    int began = 0, ended = 0;
    for (int k = 0; k < 110; ++k) {
        world.step();
        for (const ContactEvent& e : world.events()) {
            EXPECT_EQ(e.body, body.id());
            EXPECT_EQ(e.collider, ground);
            EXPECT_NEAR(e.point.y, 0, 1e-6);
            EXPECT_NEAR(e.normal.y, 1, 1e-12);
            ++(e.kind == ContactEvent::Kind::began ? began : ended);
        }
    }
    EXPECT_EQ(began, 1);
    EXPECT_EQ(ended, 1);
    for (int k = 0; k < 1500; ++k) world.step();
    int flicker = 0;
    for (int k = 0; k < 200; ++k) {
        world.step();
        flicker += static_cast<int>(world.events().size());
    }
    EXPECT_EQ(flicker, 0);
}

TEST(World, contacts_are_counted_once_however_many_sub_steps_a_step_has) {
    World world;
    world.add_collider(Collider::ground());
    world.add_body(shapes::cube(0.5, 4), Material::named("gummy"), {.position = {0, 0.25, 0}});
    for (int k = 0; k < 20; ++k) world.step(0.05);
    EXPECT_GT(world.report().sub_steps, 3);
    EXPECT_EQ(world.report().contacts, 16u);
}

TEST(World, forces_and_impulses_move_the_centre_as_newton_says) {
    World world({.gravity = {}, .formulation = {}});
    Body body = world.add_body(ball());
    const double m = body.mass();
    const Vec3 start = body.centre_of_mass();
    body.apply_impulse({2 * m, 0, 0});
    body.apply_impulse(3, {0, 0.5 * m, 0});
    EXPECT_NEAR(body.momentum().x / m, 2, 1e-12);
    EXPECT_NEAR(body.momentum().y / m, 0.5, 1e-12);
    body.set_force({0, 0, 4 * m});
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_NEAR((body.centre_of_mass() - start).x, 1, 1e-7);
    EXPECT_NEAR((body.centre_of_mass() - start).y, 0.25, 1e-7);
    EXPECT_NEAR(body.momentum().z / m, 2, 1e-7);
    body.set_force({});
    body.set_gravity_factor(0);
    world.set_gravity({0, -10, 0});
    const double before = body.momentum().y;
    world.step();
    EXPECT_NEAR(body.momentum().y, before, 1e-5);
}

TEST(World, mass_is_density_times_volume) {
    World world;
    Material m;
    m.density = 250;
    Body body = world.add_body(shapes::cube(2, 6), m);
    EXPECT_NEAR(body.mass(), 2000, 1e-9);
    m.density = 500;
    body.set_material(m);
    EXPECT_NEAR(body.mass(), 4000, 1e-9);
}

TEST(World, teleport_moves_rigidly_and_keeps_the_deformation) {
    World world;
    world.add_collider(Collider::ground());
    Body body = world.add_body(ball(), Material::named("jelly"), {.position = {0, 0.6, 0}});
    for (int k = 0; k < 60; ++k) world.step();
    const double shape = body.shape_error(), volume = body.volume();
    body.teleport({100, 5, 0}, Quat::about({1, 0, 0}, 1.5));
    EXPECT_NEAR(body.centre_of_mass().x, 100, 1e-9);
    EXPECT_NEAR(body.shape_error(), shape, 1e-9);
    EXPECT_NEAR(body.volume(), volume, 1e-9);
    EXPECT_EQ(body.max_speed(), 0);
}

TEST(World, materials_change_while_running) {
    World world;
    world.add_collider(Collider::ground());
    Body body = world.add_body(ball(), Material::named("rubber"), {.position = {0, 0.5, 0}});
    for (int k = 0; k < 400; ++k) world.step();
    const double firm = body.bounds().extent().y;
    body.set_material(Material::named("jelly"));
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_LT(body.bounds().extent().y, firm - 0.02);
    EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-7);
    Material bad;
    bad.alpha = 3;
    Status status;
    body.set_material(bad, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    EXPECT_NE(status.message.find("alpha"), std::string::npos);
    EXPECT_EQ(body.material().alpha, Material::named("jelly").alpha);
}

TEST(Errors, nonsense_is_refused_with_a_sentence) {
    World world;
    Status status;
    world.step(0, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    world.step(NAN, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    world.step(1, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    EXPECT_THROW(world.step(-1), Error);
    world.add_body(Mesh{}, {}, {}, &status);
    EXPECT_FALSE(status.ok());
    Mesh open = ball();
    open.triangles.pop_back();
    world.add_body(open, {}, {}, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_mesh);
    world.add_body(ball(), {}, {.scale = -1}, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    world.add_collider(Collider::sphere({}, 0), &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    Material::named("cheese", &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    EXPECT_EQ(world.bodies().size(), 0u);
    Body body = world.add_body(ball());
    EXPECT_THROW(body.set_force(100000, {}), Error);
    EXPECT_THROW(body.set_positions(std::vector<Vec3>(3)), Error);
    EXPECT_THROW(body.pin({}), Error);
    Mesh torn = shapes::cube(1, 3);
    torn.triangles[0][1] = 1000;
    EXPECT_THROW(world.add_body(torn), Error);
    const double nan = std::nan("");
    EXPECT_THROW(world.add_body(shapes::cube(1, 3), {}, {.gravity_factor = nan}), Error);
    EXPECT_THROW(world.add_body(shapes::cube(1, 3), {}, {.rotation = {nan, 0, 0, 0}}), Error);
    EXPECT_THROW(body.teleport({}, {0, 0, 0, 0}), Error);
    EXPECT_THROW(world.step(1e-9), Error);
    Formulation odd;
    odd.surface.normal_point_weight = nan;
    EXPECT_THROW(World({.gravity = {}, .formulation = odd}), Error);
    Status refused;
    world.set_gravity({0, nan, 0}, &refused);
    EXPECT_EQ(refused.code, ErrorCode::bad_argument);
}

TEST(World, a_body_survives_the_move_of_its_world) {
    World first;
    const Body body = first.add_body(shapes::cube(1, 4));
    const World second = std::move(first);
    EXPECT_TRUE(body.alive());
    EXPECT_NEAR(body.volume(), 1, 1e-7);
}

TEST(World, names_stay_different_and_adding_many_is_quick) {
    World world;
    for (int k = 0; k < 2000; ++k) world.add_body(shapes::cube(1, 2), {}, {.name = "box"});
    EXPECT_EQ(world.bodies().back().name(), "box.2000");
    world.remove_body(world.bodies()[4].id());
    EXPECT_EQ(world.add_body(shapes::cube(1, 2), {}, {.name = "box"}).name(), "box.2001");
}

TEST(World, tiny_bodies_get_no_more_sub_steps_than_they_can_use) {
    World world;
    Body speck = world.add_body(shapes::uv_sphere(1e-6, 8, 7));
    world.step();
    EXPECT_LE(world.report().sub_steps, 110);
    EXPECT_LT(speck.frequency(), speck.material().frequency / speck.size());
    EXPECT_TRUE(world.finite());
}

TEST(Friction, holds_below_the_angle_and_slides_above_it) {
    const double angle = 0.4;  // tan 0.4 = 0.42
    const Vec3 down{std::cos(angle), -std::sin(angle), 0};
    for (const double mu : {0.6, 0.25}) {
        World world;
        world.add_collider(Collider::plane({}, {std::sin(angle), std::cos(angle), 0}));
        Material m = Material::named("rubber");
        m.friction = mu;
        const Quat tilt = Quat::about({0, 0, 1}, -angle);
        Body body = world.add_body(
            shapes::bar({1, 0.3, 1}, 9), m,
            {.position = 0.151 * Vec3{std::sin(angle), std::cos(angle), 0}, .rotation = tilt});
        for (int k = 0; k < 200; ++k) world.step();
        const double v0 = dot(body.momentum(), down) / body.mass(),
                     x0 = dot(body.centre_of_mass(), down);
        for (int k = 0; k < 200; ++k) world.step();
        const double v1 = dot(body.momentum(), down) / body.mass();
        if (mu > std::tan(angle)) {
            EXPECT_LT(dot(body.centre_of_mass(), down) - x0, 0.005);
        } else {
            const double expected = 9.81 * (std::sin(angle) - mu * std::cos(angle));
            EXPECT_NEAR(v1 - v0, expected, 0.05 * expected);
        }
    }
}

TEST(Formulation, every_switch_of_the_paper_runs_and_keeps_the_volume_as_well_as_it_can) {
    World paper({.gravity = {0, -9.81, 0}, .formulation = Formulation::paper()});
    paper.add_collider(Collider::ground());
    Material m;
    m.omega = 3;
    m.stiffness = 0.9;
    m.damping = 0.05;
    Body body = paper.add_body(ball(), m, {.position = {0, 0.8, 0}});
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
        paper.step();
        worst = std::max(worst, std::abs(body.volume() / body.rest_volume() - 1));
    }
    EXPECT_TRUE(paper.finite());
    EXPECT_GT(worst, 1e-7);
    EXPECT_LT(worst, 0.02);
}

}  // namespace
}  // namespace turgor
