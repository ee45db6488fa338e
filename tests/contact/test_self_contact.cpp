#include "contact/self_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "elastic/surface/surface.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// A bar of 2 m, 0.2 m thick, bent about the z axis so that its ends come round by `angle` each.
struct BentBar {
    std::shared_ptr<const BodyAsset> asset;
    std::shared_ptr<const CollisionTree> tree;
    CollisionBoxes boxes;
    std::vector<Vec3> x;

    explicit BentBar(double angle) {
        asset = bake_surface(shapes::bar({2, 0.2, 0.2}, 41), {.omega = 1}).asset;
        tree = make_collision_tree(*asset);
        const double radius = 1 / angle;
        for (const Vec3& p : asset->rest) {
            const double a = p.x / radius, r = radius - p.y;
            x.push_back({r * std::sin(a), radius - r * std::cos(a), p.z});
        }
    }
    CollisionSurface surface() {
        const CollisionSurface s{asset.get(), tree.get(), &boxes, x[0], {}, x};
        s.refit();
        return s;
    }
    std::vector<NearVertex> find(double margin, double depth) {
        SelfSearch search;
        for (std::uint32_t k = 0; k < tree->vertices.count; ++k)
            search.queries.push_back({k, margin});
        find_near_self(surface(), depth, search);
        const auto& found = search.found;
        double nearest = margin, of_looks = margin;
        for (const NearVertex& n : found) nearest = std::min(nearest, n.distance);
        for (const ClusterQuery& l : search.queries) of_looks = std::min(of_looks, l.nearest);
        EXPECT_EQ(nearest, of_looks);
        return found;
    }
};

TEST(SelfContact, is_what_asking_every_triangle_finds) {
    std::size_t found_in_all = 0;
    for (const double angle : {2.6, 2.9, 3.1, 3.3}) {
        BentBar bar(angle);
        const double edge = bar.asset->contact_length;
        auto fast = bar.find(3 * edge, edge);
        std::vector<NearVertex> slow;
        find_near_self_reference(bar.surface(), 3 * edge, edge, slow);
        const auto by_vertex = [](const auto& p, const auto& q) { return p.vertex < q.vertex; };
        std::ranges::sort(fast, by_vertex);
        std::ranges::sort(slow, by_vertex);
        ASSERT_EQ(fast.size(), slow.size()) << angle;
        for (std::size_t k = 0; k < fast.size(); ++k) {
            EXPECT_EQ(fast[k].vertex, slow[k].vertex);
            EXPECT_EQ(fast[k].triangle, slow[k].triangle);
            EXPECT_EQ(fast[k].distance, slow[k].distance);
        }
        found_in_all += fast.size();
    }
    EXPECT_GT(found_in_all, 50u);
}

TEST(SelfContact, is_not_found_where_nothing_is_folded) {
    for (const double angle : {0.01, 0.5, 1.5, 2.2}) {
        BentBar bar(angle);
        EXPECT_TRUE(bar.find(2 * bar.asset->contact_length, bar.asset->contact_length).empty())
            << angle;
    }
}

TEST(SelfContact, knows_how_far_the_ends_of_a_ring_are_apart) {
    // The ends face each other across the gap that is left of the circle.
    BentBar bar(3.05);
    const double edge = bar.asset->contact_length, radius = 1 / 3.05;
    NearVertex nearest;
    nearest.distance = 1e9;
    for (const NearVertex& n : bar.find(6 * edge, edge))
        if (n.distance < nearest.distance) nearest = n;
    EXPECT_GT(std::abs(nearest.normal.x), 0.99);
    const double inner = 2 * (radius - 0.1) * std::sin(std::acos(-1.0) - 3.05);
    EXPECT_NEAR(nearest.distance, inner, 0.02 * edge);
}

TEST(SelfContact, tells_what_has_gone_through_from_what_is_thin) {
    // Ends that have gone past each other.
    BentBar crossed(3.2);
    const double edge = crossed.asset->contact_length;
    std::size_t inside = 0;
    for (const NearVertex& n : crossed.find(edge, edge)) inside += n.distance < 0;
    EXPECT_GT(inside, 5u);
    // Squeezed to a twentieth, its sides are near each other through the inside.
    BentBar thin(0.01);
    for (Vec3& p : thin.x) p = {p.x, 0.05 * p.y, 3 * p.z};
    const auto sides = thin.find(0.5 * edge, edge);
    EXPECT_GT(sides.size(), 50u);
    for (const NearVertex& n : sides) EXPECT_GT(n.distance, 0);
    // Turned inside out, they have gone through each other from within.
    BentBar inside_out(0.01);
    for (Vec3& p : inside_out.x) p = {p.x, -0.05 * p.y, 3 * p.z};
    const auto turned = inside_out.find(0.5 * edge, edge);
    std::size_t away_from_rim = 0;
    for (const NearVertex& n : turned) {
        const Vec3 p = inside_out.x[n.vertex];
        const bool at_rim = std::abs(p.z) > 0.29 || std::abs(p.x) > 0.99;
        EXPECT_TRUE(at_rim || n.distance < 0);
        away_from_rim += !at_rim;
    }
    EXPECT_GT(away_from_rim, 50u);
}

}  // namespace
}  // namespace turgor
