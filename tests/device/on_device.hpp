#pragma once

#include <gtest/gtest.h>

#include "turgor/device.hpp"
#include "turgor/turgor.hpp"

namespace turgor {

/// Tests that need an OpenCL device, and skip with the reason where there is none.
class OnDevice : public testing::Test {
protected:
    void SetUp() override {
        std::string why;
        const auto devices = list_devices(&why);
        if (devices.empty() || !devices.front().problem.empty())
            GTEST_SKIP() << (devices.empty() ? why : devices.front().problem);
    }

    static WorldSettings on(Backend backend) {
        WorldSettings settings;
        settings.backend = backend;
        settings.threads = 1;
        settings.sleeping = false;
        return settings;
    }

    /// How far apart the bodies of two worlds are, relative to their size.
    static double difference(World& a, World& b) {
        double farthest = 0;
        const auto of_a = a.bodies(), of_b = b.bodies();
        for (std::size_t k = 0; k < of_a.size(); ++k) {
            const auto x = of_a[k].positions(), y = of_b[k].positions();
            for (std::size_t i = 0; i < x.size(); ++i)
                farthest =
                    std::max(farthest, norm(to_double(x[i]) - to_double(y[i])) / of_a[k].size());
        }
        return farthest;
    }

    static double worst_volume(World& world) {
        double worst = 0;
        for (const Body& body : world.bodies())
            worst = std::max(worst, std::abs(body.volume() / body.rest_volume() - 1));
        return worst;
    }
};

}  // namespace turgor
