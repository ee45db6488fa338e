#include <gtest/gtest.h>

#include <set>

#include "body/bake.hpp"
#include "body/meshes.hpp"
#include "elastic/regions.hpp"
#include "elastic/surface/surface.hpp"
#include "elastic/surface/surface_cache.hpp"
#include "volume/volume_rest.hpp"

namespace turgor {
namespace {

using namespace test;

/// Distances in edges from one vertex, by relaxing all edges until nothing changes.
std::vector<int> plain_distances(std::size_t count, const std::set<Link>& edges,
                                 std::uint32_t from) {
    constexpr int far = 1 << 20;
    std::vector<int> distance(count, far);
    distance[from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [a, b] : edges)
            for (const auto& [u, v] : {std::pair(a, b), std::pair(b, a)})
                if (distance[u] + 1 < distance[v]) distance[v] = distance[u] + 1, changed = true;
    }
    return distance;
}

std::set<Link> edges_of(const Mesh& mesh) {
    std::set<Link> edges;
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k)
            edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    return edges;
}

std::set<Link> edges_and_bridges(const Mesh& mesh, const SurfaceBake& baked) {
    std::set<Link> edges = edges_of(mesh);
    for (const auto& [a, b] : baked.rest->bridges)
        edges.insert({baked.asset->vertex_of_particle[a], baked.asset->vertex_of_particle[b]});
    return edges;
}

class SurfaceOfEveryShape : public EveryShape {};

TEST_P(SurfaceOfEveryShape, regions_are_all_vertices_within_omega_edges) {
    const Mesh m = mesh();
    for (const int omega : {1, 2, 3, 5, 64}) {
        const SurfaceBake baked = bake_surface(m, {.omega = omega});
        const auto& [asset, rest] = baked;
        ASSERT_EQ(rest->regions->size(), m.vertices.size());
        EXPECT_EQ(rest->omega, omega);
        const auto edges = edges_and_bridges(m, baked);
        for (std::uint32_t i = 0; i < rest->regions->size(); i += 7) {
            const auto distance =
                plain_distances(m.vertices.size(), edges, asset->vertex_of_particle[i]);
            std::vector<std::uint32_t> expected;
            for (std::uint32_t j = 0; j < distance.size(); ++j)
                if (distance[j] <= omega) expected.push_back(asset->particle_of_vertex[j]);
            std::sort(expected.begin(), expected.end());
            const auto region = (*rest->regions)[i];
            ASSERT_EQ(std::vector(region.begin(), region.end()), expected)
                << "region " << i << " at omega " << omega;
        }
    }
}

TEST_P(SurfaceOfEveryShape, regions_are_symmetric) {
    const SurfaceBake baked = bake_surface(mesh(), {.omega = 3});
    const auto& [asset, rest] = baked;
    std::set<Link> pairs;
    for (std::uint32_t i = 0; i < rest->regions->size(); ++i)
        for (const std::uint32_t j : (*rest->regions)[i]) pairs.insert({i, j});
    EXPECT_EQ(pairs.size(), rest->regions->items.size());
    for (const auto& [i, j] : pairs) EXPECT_TRUE(pairs.contains({j, i}));
}

TEST_P(SurfaceOfEveryShape, bridges_connect_all_parts_and_join_different_ones_only) {
    const Mesh m = mesh();
    const SurfaceBake baked = bake_surface(m, {.omega = 1});
    const auto& [asset, rest] = baked;
    const auto all = plain_distances(m.vertices.size(), edges_and_bridges(m, baked), 0);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 1 << 20);
    std::vector<int> links(m.vertices.size());
    for (const auto& [a, b] : rest->bridges) {
        EXPECT_LT(a, b);
        const auto within =
            plain_distances(m.vertices.size(), edges_of(m), asset->vertex_of_particle[a]);
        EXPECT_EQ(within[asset->vertex_of_particle[b]], 1 << 20) << "a bridge within a part";
        ++links[a], ++links[b];
    }
    EXPECT_LE(*std::max_element(links.begin(), links.end()), 3) << "a hub";
}

