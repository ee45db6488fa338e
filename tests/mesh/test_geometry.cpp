#include <cmath>
#include <numbers>
#include <random>

#include "mesh/test_read_helpers.hpp"
#include "mesh/triangulate.hpp"

namespace turgor {
namespace {

using test::box;

TEST(Volume, OfAUnitCubeIsExactlyOne) {
    EXPECT_EQ(volume(box({0, 0, 0}, {1, 1, 1})), 1.0);
    EXPECT_EQ(volume(box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5})), 1.0);
    EXPECT_EQ(area(box({0, 0, 0}, {1, 1, 1})), 6.0);
}

TEST(Volume, HasTheSignOfTheOrientation) {
    EXPECT_EQ(volume(test::turned(box({0, 0, 0}, {2, 3, 4}))), -24.0);
}

TEST(Volume, DoesNotDependOnTheOrigin) {
    const Mesh sphere = shapes::icosphere(0.3, 3);
    const double at_home = volume(sphere);
    for (const double away : {1.0, 1e3, 1e6}) {
        const Mesh moved = transformed(sphere, {away, -away, 0.3 * away});
        // The coordinates themselves are rounded to 1e-16 of the distance.
        EXPECT_NEAR(volume(moved), at_home, at_home * (1e-13 + 1e-15 * away)) << away;
        EXPECT_NEAR(area(moved), area(sphere), area(sphere) * (1e-13 + 1e-15 * away)) << away;
    }
}

TEST(Volume, GrowsWithTheCubeOfTheScaleAndIgnoresRotation) {
    const Mesh bar = shapes::bar({1, 0.5, 0.25}, 9);
    const Mesh changed = transformed(bar, {5, 6, 7}, 2, Quat::about({1, 2, 3}, 0.7));
    EXPECT_NEAR(volume(changed), 8 * volume(bar), 1e-12);
    EXPECT_NEAR(area(changed), 4 * area(bar), 1e-12);
    EXPECT_NEAR(volume(transformed(bar, {}, -2)), 8 * volume(bar), 1e-12);
}

TEST(Transformed, RotatesThenScalesThenMoves) {
    Mesh mesh = box({0, 0, 0}, {1, 1, 1});
    mesh = transformed(mesh, {10, 0, 0}, 3, Quat::about({0, 0, 1}, std::numbers::pi / 2));
    const Vec3 p = mesh.vertices[1];  // (1, 0, 0) turns to (0, 1, 0)
    EXPECT_NEAR(norm(p - Vec3{10, 3, 0}), 0, 1e-12);
}

TEST(VertexNormals, PointAwayFromTheCentreOfASphere) {
    const Mesh sphere = shapes::icosphere(2, 3);
    const auto normals = vertex_normals(sphere);
    ASSERT_EQ(normals.size(), sphere.vertices.size());
    for (std::size_t v = 0; v < normals.size(); ++v) {
        EXPECT_NEAR(norm(normals[v]), 1, 1e-12);
        EXPECT_GT(dot(normals[v], normalized(sphere.vertices[v])), 0.999);
    }
}

double area_of(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles) {
    Mesh mesh;
    mesh.vertices = points;
    mesh.triangles = triangles;
    return area(mesh);
}

std::vector<std::uint32_t> count_up(std::size_t n) {
    std::vector<std::uint32_t> indices(n);
    for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<std::uint32_t>(i);
    return indices;
}

/// A star with `points` tips, tilted in space: half of its corners are concave.
std::vector<Vec3> star(std::size_t points, double inner) {
    std::vector<Vec3> corners;
    const Quat tilt = Quat::about({1, 0.4, 0.2}, 1.1);
    for (std::size_t i = 0; i < 2 * points; ++i) {
        const double angle =
            std::numbers::pi * static_cast<double>(i) / static_cast<double>(points);
        const double radius = i % 2 ? inner : 1;
        corners.push_back(rotate(tilt, {radius * std::cos(angle), radius * std::sin(angle), 0}) +
                          Vec3{3, 2, 1});
    }
    return corners;
}

TEST(Triangulate, KeepsTheAreaOfConcavePolygons) {
    for (const std::size_t tips : {3, 5, 12, 40, 1000}) {
        for (const double inner : {0.05, 0.3, 0.9}) {
            const auto corners = star(tips, inner);
            const auto polygon = count_up(corners.size());
            std::vector<Triangle> triangles;
            ASSERT_TRUE(triangulate(corners, polygon, triangles));
            EXPECT_EQ(triangles.size(), corners.size() - 2);
            EXPECT_NEAR(area_of(corners, triangles), norm(area_vector(corners, polygon)), 1e-9);
        }
    }
}

