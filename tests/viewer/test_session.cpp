#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "elastic/model.hpp"
#include "scene/schema.hpp"
#include "viewer/panel.hpp"
#include "viewer/session.hpp"
#include "viewer/settings.hpp"
#include "viewer/simulation_helpers.hpp"

namespace turgor {
namespace {

using test::advance;
using test::comes;
using test::falling_ball;
using test::settle;

/// Waits for what was opened.
void open_and_wait(Session& session, std::function<void()> open) {
    open();
    ASSERT_TRUE(comes([&] {
        session.refresh();
        return !session.preparing();
    }));
}

TEST(Session, keeps_what_runs_when_the_next_cannot_be_made) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("ball", falling_ball); });
    EXPECT_EQ(session.scene_name, "ball");
    open_and_wait(session, [&] { session.open_files({"/no/such.obj"}); });
    EXPECT_EQ(session.scene_name, "ball");
    EXPECT_NE(session.message.find("such.obj"), std::string::npos) << session.message;
    EXPECT_TRUE(session.has_shown);
}

TEST(Session, puts_cages_around_what_is_not_closed_and_says_so) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("turgor-cages-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "sheet.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0.4\n"
                                           "f 1 2 5\nf 2 3 5\nf 3 4 5\n";
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open_files({folder / "sheet.obj"}); });
    std::filesystem::remove_all(folder);
    EXPECT_EQ(session.scene_name, "sheet.obj") << session.message;
    ASSERT_EQ(session.shown.moment.things.size(), 1u);
    EXPECT_EQ(session.shown.moment.things[0].positions.size(), 5u) << "the sheet is shown";
    EXPECT_TRUE(std::ranges::any_of(session.readout.warnings, [](const std::string& warning) {
        return warning.find("sheet.obj is not closed") != std::string::npos;
    }));
}

TEST(Session, drops_another_body_above_the_others) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("ball", falling_ball); });
    session.drop_another();
    settle(*session.simulation);
    session.refresh();
    ASSERT_EQ(session.shown.moment.things.size(), 2u);
    Bounds first, second;
    for (const Vec3f& p : session.shown.moment.things[0].positions) first.add(to_double(p));
    for (const Vec3f& p : session.shown.moment.things[1].positions) second.add(to_double(p));
    EXPECT_GT(second.lower.y, first.upper.y);
    session.rewind(0);
    session.reset();
    settle(*session.simulation);
    session.refresh();
    EXPECT_EQ(session.shown.moment.things.size(), 1u) << "it was not there at the start";
}

TEST(Session, changes_the_material_of_one_or_all) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("ball", falling_ball); });
    session.drop_another();
    settle(*session.simulation);
    session.refresh();
    session.selected = session.readout.bodies[1].id;
    session.change_material([](Material& m) { m.omega = 5; });
    session.set_volume(VolumeMode::off);
    settle(*session.simulation);
    session.refresh();
    const auto omega_line = [&](std::size_t body) {
        return model_lines(session.readout.bodies[body]).at(1);
    };
    EXPECT_NE(omega_line(0), "omega 5 edges");
    EXPECT_EQ(omega_line(1), "omega 5 edges");
    EXPECT_TRUE(model_lines(session.readout.bodies[1]).at(0).starts_with("surface model, "));
    EXPECT_EQ(session.readout.bodies[0].volume, VolumeMode::local);
    EXPECT_EQ(session.readout.bodies[1].volume, VolumeMode::off);
}

Scene two_balls() {
    return parse_scene(R"({"gravity": [0, 0, 0], "bodies": [
        {"name": "a", "shape": {"icosphere": {"subdivisions": 2}}, "material": "clay"},
        {"name": "b", "shape": {"icosphere": {"subdivisions": 2}}, "position": [3, 0, 0]}]})",
                       "test.json");
}

