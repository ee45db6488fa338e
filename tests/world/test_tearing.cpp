#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "turgor/turgor.hpp"

namespace turgor {
namespace {

WorldSettings settings(Backend backend, int threads = 1) {
    WorldSettings s;
    s.backend = backend;
    s.threads = threads;
    s.gravity = {};
    return s;
}

/// A bar whose ends are held and drawn apart.
struct PulledBar {
    World world;
    BodyId id = 0;
    HandleId left = 0, right = 0;

    explicit PulledBar(const WorldSettings& with, std::optional<double> tear_stretch = 1.4,
                       VolumeMode volume = VolumeMode::local)
        : world(with) {
        BodyOptions options;
        options.model = LatticeModel{.cells = 12, .tear_stretch = tear_stretch};
        options.volume = volume;
        Body bar =
            world.add_body(shapes::bar({1.5, 0.5, 0.5}, 12), Material::named("gummy"), options);
        id = bar.id();
        const auto hold = [&](double side) {
            std::vector<std::uint32_t> held;
            for (std::uint32_t v = 0; v < bar.positions().size(); ++v)
                if (side * bar.position(v).x > 0.45) held.push_back(v);
            return bar.pin(held, {{{0, {}}, {1, {{0.8 * side, 0, 0}, {}}}}, false, false});
        };
        left = hold(-1);
        right = hold(1);
    }
    /// Whether something tore.
    bool run(int steps) {
        bool torn = false;
        for (int k = 0; k < steps; ++k) {
            world.step(0.005);
            torn = torn || !world.tears().empty();
        }
        return torn;
    }
    int run_until_it_comes_off() {
        int k = 0;
        while (world.bodies().size() == 1 && k < 400) run(1), ++k;
        return k;
    }
};

double total(World& world, double (Body::*what)() const) {
    double sum = 0;
    for (const Body& body : world.bodies()) sum += (body.*what)();
    return sum;
}

class Tearing : public testing::TestWithParam<Backend> {};

TEST_P(Tearing, APulledBarComesApartAndEveryPieceKeepsItsVolume) {
    PulledBar bar(settings(GetParam()));
    const double mass = bar.world.body(bar.id).mass(),
                 volume = bar.world.body(bar.id).rest_volume();
    EXPECT_FALSE(bar.run(20)) << "it is stretched by less than it bears";
    for (int k = 0; k < 250; ++k) {
        bar.run(1);
        for (const Body& body : bar.world.bodies())
            ASSERT_NEAR(body.volume() / body.rest_volume(), 1, 2e-7) << "step " << k;
        ASSERT_TRUE(bar.world.finite());
    }
    EXPECT_GE(bar.world.bodies().size(), 2u);
    EXPECT_LE(bar.world.bodies().size(), 8u);
    EXPECT_NEAR(total(bar.world, &Body::mass), mass, 1e-12 * mass);
    EXPECT_NEAR(total(bar.world, &Body::rest_volume), volume, 1e-9 * volume);
    double slowest = 1e9;
    for (const Body& body : bar.world.bodies()) slowest = std::min(slowest, body.max_speed());
    EXPECT_LT(slowest, 1);
}

TEST_P(Tearing, WhatNeverTearsIsAsIfItCouldNot) {
    PulledBar one(settings(GetParam()), 10.0), other(settings(GetParam()), std::nullopt);
    one.run(60);
    other.run(60);
    EXPECT_EQ(one.world.state_hash(), other.world.state_hash());
}

TEST_P(Tearing, KeepsMomentumAndEnergy) {
    PulledBar torn(settings(GetParam()), 1.4, VolumeMode::off),
        whole(settings(GetParam()), std::nullopt, VolumeMode::off);
    bool tears = false;
    for (int k = 0; k < 400 && !tears; ++k) {
        tears = torn.run(1);
        whole.run(1);
    }
    ASSERT_TRUE(tears);
    const Body before = whole.world.body(whole.id);
    EXPECT_GT(torn.world.particles(), before.positions().size());
    Vec3 momentum;
    double energy = 0;
    for (const Body& body : torn.world.bodies())
        momentum += body.momentum(), energy += body.kinetic_energy();
    const double scale = before.mass() * before.max_speed();
    EXPECT_LT(norm(momentum - before.momentum()), 1e-12 * scale);
    EXPECT_NEAR(energy, before.kinetic_energy(), 1e-12 * before.kinetic_energy());
}

TEST_P(Tearing, GoesOnFromASnapshotWithTheSameBits) {
    PulledBar bar(settings(GetParam()));
    // In the midst of it, and once it came off.
    for (int k = 0; k < 400 && bar.world.tears().empty(); ++k) bar.run(1);
    ASSERT_FALSE(bar.world.tears().empty());
    for (const int more : {0, 20}) {
        bar.run(more);
        const auto snapshot = bar.world.snapshot();
        bar.run(40);
        World other(settings(GetParam()));
        other.restore(snapshot);
        EXPECT_EQ(other.snapshot(), snapshot);
        for (int k = 0; k < 40; ++k) other.step(0.005);
        EXPECT_EQ(other.state_hash(), bar.world.state_hash());
        EXPECT_EQ(other.bodies().size(), bar.world.bodies().size());
    }
}

TEST_P(Tearing, HandlesAndForcesGoAlong) {
    PulledBar bar(settings(GetParam()));
    Body whole = bar.world.body(bar.id);
    whole.set_force({0, 0, 3});
    bar.run_until_it_comes_off();
    ASSERT_GE(bar.world.bodies().size(), 2u);
    EXPECT_EQ(bar.world.tears().front().body, bar.id);
    EXPECT_EQ(bar.world.tears().front().piece, bar.id);
    EXPECT_NE(bar.world.tears().back().piece, bar.id);
    // What is held stays where the path leads, in one piece or another.
    bar.run(300);
    double low = 1e9, high = -1e9;
    for (const Body& body : bar.world.bodies()) {
        low = std::min(low, body.bounds().lower.x);
        high = std::max(high, body.bounds().upper.x);
    }
    EXPECT_NEAR(low, -0.75 - 0.8, 0.05);
    EXPECT_NEAR(high, 0.75 + 0.8, 0.05);
}

TEST_P(Tearing, AHandleThatIsTornApartIsOneHandleStill) {
    PulledBar bar(settings(GetParam()));
    Body whole = bar.world.body(bar.id);
    std::vector<std::uint32_t> all(whole.positions().size());
    std::iota(all.begin(), all.end(), 0u);
    const HandleId drag = whole.drag(all, whole.centre_of_mass(), 0.1);
    bar.run_until_it_comes_off();
    ASSERT_GE(bar.world.bodies().size(), 2u);
    const auto holders = [&] {
        std::size_t count = 0;
        for (const Body& body : bar.world.bodies()) {
            const auto handles = body.handles();
            count += static_cast<std::size_t>(std::ranges::count(handles, drag));
        }
        return count;
    };
    EXPECT_EQ(holders(), bar.world.bodies().size());
    const auto snapshot = bar.world.snapshot();
    World other(settings(GetParam()));
    other.restore(snapshot);
    EXPECT_EQ(other.snapshot(), snapshot);
    whole.move_handle(drag, {0, 1, 0});
    bar.run(1);
    whole.release(drag);
    EXPECT_EQ(holders(), 0u);
}

/// What gapes stays open, and momentum is kept in every tear, not the first alone.
TEST_P(Tearing, OpensFurtherOnly) {
    PulledBar bar(settings(GetParam()), 1.15, VolumeMode::off);
    std::size_t particles = bar.world.particles(), tears = 0;
    for (int k = 0; k < 200; ++k) {
        const double mass = total(bar.world, &Body::mass);
        bar.run(1);
        EXPECT_NEAR(total(bar.world, &Body::mass), mass, 1e-12 * mass);
        EXPECT_GE(bar.world.particles(), particles);
        particles = bar.world.particles();
        tears += bar.world.tears().size();
    }
    EXPECT_GT(tears, 2u) << "several, one after the other";
}

TEST_P(Tearing, WhatIsShownHasTheTriangleOfEveryPiece) {
    PulledBar bar(settings(GetParam()));
    bar.run(250);
    for (const Body& body : bar.world.bodies()) {
        const std::size_t shown = body.display_positions().size();
        ASSERT_GT(shown, 0u);
        EXPECT_EQ(body.display_normals().size(), shown);
        for (const Triangle& t : body.display_triangles())
            for (const std::uint32_t corner : t) ASSERT_LT(corner, shown);
        // No triangle reaches across a tear.
        for (const Triangle& t : body.display_triangles())
            for (std::size_t k = 0; k < 3; ++k)
                ASSERT_LT(norm(to_double(body.display_positions()[t[k]]) -
                               to_double(body.display_positions()[t[(k + 1) % 3]])),
                          0.35);
    }
}

INSTANTIATE_TEST_SUITE_P(Backends, Tearing, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& of) {
                             return of.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST(TearingOnTheCpu, HasTheSameBitsOnAnyNumberOfThreadsAndInNaiveSums) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 3}) {
        PulledBar bar(settings(Backend::cpu, threads));
        EXPECT_TRUE(bar.run(150));
        hashes.push_back(bar.world.state_hash());
    }
    WorldSettings naive = settings(Backend::cpu);
    naive.summation = Summation::naive;
    PulledBar bar(naive);
    bar.run(150);
    hashes.push_back(bar.world.state_hash());
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(TearingOnTheCpu, MaterialsOfTornBodiesChange) {
    PulledBar bar(settings(Backend::cpu));
    bar.run_until_it_comes_off();
    for (Body body : bar.world.bodies()) {
        const double before = body.figure("stiffness");
        body.set_material(Material::named("rubber"));
        EXPECT_NE(body.figure("stiffness"), before);
    }
    bar.run(50);
    EXPECT_TRUE(bar.world.finite());
}

TEST(TearingOnTheCpu, DamagedCellsInASnapshotAreRefused) {
    PulledBar bar(settings(Backend::cpu));
    bar.run_until_it_comes_off();
    const auto snapshot = bar.world.snapshot();
    World other(settings(Backend::cpu));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < snapshot.size(); at += 211) {
        auto damaged = snapshot;
        damaged[at] ^= std::byte{0x15};
        Status status;
        other.restore(damaged, &status);
        refused += !status.ok();
        if (status.ok()) other.step(0.005, &status);
    }
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace turgor