TEST_P(SurfaceOfEveryShape, order_tables_are_inverse_and_everything_follows_them) {
    const Mesh m = mesh();
    const auto asset = bake_surface(m).asset;
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

TEST_P(SurfaceOfEveryShape, another_omega_changes_the_regions_only) {
    const auto source = std::make_shared<BodySource>(BodySource{mesh(), {}, 1});
    const Formulation formulation;
    BakeCache cache;
    const BakeContext context{.formulation = formulation, .cache = cache};
    const SurfaceBake narrow = cached_surface_bake(*source, nullptr, 2, context),
                      wide = cached_surface_bake(*source, narrow.asset, 4, context),
                      direct = bake_surface(source->mesh, {.omega = 4});
    EXPECT_EQ(wide.rest->omega, 4);
    EXPECT_EQ(wide.rest->regions->starts, direct.rest->regions->starts);
    EXPECT_EQ(wide.rest->regions->items, direct.rest->regions->items);
    EXPECT_EQ(wide.rest->bridges, direct.rest->bridges);
    EXPECT_EQ(wide.rest->region_centre, direct.rest->region_centre);
    EXPECT_EQ(wide.asset, narrow.asset);
    EXPECT_EQ(direct.asset->rest, narrow.asset->rest);
    EXPECT_EQ(direct.asset->mass, narrow.asset->mass);
    EXPECT_THROW(cached_surface_bake(*source, narrow.asset, 0, context), Error);
    EXPECT_THROW(cached_surface_bake(*source, narrow.asset, 65, context), Error);
}

TEST_P(SurfaceOfEveryShape, intervals_are_runs_of_consecutive_particles) {
    const SurfaceBake baked = bake_surface(mesh(), {.omega = 2});
    const auto& [asset, rest] = baked;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < rest->regions->size(); ++i) {
        const std::set<std::uint32_t> region((*rest->regions)[i].begin(),
                                             (*rest->regions)[i].end());
        for (const std::uint32_t j : region) runs += !region.contains(j - 1);
    }
    const double expected = static_cast<double>(runs) / static_cast<double>(asset->rest.size());
    EXPECT_DOUBLE_EQ(intervals_per_region(*rest->regions), expected);
    EXPECT_DOUBLE_EQ(rest->intervals, expected);
}

INSTANTIATE_TEST_SUITE_P(all, SurfaceOfEveryShape, testing::Range(0, 8), EveryShape::name_of);

TEST(SurfaceBake, a_cavity_hangs_on_its_shell_on_all_sides) {
    const Mesh m = hollow_sphere(0.5);
    const SurfaceBake baked = bake_surface(m, {.omega = 2});
    const auto& [asset, rest] = baked;
    // Every particle of the cavity has one of the shell in its region: the coupling has no gaps.
    for (std::uint32_t v = 642; v < m.vertices.size(); ++v) {
        const auto region = (*rest->regions)[asset->particle_of_vertex[v]];
        EXPECT_TRUE(std::any_of(region.begin(), region.end(), [&](std::uint32_t j) {
            return asset->vertex_of_particle[j] < 642;
        }));
    }
    // Bridges are no edges of the surface.
    for (const auto& [a, b] : rest->bridges) {
        const auto ring = asset->neighbours[a];
        EXPECT_EQ(std::find(ring.begin(), ring.end(), b), ring.end());
    }
}

TEST(SurfaceBake, a_fine_part_near_a_few_vertices_makes_no_hub) {
    const Mesh m =
        joined({shapes::icosphere(1, 2), moved(shapes::icosphere(0.05, 4), {0, 0.97, 0})});
    const SurfaceBake baked = bake_surface(m, {.omega = 2});
    const auto& [asset, rest] = baked;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < rest->regions->size(); ++i)
        largest = std::max(largest, (*rest->regions)[i].size());
    EXPECT_LT(largest, 150u);
}

TEST(SurfaceBake, many_parts_are_connected_quickly) {
    std::vector<Mesh> parts;
    for (int i = 0; i < 300; ++i)
        parts.push_back(
            moved(shapes::icosphere(0.6, 1), {1.0 * (i % 7), 1.0 * (i / 7 % 7), 1.0 * (i / 49)}));
    const Mesh m = joined(parts);
    const SurfaceBake baked = bake_surface(m, {.omega = 1});
    const auto all = plain_distances(m.vertices.size(), edges_and_bridges(m, baked), 0);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 1 << 20);
}

