#include "solid/tear.hpp"

#include <numeric>
#include <set>

#include "base/random.hpp"
#include "solid/cell_set.hpp"
#include "solid/shape_solid.hpp"
#include "solid_helpers.hpp"

namespace turgor {
namespace {

Solid block(std::array<int, 3> cells) {
    CellSet set({cells[0] + 2, cells[1] + 2, cells[2] + 2});
    for (int x = 1; x <= cells[0]; ++x)
        for (int y = 1; y <= cells[1]; ++y)
            for (int z = 1; z <= cells[2]; ++z) set.add(set.index(x, y, z));
    return solid_of(set, 0.5, {1, 2, 3});
}

SolidPart all_of(const Solid& solid) {
    SolidPart part;
    part.cells.resize(solid.cells.size());
    std::iota(part.cells.begin(), part.cells.end(), 0u);
    return part;
}

/// Breaks the sides along x between lattice places x − 1 and x, where `breaks` says so.
template <class Breaks>
SolidPart cut(const Solid& solid, int x, Breaks&& breaks) {
    const SolidSides sides(solid);
    SolidPart part = all_of(solid);
    for (std::uint32_t c = 0; c < solid.cells.size(); ++c)
        if (solid.cells[c].place[0] + 1 == x && sides.beyond(c, 1) != SolidSides::none &&
            breaks(solid.cells[c]))
            part.broken.push_back(sides.number(c, 1));
    return part;
}

double volume(const Solid& solid) {
    return quality(solid).volume;
}

TEST(Tear, WhatIsNotBrokenIsTheSameSolid) {
    const Solid whole = block({4, 3, 2});
    const auto torn = pieces(whole, SolidSides(whole), all_of(whole));
    ASSERT_EQ(torn.size(), 1u);
    EXPECT_EQ(torn[0].solid.corners, whole.corners);
    EXPECT_EQ(torn[0].solid.triangles, whole.triangles);
    EXPECT_EQ(torn[0].solid.surface_count, whole.surface_count);
    EXPECT_EQ(torn[0].first_torn, whole.triangles.size() / 2);
}

TEST(Tear, ACutThroughMakesTwoPiecesThatAreSolids) {
    const Solid whole = block({5, 3, 2});
    const SolidPart part = cut(whole, 3, [](const auto&) { return true; });
    const auto torn = pieces(whole, SolidSides(whole), part);
    ASSERT_EQ(torn.size(), 2u);
    EXPECT_EQ(torn[0].part.cells.size(), 18u);
    EXPECT_EQ(torn[1].part.cells.size(), 12u);
    EXPECT_EQ(torn[0].solid.corners.size(), 4u * 4 * 3);
    EXPECT_EQ(torn[1].solid.corners.size(), 3u * 4 * 3);
    for (const TornSolid& piece : torn) {
        EXPECT_TRUE(test::is_valid(piece.solid));
        EXPECT_TRUE(piece.part.broken.empty());
        EXPECT_EQ(piece.solid.triangles.size() / 2 - piece.first_torn, 6u);
    }
    EXPECT_NEAR(volume(torn[0].solid) + volume(torn[1].solid), volume(whole), 1e-12);
}

TEST(Tear, ACutHalfwayOpensAWedge) {
    const Solid whole = block({4, 4, 2});
    const SolidPart part = cut(whole, 3, [](const auto& cell) { return cell.place[1] <= 2; });
    ASSERT_EQ(part.broken.size(), 4u);
    const auto torn = pieces(whole, SolidSides(whole), part);
    ASSERT_EQ(torn.size(), 1u);
    // Two rows of three corners each are there twice, that at its end once.
    EXPECT_EQ(torn[0].solid.corners.size(), whole.corners.size() + 6);
    EXPECT_EQ(torn[0].solid.triangles.size() / 2 - torn[0].first_torn, 8u);
    EXPECT_TRUE(checks::is_closed_manifold(torn[0].solid.surface()));
    EXPECT_NEAR(volume(torn[0].solid), volume(whole), 1e-12);
    EXPECT_EQ(torn[0].part, part);
}

TEST(Tear, ASideWithinOpensOnlyWithOthers) {
    const Solid whole = block({4, 4, 4});
    const SolidPart one =
        cut(whole, 3, [](const auto& cell) { return cell.place[1] == 2 && cell.place[2] == 2; });
    ASSERT_EQ(one.broken.size(), 1u);
    auto torn = pieces(whole, SolidSides(whole), one);
    ASSERT_EQ(torn.size(), 1u);
    EXPECT_EQ(torn[0].solid.corners.size(), whole.corners.size());
    EXPECT_EQ(torn[0].part, one) << "it stays broken";
    const SolidPart four = cut(whole, 3, [](const auto& cell) {
        return (cell.place[1] == 2 || cell.place[1] == 3) &&
               (cell.place[2] == 2 || cell.place[2] == 3);
    });
    torn = pieces(whole, SolidSides(whole), four);
    ASSERT_EQ(torn.size(), 1u);
    // The corner in their middle is there twice: a closed bubble.
    EXPECT_EQ(torn[0].solid.corners.size(), whole.corners.size() + 1);
    EXPECT_TRUE(checks::is_closed_manifold(torn[0].solid.surface()));
}

TEST(Tear, WhateverBreaksEveryPieceIsBoundedByAManifold) {
    std::size_t most = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        CellSet set({8, 8, 8});
        const double share = 0.1 + 0.003 * static_cast<double>(seed % 300);
        for (int x = 1; x < 7; ++x)
            for (int y = 1; y < 7; ++y)
                for (int z = 1; z < 7; ++z)
                    if (random.between(0, 1) < share) set.add(set.index(x, y, z));
        compose_well(set);
        join_parts(set);
        if (set.count() == 0) continue;
        const Solid whole = solid_of(set, 1, {});
        const SolidSides sides(whole);
        SolidPart part = all_of(whole);
        const double broken = random.between(0, 1);
        for (std::uint32_t c = 0; c < whole.cells.size(); ++c)
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (sides.beyond(c, 2 * axis + 1) != SolidSides::none &&
                    random.between(0, 1) < broken)
                    part.broken.push_back(sides.number(c, 2 * axis + 1));
        const auto torn = pieces(whole, sides, part);
        double sum = 0;
        std::set<std::uint32_t> cells;
        for (const TornSolid& piece : torn) {
            ASSERT_TRUE(checks::is_closed_manifold(piece.solid.surface())) << seed;
            sum += volume(piece.solid);
            cells.insert(piece.part.cells.begin(), piece.part.cells.end());
            const auto again = pieces(whole, sides, piece.part);
            ASSERT_EQ(again.size(), 1u) << seed;
            ASSERT_EQ(again[0].part, piece.part) << seed;
            ASSERT_EQ(again[0].corner_of, piece.corner_of) << seed;
            ASSERT_EQ(again[0].solid.triangles, piece.solid.triangles) << seed;
        }
        EXPECT_EQ(cells.size(), whole.cells.size()) << seed;
        EXPECT_NEAR(sum, volume(whole), 1e-9) << seed;
        most = std::max(most, torn.size());
    }
    EXPECT_GT(most, 50u);
}

}  // namespace
}  // namespace turgor
