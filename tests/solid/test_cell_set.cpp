#include "solid/cell_set.hpp"

#include "base/random.hpp"
#include "solid/shape_solid.hpp"
#include "solid_helpers.hpp"

namespace turgor {
namespace {

CellSet random_set(std::uint64_t seed, double share, int side = 8) {
    Random random(seed);
    CellSet set({side, side, side});
    for (int x = 1; x + 1 < side; ++x)
        for (int y = 1; y + 1 < side; ++y)
            for (int z = 1; z + 1 < side; ++z)
                if (random.between(0, 1) < share) set.add(set.index(x, y, z));
    if (set.count() == 0) set.add(set.index(1, 1, 1));
    return set;
}

CellSet mirrored(const CellSet& set, int axis) {
    CellSet out(set.size());
    for (std::size_t i = 0; i < set.places(); ++i) {
        if (!set[i]) continue;
        auto p = set.place(i);
        auto& k = p[static_cast<std::size_t>(axis)];
        k = set.size()[static_cast<std::size_t>(axis)] - 1 - k;
        out.add(out.index(p[0], p[1], p[2]));
    }
    return out;
}

TEST(CellSets, AreBoundedByManifoldsOnceWellComposed) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CellSet set = random_set(seed, 0.02 + 0.005 * static_cast<double>(seed % 100));
        compose_well(set);
        join_parts(set);
        EXPECT_TRUE(test::is_valid(solid_of(set, 1, {}))) << seed;
    }
}

TEST(CellSets, AreMirroredWhenWhatTheyAreMadeOfIs) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const CellSet start =
            random_set(seed, 0.004 + 0.002 * static_cast<double>(seed % 50), 6 + seed % 3 * 4);
        for (int axis = 0; axis < 3; ++axis) {
            CellSet one = start, other = mirrored(start, axis);
            for (CellSet* set : {&one, &other}) {
                fill_gaps(*set);
                compose_well(*set);
                join_parts(*set);
            }
            EXPECT_EQ(mirrored(one, axis), other) << "seed " << seed << ", axis " << axis;
        }
    }
}

TEST(CellSets, AllPartsThatAreAsNearAsEachOtherAreJoinedAlike) {
    // Eight single cells in the corners of a cube: what joins them has all its symmetries.
    CellSet set({9, 9, 9});
    for (int k = 0; k < 8; ++k) set.add(set.index(k & 1 ? 7 : 1, k & 2 ? 7 : 1, k & 4 ? 7 : 1));
    join_parts(set);
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(mirrored(set, axis), set) << axis;
    CellSet turned(set.size());
    for (std::size_t i = 0; i < set.places(); ++i)
        if (const auto [x, y, z] = set.place(i); set[i]) turned.add(turned.index(y, z, x));
    EXPECT_EQ(turned, set);
}

TEST(CellSets, PartsThatThreeOthersAreNearAreJoinedAlike) {
    // A place that is as near to three parts, found among random sets.
    CellSet set({12, 12, 12});
    for (const auto& [x, y, z] :
         std::vector<std::array<int, 3>>{{1, 6, 4}, {1, 6, 5}, {4, 1, 7}, {5, 1, 4}, {10, 9, 6}})
        set.add(set.index(x, y, z));
    CellSet other = mirrored(set, 0);
    join_parts(set);
    join_parts(other);
    EXPECT_EQ(mirrored(set, 0), other);
}

TEST(CellSets, FillGapsLeavesNoCellWithFourNeighbours) {
    CellSet set = random_set(5, 0.5);
    fill_gaps(set);
    for (int x = 1; x < 7; ++x)
        for (int y = 1; y < 7; ++y)
            for (int z = 1; z < 7; ++z) {
                if (set(x, y, z)) continue;
                int neighbours = 0;
                for (const auto& [dx, dy, dz] : cell_neighbours)
                    neighbours += set(x + dx, y + dy, z + dz);
                EXPECT_LE(neighbours, 3);
            }
}

}  // namespace
}  // namespace turgor
