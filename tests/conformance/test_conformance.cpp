// What every elastic model owes the world, for each model in the registry, on each back end that it
// has. A trait that a model does not claim is skipped by name. A new model is done when this suite
// is green for it.
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/conformance.hpp"

namespace turgor::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Models, Conformance, testing::ValuesIn(cases()), name_of);

TEST_P(Conformance, rest_is_a_fixed_point) {
    WorldSettings s = settings();
    s.gravity = {};
    World world(s);
    Body body = world.add_body(mesh(), material(), options({0.3, 1, -2}));
    std::vector<Vec3> before;
    for (std::size_t v = 0; v < body.positions().size(); ++v) before.push_back(body.position(v));
    for (int k = 0; k < 200; ++k) world.step();
    double farthest = 0;
    for (std::size_t v = 0; v < before.size(); ++v)
        farthest = std::max(farthest, norm(body.position(v) - before[v]));
    EXPECT_LT(farthest, (exact() ? 1e-11 : 1e-5) * body.size());
    EXPECT_LT(body.max_speed(), exact() ? 1e-11 : 1e-4);
}

TEST_P(Conformance, moved_and_turned_bodies_behave_alike) {
    WorldSettings s = settings();
    s.gravity = {};
    const Quat turn = Quat::about(normalized(Vec3{1, 2, 3}), 1.1);
    const Vec3 way{3, -1, 2};
    std::vector<Vec3> last[2];
    for (const int turned : {0, 1}) {
        World world(s);
        BodyOptions o = options(turned ? way : Vec3{});
        const Vec3 velocity{1, 0.5, 0}, spin{0, 3, 1};
        o.rotation = turned ? turn : Quat{};
        o.velocity = turned ? rotate(turn, velocity) : velocity;
        o.angular_velocity = turned ? rotate(turn, spin) : spin;
        Body body = world.add_body(mesh(), material(), o);
        const Vec3 kick{0.2, 1, -0.3};
        body.apply_impulse(5, body.mass() * 0.2 * (turned ? rotate(turn, kick) : kick));
        for (int k = 0; k < 40; ++k) world.step();
        for (std::size_t v = 0; v < body.positions().size(); ++v)
            last[turned].push_back(body.position(v));
    }
    double farthest = 0;
    for (std::size_t v = 0; v < last[0].size(); ++v)
        farthest = std::max(farthest, norm(way + rotate(turn, last[0][v]) - last[1][v]));
    EXPECT_LT(farthest, exact() ? 1e-8 : 2e-4);
}

TEST_P(Conformance, momentum_is_kept) {
    WorldSettings s = settings();
    s.gravity = {};
    World world(s);
    BodyOptions o = options({0, 1, 0});
    o.velocity = {1, 2, 3};
    o.angular_velocity = {4, -3, 2};
    // The vertex that is kicked may fly through the body of a soft model: contact has its own
    // tests.
    o.self_contact = false;
    Body body = world.add_body(mesh(), material(), o);
    body.apply_impulse(3, body.mass() * Vec3{0.3, 0, 0.1});
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_LT(norm(body.momentum() - linear) / norm(linear), exact() ? 1e-12 : 1e-5);
    EXPECT_LT(norm(body.angular_momentum() - angular) / norm(angular), exact() ? 1e-9 : 2e-3);
}

TEST_P(Conformance, volume_is_exact_in_a_fall) {
    World world(settings());
    world.add_collider(Collider::ground());
    Body body = world.add_body(mesh(), material(), options({0, 0.8, 0}));
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
        world.step();
        worst = std::max(worst, volume_error(body));
    }
    EXPECT_LT(worst, exact() ? 1e-12 : 1e-6);
}

TEST_P(Conformance, comes_to_rest_on_the_ground_and_sleeps) {
    World world(settings());
    world.add_collider(Collider::ground());
    Body body = world.add_body(mesh(), material(), options({0, 0.45, 0}));
    for (int k = 0; k < 1600 && !body.asleep(); ++k) world.step();
    EXPECT_TRUE(body.asleep());
    EXPECT_GT(body.bounds().lower.y, -0.005 * body.size());
    body.apply_impulse({0, body.mass(), 0});
    EXPECT_FALSE(body.asleep());
    world.step();
    EXPECT_GT(body.max_speed(), 0.5);
}

TEST_P(Conformance, stands_without_sinking) {
    World world(settings());
    world.add_collider(Collider::ground());
    const Mesh tripod = shapes::icosphere(0.3, 1);
    Body body = world.add_body(tripod, material(), options({0, 0.31, 0}));
    // What is round rolls for a while before it stands.
    for (int k = 0; k < 600 || (k < 1600 && body.max_speed() >= 0.02); ++k) world.step();
    EXPECT_GT(body.bounds().lower.y, -0.003 * body.size());
    EXPECT_LT(body.max_speed(), 0.02);
}

