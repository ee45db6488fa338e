#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "base/errors.hpp"
#include "scene/scene.hpp"
#include "viewer/hand.hpp"
#include "viewer/panel.hpp"
#include "viewer/session.hpp"
#include "viewer/settings.hpp"
#include "viewer/simulation.hpp"

namespace turgor {
namespace {

Scene falling_ball() {
    return parse_scene(R"({"colliders": [{"shape": {"plane": {}}}],
        "bodies": [{"name": "ball", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 2, 0]}]})",
                       "test.json");
}

/// Waits until it is so; false after ten seconds.
template <class Condition>
bool comes(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

bool is_ready(const Simulation& simulation) {
    return comes([&] { return simulation.readout().state == Readout::State::ready; });
}

/// What was posted before is done and shown when this returns.
void settle(Simulation& simulation) {
    auto done = std::make_shared<std::atomic<bool>>(false);
    simulation.post([done](LiveScene&) { *done = true; });
    ASSERT_TRUE(comes([&] { return done->load() && !simulation.readout().busy; }));
}

std::uint64_t hash_of(Simulation& simulation) {
    auto hash = std::make_shared<std::atomic<std::uint64_t>>(0);
    simulation.post([hash](LiveScene& live) { *hash = live.world().state_hash(); });
    EXPECT_TRUE(comes([&] { return hash->load() != 0; }));
    return hash->load();
}

/// One that stands still as soon as it is there.
std::unique_ptr<Simulation> paused(std::function<Scene()> make = falling_ball) {
    auto simulation = std::make_unique<Simulation>(std::move(make));
    simulation->set_running(false);
    EXPECT_TRUE(is_ready(*simulation));
    settle(*simulation);
    return simulation;
}

void advance(Simulation& simulation, std::size_t steps) {
    const std::size_t goal = simulation.readout().steps + steps;
    for (std::size_t k = 0; k < steps; ++k) simulation.step_once();
    ASSERT_TRUE(comes([&] { return simulation.readout().steps == goal; }));
}

TEST(Simulation, runs_by_itself_no_faster_than_time) {
    Simulation simulation(falling_ball);
    ASSERT_TRUE(is_ready(simulation));
    const auto start = std::chrono::steady_clock::now();
    const double from = simulation.readout().time;
    ASSERT_TRUE(comes([&] { return simulation.readout().time > from + 0.3; }));
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GT(passed, 0.2);
}

TEST(Simulation, paused_does_nothing_but_single_steps) {
    auto simulation = paused();
    const std::size_t before = simulation->readout().steps;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(simulation->readout().steps, before);
    advance(*simulation, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(simulation->readout().steps, before + 3);
}

/// Does everything itself, and something else the next time that it is called.
class CallingScheduler final : public Scheduler {
public:
    int threads() const override { return 1; }
    void run(std::uint32_t count, void (*work)(void*, std::uint32_t), void* context) override {
        if (const auto call = std::exchange(next_time, {})) call();
        for (std::uint32_t i = 0; i < count; ++i) work(context, i);
    }
    std::function<void()> next_time;
};

TEST(Simulation, misses_nothing_that_is_posted_while_it_shows_something_else) {
    const auto scheduler = std::make_shared<CallingScheduler>();
    std::atomic<bool> called = false, done = false;
    auto simulation = paused([&] {
        Scene scene = parse_scene(R"({"bodies": [{"shape": {"icosphere": {"subdivisions": 4}}}]})",
                                  "test.json");
        scene.world.scheduler = scheduler;
        return scene;
    });
    simulation->post([&](LiveScene& live) {
        live.step();
        // What has moved is shown with the help of the scheduler.
        scheduler->next_time = [&] {
            called = true;
            simulation->post([&](LiveScene&) { done = true; });
        };
    });
    EXPECT_TRUE(comes([&] { return done.load(); }));
    EXPECT_TRUE(called);
}

TEST(Simulation, reset_and_rewind_give_the_same_bits_again) {
    auto simulation = paused();
    simulation->reset();
    const std::uint64_t start = hash_of(*simulation);
    advance(*simulation, 80);  // 0.4 s
    const std::uint64_t at_80 = hash_of(*simulation);
    advance(*simulation, 80);
    EXPECT_NE(hash_of(*simulation), at_80);
    simulation->rewind(0.4);
    EXPECT_EQ(hash_of(*simulation), at_80);
    EXPECT_EQ(simulation->readout().steps, 80u);
    simulation->reset();
    EXPECT_EQ(hash_of(*simulation), start);
    advance(*simulation, 80);
    EXPECT_EQ(hash_of(*simulation), at_80);
}

TEST(Simulation, goes_on_with_another_back_end_where_it_was) {
    auto simulation = paused();
    advance(*simulation, 40);
    const std::uint64_t before = hash_of(*simulation);
    simulation->set_engine(Backend::cpu, 2);
    EXPECT_EQ(hash_of(*simulation), before);
    settle(*simulation);
    EXPECT_EQ(simulation->readout().threads, 2);
    simulation->set_engine(Backend::reference, 1);
    settle(*simulation);
    EXPECT_EQ(simulation->readout().backend, Backend::reference);
    EXPECT_NEAR(simulation->readout().time, 0.2, 1e-9);
}

TEST(Simulation, a_scene_that_cannot_be_made_is_told) {
    const Simulation simulation([]() -> Scene { fail(ErrorCode::bad_file, "no such thing"); });
    ASSERT_TRUE(comes([&] { return simulation.readout().state == Readout::State::failed; }));
    EXPECT_EQ(simulation.readout().error, "no such thing");
    Simulation::Shown shown;
    EXPECT_FALSE(simulation.shown(shown));
}

TEST(Simulation, what_goes_wrong_is_a_warning) {
    auto simulation = paused();
    simulation->post([](LiveScene& live) { live.world().set_gravity({NAN, 0, 0}); });
    settle(*simulation);
    EXPECT_EQ(simulation->readout().warnings.size(), 1u);
}

Scene large_ball(int subdivisions, int omega) {
    return parse_scene(
        fmt::format(R"({{"bodies": [{{"shape": {{"icosphere": {{"subdivisions": {}}}}},
        "material": {{"omega": {}}}}}]}})",
                    subdivisions, omega),
        "test.json");
}

