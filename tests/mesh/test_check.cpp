#include <random>

#include "mesh/intersections.hpp"
#include "mesh/test_read_helpers.hpp"

namespace turgor {
namespace {

using test::box;
using test::find;
using test::joined;
using test::turned;

using Corners = std::array<Vec3, 3>;

const Corners flat{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}};

bool cut(const Corners& p, const Corners& q) {
    return triangles_meet(p, q, Touching::ignored);
}
bool touch(const Corners& p, const Corners& q) {
    return triangles_meet(p, q, Touching::counts);
}

TEST(TrianglesMeet, TellsCuttingFromTouchingFromApart) {
    const Corners through{{{0.5, 0.5, -1}, {0.5, 0.5, 1}, {3, 3, 0}}};
    EXPECT_TRUE(cut(flat, through));
    EXPECT_TRUE(cut(through, flat));
    const Corners standing{{{0.5, 0.5, 0}, {0.5, 0.5, 1}, {1, 1, 1}}};
    EXPECT_FALSE(cut(flat, standing));
    EXPECT_TRUE(touch(flat, standing));
    const Corners above{{{0.5, 0.5, 1e-6}, {0.5, 0.5, 1}, {1, 1, 1}}};
    EXPECT_FALSE(touch(flat, above));
    const Corners overlapping{{{0.5, 0.5, 0}, {3, 0.5, 0}, {0.5, 3, 0}}};
    EXPECT_TRUE(cut(flat, overlapping));
    const Corners beside{{{2, 0, 0}, {2, 2, 0}, {0, 2, 0}}};
    EXPECT_FALSE(cut(flat, beside));
    EXPECT_TRUE(touch(flat, beside));
    const Corners away{{{2, 2, 0}, {3, 2, 0}, {2, 3, 0}}};
    EXPECT_FALSE(touch(flat, away));
}

/// Against a plain test: an edge of one passes through the inside of the other.
bool pierces(const Corners& p, const Corners& q) {
    const Vec3 n = cross(q[1] - q[0], q[2] - q[0]);
    for (int i = 0; i < 3; ++i) {
        const Vec3 a = p[i], b = p[(i + 1) % 3];
        const double s = dot(a - q[0], n), t = dot(b - q[0], n);
        if (s * t >= 0) continue;
        const Vec3 x = a + s / (s - t) * (b - a);
        bool inside = true;
        for (int k = 0; k < 3; ++k)
            inside = inside && dot(cross(q[(k + 1) % 3] - q[k], x - q[k]), n) > 0;
        if (inside) return true;
    }
    return false;
}

TEST(TrianglesMeet, AgreesWithPiercingEdges) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(-1, 1);
    int cuts = 0;
    for (int n = 0; n < 20000; ++n) {
        Corners p, q;
        for (int i = 0; i < 3; ++i) {
            p[i] = {place(random), place(random), place(random)};
            q[i] = {place(random), place(random), place(random)};
        }
        const bool expected = pierces(p, q) || pierces(q, p);
        ASSERT_EQ(cut(p, q), expected) << n;
        ASSERT_EQ(touch(p, q), expected) << n;
        cuts += expected;
    }
    EXPECT_GT(cuts, 2000);
}

std::size_t intersections_of(const Mesh& mesh) {
    MeshReport report;
    make_mesh(mesh, {1e-6, true}, &report);
    const auto* finding = find(report.warnings, "self_intersections");
    return finding ? finding->count : 0;
}

TEST(SelfIntersections, AreFoundWherePartsCutEachOther) {
    const Mesh ball = shapes::icosphere(1, 2);
    EXPECT_EQ(intersections_of(ball), 0u);
    EXPECT_GT(intersections_of(joined(ball, transformed(ball, {1.1, 0.2, 0.1}))), 10u);
    EXPECT_EQ(intersections_of(joined(ball, transformed(ball, {2.1, 0, 0}))), 0u);
    EXPECT_EQ(intersections_of(joined(box({0, 0, 0}, {1, 1, 1}), box({1, 1, 0}, {2, 2, 1}))), 0u);
    EXPECT_GT(intersections_of(joined(box({0, 0, 0}, {1, 1, 1}), box({0.5, 0.5, 0.5}, {2, 2, 2}))),
              2u);
}

