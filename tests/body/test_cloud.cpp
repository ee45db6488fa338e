#include "body/cloud.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/mat3.hpp"
#include "base/random.hpp"
#include "body/bake.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

/// Points at random on a ball and in it, more of them on one side.
std::vector<Vec3> points_of_a_ball(std::size_t count) {
    Random random(5);
    std::vector<Vec3> points;
    while (points.size() < count) {
        const Vec3 p = random.in_cube();
        if (norm(p) > 1 || (p.x > 0 && points.size() % 3 == 0)) continue;
        points.push_back(points.size() % 2 == 0 ? normalized(p) : p);
    }
    return points;
}

BodyAsset cage() {
    const Mesh mesh = transformed(shapes::icosphere(1.1, 3), {2, 3, 4});
    return *make_body_asset(
        mesh, sweep_order(triangles_around(mesh.vertices.size(), mesh.triangles), mesh.triangles));
}

std::vector<Vec3> moved_by(std::span<const Vec3> points, Vec3 by) {
    std::vector<Vec3> moved;
    for (const Vec3& p : points) moved.push_back(p + by);
    return moved;
}

TEST(Cloud, PointsShareTheMassOfTheCage) {
    const BodyAsset alone = cage();
    BodyAsset asset = alone;
    put_points_inside(asset, moved_by(points_of_a_ball(900), {2, 3, 4}));
    ASSERT_EQ(asset.rest.size(), alone.rest.size() + 900);
    EXPECT_EQ(asset.surface_count, alone.rest.size());
    const double whole = std::accumulate(asset.mass.begin(), asset.mass.end(), 0.0);
    EXPECT_NEAR(whole / alone.rest_volume, 1, 1e-12);
    Vec3 centre;
    for (std::size_t i = 0; i < asset.mass.size(); ++i) {
        EXPECT_GT(asset.mass[i], 0);
        centre += asset.mass[i] / whole * asset.rest[i];
    }
    EXPECT_LT(norm(centre), 1e-12);
    // However many points are on one side.
    EXPECT_LT(norm(asset.rest_centre - alone.rest_centre), 0.05);
    std::vector<double> shares(asset.rest.size());
    double behind = 0, volume_share = 0;
    for (std::uint32_t c = 0; c < asset.surface_count; ++c) {
        asset.each_follower(c, [&](std::uint32_t i, double share) { shares[i] += share; });
        behind += asset.mass_behind(c);
        volume_share += asset.volume_share[c];
        EXPECT_GE(asset.mass[c], 0.499 * alone.mass[c]);
        // A push on a corner moves about as much as of the cage alone.
        EXPECT_GT(asset.mass_behind(c), 0.5 * alone.mass[c]);
        EXPECT_LT(asset.mass_behind(c), 2 * alone.mass[c]);
    }
    EXPECT_NEAR(behind / whole, 1, 1e-12);
    EXPECT_NEAR(volume_share / static_cast<double>(asset.surface_count), 1, 1e-12);
    for (std::size_t i = 0; i < shares.size(); ++i)
        EXPECT_NEAR(shares[i], i < asset.surface_count ? 0 : 1, 1e-12);
}

TEST(Cloud, AllPointsAreShownWhereTheyWere) {
    const std::vector<Vec3> points = moved_by(points_of_a_ball(2000), {2, 3, 4});
    for (const std::size_t most : {std::size_t{5000}, std::size_t{300}}) {
        BodyAsset asset = cage();
        const std::size_t surface = asset.rest.size();
        put_points_inside(asset, points, most);
        EXPECT_LE(asset.rest.size() - surface, most);
        EXPECT_GT(asset.rest.size() - surface, 0.8 * std::min(most, points.size()));
        ASSERT_TRUE(asset.embedded());
        EXPECT_TRUE(asset.embedded()->triangles.empty());
        ASSERT_EQ(asset.embedded()->bindings.size(), points.size());
        // An affine map carries what is bound along exactly, too.
        const Mat3 affine{{{1.1, 0.2, -0.1}, {0.05, 0.9, 0.3}, {-0.2, 0.1, 1.05}}};
        std::vector<Vec3> mapped;
        for (const Vec3& p : asset.rest) mapped.push_back(affine * p);
        double largest = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const CellBinding& binding = asset.embedded()->bindings[i];
            const Vec3 rest = points[i] - asset.rest_centre;
            EXPECT_LT(norm(place_in_cell(binding, asset.rest) - rest), 1e-9) << i;
            EXPECT_LT(norm(place_in_cell(binding, mapped) - affine * rest), 1e-9) << i;
            for (const double w : binding.weights) largest = std::max(largest, std::abs(w));
        }
        EXPECT_LT(largest, 10);  // else what is shown would jitter
    }
}

TEST(Cloud, IsThinnedEvenlyAndAlways) {
    const std::vector<Vec3> points = points_of_a_ball(20000);
    const std::vector<std::uint32_t> kept = thinned(points, 1000);
    EXPECT_EQ(kept, thinned(points, 1000));
    EXPECT_LE(kept.size(), 1000u);
    EXPECT_GT(kept.size(), 850u);
    EXPECT_EQ(std::set<std::uint32_t>(kept.begin(), kept.end()).size(), kept.size());
    // Every point has one nearby that stays.
    double farthest = 0;
    for (std::size_t i = 0; i < points.size(); i += 37) {
        double nearest = 1e300;
        for (const std::uint32_t k : kept) nearest = std::min(nearest, norm(points[k] - points[i]));
        farthest = std::max(farthest, nearest);
    }
    EXPECT_LT(farthest, 0.4);
    // What is all in one place, or on a line, is no trouble.
    EXPECT_EQ(thinned(std::vector<Vec3>(5000, Vec3{1, 2, 3}), 100).size(), 1u);
    std::vector<Vec3> line;
    for (int i = 0; i < 5000; ++i) line.push_back({0.001 * i, 0, 0});
    const std::size_t on_line = thinned(line, 100).size();
    EXPECT_LE(on_line, 100u);
    EXPECT_GT(on_line, 90u);
    EXPECT_EQ(thinned(points, points.size()).size(), points.size());
}

TEST(Cloud, PointsInAPlaneOrInOnePlaceAreShownToo) {
    Random random(3);
    std::vector<Vec3> plane, same(600, Vec3{2.2, 3.1, 4});
    for (int i = 0; i < 600; ++i) {
        const Vec3 p = random.in_cube();
        plane.push_back(Vec3{2, 3, 4} + 0.7 * Vec3{p.x, 0, p.z});
    }
    for (const auto& points : {plane, same}) {
        BodyAsset asset = cage();
        put_points_inside(asset, points, 100);
        for (std::size_t i = 0; i < points.size(); ++i)
            EXPECT_LT(norm(place_in_cell(asset.embedded()->bindings[i], asset.rest) +
                           asset.rest_centre - points[i]),
                      1e-9);
    }
}

}  // namespace
}  // namespace turgor