double seconds_to_end(std::unique_ptr<Simulation> simulation) {
    const auto start = std::chrono::steady_clock::now();
    simulation.reset();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Simulation, ends_while_it_is_being_prepared) {
    for (const int milliseconds : {0, 30, 300, 900, 1500}) {
        auto simulation = std::make_unique<Simulation>([] { return large_ball(7, 12); });
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        ASSERT_EQ(simulation->readout().state, Readout::State::preparing);
        EXPECT_LT(seconds_to_end(std::move(simulation)), 3) << "after " << milliseconds << " ms";
    }
}

TEST(Simulation, ends_while_it_bakes_another_material) {
    auto simulation = paused([] { return large_ball(6, 1); });
    simulation->post([](LiveScene& live) {
        Body body = live.bodies().front().body;
        Material material = body.material();
        material.omega = 16;
        body.set_material(material);
    });
    ASSERT_TRUE(comes([&] { return simulation->readout().busy; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ASSERT_TRUE(simulation->readout().busy);
    EXPECT_LT(seconds_to_end(std::move(simulation)), 3);
}

TEST(Cancelled, ends_all_that_takes_long_in_this_thread_and_nothing_else) {
    const Mesh ball = shapes::icosphere(1, 3);
    World world, other;
    Body body = world.add_body(ball);
    const auto file = std::filesystem::temp_directory_path() /
                      ("turgor-cancelled-" + std::to_string(getpid()) + ".obj");
    save_mesh(ball, file);
    std::atomic<bool> wanted = true;
    {
        const CancelScope scope(wanted);
        EXPECT_THROW(load_mesh(file), Cancelled);
        EXPECT_THROW(simplify(ball, 100), Cancelled);
        EXPECT_THROW(other.add_body(ball), Cancelled);
        Material material = body.material();
        material.omega = 5;
        EXPECT_THROW(body.set_material(material), Cancelled);
        EXPECT_THROW(world.step(), Cancelled);
        std::thread([&] { EXPECT_EQ(load_mesh(file).vertices.size(), 642u); }).join();
        wanted = false;
        EXPECT_EQ(simplify(ball, 100).vertices.size(), 100u);
        wanted = true;
    }
    EXPECT_EQ(load_mesh(file).vertices.size(), 642u);
    EXPECT_TRUE(other.bodies().empty());
    EXPECT_EQ(other.add_body(ball).positions().size(), 642u);
    std::filesystem::remove(file);
}

TEST(Simulation, shows_what_lies_between_two_steps) {
    Simulation simulation(falling_ball);
    simulation.set_pace(0.05);  // a step takes 100 ms
    ASSERT_TRUE(is_ready(simulation));
    Simulation::Shown shown;
    std::vector<float> heights;
    ASSERT_TRUE(comes([&] {
        if (!simulation.shown(shown)) return false;
        const float y = shown.moment.things.front().positions.front().y;
        if (heights.empty() || heights.back() != y) heights.push_back(y);
        return simulation.readout().steps >= 6;
    }));
    EXPECT_GT(heights.size(), 20u) << "more places than steps";
    EXPECT_TRUE(std::ranges::is_sorted(heights, std::greater{}));
}

TEST(Simulation, shows_the_inside_only_when_asked) {
    auto simulation = paused();
    Simulation::Shown shown;
    ASSERT_TRUE(simulation->shown(shown));
    EXPECT_TRUE(shown.insight.points.empty());
    simulation->pick_region(shown.moment.things.front().id, {0, 5, 0});
    settle(*simulation);
    ASSERT_TRUE(simulation->shown(shown));
    EXPECT_GT(shown.insight.points.size(), 5u);
    EXPECT_TRUE(simulation->readout().region);
    simulation->set_overlays({});
    settle(*simulation);
    ASSERT_TRUE(simulation->shown(shown));
    EXPECT_GT(shown.insight.points.size(), 5u) << "the region stays";
    simulation->drop_region();
    settle(*simulation);
    ASSERT_TRUE(simulation->shown(shown));
    EXPECT_TRUE(shown.insight.points.empty());
}

class HandTest : public testing::Test {
protected:
    HandTest(std::function<Scene()> make = falling_ball) : simulation_(paused(std::move(make))) {
        simulation_->shown(shown_);
        camera_.target = {0, 2, 0};
        camera_.yaw = camera_.pitch = 0;
    }
    bool grab() {
        const auto picked = pick(shown_.moment, camera_.position(), {0, 0, -1});
        if (!picked) return false;
        hand_.grab(*simulation_, *picked, camera_);
        return true;
    }
    Vec3 middle() {
        settle(*simulation_);
        simulation_->shown(shown_);
        Bounds box;
        for (const Vec3f& p : shown_.moment.things.back().positions) box.add(to_double(p));
        return box.centre();
    }
    std::unique_ptr<Simulation> simulation_;
    Simulation::Shown shown_;
    Camera camera_;
    Hand hand_;
};

TEST_F(HandTest, pulls_a_body_to_where_it_goes) {
    ASSERT_TRUE(grab());
    hand_.move(*simulation_, camera_, camera_.direction_through(0.3, 0.3, 1.5));
    const Vec3 goal = hand_.target();
    EXPECT_GT(goal.x, 0.2);
    EXPECT_GT(goal.y, 2.2);
    advance(*simulation_, 200);
    const Vec3 at = middle();
    EXPECT_GT(at.x, 0.5 * goal.x);
    EXPECT_GT(at.y, 1.4) << "it fell";
    hand_.let_go(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.4);
}

TEST_F(HandTest, pins_it_where_it_is_until_all_pins_are_taken_out) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_GT(middle().y, 1.2);
    hand_.unpin_all(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1);
}

TEST_F(HandTest, lets_go_of_what_a_rewind_brings_back) {
    ASSERT_TRUE(grab());
    advance(*simulation_, 100);
    hand_.let_go(*simulation_);
    advance(*simulation_, 40);
    simulation_->rewind(0.4);  // to where it was being held
    hand_.let_go_of_the_past(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.2);
}

TEST_F(HandTest, takes_pins_out_that_a_rewind_brought_back) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    advance(*simulation_, 100);
    simulation_->rewind(0.2);
    hand_.let_go_of_the_past(*simulation_);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.2);
}

