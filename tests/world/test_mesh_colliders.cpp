#include <gtest/gtest.h>

#include <cmath>

#include "turgor/turgor.hpp"

namespace turgor {
namespace {

class MeshColliders : public testing::TestWithParam<Backend> {
protected:
    World world(int threads = 1) const {
        WorldSettings settings;
        settings.backend = GetParam();
        settings.threads = threads;
        return World(settings);
    }
    void run(World& w, int steps) const {
        for (int k = 0; k < steps; ++k) w.step();
    }
};
INSTANTIATE_TEST_SUITE_P(BackEnds, MeshColliders, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

Collider flat_field(double height = 0) {
    return Collider::height_field(9, 9, std::vector<double>(81, height), 0.5, 0.5);
}

/// y = 0, with diagonals of its own.
Mesh floor_sheet() {
    Mesh mesh;
    for (std::uint32_t r = 0; r < 5; ++r)
        for (std::uint32_t c = 0; c < 5; ++c) mesh.vertices.push_back({c - 2.0, 0, r - 2.0});
    for (std::uint32_t r = 0; r < 4; ++r)
        for (std::uint32_t c = 0; c < 4; ++c) {
            const std::uint32_t a = 5 * r + c;
            mesh.triangles.push_back({a, a + 1, a + 5});
            mesh.triangles.push_back({a + 1, a + 6, a + 5});
        }
    return mesh;
}

/// All with their surface at y = 0.
std::vector<Collider> floors() {
    return {Collider::mesh(shapes::bar({4, 1, 4}, 20), {{0, -0.5, 0}, {}}), flat_field(),
            Collider::shell(floor_sheet(), 0.02, {{0, -0.01, 0}, {}})};
}

TEST_P(MeshColliders, a_body_rests_on_triangles_as_on_a_plane) {
    const auto rest_on = [&](const Collider& floor) {
        World w = world();
        w.add_collider(floor);
        const bool fast = GetParam() == Backend::cpu;
        Body body = w.add_body(fast ? shapes::icosphere(0.3, 2) : shapes::cube(0.5, 5),
                               Material::named("rubber"), {.position = {0.013, 0.35, 0.021}});
        for (int k = 0; k < 1500 && !body.asleep(); ++k) w.step();
        EXPECT_TRUE(body.asleep());
        EXPECT_LT(std::abs(body.volume() / body.rest_volume() - 1), 1e-6);
        EXPECT_LT(w.report().max_penetration, 1e-6);
        EXPECT_LT(std::abs(body.centre_of_mass().x - 0.013), 1e-3);
        return body.centre_of_mass().y;
    };
    const double plane = rest_on(Collider::ground());
    for (const Collider& floor : floors()) EXPECT_NEAR(rest_on(floor), plane, 1e-4);
}

TEST_P(MeshColliders, an_incline_holds_and_lets_slide_as_a_plane_does) {
    const double angle = 0.4;  // tan 0.4 = 0.42
    const Vec3 down{std::cos(angle), -std::sin(angle), 0}, up{std::sin(angle), std::cos(angle), 0};
    std::vector<double> heights;
    for (int r = 0; r < 21; ++r)
        for (int c = 0; c < 61; ++c) heights.push_back(-std::tan(angle) * 0.2 * (c - 30));
    const Collider field = Collider::height_field(61, 21, heights, 0.2, 0.2);
    const Quat tilt = Quat::about({0, 0, 1}, -angle);
    const Collider ramp = Collider::mesh(shapes::bar({12, 0.5, 3}, 40), {-0.25 * up, tilt});
    for (const Collider& slope : {field, ramp})
        for (const double mu : {0.6, 0.25}) {
            World w = world();
            w.add_collider(slope);
            Material m = Material::named("rubber");
            m.friction = mu;
            Body body = w.add_body(shapes::bar({1, 0.3, 1}, 9), m,
                                   {.position = 0.151 * up, .rotation = tilt});
            run(w, 100);
            const double v0 = dot(body.momentum(), down) / body.mass(),
                         x0 = dot(body.centre_of_mass(), down);
            run(w, 100);
            const double v1 = dot(body.momentum(), down) / body.mass();
            if (mu > std::tan(angle)) {
                EXPECT_LT(std::abs(dot(body.centre_of_mass(), down) - x0), 0.005);
            } else {
                const double expected = 0.5 * 9.81 * (std::sin(angle) - mu * std::cos(angle));
                EXPECT_NEAR(v1 - v0, expected, 0.05 * expected);
            }
            EXPECT_LT(w.report().max_penetration, 1e-3);
        }
}

TEST_P(MeshColliders, a_moving_mesh_pushes_and_wakes) {
    World w = world();
    w.add_collider(flat_field());
    const ColliderId pusher =
        w.add_collider(Collider::mesh(shapes::cube(0.4, 4), {{-1, 0.21, 0}, {}}));
    Body body =
        w.add_body(shapes::cube(0.3, 4), Material::named("rubber"), {.position = {0, 0.16, 0}});
    for (int k = 0; k < 1000 && !body.asleep(); ++k) w.step();
    ASSERT_TRUE(body.asleep());
    for (int k = 1; k <= 200; ++k) {
        w.move_collider(pusher, {{-1 + 0.006 * k, 0.21, 0}, {}});
        w.step();
    }
    EXPECT_GT(body.centre_of_mass().x, 0.3);
    EXPECT_LT(w.report().max_penetration, 0.01);
}

TEST_P(MeshColliders, a_platform_of_triangles_carries_and_lifts) {
    World w = world();
    Collider lift = Collider::shell(floor_sheet(), 0.02);
    lift.path.keys = {{0, {}}, {0.5, {}}, {1.5, {{0.3, 1, 0}, {}}}};
    lift.path.smooth = true;
    w.add_collider(lift);
    Body body =
        w.add_body(shapes::cube(0.3, 4), Material::named("rubber"), {.position = {0, 0.17, 0}});
    run(w, 500);
    EXPECT_NEAR(body.centre_of_mass().y, 1.16, 0.02);
    EXPECT_NEAR(body.centre_of_mass().x, 0.3, 0.05);
}

TEST_P(MeshColliders, a_body_put_inside_comes_out) {
    for (const Collider& block :
         {Collider::mesh(shapes::cube(2, 5), {{0, -1, 0}, {}}), flat_field()}) {
        World w = world();
        w.add_collider(block);
        Body body = w.add_body(shapes::icosphere(0.2, 2), Material::named("rubber"),
                               {.position = {0, -0.3, 0}});
        double fastest = 0;
        for (int k = 0; k < 400; ++k) {
            w.step();
            fastest = std::max(fastest, norm(body.momentum()) / body.mass());
        }
        EXPECT_GT(body.centre_of_mass().y, 0.15);
        EXPECT_LT(fastest, 2);
    }
}

TEST_P(MeshColliders, a_ball_comes_to_rest_in_a_concave_corner) {
    // A trough of two slopes of 45°, open at the top.
    const Mesh trough{"trough",
                      {{-1, 1, -2}, {0, 0, -2}, {1, 1, -2}, {-1, 1, 2}, {0, 0, 2}, {1, 1, 2}},
                      {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}};
    World w = world();
    w.add_collider(Collider::shell(trough, 0.02));
    Body body = w.add_body(shapes::icosphere(0.2, 2), Material::named("rubber"),
                           {.position = {0.2, 0.8, 0}});
    for (int k = 0; k < 2000 && !body.asleep(); ++k) w.step();
    EXPECT_TRUE(body.asleep());
    EXPECT_NEAR(body.centre_of_mass().x, 0, 0.01);
    EXPECT_NEAR(body.centre_of_mass().y, 0.2 * std::sqrt(2.0), 0.04);
    EXPECT_LT(w.report().max_penetration, 1e-3);
}

TEST_P(MeshColliders, sensors_and_events_work_as_with_any_other) {
    World w = world();
    Collider gate = Collider::mesh(shapes::cube(0.5, 3), {{0, 1, 0}, {}});
    gate.sensor = true;
    const ColliderId sensor = w.add_collider(gate);
    const ColliderId floor = w.add_collider(flat_field());
    w.add_body(shapes::icosphere(0.1, 1), Material::named("rubber"), {.position = {0, 2, 0}});
    std::vector<ColliderId> began, ended;
    for (int k = 0; k < 160; ++k) {
        w.step();
        for (const ContactEvent& e : w.events())
            (e.kind == ContactEvent::Kind::began ? began : ended).push_back(e.collider);
    }
    ASSERT_GE(began.size(), 2u);
    EXPECT_EQ(began[0], sensor);
    EXPECT_EQ(began[1], floor);
    ASSERT_GE(ended.size(), 1u);
    EXPECT_EQ(ended[0], sensor);
}

/// A hill, a moving block and a wall.
void fill(World& w) {
    std::vector<double> heights;
    for (int r = 0; r < 20; ++r)
        for (int c = 0; c < 20; ++c)
            heights.push_back(0.2 * std::sin(0.7 * c) * std::cos(0.9 * r) + 0.05 * c);
    w.add_collider(Collider::height_field(20, 20, heights, 0.3, 0.3));
    Collider block = Collider::mesh(shapes::icosphere(0.5, 2), {{0, 1, 0}, {}});
    block.path.keys = {{0, {}}, {1, {{0.5, 0, 0}, Quat::about({0, 1, 0}, 1)}}};
    w.add_collider(block);
    block.pose.position = {1.5, 1, 1};
    w.add_collider(block);
    w.add_collider(Collider::shell(floor_sheet(), 0.05, {{-1, 0.5, 0}, Quat::about({0, 0, 1}, 1)}));
    for (int k = 0; k < 4; ++k)
        w.add_body(shapes::icosphere(0.2, 2), Material::named("gummy"),
                   {.position = {0.9 * k - 1.2, 2, 0.3 * k}});
}

TEST_P(MeshColliders, snapshots_hold_them) {
    World w = world();
    fill(w);
    run(w, 60);
    const auto bytes = w.snapshot();
    run(w, 60);
    const auto later = w.state_hash();
    World other = world();
    other.restore(bytes);
    run(other, 60);
    EXPECT_EQ(other.state_hash(), later);
    w.restore(bytes);
    run(w, 60);
    EXPECT_EQ(w.state_hash(), later);
    // Damaged ones are refused.
    auto damaged = bytes;
    damaged.resize(damaged.size() / 2);
    Status status;
    w.restore(damaged, &status);
    EXPECT_FALSE(status.message.empty());
}

TEST(MeshCollidersOnThreads, give_the_same_bits) {
    const auto hash = [](int threads) {
        WorldSettings settings;
        settings.threads = threads;
        World w(settings);
        fill(w);
        for (int k = 0; k < 150; ++k) w.step();
        return w.state_hash();
    };
    const auto one = hash(1);
    EXPECT_EQ(hash(2), one);
    EXPECT_EQ(hash(3), one);
}

TEST(MeshCollidersOnBothBackEnds, agree_after_one_step) {
    const auto positions = [](Backend backend) {
        WorldSettings settings;
        settings.backend = backend;
        World w(settings);
        w.add_collider(Collider::mesh(shapes::icosphere(0.5, 3)));
        Body body = w.add_body(shapes::icosphere(0.3, 2), Material::named("gummy"),
                               {.position = {0.05, 0.77, 0.02}, .velocity = {1, -2, 0}});
        for (int k = 0; k < 2; ++k) w.step();
        std::vector<Vec3> x;
        for (std::size_t i = 0; i < body.positions().size(); ++i) x.push_back(body.position(i));
        return x;
    };
    const auto a = positions(Backend::reference), b = positions(Backend::cpu);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(norm(a[i] - b[i]), 1e-5);
}

TEST(MeshQueries, rays_and_nearest_points_are_exact) {
    World w;
    const Quat turn = Quat::about({0, 0, 1}, 0.3);
    const ColliderId id =
        w.add_collider(Collider::mesh(shapes::bar({2, 1, 2}, 7), {{5, 0, 0}, turn}));
    const Pose pose{{5, 0, 0}, turn};
    const Vec3 from = pose.to_world({0.31, 4, 0.17});
    const Vec3 to = pose.to_world({0.31, 0.5, 0.17});
    const auto hit = w.cast_ray(from, to - from);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->collider, id);
    EXPECT_NEAR(hit->distance, 3.5, 1e-12);
    EXPECT_LT(norm(hit->point - to), 1e-12);
    EXPECT_LT(norm(hit->normal - rotate(turn, {0, 1, 0})), 1e-12);
    EXPECT_FALSE(w.cast_ray(from, from - to));
    const auto near = w.closest_point(pose.to_world({0.31, 0.6, 0.17}), 1);
    ASSERT_TRUE(near);
    EXPECT_NEAR(near->distance, 0.1, 1e-12);
    EXPECT_LT(norm(near->point - to), 1e-12);
    EXPECT_NEAR(w.closest_point(pose.position, 1)->distance, -0.5, 1e-12);
    EXPECT_FALSE(w.closest_point(from, 1));

    World field;
    field.add_collider(flat_field(0.5));
    EXPECT_NEAR(field.cast_ray({0.3, 3, 0.2}, {0, -1, 0})->distance, 2.5, 1e-12);
    EXPECT_NEAR(field.cast_ray({-5, 0, 0.2}, {1, 0, 0})->distance, 3, 1e-12);  // its side
    EXPECT_FALSE(field.cast_ray({3, 3, 3}, {0, -1, 0}));
    World shell;
    shell.add_collider(Collider::shell(floor_sheet(), 0.1));
    EXPECT_NEAR(shell.cast_ray({0.3, 3, 0.2}, {0, -1, 0})->distance, 2.95, 1e-6);
    EXPECT_NEAR(shell.cast_ray({0.3, -3, 0.2}, {0, 1, 0})->distance, 2.95, 1e-6);
}

TEST(HeightFields, of_a_million_heights_are_made_and_used) {
    constexpr std::size_t n = 1024;
    std::vector<double> heights(n * n);
    for (std::size_t i = 0; i < heights.size(); ++i)
        heights[i] = 0.1 * static_cast<double>((i * 2654435761u) % 1000) / 1000;
    World w;
    w.add_collider(Collider::height_field(n, n, heights, 0.5, 0.5));
    Body body = w.add_body(shapes::icosphere(0.3, 2), Material::named("rubber"),
                           {.position = {100.1, 0.6, -77.7}});
    for (int k = 0; k < 200; ++k) w.step();
    EXPECT_GT(body.bounds().lower.y, -0.05);
    EXPECT_LT(body.centre_of_mass().y, 0.5);
}

}  // namespace
}  // namespace turgor
