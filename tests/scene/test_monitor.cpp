#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scene/live.hpp"
#include "scene/monitor.hpp"

namespace turgor {
namespace {

TEST(Monitor, MeasuresWhatItSays) {
    LiveScene live = make(R"({"duration": 0.6, "colliders": [{"shape": {"plane": {}}}],
      "bodies": [{"name": "ball", "shape": {"icosphere": {"subdivisions": 2}}, "position": [3, 0.9, 4]},
                 {"name": "flying", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 9, 0],
                  "velocity": [2, 0, 0]}],
      "checks": [
        {"measure": "lowest", "bodies": ["ball"], "at_least": -0.001, "at_most": 0.001},
        {"measure": "highest", "bodies": ["ball"], "at_least": 1.39, "at_most": 1.401},
        {"measure": "least_extent", "bodies": ["ball"], "at_least": 0.3, "at_most": 0.98},
        {"measure": "distance", "bodies": ["ball"], "at_least": 4.99, "at_most": 5.01},
        {"measure": "rebound", "bodies": ["ball"], "at_least": 0.05, "at_most": 0.9},
        {"measure": "travel", "bodies": ["flying"], "axis": [1, 0, 0], "at_least": 1.19, "at_most": 1.21},
        {"measure": "travel", "bodies": ["flying"], "axis": [1, 0, 0], "since": 0.3, "at_least": 0.59, "at_most": 0.61},
        {"measure": "acceleration", "bodies": ["flying"], "since": 0.2, "at_least": -9.82, "at_most": -9.80},
        {"measure": "creep", "bodies": ["flying"], "since": 0.3, "at_least": 0.59, "at_most": 0.65},
        {"measure": "speed", "bodies": ["flying"], "at_least": 6.2, "at_most": 6.25},
        {"measure": "final_extent", "bodies": ["flying"], "at_least": 0.999, "at_most": 1.001},
        {"measure": "shape_error", "bodies": ["flying"], "at_most": 1e-6},
        {"measure": "volume_error", "at_most": 1e-7},
        {"measure": "final_volume_error", "at_most": 1e-7},
        {"measure": "volume_loss", "at_most": 1e-7},
        {"measure": "recovering_time", "at_most": 0},
        {"measure": "penetration", "at_most": 0.01}]})");
    Monitor monitor(live);
    while (live.time() < 0.6 - 1e-9) live.step(), monitor.after_step();
    for (const CheckResult& result : monitor.results()) EXPECT_TRUE(result.held) << result.sentence;
    EXPECT_GT(monitor.most_contacts(), 0u);
}

TEST(Monitor, SensorsCountAndLayersLetPass) {
    LiveScene live = make(R"({"duration": 1.2,
      "colliders": [{"name": "ground", "shape": {"plane": {}}},
                    {"name": "shelf", "shape": {"box": {"size": [2, 0.1, 2]}}, "position": [0, 1, 0],
                     "collides_with": ["toys"]},
                    {"name": "barrier", "shape": {"box": {"size": [2, 0.1, 2]}}, "position": [0, 1.8, 0],
                     "sensor": true},
                    {"name": "never", "shape": {"sphere": {"radius": 1}}, "position": [9, 1, 0], "sensor": true}],
      "bodies": [{"name": "ball", "shape": {"icosphere": {"radius": 0.2, "subdivisions": 2}}, "position": [0, 2.2, 0],
                  "collides_with": ["default"]},
                 {"name": "toy", "shape": {"icosphere": {"radius": 0.2, "subdivisions": 2}}, "position": [0, 1.3, 0],
                  "layers": ["toys"]}],
      "checks": [{"measure": "touches", "collider": "barrier", "bodies": ["ball"], "at_least": 1, "at_most": 1},
                 {"measure": "touches", "collider": "barrier", "bodies": ["toy"], "at_most": 0},
                 {"measure": "touches", "collider": "shelf", "bodies": ["ball"], "at_most": 0},
                 {"measure": "touches", "collider": "shelf", "bodies": ["toy"], "at_least": 1},
                 {"measure": "touches", "collider": "ground", "bodies": ["ball"], "since": 0.2, "at_least": 1},
                 {"measure": "touches", "collider": "barrier", "bodies": ["ball"], "since": 0.6, "at_most": 0},
                 {"measure": "penetration", "at_most": 0.01}]})");
    Monitor monitor(live);
    for (std::size_t i = 0; i < live.scene().steps(); ++i) live.step(), monitor.after_step();
    for (const CheckResult& result : monitor.results()) EXPECT_TRUE(result.held) << result.sentence;
    EXPECT_LT(live.bodies()[0].body.centre_of_mass().y, 0.9);
    EXPECT_NEAR(live.bodies()[1].body.centre_of_mass().y, 1.25, 0.05);
    ASSERT_EQ(monitor.sensors().size(), 2u);
    EXPECT_EQ(monitor.sensors()[0].name, "barrier");
    EXPECT_EQ(monitor.sensors()[0].entered, 1u);
    EXPECT_EQ(monitor.sensors()[0].left, 1u);
    EXPECT_EQ(monitor.sensors()[1].entered, 0u);
}

