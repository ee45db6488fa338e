#include <algorithm>

#include "mesh/test_repair_helpers.hpp"

namespace turgor {
namespace {

using test::box;
using test::contains;
using test::find;
using test::is_sound;
using test::joined;
using test::refusal_of;
using test::repaired;
using test::turned;
using test::unwelded;

TEST(MakeMesh, CountsHandles) {
    MeshReport report;
    make_mesh(shapes::torus(1, 0.3, 16, 9), {}, &report);
    EXPECT_EQ(report.genus, 1);
    make_mesh(
        joined(shapes::torus(1, 0.3, 16, 9), transformed(shapes::torus(1, 0.3, 16, 9), {5, 0, 0})),
        {}, &report);
    EXPECT_EQ(report.genus, 2);
    make_mesh(joined(shapes::icosphere(1, 1), transformed(shapes::icosphere(1, 1), {5, 0, 0})), {},
              &report);
    EXPECT_EQ(report.genus, 0);
}

TEST(MakeMesh, KeepsTouchingClosedPartsApart) {
    // Two boxes that share a face in space but no vertex in the file: the file's connections are
    // right.
    MeshReport report;
    const Mesh made =
        make_mesh(joined(box({0, 0, 0}, {1, 1, 1}), box({1, 0, 0}, {2, 1, 1})), {}, &report);
    EXPECT_EQ(made.vertices.size(), 16u);
    EXPECT_EQ(report.components, 2u);
    EXPECT_TRUE(report.repairs.empty());
}

TEST(MakeMesh, SeparatesASoupOfTouchingBoxes) {
    const Mesh made =
        repaired(unwelded(joined(box({0, 0, 0}, {1, 1, 1}), box({1, 0, 0}, {2, 1, 1}))),
                 "separated_edges", false);
    EXPECT_EQ(made.vertices.size(), 16u);
    EXPECT_NEAR(volume(made), 2, 1e-12);
}

TEST(MakeMesh, SeparatesBodiesThatShareAnEdgeOrAVertex) {
    // Two boxes with a common edge in the file, at several angles of the second.
    const Mesh first = box({0, 0, 0}, {1, 1, 1});
    for (const bool inverted : {false, true}) {
        Mesh raw = first;
        const Mesh second = box({1, 1, 0}, {2, 2, 1});
        std::vector<std::uint32_t> moved(8);
        for (std::uint32_t v = 0; v < 8; ++v) {
            const auto found =
                std::find(first.vertices.begin(), first.vertices.end(), second.vertices[v]);
            moved[v] = static_cast<std::uint32_t>(found - first.vertices.begin());
            if (found != first.vertices.end()) continue;
            moved[v] = static_cast<std::uint32_t>(raw.vertices.size());
            raw.vertices.push_back(second.vertices[v]);
        }
        for (const auto& t : second.triangles)
            raw.triangles.push_back({moved[t[0]], moved[t[1]], moved[t[2]]});
        ASSERT_EQ(raw.vertices.size(), 14u);
        if (inverted) raw = turned(raw);
        MeshReport report;
        const Mesh made = make_mesh(raw, {}, &report);
        EXPECT_TRUE(is_sound(made));
        EXPECT_EQ(report.components, 2u);
        EXPECT_EQ(made.vertices.size(), 16u);
        EXPECT_NEAR(volume(made), 2, 1e-12);
        ASSERT_TRUE(find(report.repairs, "separated_edges"));
        EXPECT_EQ(find(report.repairs, "separated_edges")->elements[0], "edge 3-7");
    }
    Mesh bow_tie = joined(first, box({1, 1, 1}, {2, 2, 2}));
    for (auto& t : bow_tie.triangles)
        for (auto& v : t)
            if (v == 8) v = 7;
    const Mesh made = repaired(bow_tie, "split_vertices", false);
    EXPECT_EQ(made.vertices.size(), 16u);
}

TEST(MakeMesh, RefusesWallsInsideABody) {
    // A box with a partition: three faces along its rim.
    Mesh wall = joined(box({0, 0, 0}, {1, 1, 1}), box({1, 0, 0}, {2, 1, 1}));
    std::erase_if(wall.triangles, [&](const Triangle& t) {
        return t[0] >= 8 && wall.vertices[t[0]].x == 1 && wall.vertices[t[1]].x == 1 &&
               wall.vertices[t[2]].x == 1;
    });
    ASSERT_EQ(wall.triangles.size(), 22u);
    EXPECT_TRUE(contains(refusal_of(unwelded(wall)), "non-manifold edge"));
}

TEST(MakeMesh, KeepsCavities) {
    const Mesh outer = shapes::icosphere(2, 2), inner = shapes::icosphere(1, 2);
    const double shell = volume(outer) - volume(inner);
    MeshReport report;
    const Mesh hollow = joined(outer, turned(inner));
    EXPECT_NEAR(volume(make_mesh(hollow, {}, &report)), shell, 1e-12);
    EXPECT_EQ(report.cavities, 1u);
    EXPECT_EQ(report.components, 2u);
    EXPECT_TRUE(report.repairs.empty());
    EXPECT_TRUE(report.warnings.empty());
    // Inside out as a whole: both turn, the cavity stays one.
    EXPECT_NEAR(volume(make_mesh(turned(hollow), {}, &report)), shell, 1e-12);
    EXPECT_EQ(report.cavities, 1u);
    EXPECT_EQ(find(report.repairs, "turned_parts")->count, 2u);
    // Only the outer one is inside out.
    EXPECT_NEAR(volume(make_mesh(joined(turned(outer), turned(inner)), {}, &report)), shell, 1e-12);
    EXPECT_EQ(find(report.repairs, "turned_parts")->count, 1u);
    // The inner one looks outwards: kept, but said.
    EXPECT_NEAR(volume(make_mesh(joined(outer, inner), {}, &report)), volume(outer) + volume(inner),
                1e-12);
    EXPECT_TRUE(find(report.warnings, "nested_parts"));
    EXPECT_EQ(report.cavities, 0u);
    // A stone in the cavity.
    const Mesh stone = joined(hollow, shapes::icosphere(0.5, 1));
    EXPECT_NEAR(volume(make_mesh(stone, {}, &report)), shell + volume(shapes::icosphere(0.5, 1)),
                1e-12);
    EXPECT_TRUE(report.warnings.empty());
    EXPECT_NEAR(volume(make_mesh(turned(stone), {}, &report)),
                shell + volume(shapes::icosphere(0.5, 1)), 1e-12);
    EXPECT_EQ(find(report.repairs, "turned_parts")->count, 3u);
}

TEST(MakeMesh, TurnsSeparatePartsEachForItself) {
    const Mesh ball = shapes::icosphere(1, 2);
    MeshReport report;
    const Mesh made = make_mesh(joined(ball, turned(transformed(ball, {5, 0, 0}))), {}, &report);
    EXPECT_NEAR(volume(made), 2 * volume(ball), 1e-12);
    EXPECT_EQ(find(report.repairs, "turned_parts")->count, 1u);
}

}  // namespace
}  // namespace turgor
