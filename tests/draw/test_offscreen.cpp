#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "draw/offscreen.hpp"
#include "draw/world_drawing.hpp"
#include "turgor/world.hpp"

/// Pictures, compared as pictures: with a stored small one, and by where things are in them.
namespace turgor {
namespace {

constexpr int width = 240, height = 160;
constexpr double aspect = static_cast<double>(width) / height;

/// Skips where nothing draws here.
class Pictures : public testing::Test {
protected:
    void SetUp() override {
        try {
            offscreen_ = std::make_unique<Offscreen>();
        } catch (const Error& e) {
            if (e.code() != ErrorCode::missing) throw;
            GTEST_SKIP() << e.what();
        }
    }

    /// A state that no simulation made: a ball and a block on the ground, a glass behind them.
    void set_the_stage(Vec3 ball_at = {-0.4, 0.5, 0.2}) {
        for (const Collider& c : {Collider::ground(), Collider::box({0.9, 0.3, 0}, {0.3, 0.3, 0.3}),
                                  Collider::cup({0.2, 0.1, -1}, 0.5, 0.9)})
            world_.add_collider(c), colliders_.push_back(c);
        Body ball =
            world_.add_body(shapes::icosphere(0.5, 3), {}, {.position = ball_at, .colour = red});
        ball_ = ball.id();
        camera_.target = {0.2, 0.4, 0};
        camera_.distance = 4.5;
    }
    Picture paint(const Overlays& overlays = {}) {
        WorldDrawing drawing(colliders_);
        const Moment moment = MomentTaker().take(world_);
        const Insight insight = look_inside(world_, overlays);
        return offscreen_->paint(drawing.draw(moment, insight), camera_, width, height);
    }
    Pixel seen_at(const Picture& picture, Vec3 point) const {
        const Vec3 at = camera_.project(point, aspect);
        return picture.at(static_cast<int>((at.x + 1) / 2 * width),
                          static_cast<int>((1 - at.y) / 2 * height));
    }