TEST(Monitor, MeasuresDents) {
    LiveScene live = make(R"({"duration": 1, "gravity": [0, 0, 0],
      "bodies": [{"name": "bar", "shape": {"bar": {"size": [1, 0.5, 1], "points": 11, "rounding": 0.1}},
                  "position": [0, 2, 0]}],
      "checks": [{"measure": "dent", "point": [0.03, 0, 0.02], "at_most": 0.01},
                 {"measure": "dent", "point": [0.03, 0, 0.02], "at_least": 0.19, "at_most": 0.21},
                 {"measure": "dent", "point": [0.03, 0, 0.02], "axis": [0, -1, 0], "at_least": -0.01, "at_most": 0.01},
                 {"measure": "dent", "point": [0.7, 0, 0], "at_most": 1}]})");
    Monitor monitor(live);
    EXPECT_NEAR(monitor.results()[1].value, 0, 1e-6);
    Body bar = live.bodies()[0].body;
    std::vector<Vec3> dented;
    for (const Vec3f& p : bar.positions()) {
        dented.push_back(to_double(p));
        if (p.y > 2.2f && std::abs(p.x) < 0.25f && std::abs(p.z) < 0.25f) dented.back().y -= 0.1;
    }
    bar.set_positions(dented);
    const auto results = monitor.results();
    EXPECT_FALSE(results[0].held);
    EXPECT_TRUE(results[1].held) << results[1].sentence;
    EXPECT_TRUE(results[2].held) << results[2].sentence;
    EXPECT_FALSE(results[3].held) << "the line misses the body";
}

TEST(Monitor, TheWorstBodyCounts) {
    LiveScene live =
        make(R"({"gravity": [0, 0, 0], "bodies": [{"shape": {"icosphere": {"subdivisions": 1}},
        "copies": [{"name": "slow", "velocity": [1, 0, 0]}, {"name": "fast", "velocity": [2, 0, 0]}]}],
      "checks": [{"measure": "speed", "at_most": 1.5}, {"measure": "speed", "at_least": 1.5}]})");
    Monitor monitor(live);
    live.step(), monitor.after_step();
    const auto results = monitor.results();
    EXPECT_FALSE(results[0].held);
    EXPECT_EQ(results[0].body, "fast");
    EXPECT_FALSE(results[1].held);
    EXPECT_EQ(results[1].body, "slow");
}

TEST(Monitor, PenetrationIsThatOfAllBodies) {
    LiveScene live =
        make(R"({"gravity": [0, 0, 0], "colliders": [{"shape": {"sphere": {"radius": 0.5}}}],
        "bodies": [{"shape": {"icosphere": {"subdivisions": 1}}, "copies": [
            {"name": "away", "position": [9, 0, 0]}, {"name": "inside", "position": [0.9, 0, 0]}]}],
      "checks": [{"measure": "penetration", "at_most": 1}]})");
    Monitor monitor(live);
    live.step(), monitor.after_step();
    EXPECT_EQ(monitor.results()[0].body, "all bodies");
}

}  // namespace
}  // namespace turgor
