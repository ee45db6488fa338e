#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "body/bake.hpp"
#include "body/check.hpp"
#include "body/meshes.hpp"

namespace turgor {
namespace {

using namespace test;

/// The particles in an order that has nothing to do with the mesh's.
std::shared_ptr<const BodyAsset> baked(const Mesh& mesh, const Mesh* display = nullptr) {
    check_elements(mesh, "mesh");
    check_closed(mesh);
    if (display) check_elements(*display, "display mesh");
    std::vector<std::uint32_t> order(mesh.vertices.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    return make_body_asset(mesh, order, display);
}

class AssetOfEveryShape : public EveryShape {};

TEST_P(AssetOfEveryShape, has_the_order_that_was_given) {
    const Mesh m = mesh();
    std::vector<std::uint32_t> backwards(m.vertices.size());
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    const auto asset = make_body_asset(m, backwards);
    EXPECT_EQ(asset->vertex_of_particle, backwards);
    EXPECT_EQ(asset->surface_count, m.vertices.size());
}

TEST_P(AssetOfEveryShape, order_tables_are_inverse_and_everything_follows_them) {
    const Mesh m = mesh();
    const auto asset = baked(m);
    for (std::uint32_t i = 0; i < m.vertices.size(); ++i) {
        EXPECT_EQ(asset->particle_of_vertex[asset->vertex_of_particle[i]], i);
        EXPECT_LT(
            norm(asset->rest[i] + asset->rest_centre - m.vertices[asset->vertex_of_particle[i]]),
            1e-14);
    }
    std::set<std::uint32_t> seen(asset->mesh_triangle.begin(), asset->mesh_triangle.end());
    EXPECT_EQ(seen.size(), m.triangles.size());
    for (std::size_t i = 0; i < asset->triangles.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(asset->vertex_of_particle[asset->triangles[i][k]],
                      m.triangles[asset->mesh_triangle[i]][k]);
}

TEST_P(AssetOfEveryShape, masses_are_shares_of_the_surface_times_those_that_are_given) {
    const Mesh m = mesh();
    std::vector<double> relative;
    for (std::size_t v = 0; v < m.vertices.size(); ++v)
        relative.push_back(1 + static_cast<double>(v % 7));
    std::vector<std::uint32_t> order(m.vertices.size());
    std::iota(order.rbegin(), order.rend(), 0);
    const auto plain = make_body_asset(m, order);
    const auto weighed = make_body_asset(m, order, nullptr, relative);
    double sum = 0, expected_sum = 0;
    Vec3 centre, expected_centre;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double expected = plain->mass[i] * relative[order[i]];
        sum += weighed->mass[i], expected_sum += expected;
        centre += weighed->mass[i] * weighed->rest[i];
        expected_centre += expected * m.vertices[order[i]];
        EXPECT_NEAR(weighed->mass[i] / weighed->mass[0],
                    expected / (plain->mass[0] * relative[order[0]]), 1e-9);
    }
    EXPECT_NEAR(sum / weighed->rest_volume, 1, 1e-12);
    EXPECT_EQ(weighed->rest_volume, plain->rest_volume);
    EXPECT_LT(norm(centre) / sum, 1e-12 * weighed->size);
    EXPECT_LT(norm(weighed->rest_centre - expected_centre / expected_sum), 1e-12 * weighed->size);
}

TEST_P(AssetOfEveryShape, rings_and_corners_are_those_of_the_triangles) {
    const auto asset = baked(mesh());
    std::vector<std::set<std::uint32_t>> ring(asset->rest.size()), around(asset->rest.size());
    for (std::uint32_t t = 0; t < asset->triangles.size(); ++t)
        for (const std::uint32_t a : asset->triangles[t]) {
            around[a].insert(t);
            for (const std::uint32_t b : asset->triangles[t])
                if (a != b) ring[a].insert(b);
        }
    const auto same = [](std::span<const std::uint32_t> list, const std::set<std::uint32_t>& set) {
        return std::equal(list.begin(), list.end(), set.begin(), set.end());
    };
    for (std::size_t i = 0; i < ring.size(); ++i) {
        EXPECT_TRUE(same(asset->neighbours[i], ring[i]));
        EXPECT_TRUE(same(asset->corners[i], around[i]));
    }
}

TEST_P(AssetOfEveryShape, masses_are_shares_of_the_volume_and_the_centre_is_the_origin) {
    const Mesh m = mesh();
    const auto asset = baked(m);
    const double volume = enclosed_volume(m);
    EXPECT_NEAR(asset->rest_volume, volume, 1e-13 * volume);
    EXPECT_NEAR(std::accumulate(asset->mass.begin(), asset->mass.end(), 0.0), volume,
                1e-12 * volume);
    std::vector<double> area(m.vertices.size());
    double total = 0;
    for (const Triangle& t : m.triangles) {
        const Vec3 a = m.vertices[t[0]];
        const double whole = norm(cross(m.vertices[t[1]] - a, m.vertices[t[2]] - a)) / 2;
        total += whole;
        for (const std::uint32_t v : t) area[v] += whole / 3;
    }
    Vec3 moment;
    for (std::size_t i = 0; i < asset->mass.size(); ++i) {
        EXPECT_GT(asset->mass[i], 0);
        EXPECT_NEAR(asset->mass[i], volume * area[asset->vertex_of_particle[i]] / total,
                    1e-12 * volume);
        moment += asset->mass[i] * asset->rest[i];
    }
    EXPECT_LT(norm(moment), 1e-14 * volume);
    EXPECT_NEAR(std::numbers::pi / 6 * std::pow(asset->size, 3), volume, 1e-12 * volume);
}

INSTANTIATE_TEST_SUITE_P(all, AssetOfEveryShape, testing::Range(0, 8), EveryShape::name_of);

TEST(Bake, the_same_mesh_gives_the_same_asset) {
    const Mesh m = shuffled(hollow_sphere(0.7), 5);
    const auto a = baked(m), b = baked(m);
    EXPECT_EQ(a->rest, b->rest);
    EXPECT_EQ(a->triangles, b->triangles);
}

TEST(Bake, place_and_scale_do_not_matter) {
    const Mesh m = shapes::torus(1, 0.4, 30, 15);
    const auto asset = baked(m);
    Mesh far = m;
    for (Vec3& v : far.vertices) v = 1e-3 * v + Vec3{50, -20, 8};
    const auto other = baked(far);
    EXPECT_EQ(other->triangles, asset->triangles);
    EXPECT_NEAR(other->rest_volume, 1e-9 * asset->rest_volume, 1e-18);
    EXPECT_NEAR(other->contact_length, 1e-3 * asset->contact_length, 1e-12);
    EXPECT_LT(norm(other->rest_centre - Vec3{50, -20, 8}), 1e-12);
}

TEST(Bake, contact_length_is_the_mean_edge) {
    EXPECT_DOUBLE_EQ(baked(tetrahedron())->contact_length, std::sqrt(8.0));
}

TEST(Bake, bytes_are_those_of_its_arrays) {
    const auto asset = baked(shapes::cube(1, 12));
    const std::size_t n = asset->rest.size();
    // Closed: twice as many triangles as particles, six neighbours and six triangles around each.
    constexpr std::size_t each = 24 + 8 + 2 * (12 + 4) + 2 * (4 + 6 * 4) + 2 * 4;
    EXPECT_GE(bytes(*asset), n * each - 1000);
    EXPECT_LT(bytes(*asset), 2 * n * each);
}

TEST(Bake, a_vertex_without_area_still_has_a_mass) {
    const auto collapsed = baked(with_collapsed_ring(shapes::cube(1, 4)));
    for (const double mass : collapsed->mass) EXPECT_GT(mass, 0);
}

class RefusedMesh : public testing::TestWithParam<BadMesh> {};

TEST_P(RefusedMesh, with_a_sentence) {
    Mesh m = shapes::icosphere(1, 1);
    m.name = "victim";
    GetParam().spoil(m);
    try {
        baked(m);
        FAIL() << "accepted";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_mesh);
        EXPECT_NE(std::string(e.what()).find(GetParam().word), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("victim"), std::string::npos) << e.what();
    }
}

INSTANTIATE_TEST_SUITE_P(all, RefusedMesh, testing::ValuesIn(bad_meshes()),
                         [](const auto& shape) { return shape.param.name; });

TEST(Bake, a_bad_display_mesh_is_refused) {
    const Mesh m = tetrahedron();
    Mesh display = shapes::icosphere(1, 1);
    display.vertices[0].x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(baked(m, &display), Error);
    display = {};
    EXPECT_THROW(baked(m, &display), Error);
}

}  // namespace
}  // namespace turgor
