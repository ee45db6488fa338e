#include <gtest/gtest.h>

#include <cmath>

#include "contact/friction.hpp"
#include "turgor/world.hpp"

namespace turgor {
namespace {

TEST(ContactCoefficients, is_static_up_to_the_sticking_speed_and_kinetic_beyond) {
    const ContactCoefficients r{0.3, 0.6, 0};
    EXPECT_EQ(r.at(0, 0.1), 0.6);
    EXPECT_EQ(r.at(0.1, 0.1), 0.6);
    EXPECT_NEAR(r.at(0.15, 0.1), 0.45, 1e-12);
    EXPECT_EQ(r.at(0.2, 0.1), 0.3);
    EXPECT_EQ(r.at(5, 0), 0.3);
    EXPECT_EQ(r.at(0, 0), 0.6);
}

TEST(ContactCoefficients, unset_static_friction_is_the_friction_of_whoever_set_that) {
    Material m;
    m.friction = 0.4;
    EXPECT_EQ(coefficients_of(m).static_friction, 0.4);
    m.static_friction = 0.9;
    const ContactCoefficients body = coefficients_of(m);
    Collider c;
    EXPECT_EQ(on_collider(body, c).friction, 0.4);
    EXPECT_EQ(on_collider(body, c).static_friction, 0.9);
    c.friction = 0.2;
    EXPECT_EQ(on_collider(body, c).static_friction, 0.2);
    c.static_friction = 0.3;
    EXPECT_EQ(on_collider(body, c).static_friction, 0.3);
    c.friction.reset();
    EXPECT_EQ(on_collider(body, c).static_friction, 0.4);  // never below the kinetic one
}

TEST(FrictionPairs, are_found_by_number_in_any_order) {
    FrictionPairs pairs;
    pairs.set(FrictionPairs::names("b", "a"), {0.1, {}, {}});
    pairs.set(FrictionPairs::names("b", "b"), {0.2, {}, {}});
    pairs.set(FrictionPairs::names("c", "b"), {0.3, {}, {}});
    const auto a = pairs.surface_id("a"), b = pairs.surface_id("b"), c = pairs.surface_id("c");
    EXPECT_EQ(pairs.find(a, b)->friction, 0.1);
    EXPECT_EQ(pairs.find(b, a)->friction, 0.1);
    EXPECT_EQ(pairs.find(b, b)->friction, 0.2);
    EXPECT_EQ(pairs.find(b, c)->friction, 0.3);
    EXPECT_EQ(pairs.find(a, c), nullptr);
    EXPECT_EQ(pairs.find(a, a), nullptr);
    EXPECT_EQ(pairs.find(pairs.surface_id("d"), a), nullptr);
    EXPECT_EQ(pairs.find(pairs.surface_id(""), pairs.surface_id("")), nullptr);
    pairs.remove(FrictionPairs::names("a", "b"));
    EXPECT_EQ(pairs.surface_id("a"), FrictionPairs::no_surface_id);
    EXPECT_EQ(pairs.find(pairs.surface_id("c"), pairs.surface_id("b"))->friction, 0.3);
}

/// A slab on a slope, held or sliding.
class Slope {
public:
    Slope(Backend backend, double tangent) : angle_(std::atan(tangent)) {
        WorldSettings settings;
        settings.backend = backend;
        world = World(settings);
    }
    Vec3 down() const { return {std::cos(angle_), -std::sin(angle_), 0}; }
    Collider ground() const { return Collider::plane({}, up()); }
    Body slab(const Material& material, double height = 0.151, Vec3 velocity = {},
              Vec3 size = {1, 0.3, 1}) {
        return world.add_body(shapes::bar(size, 8), material,
                              {.position = height * up(),
                               .rotation = Quat::about({0, 0, 1}, -angle_),
                               .velocity = velocity});
    }
    double along(const Body& body) const { return dot(body.centre_of_mass(), down()); }
    double speed(const Body& body) const { return dot(body.momentum(), down()) / body.mass(); }
    void run(double seconds) {
        for (int k = 0; k < std::lround(seconds / 0.005); ++k) world.step();
    }
    /// Way within 0.3 s, after as long to settle [m].
    double way(const Body& body) {
        run(0.3);
        const double before = along(body);
        run(0.3);
        return along(body) - before;
    }
    /// Likewise, over a second [m/s²].
    double acceleration(const Body& body) {
        run(0.3);
        const double before = speed(body);
        run(1);
        return speed(body) - before;
    }
    double coulomb(double mu) const { return 9.81 * (std::sin(angle_) - mu * std::cos(angle_)); }