TEST_F(HandTest, of_a_body_that_is_gone_holds_nothing) {
    ASSERT_TRUE(grab());
    settle(*simulation_);
    simulation_->post([](LiveScene& live) { live.remove(live.bodies().front().body.id()); });
    hand_.move(*simulation_, camera_, {0, 0, -1});
    hand_.pin(*simulation_);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    EXPECT_TRUE(simulation_->readout().warnings.empty());
}

class RigidHandTest : public HandTest {
protected:
    RigidHandTest() : HandTest(rigid_things) {}
    static Scene rigid_things() {
        return parse_scene(R"({"colliders": [{"shape": {"plane": {}}}],
            "bodies": [{"shape": {"icosphere": {"subdivisions": 1}}, "position": [0, 1, -5]}],
            "rigid_bodies": [{"shape": {"box": {"size": [0.2, 0.8, 0.4]}}, "position": [0, 2, 0]}]})",
                           "test.json");
    }
};

TEST_F(RigidHandTest, pulls_it_to_where_it_goes) {
    ASSERT_TRUE(grab());
    hand_.move(*simulation_, camera_, camera_.direction_through(0.3, 0.3, 1.5));
    const Vec3 goal = hand_.target();
    advance(*simulation_, 400);
    EXPECT_LT(norm(middle() - goal), 0.6) << "it hangs from the hand";
    EXPECT_GT(middle().y, goal.y - 0.6);
    hand_.let_go(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);
}

