#include <random>

#include "mesh/test_repair_helpers.hpp"
#include "mesh/weld.hpp"

namespace turgor {
namespace {

using test::box;
using test::contains;
using test::good_meshes;
using test::joined;
using test::refusal_of;
using test::repaired;
using test::unwelded;

TEST(MakeMesh, WeldsSoups) {
    for (const auto& mesh : good_meshes()) {
        const Mesh made = repaired(unwelded(mesh), "welded_vertices");
        EXPECT_EQ(made.vertices.size(), mesh.vertices.size());
        EXPECT_NEAR(volume(made), volume(mesh), 1e-12);
    }
}

TEST(MakeMesh, WeldsSoupsWithNoiseWithinTheTolerance) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> noise(-1, 1);
    for (const auto& mesh : good_meshes()) {
        for (const auto& [size, closes] : {std::pair{1e-7, true}, std::pair{1e-4, false}}) {
            Mesh soup = unwelded(mesh);
            for (Vec3& p : soup.vertices)
                p += size * Vec3{noise(random), noise(random), noise(random)};
            if (closes) {
                EXPECT_EQ(repaired(soup, "welded_vertices").vertices.size(), mesh.vertices.size());
            } else {
                EXPECT_TRUE(contains(refusal_of(soup), "not closed: "));
            }
        }
    }
}

TEST(MakeMesh, WeldsExactlyOnlyWhereTheToleranceIsZero) {
    Mesh soup = unwelded(box({0, 0, 0}, {1, 1, 1}));
    EXPECT_EQ(make_mesh(soup, {0.0, false}).vertices.size(), 8u);
    soup.vertices[0].x += 1e-9;
    EXPECT_GT(make_mesh(soup, {0.0, false}).vertices.size(), 8u);  // the slit is closed, but stays
    EXPECT_EQ(make_mesh(soup).vertices.size(), 8u);
    EXPECT_THROW(make_mesh(soup, {-1.0, false}), Error);
    EXPECT_THROW(make_mesh(soup, {0.5, false}), Error);
    EXPECT_THROW(make_mesh(soup, {NAN, false}), Error);
}

TEST(MakeMesh, DoesNotLetAFarPartRuinTheToleranceForFineGeometry) {
    // A speck far away makes the box 10⁷ times as large as the ball.
    const Mesh ball = shapes::icosphere(1, 2);
    const Mesh speck = transformed(ball, {1e7, 0, 0});
    const Mesh made = make_mesh(unwelded(joined(ball, speck)));
    EXPECT_EQ(made.vertices.size(), 2 * ball.vertices.size());
    EXPECT_NEAR(volume(made), 2 * volume(ball), 1e-5);
    EXPECT_EQ(make_mesh(joined(ball, speck)).vertices.size(), 2 * ball.vertices.size());
}

TEST(Weld, DoesNotCollapseChainsOfCloseVertices) {
    std::vector<Vec3> chain;
    for (int i = 0; i < 1000; ++i) chain.push_back({0.7e-6 * i, 0, 0});
    chain.push_back({1, 1, 1});
    const auto target = weld(chain, std::vector<bool>(chain.size(), true), 1e-6);
    for (std::size_t v = 0; v < chain.size(); ++v) {
        EXPECT_EQ(target[target[v]], target[v]);
        EXPECT_LE(norm(chain[v] - chain[target[v]]), 1e-6);
    }
    EXPECT_EQ(target[999] == target[0], false);
}

TEST(Weld, FindsEveryCloseVertexWhateverItsCell) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(0, 1), noise(-0.5e-3, 0.5e-3);
    std::vector<Vec3> points;
    for (int i = 0; i < 300; ++i) {
        const Vec3 p{0.01 * (i % 7), 0.01 * (i / 7 % 7), 0.01 * (i / 49)};
        for (int k = 0; k < 3; ++k)
            points.push_back(p + Vec3{noise(random), noise(random), noise(random)});
    }
    const auto target = weld(points, std::vector<bool>(points.size(), true), 2e-3);
    for (std::uint32_t v = 0; v < points.size(); ++v) EXPECT_EQ(target[v], v / 3 * 3) << v;
}

}  // namespace
}  // namespace turgor
