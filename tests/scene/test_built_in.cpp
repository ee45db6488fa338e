#include <gtest/gtest.h>

#include <algorithm>

#include "measure/bodies_in_contact.hpp"
#include "scene/builtin.hpp"
#include "scene/live_scene.hpp"
#include "scene/monitor.hpp"
#include "scene/package_mesh.hpp"
#include "scene/shapes.hpp"

namespace turgor {
namespace {

const char* const expected[] = {
    "armadillos",    "balls_in_glass", "bouncing",        "broken_bunny",
    "clay",          "cube",           "ducks_and_tori",  "gummy_bears",
    "head",          "hundred_props",  "incline",         "jelly_plate",
    "lattice_cube",  "plastic_can",    "quadratic_twist", "recovery",
    "rigid_on_soft", "ruler",          "shoes",           "slide",
    "sofa",          "spinning_brick", "squashed_duck",   "squeezed_spheres",
    "torn_cake",     "tree",           "twirled_bar",     "wire"};

class BuiltIn : public testing::TestWithParam<const char*> {
protected:
    Scene scene() const { return load_scene(GetParam()); }
};

std::string name_of_case(const testing::TestParamInfo<const char*>& info) {
    return info.param;
}
INSTANTIATE_TEST_SUITE_P(Scenes, BuiltIn, testing::ValuesIn(expected), name_of_case);

TEST(BuiltInScenes, AreThoseOfTheIssue) {
    ASSERT_EQ(built_in_scenes().size(), std::size(expected));
    for (const char* name : expected) EXPECT_TRUE(built_in_scene(name)) << name;
    EXPECT_TRUE(built_in_scene(default_scene));
}

TEST_P(BuiltIn, HasADescriptionAndChecks) {
    const Scene read = scene();
    EXPECT_EQ(read.name, GetParam());
    EXPECT_FALSE(read.description.empty());
    EXPECT_TRUE(std::any_of(read.checks.begin(), read.checks.end(), [](const SceneCheck& c) {
        return c.measure == Measure::volume_error && c.at_most && *c.at_most <= 1e-7;
    }));
}

TEST_P(BuiltIn, RunsAFewSteps) {
    if (const auto problem = problem_with_packages(scene())) GTEST_SKIP() << *problem;
    LiveScene live(scene());
    EXPECT_EQ(measure::deepest_overlap(live.world()), 0);
    Monitor monitor(live);
    for (int i = 0; i < 2; ++i) live.step(), monitor.after_step();
    EXPECT_TRUE(live.world().finite());
    EXPECT_LE(monitor.max_volume_error(), 1e-7);
    double estimate = 0;
    const bool has_lattices = std::ranges::any_of(
        live.scene().bodies, [](const SceneBody& b) { return b.options.model.name == "lattice"; });
    EXPECT_EQ(monitor.results().size(), live.scene().checks.size());
    if (has_lattices) return;  // only their cells tell how many particles there are
    for (const SceneBody& body : live.scene().bodies)
        estimate += static_cast<double>(
            body.sim_vertices.value_or(static_cast<std::size_t>(estimated_vertices(*body.shape))));
    EXPECT_NEAR(estimate / static_cast<double>(live.world().particles()), 1, 0.02);
}

/// Bodies that swell by a twentieth and keep it up: a scene whose checks do not notice would check
/// nothing.
TEST_P(BuiltIn, ItsChecksCanFail) {
    if (const auto problem = problem_with_packages(scene())) GTEST_SKIP() << *problem;
    Scene swollen = scene();
    for (SceneBody& body : swollen.bodies) body.options.volume = VolumeMode::off;
    LiveScene live(swollen);
    for (const LiveBody& live_body : live.bodies()) {
        Body body = live_body.body;
        std::vector<Vec3> positions(body.positions().size());
        const Vec3 centre = body.centre_of_mass();
        for (std::size_t i = 0; i < positions.size(); ++i)
            positions[i] = centre + 1.05 * (to_double(body.positions()[i]) - centre);
        body.set_positions(positions);
    }
    Monitor monitor(live);
    live.step(), monitor.after_step();
    const auto results = monitor.results();
    EXPECT_FALSE(std::all_of(results.begin(), results.end(), [](const auto& r) { return r.held; }));
}

TEST(BuiltInScenes, HaveThePapersParticles) {
    EXPECT_EQ(LiveScene(load_scene("ducks_and_tori")).world().particles(), 21280u);
    EXPECT_EQ(LiveScene(load_scene("balls_in_glass")).world().particles(), 7640u);
    EXPECT_EQ(LiveScene(load_scene("squeezed_spheres")).world().particles(), 4 * 1562u);
}

TEST(BuiltInScenes, InclineHoldsAndFailsWithAnotherFriction) {
    const auto held = [](double friction) {
        Scene scene = load_scene("incline");
        for (SceneBody& body : scene.bodies)
            if (body.name == "slides") body.material.friction = friction;
        LiveScene live(scene);
        Monitor monitor(live);
        for (std::size_t i = 0; i < scene.steps(); ++i) live.step(), monitor.after_step();
        const auto results = monitor.results();
        return std::all_of(results.begin(), results.end(), [](const auto& r) { return r.held; });
    };
    EXPECT_TRUE(held(0.15));
    EXPECT_FALSE(held(0.2));
}

}  // namespace
}  // namespace turgor
