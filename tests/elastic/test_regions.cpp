#include "elastic/regions.hpp"

#include <gtest/gtest.h>

#include "elastic/surface/surface.hpp"

namespace turgor {
namespace {

TEST(CpuRegions, runs_and_members_are_the_same_regions) {
    const auto regions = bake_surface(shapes::cube(1, 23), {.omega = 3}).rest->regions;
    const auto fast = make_cpu_regions(*regions, Summation::fast);
    const auto naive = make_cpu_regions(*regions, Summation::naive);
    for (std::uint32_t i = 0; i < regions->size(); ++i) {
        std::vector<std::uint32_t> rows, expected;
        for (auto k = fast->run_starts[i]; k < fast->run_starts[i + 1]; ++k)
            for (auto row = fast->runs[k].begin; row < fast->runs[k].end; ++row)
                rows.push_back(row);
        const std::vector<std::uint32_t> members(
            naive->members.begin() + naive->member_starts[i],
            naive->members.begin() + naive->member_starts[i + 1]);
        ASSERT_EQ(rows, members) << i;
        for (const std::uint32_t j : (*regions)[i]) expected.push_back(row_of(j));
        ASSERT_EQ(members, expected) << i;
    }
}

TEST(CpuRegions, know_their_sizes_and_have_none_in_the_padding) {
    const auto regions = bake_surface(shapes::icosphere(1, 2)).rest->regions;
    const auto cpu = make_cpu_regions(*regions, Summation::fast);
    ASSERT_GT(cpu->share.size(), regions->size());
    std::size_t largest = 0;
    for (std::size_t i = 0; i < cpu->share.size(); ++i) {
        const std::size_t size = i < regions->size() ? (*regions)[i].size() : 0;
        EXPECT_EQ(cpu->share[i], size > 0 ? static_cast<float>(1.0 / static_cast<double>(size)) : 0)
            << i;
        EXPECT_EQ(size > 0, cpu->run_starts[i] < cpu->run_starts[i + 1]) << i;
        largest = std::max(largest, size);
    }
    EXPECT_EQ(cpu->largest, static_cast<float>(largest));
}

}  // namespace
}  // namespace turgor