    World world;

private:
    Vec3 up() const { return {std::sin(angle_), std::cos(angle_), 0}; }
    double angle_;
};

Material rubber(double friction, std::optional<double> static_friction = {}) {
    Material m = Material::named("rubber");
    m.friction = friction;
    m.static_friction = static_friction;
    return m;
}

class StaticFriction : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(BackEnds, StaticFriction,
                         testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(StaticFriction, holds_what_rests_and_lets_slide_what_was_pushed) {
    Slope rests(GetParam(), 0.45), pushed(GetParam(), 0.45), steep(GetParam(), 0.7);
    for (Slope* slope : {&rests, &pushed, &steep}) slope->world.add_collider(slope->ground());
    EXPECT_LT(rests.way(rests.slab(rubber(0.3, 0.6))), 1e-3);
    const Body slides = pushed.slab(rubber(0.3, 0.6), 0.151, 0.5 * pushed.down());
    EXPECT_NEAR(pushed.acceleration(slides), pushed.coulomb(0.3), 0.05 * pushed.coulomb(0.3));
    // What static friction cannot hold is left to the kinetic one.
    const Body breaks_away = steep.slab(rubber(0.3, 0.6));
    EXPECT_NEAR(steep.acceleration(breaks_away), steep.coulomb(0.3), 0.05 * steep.coulomb(0.3));
}

TEST_P(StaticFriction, of_cubes_holds_too) {
    Slope slope(GetParam(), 0.45);
    slope.world.add_collider(slope.ground());
    const Body cube = slope.slab(rubber(0.3, 0.6), 0.1255, {}, {0.25, 0.25, 0.25});
    EXPECT_LT(slope.way(cube), 2e-3);
}

TEST_P(StaticFriction, that_is_the_kinetic_one_changes_no_bit) {
    const auto run = [](std::optional<double> static_friction) {
        Slope slope(GetParam(), 0.4);
        slope.world.add_collider(slope.ground());
        slope.slab(rubber(0.35, static_friction));
        slope.slab(rubber(0.35, static_friction), 0.5);
        slope.run(0.3);
        return slope.world.state_hash();
    };
    EXPECT_EQ(run({}), run(0.35));
    EXPECT_NE(run({}), run(0.5));
}

TEST_P(StaticFriction, is_relative_to_what_carries_the_body) {
    // On a belt at 1 m/s, far above the sticking speed, it sticks all the same.
    Slope slope(GetParam(), 0.1);
    Collider belt = slope.ground();
    belt.path = {{{0, {}}, {100, {{0, 0, 100}, {}}}}, false, false};
    slope.world.add_collider(belt);
    const Body body = slope.slab(rubber(0.05, 0.4), 0.151, {0, 0, 1});
    EXPECT_LT(slope.way(body), 1e-3);
    EXPECT_NEAR(body.momentum().z / body.mass(), 1, 0.01);
}

TEST_P(StaticFriction, holds_a_body_on_a_body) {
    for (const bool is_static : {true, false}) {
        Slope slope(GetParam(), 0.35);
        Collider ground = slope.ground();
        ground.friction = 5;
        slope.world.add_collider(ground);
        const Material m = rubber(0.2, is_static ? std::optional(0.7) : std::nullopt);
        slope.slab(m, 0.151, {}, {2, 0.3, 1});
        const Body above = slope.slab(m, 0.47, {}, {0.6, 0.2, 0.6});
        const double way = slope.way(above);
        if (is_static)
            EXPECT_LT(way, 0.01);
        else
            EXPECT_GT(way, 0.1);
    }
}

class PairFrictions : public StaticFriction {};
INSTANTIATE_TEST_SUITE_P(BackEnds, PairFrictions, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& backend) {
                             return backend.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST_P(PairFrictions, win_over_body_and_collider_in_either_order) {
    for (const bool swapped : {false, true}) {
        Slope slope(GetParam(), 0.4);
        Collider ice = slope.ground();
        ice.surface = "ice";
        ice.friction = 2;
        slope.world.add_collider(ice);
        slope.world.set_friction(swapped ? "ice" : "rubber", swapped ? "rubber" : "ice", {0.1});
        const Body body = slope.slab(rubber(0.9));
        EXPECT_NEAR(slope.acceleration(body), slope.coulomb(0.1), 0.05 * slope.coulomb(0.1));
    }
}

TEST_P(PairFrictions, can_be_removed_and_wake_what_sleeps) {
    Slope slope(GetParam(), 0.3);
    Collider ice = slope.ground();
    ice.surface = "ice";
    slope.world.add_collider(ice);
    const Body body = slope.slab(rubber(0.9));
    slope.run(2.5);
    EXPECT_TRUE(body.asleep());
    slope.world.set_friction("rubber", "ice", {0.05});
    EXPECT_GT(slope.way(body), 0.2);
    slope.world.remove_friction("ice", "rubber");
    EXPECT_FALSE(slope.world.friction("rubber", "ice"));
    slope.run(0.5);
    EXPECT_LT(slope.way(body), 1e-3);
}

TEST_P(PairFrictions, win_between_two_bodies_in_either_order) {
    for (const bool swapped : {false, true}) {
        Slope slope(GetParam(), 0.35);
        Collider ground = slope.ground();
        ground.friction = 5;
        slope.world.add_collider(ground);
        Material below = rubber(0.9), above = rubber(0.9);
        below.surface = "tray";
        above.surface = "butter";
        slope.slab(swapped ? above : below, 0.151, {}, {2, 0.3, 1});
        const Body top = slope.slab(swapped ? below : above, 0.47, {}, {0.6, 0.2, 0.6});
        EXPECT_LT(slope.way(top), 0.01);
        slope.world.set_friction("butter", "tray", {0.02});
        EXPECT_GT(slope.way(top), 0.2);
    }
}

TEST_P(PairFrictions, have_a_restitution_or_leave_it_as_it_is) {
    const auto run = [](const Material& material, std::optional<PairFriction> pair) {
        WorldSettings settings;
        settings.backend = GetParam();
        World world(settings);
        Collider floor = Collider::ground();
        floor.surface = "floor";
        world.add_collider(floor);
        if (pair) world.set_friction("floor", "rubber", *pair);
        world.add_body(shapes::icosphere(0.2, 2), material,
                       {.position = {0, 0.25, 0}, .velocity = {1, -3, 0}});
        for (int k = 0; k < 60; ++k) world.step();
        return world.state_hash();
    };
    Material bouncy = rubber(0.5);
    bouncy.restitution = 0.8;
    EXPECT_EQ(run(rubber(0.9), PairFriction{0.5, {}, 0.8}), run(bouncy, {}));
    EXPECT_EQ(run(bouncy, PairFriction{0.5}), run(bouncy, {}));
    EXPECT_NE(run(bouncy, PairFriction{0.5, {}, 0.0}), run(bouncy, {}));
}

TEST_P(PairFrictions, are_in_snapshots) {
    Slope slope(GetParam(), 0.4);
    Collider ice = slope.ground();
    ice.surface = "ice";
    ice.static_friction = 0.95;
    slope.world.add_collider(ice);
    const PairFriction slippery{0.1, 0.2, 0.3};
    slope.world.set_friction("rubber", "ice", slippery);
    slope.slab(rubber(0.9, 0.95));
    slope.run(0.3);
    const auto kept = slope.world.snapshot();
    slope.run(0.3);
    const auto hash = slope.world.state_hash();
    WorldSettings settings;
    settings.backend = GetParam();
    World other(settings);
    other.restore(kept);
    EXPECT_EQ(other.friction("ice", "rubber"), slippery);
    EXPECT_EQ(other.bodies()[0].material(), rubber(0.9, 0.95));
    for (int k = 0; k < 60; ++k) other.step();
    EXPECT_EQ(other.state_hash(), hash);
}

TEST(PairFriction, bad_values_are_named) {
    World world;
    const auto complaint = [&](const char* a, const char* b, const PairFriction& f) {
        Status status;
        world.set_friction(a, b, f, &status);
        EXPECT_EQ(status.code, ErrorCode::bad_argument);
        return status.message;
    };
    EXPECT_NE(complaint("", "b", {}).find("needs a name"), std::string::npos);
    for (const double bad : {-0.1, 11.0, std::nan(""), HUGE_VAL}) {
        EXPECT_NE(complaint("a", "b", {bad}).find("'a' and 'b': friction"), std::string::npos);
        EXPECT_NE(complaint("a", "b", {0.5, bad}).find("static_friction"), std::string::npos);
        EXPECT_NE(complaint("a", "b", {0.5, {}, bad}).find("restitution"), std::string::npos);
    }
    EXPECT_NE(complaint("a", "b", {0.5, 0.4}).find("between 0.5 and 10"), std::string::npos);
    EXPECT_FALSE(world.friction("a", "b"));
    EXPECT_TRUE(problem_with(rubber(0.5, 0.4)));
    EXPECT_TRUE(problem_with(rubber(0.5, NAN)));
    EXPECT_FALSE(problem_with(rubber(0.5, 0.5)));
    Collider c = Collider::ground();
    c.static_friction = 11;
    EXPECT_THROW(world.add_collider(c), Error);
    c.static_friction = 0.3;
    EXPECT_NO_THROW(world.add_collider(c));
    c.friction = 0.4;
    EXPECT_THROW(world.add_collider(c), Error);
}

}  // namespace
}  // namespace turgor