TEST(Session, changes_the_model_of_one_or_all_and_keeps_what_else_was_changed) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("balls", two_balls); });
    session.needs_framing = false;
    session.selected = session.readout.bodies[1].id;
    session.change_material([](Material& m) { m.friction = 0.123; });
    session.set_gravity({0, -1, 0});
    settle(*session.simulation);
    session.refresh();
    const Model linear{"meshless", {{"mode", 1}, {"clusters", 3}}};
    open_and_wait(session, [&] { session.change_model([&](Model& m) { m = linear; }); });
    const auto bodies = [&]() -> const std::vector<Readout::Line>& {
        return session.readout.bodies;
    };
    ASSERT_EQ(bodies().size(), 2u);
    EXPECT_EQ(bodies()[0].model, Model{});
    EXPECT_EQ(bodies()[1].model, linear);
    EXPECT_EQ(bodies()[1].material.friction, 0.123);
    EXPECT_TRUE(bodies()[0].material.plasticity);
    EXPECT_EQ(session.readout.gravity.y, -1);
    EXPECT_EQ(session.selected, bodies()[1].id) << "the same body is selected";
    EXPECT_FALSE(session.needs_framing) << "the camera stays";
    EXPECT_EQ(session.scene_name, "balls");
    session.selected = 0;
    open_and_wait(session,
                  [&] { session.change_model([](Model& m) { m.settings["stiffness"] = 0.4; }); });
    EXPECT_EQ(bodies()[0].model.settings, (ModelSettings{{"stiffness", 0.4}}));
    EXPECT_EQ(bodies()[1].model.settings.size(), 3u) << "what one has of its own stays";
    open_and_wait(session,
                  [&] { session.change_model([](Model& m) { m.settings["stiffness"] = 7; }); });
    EXPECT_NE(session.message.find("must be between 0 and 1"), std::string::npos)
        << session.message;
    EXPECT_EQ(bodies()[0].model.settings, (ModelSettings{{"stiffness", 0.4}})) << "it goes on";
}

TEST(Session, bends_what_is_plastic_straight_again_and_back) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("balls", two_balls); });
    open_and_wait(session, [&] { session.change_model([](Model& m) { m = {"meshless"}; }); });
    const auto longest = [&] {
        auto length = std::make_shared<std::atomic<double>>(0);
        session.simulation->post([length](LiveScene& live) {
            Bounds box;
            for (const Vec3& p : live.bodies()[0].body.rest_shape()) box.add(p);
            *length = box.extent().x;
        });
        settle(*session.simulation);
        return length->load();
    };
    const double round = longest();
    session.simulation->post([](LiveScene& live) {
        Body body = live.bodies()[0].body;
        std::vector<Vec3> pulled;
        for (std::size_t i = 0; i < body.positions().size(); ++i) {
            const Vec3 p = body.position(i);
            pulled.push_back({1.6 * p.x, p.y / 1.25, p.z / 1.25});
        }
        body.set_positions(pulled);
    });
    advance(*session.simulation, 45);
    const double dented = longest();
    EXPECT_GT(dented, 1.1 * round);
    session.selected = session.readout.bodies[1].id;
    session.bend_straight();
    EXPECT_NEAR(longest(), dented, 1e-9) << "only the other one";
    session.selected = 0;
    session.bend_straight();
    EXPECT_NEAR(longest(), round, 1e-6);
    session.rewind(0);
    EXPECT_GT(longest(), 1.1 * round) << "a second ago it was dented";
}

TEST(Session, shows_how_far_goals_are_where_they_are_shown) {
    Session session({});
    session.running = false;
    open_and_wait(session, [&] { session.open("balls", two_balls); });
    EXPECT_FALSE(session.readout.bodies[0].fit_error);
    Overlays goals;
    goals.goals = true;
    session.set_overlays(goals);
    settle(*session.simulation);
    session.refresh();
    for (const Readout::Line& line : session.readout.bodies) {
        ASSERT_TRUE(line.fit_error);
        EXPECT_LT(*line.fit_error, 1e-3) << "at rest";
    }
}

TEST(Session, explains_every_setting_of_every_model) {
    for (const ElasticModel* model : models()) {
        const std::string definition = "model_" + std::string(model->name());
        EXPECT_FALSE(described(definition).empty()) << definition;
        for (const ElasticModel::Setting& setting : model->settings())
            EXPECT_FALSE(described(definition, std::string(setting.name)).empty())
                << definition << " " << setting.name;
    }
    EXPECT_EQ(described("model_meshless", "nonsense"), "");
    EXPECT_EQ(described("nonsense", "beta"), "");
}

TEST(ViewerSettings, come_back_and_broken_ones_do_no_harm) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("turgor-viewer-" + std::to_string(getpid())) / "a" / "viewer.json";
    ViewerSettings settings;
    settings.width = 777;
    settings.panel = false;
    settings.scene = "slide";
    save_settings(settings, file);
    EXPECT_EQ(load_settings(file).width, 777);
    EXPECT_EQ(load_settings(file).panel, false);
    EXPECT_EQ(load_settings(file).scene, "slide");
    for (const char* text :
         {"", "{", "[]", R"({"width": "wide", "panel": 3})", R"({"width": -5, "height": 1e30})"}) {
        std::ofstream(file) << text;
        EXPECT_GE(load_settings(file).width, 320) << text;
        EXPECT_LE(load_settings(file).height, 8192) << text;
        EXPECT_TRUE(load_settings(file).panel) << text;
    }
    save_settings(settings, "/proc/no/such/place.json");
    std::filesystem::remove_all(file.parent_path().parent_path());
}

}  // namespace
}  // namespace turgor
