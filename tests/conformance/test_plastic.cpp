// What every model that keeps dents (Traits::plastic) owes the world besides all the rest.
#include <array>

#include "conformance/conformance.hpp"

namespace turgor::test {
namespace {

class PlasticConformance : public Conformance {
protected:
    void SetUp() override {
        Conformance::SetUp();
        if (!IsSkipped() && !GetParam().model->traits().plastic)
            GTEST_SKIP() << GetParam().model->name() << " does not keep dents";
    }
    /// Flows soon, beyond a strain that is easily seen.
    static Material kept(double frequency = 8) {
        Material m = material();
        m.frequency = frequency;
        m.plasticity = Plasticity{.yield = 0.02, .flow_time = 0.03};
        return m;
    }
    static Mesh ball() { return shapes::icosphere(0.25, 2); }
    /// A world without gravity in which a ball is pressed flat along y for half a second.
    struct Pressed {
        World world;
        Body body;
        Pressed(WorldSettings s, BodyOptions o, const Material& m)
            : world(with_plates(s)), body(world.add_body(ball(), m, o)) {}
        void press() { run(0.9); }
        void run(double seconds) {
            for (const double end = world.time() + seconds; world.time() < end;) world.step();
        }
        double height() const { return body.bounds().upper.y - body.bounds().lower.y; }
        static World with_plates(WorldSettings s) {
            s.gravity = {};
            World made(s);
            for (const double side : {-1.0, 1.0}) {
                Collider plate = Collider::box({0, side * 0.46, 0}, {1, 0.2, 1});
                Path path;
                path.keys = {{0.0, {}},
                             {0.3, {{0, -0.12 * side, 0}, {}}},
                             {0.6, {{0, -0.12 * side, 0}, {}}},
                             {0.7, {{0, side, 0}, {}}}};
                plate.path = path;
                made.add_collider(plate);
            }
            return made;
        }
    };
};

INSTANTIATE_TEST_SUITE_P(Models, PlasticConformance, testing::ValuesIn(cases()), name_of);

TEST_P(PlasticConformance, keeps_what_it_is_pressed_into_until_it_is_reset) {
    Pressed elastic(settings(), options(), material());
    elastic.press(), elastic.run(1.5);
    EXPECT_GT(elastic.height(), 0.48);
    Pressed plastic(settings(), options(), kept());
    plastic.press(), plastic.run(1.5);
    EXPECT_LT(plastic.height(), 0.36);
    EXPECT_LT(volume_error(plastic.body), 1e-6);
    EXPECT_LT(plastic.body.shape_error(), 0.05);
    plastic.body.reset_shape();
    plastic.run(1.5);
    EXPECT_GT(plastic.height(), 0.47);
    EXPECT_LT(volume_error(plastic.body), 1e-6);
}

TEST_P(PlasticConformance, tells_the_shape_that_it_comes_back_to) {
    Pressed pressed(settings(), options(), kept());
    const Mesh mesh = ball();
    const auto height = [&] {
        double lower = 1, upper = -1;
        for (const Vec3& p : pressed.body.rest_shape())
            lower = std::min(lower, p.y), upper = std::max(upper, p.y);
        return upper - lower;
    };
    EXPECT_NEAR(height(), 0.5, 1e-9);
    // The origin is the centre of mass, which points inside may have moved.
    const Vec3 off = pressed.body.rest_shape()[0] - mesh.vertices[0];
    EXPECT_LT(norm(off), GetParam().cloud ? 0.01 : 1e-9);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        EXPECT_LT(norm(pressed.body.rest_shape()[i] - mesh.vertices[i] - off), 1e-9);
    pressed.press(), pressed.run(1.5);
    EXPECT_NEAR(height(), pressed.height(), 0.02);
    pressed.body.reset_shape();
    EXPECT_NEAR(height(), 0.5, 1e-9);
}

TEST_P(PlasticConformance, a_dent_does_not_depend_on_the_step) {
    std::array<double, 3> heights{};
    for (const std::size_t k : {0u, 1u, 2u}) {
        Pressed pressed(settings(), options(), kept());
        const double dt = std::array{0.0025, 0.005, 1.0 / 60}[k];
        while (pressed.world.time() < 2.4) pressed.world.step(dt);
        heights[k] = pressed.height();
    }
    EXPECT_NEAR(heights[0], heights[1], 0.01);
    EXPECT_NEAR(heights[2], heights[1], 0.02);
}

TEST_P(PlasticConformance, goes_on_from_a_snapshot_with_the_same_bits) {
    Pressed pressed(settings(), options(), kept());
    pressed.run(0.4);
    World other(settings(2));
    other.restore(pressed.world.snapshot());
    EXPECT_EQ(other.snapshot(), pressed.world.snapshot());
    for (int k = 0; k < 150; ++k) pressed.world.step(), other.step();
    EXPECT_EQ(other.state_hash(), pressed.world.state_hash());
    // And from one of the time when it has forgotten its dent.
    pressed.body.reset_shape();
    other.restore(pressed.world.snapshot());
    for (int k = 0; k < 100; ++k) pressed.world.step(), other.step();
    EXPECT_EQ(other.state_hash(), pressed.world.state_hash());
}

TEST_P(PlasticConformance, same_bits_for_any_number_of_threads) {
    const auto run = [&](int threads) {
        Pressed pressed(settings(threads), options(), kept());
        pressed.run(0.8);
        return pressed.world.state_hash();
    };
    EXPECT_EQ(run(1), run(3));
}

TEST_P(PlasticConformance, what_heals_stays_awake_until_it_has_its_shape_back) {
    Material healing = kept();
    healing.plasticity->healing_time = 0.5;
    Pressed pressed(settings(), options(), healing);
    pressed.press();
    EXPECT_LT(pressed.height(), 0.42);
    EXPECT_FALSE(pressed.body.asleep());
    pressed.run(4);
    EXPECT_GT(pressed.height(), 0.49);
}

TEST_P(PlasticConformance, a_dent_stays_when_the_material_becomes_elastic) {
    Pressed pressed(settings(), options(), kept());
    pressed.press(), pressed.run(1);
    const double before = pressed.height();
    pressed.body.set_material(material());
    pressed.run(1.5);
    EXPECT_NEAR(pressed.height(), before, 0.05);
    EXPECT_LT(volume_error(pressed.body), 1e-6);
}

TEST_P(PlasticConformance, recovers_its_dented_shape) {
    Pressed pressed(settings(), options(), kept());
    pressed.press(), pressed.run(1.5);
    const double before = pressed.height();
    std::vector<Vec3> flat;
    for (std::size_t i = 0; i < pressed.body.positions().size(); ++i) {
        const Vec3 p = pressed.body.position(i);
        flat.push_back({p.x, 0.02 * p.y, p.z});
    }
    pressed.body.set_positions(flat);
    pressed.run(2);
    EXPECT_FALSE(pressed.body.recovering());
    EXPECT_NEAR(pressed.height(), before, 0.05);
    EXPECT_LT(volume_error(pressed.body), 1e-6);
}

TEST_P(PlasticConformance, recovers_its_shape_even_when_it_was_just_about_to_flow) {
    // Some strain has flowed that was not measured yet when the body is crushed.
    for (const int steps : {1, 3, 8, 19}) {
        WorldSettings s = settings();
        s.gravity = {};
        World world(s);
        Body body = world.add_body(ball(), kept(), options());
        std::vector<Vec3> stretched, flat;
        for (const Vec3f& p : body.positions()) {
            stretched.push_back({1.08 * p.x, p.y / (1.08 * 1.08), 1.08 * p.z});
            flat.push_back({p.x, 0.02 * p.y, p.z});
        }
        body.set_positions(stretched);
        for (int k = 0; k < steps; ++k) world.step();
        body.set_positions(flat);
        while (world.time() < 1) world.step();
        EXPECT_FALSE(body.recovering()) << steps;
        EXPECT_GT(body.bounds().upper.y - body.bounds().lower.y, 0.42) << steps;
        EXPECT_LT(volume_error(body), 1e-6) << steps;
    }
}

TEST_P(PlasticConformance, a_sleeper_that_is_woken_goes_on_from_a_snapshot_with_the_same_bits) {
    World world(settings());
    world.add_collider(Collider::ground());
    BodyOptions o = options({0, 0.6, 0});
    o.velocity = {0, -4, 0};
    Body clay = world.add_body(ball(), kept(), o);
    for (int k = 0; k < 1500 && !clay.asleep(); ++k) world.step();
    ASSERT_TRUE(clay.asleep());
    world.add_body(ball(), material(), options({0.05, 1.2, 0}));
    World other(settings(2));
    other.restore(world.snapshot());
    for (int k = 0; k < 150; ++k) {
        world.step(), other.step();
        ASSERT_EQ(other.state_hash(), world.state_hash()) << k;
    }
    EXPECT_FALSE(clay.asleep());
}

TEST_P(PlasticConformance, a_dent_stays_whatever_material_comes_and_can_be_forgotten) {
    Pressed pressed(settings(), options(), kept());
    pressed.press(), pressed.run(1);
    const double before = pressed.height();
    for (const char* name : {"jelly", "rubber", "clay"}) {
        pressed.body.set_material(Material::named(name));
        World other(settings());
        other.restore(pressed.world.snapshot());
        // The same again changes nothing.
        Body restored = other.bodies()[0];
        restored.set_material(Material::named(name));
        pressed.run(0.5);
        while (other.time() < pressed.world.time() - 1e-9) other.step();
        EXPECT_EQ(other.state_hash(), pressed.world.state_hash()) << name;
        EXPECT_NEAR(pressed.height(), before, 0.08) << name;
    }
    pressed.body.set_material(Material::named("rubber"));
    pressed.body.reset_shape();
    pressed.run(1);
    EXPECT_LT(pressed.body.shape_error(), 0.02);
    EXPECT_GT(pressed.height(), 0.49);
}

TEST_P(PlasticConformance, coarse_bars_with_the_narrowest_regions_come_to_rest) {
    for (const char* name : {"clay", "dough"}) {
        World world(settings());
        world.add_collider(Collider::ground());
        const Mesh bar = shapes::bar({2, 0.4, 0.4}, 6);
        Body body = world.add_body(bar, Material::named(name), options({0, 0.6, 0}));
        for (int k = 0; k < 400; ++k) world.step();
        EXPECT_LT(body.max_speed(), 0.1) << name;
        EXPECT_FALSE(body.recovering()) << name;
        EXPECT_LT(volume_error(body), 1e-6) << name;
    }
}

TEST_P(PlasticConformance, momentum_is_kept_while_it_flows) {
    WorldSettings s = settings();
    s.gravity = {};
    World world(s);
    Body body = world.add_body(mesh(), kept(2), options());
    std::vector<Vec3> v;
    for (const Vec3f& p : body.positions())
        v.push_back({1 + 3 * p.y, 4 * p.x * p.y, 2 * p.x - 5 * p.z});
    body.set_velocities(v);
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    for (int k = 0; k < 200; ++k) world.step();
    EXPECT_GT(norm(body.rest_shape()[0] - mesh().vertices[0]), 1e-3);
    const double scale = body.mass();
    EXPECT_LT(norm(body.momentum() - linear) / scale, exact() ? 1e-11 : 1e-5);
    EXPECT_LT(norm(body.angular_momentum() - angular) / scale, exact() ? 1e-11 : 5e-5);
}

TEST_P(PlasticConformance, stays_bounded_in_any_mess) {
    for (const double dt : {2e-4, 0.005, 0.05}) {
        World world(settings());
        world.add_collider(Collider::ground());
        Material m = kept(40);
        m.plasticity->creep_time = 0.1;
        Body body = world.add_body(mesh(), m, options({0, 0.6, 0}));
        std::vector<Vec3> mess;
        for (std::size_t v = 0; v < body.positions().size(); ++v)
            mess.push_back({std::sin(7.0 * static_cast<double>(v)),
                            1 + std::cos(3.0 * static_cast<double>(v)), 0.1});
        body.set_positions(mess);
        for (int k = 0; k < (dt < 1e-3 ? 500 : 200); ++k) world.step(dt);
        EXPECT_TRUE(world.finite()) << dt;
        EXPECT_LT(body.max_speed(), 50) << dt;
        for (const Vec3& p : body.rest_shape()) EXPECT_LT(norm(p), 10) << dt;
    }
}

}  // namespace
}  // namespace turgor::test