TEST(SurfaceBake, the_order_keeps_regions_in_few_intervals) {
    for (const Mesh& m :
         {shapes::icosphere(1, 4), shapes::torus(1, 0.4, 60, 30), shapes::cube(1, 20)})
        for (const int omega : {1, 3, 5}) {
            const double ideal = 2 * omega + 1;
            const SurfaceBake baked = bake_surface(shuffled(m, 3), {.omega = omega});
            EXPECT_LT(intervals_per_region(*baked.rest->regions), 1.2 * ideal)
                << m.name << ' ' << omega;
        }
}

TEST(SurfaceBake, the_same_mesh_gives_the_same_asset) {
    const Mesh m = shuffled(hollow_sphere(0.7), 5);
    const SurfaceBake a = bake_surface(m, {.omega = 3}), b = bake_surface(m, {.omega = 3});
    EXPECT_EQ(a.asset->rest, b.asset->rest);
    EXPECT_EQ(a.asset->triangles, b.asset->triangles);
    EXPECT_EQ(a.rest->regions->items, b.rest->regions->items);
    EXPECT_EQ(a.rest->bridges, b.rest->bridges);
}

TEST(SurfaceBake, place_and_scale_do_not_matter) {
    const Mesh m = shapes::torus(1, 0.4, 30, 15);
    Mesh far = m;
    for (Vec3& v : far.vertices) v = 1e-3 * v + Vec3{50, -20, 8};
    const SurfaceBake here = bake_surface(m), there = bake_surface(far);
    EXPECT_EQ(there.rest->regions->items, here.rest->regions->items);
    EXPECT_NEAR(there.asset->rest_volume, 1e-9 * here.asset->rest_volume, 1e-18);
    EXPECT_LT(norm(there.asset->rest_centre - Vec3{50, -20, 8}), 1e-12);
}

TEST(SurfaceBake, a_small_body_is_one_region) {
    EXPECT_EQ(bake_surface(tetrahedron(), {.omega = 5}).rest->regions->items.size(), 16u);
}

TEST(SurfaceBake, bytes_are_those_of_regions_and_particles) {
    const auto [asset, rest] = bake_surface(shapes::cube(1, 12), {.omega = 4});
    const std::size_t regions = 4 * rest->regions->items.size(), n = asset->rest.size();
    EXPECT_GE(bytes(*rest->regions), regions);
    EXPECT_GE(bytes(*rest), bytes(*rest->regions) + 40 * n);
    const std::size_t all = bytes(*asset) + bytes(*rest) + bytes(make_struts(*asset));
    EXPECT_GE(all, regions + 24 * n);
    EXPECT_LT(all, 2 * (regions + 260 * n));
}

TEST(SurfaceBake, more_items_than_can_be_counted_are_refused_at_once) {
    ListOfLists star;
    constexpr std::uint32_t n = 100000;
    for (std::uint32_t i = 1; i < n; ++i) star.items.push_back(i);
    star.end_row();
    for (std::uint32_t i = 1; i < n; ++i) star.items.push_back(0), star.end_row();
    EXPECT_EQ(make_regions(star, 1).items.size(), n + 2 * (n - 1));
    EXPECT_THROW(make_regions(star, 2), Error);
}

class RefusedSurface : public testing::TestWithParam<BadMesh> {};

TEST_P(RefusedSurface, with_a_sentence) {
    Mesh m = shapes::icosphere(1, 1);
    m.name = "victim";
    GetParam().spoil(m);
    try {
        bake_surface(m);
        FAIL() << "accepted";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_mesh);
        EXPECT_NE(std::string(e.what()).find(GetParam().word), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("victim"), std::string::npos) << e.what();
    }
}

INSTANTIATE_TEST_SUITE_P(all, RefusedSurface, testing::ValuesIn(bad_meshes()),
                         [](const auto& shape) { return shape.param.name; });

TEST(SurfaceBake, settings_out_of_range_are_refused) {
    const Mesh m = tetrahedron();
    for (const int omega : {0, -3, 65}) EXPECT_THROW(bake_surface(m, {.omega = omega}), Error);
    EXPECT_NO_THROW(bake_surface(m, {.omega = 64}));
}

TEST(SurfaceBake, a_bad_display_mesh_is_refused) {
    const Mesh m = tetrahedron();
    Mesh display = shapes::icosphere(1, 1);
    display.vertices[0].x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(bake_surface(m, {}, &display), Error);
    display = {};
    EXPECT_THROW(bake_surface(m, {}, &display), Error);
}

}  // namespace
}  // namespace turgor