TEST(SelfIntersections, AreFoundInAFoldedSurface) {
    Mesh ball = shapes::icosphere(1, 2);
    ball.vertices[0] *= -1.5;  // pulled through the other side
    EXPECT_GT(intersections_of(ball), 3u);
}

TEST(SelfIntersections, NameTheTriangles) {
    MeshReport report;
    make_mesh(joined(box({0, 0, 0}, {1, 1, 1}), box({0.5, 0.5, 0.5}, {2, 2, 2})), {1e-6, true},
              &report);
    const auto* finding = find(report.warnings, "self_intersections");
    ASSERT_TRUE(finding);
    ASSERT_FALSE(finding->elements.empty());
    EXPECT_TRUE(finding->elements[0].starts_with("triangle ")) << finding->elements[0];
    EXPECT_TRUE(test::contains(finding->elements[0], " and triangle "));
}

TEST(SplitBodies, KeepsApartWhatStandsApart) {
    const Mesh ball = shapes::icosphere(1, 1);
    Mesh row;
    row.name = "ball";
    for (int i = 0; i < 5; ++i) row = joined(row, transformed(ball, {2.5 * i, 0, 0}));
    const auto bodies = split_bodies(row);
    ASSERT_EQ(bodies.size(), 5u);
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(test::is_sound(bodies[i]));
        EXPECT_NEAR(bounds(bodies[i]).centre().x, 2.5 * i, 1e-12);
        EXPECT_NEAR(volume(bodies[i]), volume(ball), 1e-12);
        EXPECT_EQ(bodies[i].name, "ball " + std::to_string(i + 1));
    }
    EXPECT_EQ(split_bodies(ball).size(), 1u);
    EXPECT_TRUE(split_bodies({}).empty());
}

TEST(SplitBodies, KeepsTogetherWhatContainsCutsOrTouches) {
    const Mesh outer = shapes::icosphere(2, 2), inner = shapes::icosphere(1, 2);
    EXPECT_EQ(split_bodies(joined(outer, turned(inner))).size(), 1u);
    EXPECT_EQ(split_bodies(joined(inner, outer)).size(), 1u);
    EXPECT_EQ(split_bodies(joined(outer, transformed(inner, {2, 0, 0}))).size(), 1u);
    EXPECT_EQ(
        split_bodies(joined(box({0, 0, 0}, {1, 1, 1}), box({1, 0.2, 0.2}, {2, 0.8, 0.8}))).size(),
        1u);
    // Within the box of the other, but not inside it: a ball in the hole of a ring.
    EXPECT_EQ(split_bodies(joined(shapes::torus(2, 0.3, 32, 12), shapes::icosphere(0.2, 1))).size(),
              2u);
    // Two hollow balls beside each other.
    const Mesh hollow = joined(outer, turned(inner));
    const auto bodies = split_bodies(joined(hollow, transformed(hollow, {5, 0, 0})));
    ASSERT_EQ(bodies.size(), 2u);
    for (const auto& body : bodies) EXPECT_NEAR(volume(body), volume(hollow), 1e-12);
}

TEST(SplitBodies, ManageManyParts) {
    const Mesh ball = shapes::icosphere(0.4, 0);
    Mesh cloud;
    for (int i = 0; i < 2000; ++i) {
        const auto offset = static_cast<std::uint32_t>(cloud.vertices.size());
        for (const Vec3 p : ball.vertices)
            cloud.vertices.push_back(p +
                                     Vec3{double(i % 13), double(i / 13 % 13), double(i / 169)});
        for (const auto& t : ball.triangles)
            cloud.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
    MeshReport report;
    const Mesh made = make_mesh(cloud, {}, &report);
    EXPECT_EQ(report.components, 2000u);
    EXPECT_EQ(split_bodies(made).size(), 2000u);
}

TEST(Meshes, OfTheSharedFolderAreAllGood) {
    const std::filesystem::path folder = TURGOR_SHARED_MESHES;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder " << folder;
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".obj") continue;
        MeshReport report;
        const Mesh mesh = load_mesh(entry.path(), {1e-6, true}, &report);
        EXPECT_TRUE(test::is_sound(mesh));
        EXPECT_TRUE(report.repairs.empty()) << entry.path();
        EXPECT_TRUE(report.warnings.empty()) << entry.path() << report.warnings[0].sentence;
        EXPECT_EQ(report.components, 1u);
        ++seen;
    }
    EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace turgor
