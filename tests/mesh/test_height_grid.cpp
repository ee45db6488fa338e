#include "mesh/height_grid.hpp"

#include <gtest/gtest.h>

namespace turgor {
namespace {

TEST(HeightGrid, its_top_is_the_triangles_that_are_searched) {
    const HeightGrid grid(3, 4, {0, 1, 0, 1, 2, 1, 0, 1, 0, 1, 0, 3}, 0.5, 0.25);
    const Mesh top = grid.top();
    ASSERT_EQ(top.vertices.size(), 12u) << "one for each height";
    ASSERT_EQ(top.triangles.size(), 12u) << "two for each cell";
    EXPECT_EQ(top.vertices.front(), (Vec3{-0.5, 0, -0.375}));
    EXPECT_EQ(top.vertices.back(), (Vec3{0.5, 3, 0.375}));
    grid.each_triangle(grid.root(), [&](std::uint32_t triangle, const Corners& corners) {
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(top.vertices[top.triangles[triangle][k]], corners[k]) << triangle;
        EXPECT_GT(cross(corners[1] - corners[0], corners[2] - corners[0]).y, 0) << triangle;
    });
}

}  // namespace
}  // namespace turgor
