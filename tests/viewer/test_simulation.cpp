#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/errors.hpp"
#include "viewer/simulation_helpers.hpp"

namespace turgor {
namespace {

using test::advance;
using test::comes;
using test::falling_ball;
using test::hash_of;
using test::is_ready;
using test::paused;
using test::settle;

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

}  // namespace
}  // namespace turgor
