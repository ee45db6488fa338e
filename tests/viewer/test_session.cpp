#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "viewer/panel.hpp"
#include "viewer/session.hpp"
#include "viewer/settings.hpp"
#include "viewer/simulation_helpers.hpp"

namespace turgor {
namespace {

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
