#include "allocations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "turgor/turgor.hpp"

namespace turgor::allocations {
std::atomic<bool> watched{false};
std::atomic<long> count{0}, fail_from{-1}, fail_until{-1};
}  // namespace turgor::allocations

namespace {
bool fails() {
    using namespace turgor::allocations;
    if (!watched) return false;
    const long number = count++;
    return number >= fail_from && number < fail_until;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (fails()) throw std::bad_alloc();
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}
}  // namespace

// g++ sees free() on what the other operator new returned, and not that that is its own.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) {
    return allocate(size, 16);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return fails() ? nullptr : std::aligned_alloc(16, (size + 16) / 16 * 16);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace turgor {
namespace {

TEST(CpuBackEnd, allocates_nothing_in_a_step) {
    WorldSettings settings;
    settings.backend = Backend::cpu;
    settings.threads = 2;
    settings.sleeping = false;
    World world(settings);
    world.add_collider(Collider::ground());
    world.add_collider(Collider::sphere({0, 0, 0}, 0.3));
    Material material = Material::named("jelly");
    material.omega = 2;
    Body large = world.add_body(shapes::cube(1, 36), material, {.position = {4, 1, 0}});
    for (int k = 0; k < 4; ++k)
        world.add_body(shapes::icosphere(0.4, 3), Material::named(k % 2 ? "rubber" : "jelly"),
                       {.position = {0.3 * k, 1.0 + k, 0}, .angular_velocity = {1, 2, 3}});
    Body held = world.add_body(shapes::icosphere(0.4, 3), material, {.position = {-3, 1, 0}});
    const std::uint32_t some[] = {1, 2, 3};
    held.drag(some, {-3, 2, 0});
    held.pin(std::vector<std::uint32_t>{40, 41});
    // Until everything has bounced and every list has had its greatest length.
    for (int k = 0; k < 1200; ++k) world.step();
    EXPECT_FALSE(large.positions().empty() || held.normals().empty());
    allocations::count = 0;
    allocations::watched = true;
    for (int k = 0; k < 100; ++k) {
        world.step();
        if (!large.positions().empty() && !held.normals().empty()) continue;
        ADD_FAILURE();
    }
    allocations::watched = false;
    EXPECT_EQ(allocations::count, 0);
}

TEST(Snapshots, leave_the_world_as_it_was_wherever_memory_runs_out) {
    WorldSettings settings;
    settings.threads = 1;
    World full(settings), world(settings);
    full.add_collider(Collider::ground());
    full.add_collider(Collider::mesh(shapes::icosphere(0.3, 0), {{2, 0, 0}, {}}));
    full.add_body(shapes::icosphere(0.4, 1), Material::named("gummy"), {.position = {0, 0.5, 0}});
    full.add_rigid(RigidBody::convex(shapes::icosphere(0.2, 0), {0, 1.5, 0}));
    full.step();
    const auto bytes = full.snapshot();
    world.add_body(shapes::cube(1, 3));
    world.step();
    auto before = world.snapshot();
    int failures = 0;
    for (long n = 1;; n += 1 + n / 50) {
        Status status;
        allocations::count = 0;
        allocations::fail_from = n - 1;
        allocations::fail_until = n;
        allocations::watched = true;
        world.restore(bytes, &status);
        allocations::watched = false;
        const bool ran_out = allocations::count >= n;
        // Some memory is only wished for: what shrinks an array does not need it.
        if (status.ok()) {
            ASSERT_EQ(world.snapshot(), bytes) << n;
            if (!ran_out) break;
            world.restore(before);
            before = world.snapshot();  // with the ids given since
            continue;
        }
        ASSERT_EQ(status.code, ErrorCode::out_of_memory) << n << " " << status.message;
        ASSERT_EQ(world.snapshot(), before) << n;
        ++failures;
    }
    EXPECT_GT(failures, 50);
    EXPECT_EQ(world.snapshot(), bytes);
}

}  // namespace
}  // namespace turgor