TEST_P(Conformance, topples_over_an_edge) {
    World world(settings());
    world.add_collider(Collider::box({-0.5, -0.5, 0}, {0.5, 0.5, 1}));
    Material firm = material();
    firm.frequency = 20;
    firm.friction = 2;
    Body body = world.add_body(shapes::cube(0.3, 5), firm, options({0.06, 0.155, 0}));
    for (int k = 0; k < 200; ++k) world.step();
    EXPECT_LT(body.centre_of_mass().y, -0.3);
    EXPECT_GT(norm(body.angular_momentum()) / body.mass(), 1e-3);
}

TEST_P(Conformance, is_held_and_moved_by_pins) {
    World world(settings());
    Body body = world.add_body(mesh(), material(), options({0, 1, 0}));
    std::vector<std::uint32_t> some{0, 1, 2, 3, 4, 5, 6, 7};
    const Vec3 at = body.position(0);
    const HandleId pin = body.pin(some);
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_LT(norm(body.position(0) - at), exact() ? 1e-12 : 1e-6);
    EXPECT_GT(body.centre_of_mass().y, 0);
    body.release(pin);
    const double height = body.centre_of_mass().y;
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_LT(body.centre_of_mass().y, height - 0.5);
}

TEST_P(Conformance, goes_on_from_a_snapshot_with_the_same_bits) {
    World world(settings());
    world.add_collider(Collider::ground());
    BodyOptions o = options({0, 0.6, 0});
    o.angular_velocity = {1, 2, 3};
    world.add_body(mesh(), material(), o);
    for (int k = 0; k < 60; ++k) world.step();
    World other(settings(2));
    other.restore(world.snapshot());
    EXPECT_EQ(other.bodies()[0].model().name, GetParam().model->name());
    EXPECT_EQ(other.snapshot(), world.snapshot());
    for (int k = 0; k < 60; ++k) world.step(), other.step();
    EXPECT_EQ(other.state_hash(), world.state_hash());
}

TEST_P(Conformance, same_bits_for_any_number_of_threads) {
    const auto run = [&](int threads) {
        World world(settings(threads));
        world.add_collider(Collider::ground());
        for (int k = 0; k < 4; ++k)
            world.add_body(mesh(), material(), options({0.5 * k, 0.5 + 0.3 * k, 0}));
        for (int k = 0; k < 80; ++k) world.step();
        return world.state_hash();
    };
    EXPECT_EQ(run(1), run(3));
}

TEST_P(Conformance, teleport_keeps_the_shape_and_turns_the_state) {
    World world(settings());
    Body body = world.add_body(mesh(), material(), options({0, 1, 0}));
    for (int k = 0; k < 20; ++k) world.step();
    const double error = body.shape_error();
    const Quat turn = Quat::about({0, 1, 0}, 2);
    body.teleport({5, 5, 5}, turn);
    EXPECT_NEAR(body.shape_error(), error, 1e-5);
    EXPECT_LT(norm(body.centre_of_mass() - Vec3{5, 5, 5}), 1e-6);
    world.step();
    EXPECT_LT(body.max_speed(), 0.5);
}

TEST_P(Conformance, a_new_material_keeps_particles_and_momentum) {
    World world(settings());
    Body body = world.add_body(mesh(), material(), options({0, 1, 0}));
    for (int k = 0; k < 20; ++k) world.step();
    const Vec3 at = body.position(7), velocity = body.velocity(7);
    body.set_material(Material::named("rubber"));
    EXPECT_LT(norm(body.position(7) - at), 1e-6);
    EXPECT_LT(norm(body.velocity(7) - velocity), 1e-5);
    for (int k = 0; k < 20; ++k) world.step();
    EXPECT_LT(volume_error(body), 1e-6);
}

TEST_P(Conformance, bounded_from_any_start) {
    World world(settings());
    world.add_collider(Collider::ground());
    Body body = world.add_body(mesh(), material(), options({0, 1, 0}));
    std::vector<Vec3> mess;
    for (std::size_t v = 0; v < body.positions().size(); ++v)
        mess.push_back({std::sin(7.0 * static_cast<double>(v)),
                        1 + std::cos(3.0 * static_cast<double>(v)), 0.1});
    body.set_positions(mess);
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_TRUE(world.finite());
    EXPECT_LT(body.max_speed(), 20);
    EXPECT_LT(body.shape_error(), 0.3);
    EXPECT_LT(volume_error(body), 1e-6);
}

TEST_P(Conformance, bounded_for_any_step_and_stiffness) {
    for (const double frequency : {0.1, 6.0, 200.0})
        for (const double dt : {2e-4, 1.0 / 60, 0.1}) {
            World world(settings());
            world.add_collider(Collider::ground());
            Material m = material();
            m.frequency = frequency;
            Body body = world.add_body(shapes::icosphere(0.3, 2), m, options({0, 0.5, 0}));
            body.apply_impulse(0, body.mass() * Vec3{1, 0, 0.5});
            for (int k = 0; k < 20; ++k) world.step(dt);
            EXPECT_TRUE(world.finite()) << frequency << " " << dt;
            EXPECT_LT(norm(body.centre_of_mass()), 20) << frequency << " " << dt;
            EXPECT_LT(volume_error(body), 1e-5) << frequency << " " << dt;
        }
}

