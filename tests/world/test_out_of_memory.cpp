#include <gtest/gtest.h>

#include <string>

#include "allocations.hpp"
#include "base/cancel.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// A little of everything that needs memory in a step.
void fill_busy(World& world) {
    world.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.4, -3}, {0.5, 0.05, 0.5});
    plate.path = {{{0, {}}, {0.2, {{0, -0.4, 0}, {}}}}, false, true};
    world.add_collider(plate);
    Material material = Material::named("jelly");
    material.omega = 2;
    // Large: its blocks are shared by all threads. The reference has none.
    world.add_body(
        shapes::cube(1, world.backend() == Backend::cpu ? 36 : 8), material,
        {.position = {5, 0.5, 0}, .velocity = {0, -2, 0}, .angular_velocity = {1, 2, 0}});
    // A pile with rigid bodies in it.
    for (int k = 0; k < 3; ++k)
        world.add_body(shapes::icosphere(0.3, 2), material,
                       {.position = {0.1 * k, 0.28 + 0.55 * k, 0}, .velocity = {0, -1, 0}});
    world.add_rigid(RigidBody::sphere({0.6, 0.15, 0}, 0.15));
    world.add_rigid(RigidBody::box({0, 1.9, 0}, {0.1, 0.1, 0.1}));
    // Alone, with handles and forces.
    for (int k = 0; k < 3; ++k) {
        Body held = world.add_body(shapes::icosphere(0.3, 2), material,
                                   {.position = {-3.0 - k, 0.28, 0}, .velocity = {0, -1, 0}});
        held.pin(std::vector<std::uint32_t>{0, 1});
        held.drag(std::vector<std::uint32_t>{9}, {-3.0 - k, 1, 0});
        held.set_force(5, {0, 20, 0});
    }
    // One that has lost its shape, and one that is pressed onto itself.
    Body flat = world.add_body(shapes::icosphere(0.3, 2), material, {.position = {0, 1, 3}});
    std::vector<Vec3> x;
    for (std::size_t i = 0; i < flat.positions().size(); ++i)
        x.push_back({flat.position(i).x, 1, flat.position(i).z});
    flat.set_positions(x);
    world.add_body(shapes::gummy_bear(1, 300), material,
                   {.position = {0, 0.02, -3}, .velocity = {0, -8, 0}});
}

struct Case {
    const char* name;
    Backend backend;
    int threads;
    int steps;  ///< until memory runs out
};

class OutOfMemory : public testing::TestWithParam<Case> {
protected:
    OutOfMemory() {
        settings_.backend = GetParam().backend;
        settings_.threads = GetParam().threads;
    }

    /// A step in which the allocations of these numbers fail; true if any of them was reached.
    bool step_without(World& world, long from, long until, Status& status) {
        using namespace allocations;
        fail_from = from;
        fail_until = until;
        count = 0;
        watched = true;
        world.step(0.005, &status);
        watched = false;
        return count > from;
    }

    /// A world in which the step failed is readable, broken, and as new after a snapshot.
    void expect_mended(World& world, const std::vector<std::byte>& start) {
        for (const Body& body : world.bodies()) {
            EXPECT_EQ(body.positions().size(), body.normals().size());
            body.volume();
            body.bounds();
        }
        for (const Rigid& rigid : world.rigids()) EXPECT_FALSE(rigid.positions().empty());
        world.state_hash();
        world.cast_ray({0, 5, 0}, {0, -1, 0});
        Status status;
        world.step(0.005, &status);
        EXPECT_EQ(status.code, ErrorCode::failed);
        EXPECT_EQ(status.message,
                  "a step of this world ended half-way (out of memory) and left it broken; restore "
                  "a snapshot, then it can go on");
        EXPECT_THROW(world.snapshot(), Error);
        world.restore(start);
    }

    WorldSettings settings_;
};

