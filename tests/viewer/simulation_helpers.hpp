#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "scene/scene.hpp"
#include "viewer/simulation.hpp"

namespace turgor::test {

inline Scene falling_ball() {
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

inline bool is_ready(const Simulation& simulation) {
    return comes([&] { return simulation.readout().state == Readout::State::ready; });
}

/// What was posted before is done and shown when this returns.
inline void settle(Simulation& simulation) {
    auto done = std::make_shared<std::atomic<bool>>(false);
    simulation.post([done](LiveScene&) { *done = true; });
    ASSERT_TRUE(comes([&] { return done->load() && !simulation.readout().busy; }));
}

inline std::uint64_t hash_of(Simulation& simulation) {
    auto hash = std::make_shared<std::atomic<std::uint64_t>>(0);
    simulation.post([hash](LiveScene& live) { *hash = live.world().state_hash(); });
    EXPECT_TRUE(comes([&] { return hash->load() != 0; }));
    return hash->load();
}

/// One that stands still as soon as it is there.
inline std::unique_ptr<Simulation> paused(std::function<Scene()> make = falling_ball) {
    auto simulation = std::make_unique<Simulation>(std::move(make));
    simulation->set_running(false);
    EXPECT_TRUE(is_ready(*simulation));
    settle(*simulation);
    return simulation;
}

inline void advance(Simulation& simulation, std::size_t steps) {
    const std::size_t goal = simulation.readout().steps + steps;
    for (std::size_t k = 0; k < steps; ++k) simulation.step_once();
    ASSERT_TRUE(comes([&] { return simulation.readout().steps == goal; }));
}

}  // namespace turgor::test