TEST_P(Conformance, a_fall_does_not_depend_on_the_step) {
    double lowest[3] = {}, highest[3] = {};
    for (const int k : {0, 1, 2}) {
        const double dt = std::array{0.0025, 0.005, 1.0 / 60}[static_cast<std::size_t>(k)];
        World world(settings());
        world.add_collider(Collider::ground());
        Body body = world.add_body(shapes::icosphere(0.3, 2), material(), options({0, 0.8, 0}));
        lowest[k] = 1;
        for (double t = 0; t < 1.2; t += dt) {
            world.step(dt);
            const double y = body.centre_of_mass().y;
            lowest[k] = std::min(lowest[k], y);
            if (t > 0.45) highest[k] = std::max(highest[k], y);
        }
    }
    for (const int k : {0, 2}) {
        EXPECT_NEAR(lowest[k], lowest[1], 0.03);
        EXPECT_NEAR(highest[k], highest[1], 0.05);
    }
}

TEST_P(Conformance, meets_every_other_model_in_one_heap) {
    World world(settings(2));
    world.add_collider(Collider::ground());
    std::vector<Body> heap;
    int k = 0;
    for (const ElasticModel* other : models())
        for (const std::string_view name : {GetParam().model->name(), other->name()}) {
            BodyOptions o = options_of(model_named(name));
            o.position = {0.05 * (k % 2), 0.35 + 0.65 * k, 0.03 * (k % 3)};
            heap.push_back(world.add_body(shapes::icosphere(0.3, 2), material(), o));
            ++k;
        }
    // The taller the column, the longer it falls and rolls apart.
    for (std::size_t step = 0; step < 84 * heap.size(); ++step) world.step();
    EXPECT_TRUE(world.finite());
    for (Body& body : heap) {
        EXPECT_LT(volume_error(body), 1e-6);
        EXPECT_GT(body.bounds().lower.y, -0.02);
        EXPECT_LT(body.max_speed(), 3);
    }
    for (std::size_t a = 0; a < heap.size(); ++a)
        for (std::size_t b = a + 1; b < heap.size(); ++b)
            EXPECT_GT(norm(heap[a].centre_of_mass() - heap[b].centre_of_mass()), 0.25);
}

TEST_P(Conformance, the_asked_frequency_is_met_for_every_step) {
    if (!GetParam().model->traits().meets_frequency)
        GTEST_SKIP() << GetParam().model->name() << " does not promise a frequency";
    for (const double dt : {0.002, 0.005, 1.0 / 60}) {
        WorldSettings s = settings();
        s.gravity = {};
        World world(s);
        Material m = material();
        m.damping_ratio = 0.05;
        Body body = world.add_body(shapes::icosphere(0.5, 3), m, options());
        const double width = body.bounds().upper.x - body.bounds().lower.x;
        // Stretched a little along x, thinner across: it wobbles at its lowest frequency.
        std::vector<Vec3> stretched;
        for (std::size_t v = 0; v < body.positions().size(); ++v) {
            const Vec3 p = body.position(v);
            stretched.push_back({1.02 * p.x, p.y / std::sqrt(1.02), p.z / std::sqrt(1.02)});
        }
        body.set_positions(stretched);
        std::vector<double> crossings;
        double before = body.bounds().upper.x - body.bounds().lower.x - width;
        for (double t = dt; t < 1.2; t += dt) {
            world.step(dt);
            const double now = body.bounds().upper.x - body.bounds().lower.x - width;
            if (before > 0 && now <= 0) crossings.push_back(t - dt * now / (now - before));
            before = now;
        }
        ASSERT_GE(crossings.size(), 3u) << dt;
        const double frequency =
            static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
        EXPECT_NEAR(frequency / body.frequency(), 1, 0.1) << dt;
    }
}

TEST(Models, settings_are_checked_by_name) {
    World world;
    BodyOptions o;
    o.model.name = "rigid cluster";
    o.model.settings["heart"] = 2;
    EXPECT_NEAR(world.add_body(shapes::cube(1, 4), {}, o).mass(), 3000, 1e-6);
    o.model.settings["hart"] = 2;
    EXPECT_THROW(world.add_body(shapes::cube(1, 4), {}, o), Error);
    o.model = SurfaceModel{.omega = 3};
    EXPECT_EQ(world.add_body(shapes::cube(1, 4), {}, o).figure("omega"), 3);
    for (const double omega : {99.0, 2.5, std::nan("")}) {
        o.model.settings["omega"] = omega;
        EXPECT_THROW(world.add_body(shapes::cube(1, 4), {}, o), Error) << omega;
    }
    o.model = {"granite"};
    Status status;
    world.add_body(shapes::cube(1, 4), {}, o, &status);
    EXPECT_NE(status.message.find("surface"), std::string::npos) << status.message;
}

}  // namespace
}  // namespace turgor::test