TEST_P(OutOfMemory, at_any_allocation_of_a_step_reaches_the_caller_and_a_snapshot_mends_the_world) {
    World world(settings_);
    fill_busy(world);
    for (int k = 0; k < GetParam().steps; ++k) world.step();
    const std::vector<std::byte> start = world.snapshot();
    // Restored, a world has none of the memory that steps keep.
    world.restore(start);
    world.step();
    const std::uint64_t after_one = world.state_hash();
    world.step();
    const std::uint64_t after_two = world.state_hash();
    ASSERT_NE(after_one, after_two);
    long failures = 0;
    for (const bool once : {true, false})
        for (long from = 0;; from += 1 + from / 12) {
            world.restore(start);
            Status status;
            const bool reached = step_without(world, from, once ? from + 1 : 1'000'000'000, status);
            if (!reached) break;
            if (status.ok()) {
                // Whoever asked could do without.
                ASSERT_EQ(world.state_hash(), after_one) << from;
                continue;
            }
            ++failures;
            ASSERT_EQ(status.code, ErrorCode::out_of_memory) << from;
            ASSERT_EQ(status.message, "out of memory") << from;
            expect_mended(world, start);
            world.step();
            ASSERT_EQ(world.state_hash(), after_one) << from;
            world.step();
            ASSERT_EQ(world.state_hash(), after_two) << from;
        }
    EXPECT_GT(failures, 60);
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, OutOfMemory,
    testing::Values(Case{"reference", Backend::reference, 1, 4}, Case{"cpu_1", Backend::cpu, 1, 4},
                    Case{"cpu_2_begins", Backend::cpu, 2, 0}, Case{"cpu_2", Backend::cpu, 2, 4},
                    Case{"cpu_2_later", Backend::cpu, 2, 30}, Case{"cpu_3", Backend::cpu, 3, 4}),
    [](const auto& made) { return std::string(made.param.name); });

TEST(BrokenWorld, a_step_without_a_status_throws_what_happened) {
    World world;
    fill_busy(world);
    const std::vector<std::byte> start = world.snapshot();
    allocations::fail_from = 3;
    allocations::fail_until = 1'000'000'000;
    allocations::count = 0;
    allocations::watched = true;
    bool thrown = false;
    try {
        world.step();
    } catch (const std::bad_alloc&) {
        thrown = true;
    }
    allocations::watched = false;
    EXPECT_TRUE(thrown);
    EXPECT_THROW(world.step(), Error);
    // A snapshot that cannot be read does not mend it, nor does one that there is no memory for.
    EXPECT_THROW(world.restore(std::vector<std::byte>(100)), Error);
    allocations::count = 0;
    allocations::watched = true;
    Status status;
    world.restore(start, &status);
    allocations::watched = false;
    EXPECT_EQ(status.code, ErrorCode::out_of_memory);
    EXPECT_THROW(world.step(), Error);
    world.restore(start);
    EXPECT_NO_THROW(world.step());
}

TEST(BrokenWorld, bodies_can_be_removed_and_added_before_a_snapshot_is_restored) {
    WorldSettings settings;
    settings.backend = Backend::cpu;
    settings.threads = 2;
    World world(settings);
    fill_busy(world);
    const std::vector<std::byte> start = world.snapshot();
    world.step();
    const std::uint64_t expected = world.state_hash();
    for (long from = 0; from < 400; from += 20) {
        world.restore(start);
        allocations::fail_from = from;
        allocations::fail_until = from + 1;
        allocations::count = 0;
        allocations::watched = true;
        Status status;
        world.step(0.005, &status);
        allocations::watched = false;
        for (const Body& body : world.bodies()) world.remove_body(body.id());
        world.add_body(shapes::icosphere(0.3, 2));
        world.restore(start);
        world.step();
        ASSERT_EQ(world.state_hash(), expected) << from;
    }
}

TEST(BrokenWorld, what_was_given_up_within_a_step_is_broken_too) {
    World world;
    world.add_body(shapes::icosphere(0.3, 2));
    const std::vector<std::byte> start = world.snapshot();
    {
        const std::atomic<bool> wanted = true;
        const CancelScope scope(wanted);
        EXPECT_THROW(world.step(), Cancelled);
    }
    EXPECT_THROW(world.step(), Error);
    world.restore(start);
    EXPECT_NO_THROW(world.step());
}

TEST(BrokenWorld, is_not_one_that_refused_a_step_or_stopped_a_body) {
    World world;
    Body body = world.add_body(shapes::icosphere(0.3, 2));
    EXPECT_THROW(world.step(1), Error);
    body.set_force({1e300, 0, 0});
    EXPECT_THROW(world.step(), Error);
    EXPECT_NO_THROW(world.step());
    EXPECT_FALSE(world.snapshot().empty());
}

}  // namespace
}  // namespace turgor
