#include <gtest/gtest.h>

#include "turgor/world.hpp"
#include "viewer/past.hpp"

namespace turgor {
namespace {

/// `size` bytes, of which the last `own` are this one's own.
std::vector<std::byte> bytes(std::size_t size, std::size_t own, int value) {
    std::vector<std::byte> all(size, std::byte{1});
    std::fill(all.end() - static_cast<std::ptrdiff_t>(own), all.end(), std::byte(value));
    return all;
}

TEST(Past, gives_back_what_was_kept_and_forgets_what_came_later) {
    Past past(1'000'000);
    EXPECT_TRUE(past.go_back_to(1).empty());
    for (int k = 0; k < 5; ++k) past.keep(k, bytes(100'000, 1000, k));
    EXPECT_EQ(past.go_back_to(3.5), bytes(100'000, 1000, 3));
    EXPECT_EQ(past.last_time(), 3);
    EXPECT_EQ(past.go_back_to(3.5), bytes(100'000, 1000, 3));
    EXPECT_EQ(past.go_back_to(1), bytes(100'000, 1000, 1));
    EXPECT_EQ(past.size(), 2u);
    EXPECT_EQ(past.go_back_to(-1), bytes(100'000, 1000, 0)) << "the first";
    EXPECT_EQ(past.bytes(), 100'000u);
    past.keep(7, bytes(50, 50, 7));
    EXPECT_EQ(past.go_back_to(8), bytes(50, 50, 7));
    past.clear();
    EXPECT_EQ(past.bytes(), 0u);
    EXPECT_TRUE(past.empty());
}

TEST(Past, keeps_once_what_stays_the_same) {
    Past past(1'000'000'000);
    for (int k = 0; k < 50; ++k) past.keep(k, bytes(1'000'000, 1000, k));
    EXPECT_EQ(past.size(), 50u);
    EXPECT_LT(past.bytes(), 3'000'000u);
}

TEST(Past, takes_no_more_memory_than_it_may) {
    Past past(1'000'000);
    for (int k = 0; k < 50; ++k) {
        past.keep(k, bytes(200'000, 150'000, k));
        EXPECT_LE(past.bytes(), 1'000'000u);
        EXPECT_EQ(past.last_time(), k);
    }
    EXPECT_GE(past.size(), 5u);
    const int oldest = 50 - static_cast<int>(past.size());
    EXPECT_EQ(past.go_back_to(0), bytes(200'000, 150'000, oldest));
    past.keep(99, bytes(5'000'000, 5'000'000, 99));
    EXPECT_EQ(past.size(), 1u) << "one that alone is too large";
    EXPECT_EQ(past.go_back_to(99).size(), 5'000'000u);
    past.keep(100, bytes(10, 10, 1));
    EXPECT_EQ(past.size(), 1u);
    EXPECT_EQ(past.bytes(), 10u);
}

TEST(Past, of_a_world_does_not_hold_its_meshes_again) {
    World world;
    const Mesh fine = shapes::icosphere(1, 5);
    world.add_body(shapes::icosphere(1, 2), {}, {.display = &fine});
    Past past(1'000'000'000);
    past.keep(world.time(), world.snapshot());
    const std::size_t first = past.bytes();
    world.step();
    const auto second = world.snapshot();
    past.keep(world.time(), second);
    EXPECT_LT(past.bytes() - first, first / 10);
    EXPECT_EQ(past.go_back_to(world.time()), second);
}

}  // namespace
}  // namespace turgor