TEST_F(RigidHandTest, throws_it) {
    ASSERT_TRUE(grab());
    for (int k = 1; k <= 20; ++k) {
        hand_.move(*simulation_, camera_, camera_.direction_through(0.01 * k, 0.02 * k, 1.5));
        advance(*simulation_, 2);
    }
    hand_.let_go(*simulation_);
    const Vec3 then = middle();
    advance(*simulation_, 20);
    EXPECT_GT(middle().x, then.x + 0.05);
    EXPECT_GT(middle().y, then.y + 0.05);
}

TEST_F(RigidHandTest, pins_it_until_all_pins_are_taken_out_or_a_rewind) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_GT(middle().y, 1.2);
    hand_.unpin_all(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);

    simulation_->reset();
    hand_.let_go_of_the_past(*simulation_);
    middle();
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    advance(*simulation_, 100);
    simulation_->reset();
    hand_.let_go_of_the_past(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);
}

TEST_F(RigidHandTest, of_a_body_that_is_gone_holds_nothing) {
    ASSERT_TRUE(grab());
    advance(*simulation_, 2);
    simulation_->post([](LiveScene& live) { live.world().remove_rigid(live.rigids()[0].id()); });
    hand_.move(*simulation_, camera_, {0, 0, -1});
    advance(*simulation_, 2);
    hand_.pin(*simulation_);
    advance(*simulation_, 2);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    EXPECT_TRUE(simulation_->readout().warnings.empty());
}

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