    static constexpr Vec3f red{0.8f, 0.05f, 0.03f};
    std::unique_ptr<Offscreen> offscreen_;
    World world_;
    std::vector<Collider> colliders_;
    Camera camera_;
    BodyId ball_ = 0;
};

bool is_red(Pixel p) {
    return p[0] > 80 && p[0] > 1.8 * p[1] && p[0] > 1.8 * p[2];
}
double brightness(Pixel p) {
    return (p[0] + p[1] + p[2]) / 3.0;
}

/// Drivers may round differently: what a person would not see is no difference.
constexpr double tolerance = 0.012;

TEST_F(Pictures, equal_the_stored_one) {
    set_the_stage();
    const Picture picture = paint();
    const std::filesystem::path stored =
        std::filesystem::path(TURGOR_TESTS) / "draw" / "reference.png";
    if (std::getenv("TURGOR_STORE_PICTURES")) save_picture(picture, stored);
    const double off = difference(picture, load_png(stored));
    EXPECT_LT(off, tolerance)
        << "see draw-difference.png in the build; TURGOR_STORE_PICTURES=1 stores a new one";
    if (off >= tolerance) save_picture(picture, "draw-difference.png");
}

/// Of a ball of that material without a colour: mean brightness, and how much neighbours differ.
TEST_F(Pictures, of_materials_look_like_them) {
    struct Look {
        double brightness = 0, roughness = 0, red_over_blue = 0;
    };
    const auto look_of = [&](const char* name) {
        World world;
        world.add_body(shapes::icosphere(0.5, 4), Material::named(name),
                       {.volume = VolumeMode::off});
        camera_.distance = 2.5;
        WorldDrawing drawing({});
        const Picture p =
            offscreen_->paint(drawing.draw(MomentTaker().take(world)), camera_, width, height);
        Look look;
        double reds = 0, blues = 0;
        for (int y = 65; y < 95; ++y)
            for (int x = 105; x < 135; ++x) {
                const Pixel here = p.at(x, y);
                look.brightness += brightness(here) / 900;
                look.roughness += std::fabs(brightness(here) - brightness(p.at(x + 1, y))) / 900;
                reds += here[0];
                blues += here[2];
            }
        look.red_over_blue = reds / blues;
        return look;
    };
    const Look gummy = look_of("gummy"), clay = look_of("clay"), dough = look_of("dough"),
               metal = look_of("metal"), foam = look_of("foam");
    EXPECT_GT(clay.red_over_blue, 2) << "earthy";
    EXPECT_GT(dough.brightness, 1.4 * clay.brightness) << "pale";
    EXPECT_NEAR(metal.red_over_blue, 1, 0.15) << "grey";
    EXPECT_GT(clay.roughness, 1.5 * gummy.roughness);
    EXPECT_GT(foam.roughness, 2 * gummy.roughness) << "porous";
}

TEST_F(Pictures, differ_where_the_scene_does) {
    set_the_stage();
    const Picture picture = paint();
    world_.body(ball_).teleport({-0.3, 0.5, 0.2});
    EXPECT_GT(difference(picture, paint()), 2 * tolerance);
}

TEST_F(Pictures, show_things_where_they_are) {
    set_the_stage();
    const Picture picture = paint();
    EXPECT_TRUE(is_red(seen_at(picture, {-0.4, 0.5, 0.2})));
    EXPECT_FALSE(is_red(seen_at(picture, {0.9, 0.3, 0})));
    EXPECT_FALSE(is_red(seen_at(picture, {-1.5, 0, 0})));
}

TEST_F(Pictures, have_shadows_and_are_darker_where_things_touch) {
    set_the_stage();
    const Picture picture = paint();
    // The light comes from the left, above and in front: the shadow is on the right, behind.
    const double shadow = brightness(seen_at(picture, {0.25, 0, 0.0}));
    const double lit = brightness(seen_at(picture, {-0.4, 0, 1.2}));
    const double contact = brightness(seen_at(picture, {-0.4, 0, 0.42}));
    EXPECT_LT(shadow, 0.8 * lit);
    EXPECT_LT(contact, 0.9 * lit);
}

/// High above the ground a ball is lit by a lamp whose shadow map ends before the ground.
TEST_F(Pictures, of_things_in_the_air_have_no_shadow_but_theirs) {
    const Collider ground = Collider::ground();
    world_.add_collider(ground), colliders_.push_back(ground);
    world_.add_body(shapes::icosphere(0.5, 3), {}, {.position = {0, 4, 0}});
    camera_.target = {1, 0, -1};
    camera_.distance = 9;
    camera_.pitch = 0.9;
    const Picture picture = paint();
    // The light goes down along (0.45, -0.85, -0.42): from the ball to (2.12, 0, -1.98).
    const double lit = brightness(seen_at(picture, {-0.5, 0, 0.5}));
    EXPECT_LT(brightness(seen_at(picture, {2.12, 0, -1.98})), 0.8 * lit);
    const double all_around[] = {0.9, 1.1, 1.3, 1.6, 2.0};
    for (const double away : all_around)
        for (int k = 0; k < 8; ++k) {
            const double angle = k * 0.785;
            const Vec3 place{2.12 + away * std::cos(angle), 0, -1.98 + away * std::sin(angle)};
            EXPECT_NEAR(brightness(seen_at(picture, place)), lit, 0.08 * lit)
                << place.x << " " << place.z;
        }
}

TEST_F(Pictures, show_a_body_through_glass) {
    set_the_stage({0.2, 0.6, -1});
    const Picture picture = paint();
    EXPECT_TRUE(is_red(seen_at(picture, {0.2, 0.6, -1})));
}

TEST_F(Pictures, show_the_edges_of_a_glass) {
    const Collider glass = Collider::cup({0, 0.1, 0}, 0.5, 0.9);
    world_.add_collider(glass), colliders_.push_back(glass);
    camera_.target = {0, 0.5, 0};
    camera_.distance = 3;
    const Picture picture = paint(), nothing = offscreen_->paint({}, camera_, width, height);
    const auto share = [&](int x) {
        return brightness(picture.at(x, height / 2)) / brightness(nothing.at(x, height / 2));
    };
    double darkest = 1;
    for (int x = 0; x < width; ++x) darkest = std::min(darkest, share(x));
    EXPECT_LT(darkest, 0.95);
    EXPECT_GT(share(width / 2), 0.93);
}

TEST_F(Pictures, show_what_is_inside) {
    set_the_stage();
    const Picture plain = paint();
    for (const char* name : {"wireframe", "particles", "paths", "struts", "weights", "cage"}) {
        Overlays overlays;
        *overlays.named(name) = true;
        EXPECT_GT(difference(plain, paint(overlays)), 0.01) << name;
    }
}

TEST_F(Pictures, of_nothing_are_no_trouble) {
    const Picture empty = offscreen_->paint({}, {}, 40, 30);
    EXPECT_EQ(empty.pixels.size(), 1200u);
    EXPECT_GT(brightness(empty.at(20, 15)), 50);
}

TEST_F(Pictures, too_large_or_too_small_are_refused) {
    EXPECT_THROW(offscreen_->paint({}, {}, 0, 30), Error);
    EXPECT_THROW(offscreen_->paint({}, {}, 30, Offscreen::largest + 1), Error);
}

TEST_F(Pictures, are_the_same_twice_and_from_two_painters) {
    set_the_stage();
    const Picture first = paint();
    const Offscreen other;
    EXPECT_EQ(first.pixels, paint().pixels);
    EXPECT_NE(std::string(other.driver()), "");
    EXPECT_EQ(first.pixels, paint().pixels) << "another context was made in between";
}

}  // namespace
}  // namespace turgor