TEST(Triangulate, KeepsTheAreaOfRaggedPolygonsAndSpirals) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> radius(0.1, 1);
    for (int n = 0; n < 200; ++n) {
        std::vector<Vec3> corners;
        const int count = 5 + n % 60;
        for (int i = 0; i < count; ++i) {
            const double angle = 2 * std::numbers::pi * i / count;
            corners.push_back(radius(random) * Vec3{std::cos(angle), 0, -std::sin(angle)});
        }
        const auto polygon = count_up(corners.size());
        std::vector<Triangle> triangles;
        ASSERT_TRUE(triangulate(corners, polygon, triangles));
        ASSERT_NEAR(area_of(corners, triangles), norm(area_vector(corners, polygon)), 1e-9) << n;
    }
    // Out along one arm of a spiral and back along the other.
    std::vector<Vec3> spiral;
    for (int i = 0; i <= 100; ++i)
        spiral.push_back((1 + 0.1 * i) * Vec3{std::cos(0.2 * i), std::sin(0.2 * i), 0});
    for (int i = 100; i >= 0; --i)
        spiral.push_back((0.5 + 0.1 * i) * Vec3{std::cos(0.2 * i), std::sin(0.2 * i), 0});
    const auto polygon = count_up(spiral.size());
    std::vector<Triangle> triangles;
    ASSERT_TRUE(triangulate(spiral, polygon, triangles));
    EXPECT_NEAR(area_of(spiral, triangles), norm(area_vector(spiral, polygon)), 1e-9);
}

TEST(Triangulate, CutsAConcaveQuadAlongTheInnerDiagonal) {
    const std::vector<Vec3> dart{{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {0.5, 1, 0}};
    for (std::uint32_t shift = 0; shift < 4; ++shift) {
        std::vector<std::uint32_t> polygon;
        for (std::uint32_t i = 0; i < 4; ++i) polygon.push_back((i + shift) % 4);
        std::vector<Triangle> triangles;
        ASSERT_TRUE(triangulate(dart, polygon, triangles));
        EXPECT_NEAR(area_of(dart, triangles), norm(area_vector(dart, polygon)), 1e-12);
    }
}

TEST(Triangulate, MakesNoFlatTrianglesOfCornersOnALine) {
    // A square with five more corners on each side.
    std::vector<Vec3> corners;
    const Vec3 square[] = {{0, 0, 0}, {6, 0, 0}, {6, 6, 0}, {0, 6, 0}};
    for (int side = 0; side < 4; ++side)
        for (int i = 0; i < 6; ++i)
            corners.push_back(square[side] + (i / 6.0) * (square[(side + 1) % 4] - square[side]));
    const auto polygon = count_up(corners.size());
    std::vector<Triangle> triangles;
    ASSERT_TRUE(triangulate(corners, polygon, triangles));
    EXPECT_NEAR(area_of(corners, triangles), 36, 1e-9);
    for (const auto& t : triangles) EXPECT_GT(norm(area_vector(corners, t)), 1e-9);
}

TEST(Triangulate, LeavesOutRepeatedCorners) {
    const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<std::uint32_t> polygon{0, 0, 1, 1, 1, 2, 3, 0};
    std::vector<Triangle> triangles;
    ASSERT_TRUE(triangulate(square, polygon, triangles));
    EXPECT_EQ(triangles.size(), 2u);
    EXPECT_NEAR(area_of(square, triangles), 1, 1e-15);
}

TEST(Triangulate, CopesWithPolygonsThatCrossThemselves) {
    for (std::uint32_t stride : {2u, 3u, 5u}) {
        const auto ring = star(8, 1);
        std::vector<std::uint32_t> polygon;
        for (std::uint32_t i = 0; i < 16; ++i) polygon.push_back(i * stride % 16);
        std::vector<Triangle> triangles;
        ASSERT_TRUE(triangulate(ring, polygon, triangles));
    }
}

TEST(Triangulate, RefusesWhatWouldTakeTooLong) {
    std::vector<Triangle> triangles;
    const auto huge = star(20000, 0.5);
    EXPECT_FALSE(triangulate(huge, count_up(huge.size()), triangles));
    const auto convex = star(50000, 1);
    EXPECT_TRUE(triangulate(convex, count_up(convex.size()), triangles));
}

}  // namespace
}  // namespace turgor
