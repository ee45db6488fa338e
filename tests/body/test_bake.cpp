#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>

#include "body/bake.hpp"
#include "body/meshes.hpp"
#include "body/regions.hpp"

namespace turgor {
namespace {

using namespace test;

std::shared_ptr<const BodyAsset> baked(const Mesh& mesh, int omega = 2) {
    BakeSettings settings;
    settings.omega = omega;
    return bake(mesh, settings);
}

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

std::set<Link> edges_and_bridges(const Mesh& mesh, const BodyAsset& asset) {
    std::set<Link> edges = edges_of(mesh);
    for (const auto& [a, b] : asset.bridges)
        edges.insert({asset.vertex_of_particle[a], asset.vertex_of_particle[b]});
    return edges;
}

std::vector<std::pair<std::string, Mesh>> all_shapes() {
    return {{"tetrahedron", tetrahedron()},
            {"icosphere", shapes::icosphere(0.5, 2)},
            {"uv_sphere", shapes::uv_sphere(1, 12, 11)},
            {"torus", shapes::torus(1, 0.3, 20, 9)},
            {"cube", shapes::cube(1, 6)},
            {"hollow", hollow_sphere(0.6, 2, 1)},
            {"hollow_with_finer_cavity", hollow_sphere(0.8, 1, 2)},
            {"three_parts",
             joined({shapes::icosphere(1, 2), moved(shapes::icosphere(0.2, 1), {0.9, 0, 0}),
                     moved(tetrahedron(), {0, 2, 0})})}};
}

class EveryShape : public testing::TestWithParam<int> {
protected:
    Mesh mesh() const {
        return shuffled(all_shapes()[static_cast<std::size_t>(GetParam())].second, 42);
    }
};

TEST_P(EveryShape, regions_are_all_vertices_within_omega_edges) {
    const Mesh m = mesh();
    for (const int omega : {1, 2, 3, 5, 64}) {
        const auto asset = baked(m, omega);
        ASSERT_EQ(asset->regions.size(), m.vertices.size());
        EXPECT_EQ(asset->omega, omega);
        const auto edges = edges_and_bridges(m, *asset);
        for (std::uint32_t i = 0; i < asset->regions.size(); i += 7) {
            const auto distance =
                plain_distances(m.vertices.size(), edges, asset->vertex_of_particle[i]);
            std::vector<std::uint32_t> expected;
            for (std::uint32_t j = 0; j < distance.size(); ++j)
                if (distance[j] <= omega) expected.push_back(asset->particle_of_vertex[j]);
            std::sort(expected.begin(), expected.end());
            const auto region = asset->regions[i];
            ASSERT_EQ(std::vector(region.begin(), region.end()), expected)
                << "region " << i << " at omega " << omega;
        }
    }
}

TEST_P(EveryShape, regions_are_symmetric) {
    const auto asset = baked(mesh(), 3);
    std::set<Link> pairs;
    for (std::uint32_t i = 0; i < asset->regions.size(); ++i)
        for (const std::uint32_t j : asset->regions[i]) pairs.insert({i, j});
    EXPECT_EQ(pairs.size(), asset->regions.items.size());
    for (const auto& [i, j] : pairs) EXPECT_TRUE(pairs.contains({j, i}));
}

TEST_P(EveryShape, bridges_connect_all_parts_and_join_different_ones_only) {
    const Mesh m = mesh();
    const auto asset = baked(m, 1);
    const auto all = plain_distances(m.vertices.size(), edges_and_bridges(m, *asset), 0);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 1 << 20);
    std::vector<int> links(m.vertices.size());
    for (const auto& [a, b] : asset->bridges) {
        EXPECT_LT(a, b);
        const auto within =
            plain_distances(m.vertices.size(), edges_of(m), asset->vertex_of_particle[a]);
        EXPECT_EQ(within[asset->vertex_of_particle[b]], 1 << 20) << "a bridge within a part";
        ++links[a], ++links[b];
    }
    EXPECT_LE(*std::max_element(links.begin(), links.end()), 3) << "a hub";
}

TEST_P(EveryShape, order_tables_are_inverse_and_everything_follows_them) {
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

TEST_P(EveryShape, rings_and_corners_are_those_of_the_triangles) {
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

TEST_P(EveryShape, masses_are_shares_of_the_volume_and_the_centre_is_the_origin) {
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

TEST_P(EveryShape, struts_lead_through_the_inside_to_another_particle) {
    const auto asset = baked(mesh());
    const Struts& s = asset->struts;
    double shortest = 1e300, longest = 0;
    for (std::uint32_t i = 0; i < s.partner.size(); ++i) {
        ASSERT_LT(s.partner[i], asset->rest.size());
        EXPECT_DOUBLE_EQ(s.rest_length[i], norm(asset->rest[i] - asset->rest[s.partner[i]]));
        EXPECT_EQ(s.partner[i] == i, s.rest_length[i] == 0);
        EXPECT_EQ(s.stiffness[i] == 0, s.rest_length[i] == 0);
        if (s.partner[i] == i) continue;
        EXPECT_GE(s.stiffness[i], 0.01 - 1e-15);
        EXPECT_LE(s.stiffness[i], 0.1 + 1e-15);
        shortest = std::min(shortest, s.rest_length[i]),
        longest = std::max(longest, s.rest_length[i]);
    }
    if (longest > shortest * 1.001)
        for (std::uint32_t i = 0; i < s.partner.size(); ++i) {
            if (s.rest_length[i] == shortest) {
                EXPECT_NEAR(s.stiffness[i], 0.1, 1e-15);
            }
            if (s.rest_length[i] == longest) {
                EXPECT_NEAR(s.stiffness[i], 0.01, 1e-15);
            }
        }
}

TEST_P(EveryShape, with_omega_changes_the_regions_only) {
    const Mesh m = mesh();
    const auto asset = baked(m, 2), wide = with_omega(*asset, 4), direct = baked(m, 4);
    EXPECT_EQ(wide->omega, 4);
    EXPECT_EQ(wide->regions.starts, direct->regions.starts);
    EXPECT_EQ(wide->regions.items, direct->regions.items);
    EXPECT_EQ(wide->rest, asset->rest);
    EXPECT_EQ(wide->mass, asset->mass);
    EXPECT_THROW(with_omega(*asset, 0), Error);
    EXPECT_THROW(with_omega(*asset, 65), Error);
}

TEST_P(EveryShape, intervals_are_runs_of_consecutive_particles) {
    const auto asset = baked(mesh(), 2);
    std::size_t runs = 0;
    for (std::size_t i = 0; i < asset->regions.size(); ++i) {
        const std::set<std::uint32_t> region(asset->regions[i].begin(), asset->regions[i].end());
        for (const std::uint32_t j : region) runs += !region.contains(j - 1);
    }
    EXPECT_DOUBLE_EQ(intervals_per_region(*asset),
                     static_cast<double>(runs) / static_cast<double>(asset->rest.size()));
}

INSTANTIATE_TEST_SUITE_P(all, EveryShape, testing::Range(0, 8), [](const auto& shape) {
    return all_shapes()[static_cast<std::size_t>(shape.param)].first;
});

TEST(Bake, struts_of_a_sphere_end_at_the_antipode) {
    const auto asset = baked(shapes::icosphere(1, 3));
    for (std::size_t i = 0; i < asset->rest.size(); ++i) {
        const Vec3 opposite = asset->rest[asset->struts.partner[i]];
        EXPECT_LT(norm(opposite + asset->rest[i]), asset->mean_edge);
    }
}

TEST(Bake, struts_of_a_slab_have_its_thickness) {
    const auto asset = baked(shapes::bar({1, 0.1, 1}, 21));
    int checked = 0;
    for (std::size_t i = 0; i < asset->rest.size(); ++i) {
        const Vec3 p = asset->rest[i];
        if (std::abs(p.x) > 0.42 || std::abs(p.z) > 0.42) continue;
        EXPECT_NEAR(asset->struts.rest_length[i], 0.1, 1e-12);
        EXPECT_NEAR(asset->struts.stiffness[i], 0.1, 0.02);
        ++checked;
    }
    EXPECT_GT(checked, 300);
}

TEST(Bake, no_strut_ends_where_it_begins) {
    // Rounding must not let a ray meet the triangles that it starts from.
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto asset = baked(moved(noisy(shapes::icosphere(1, 3), 0.02, seed), {30, 7, -1}));
        for (std::uint32_t i = 0; i < asset->rest.size(); ++i) {
            EXPECT_NE(asset->struts.partner[i], i);
            EXPECT_GT(asset->struts.rest_length[i], 0.5);
        }
    }
}

TEST(Bake, struts_of_equal_length_have_one_stiffness) {
    Mesh octahedron{
        "octahedron",
        {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
        {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    const auto asset = baked(octahedron);
    for (const double s : asset->struts.stiffness) EXPECT_EQ(s, asset->struts.stiffness[0]);
    EXPECT_TRUE(std::isfinite(asset->struts.stiffness[0]));
}

TEST(Bake, a_cavity_hangs_on_its_shell_on_all_sides) {
    const Mesh m = hollow_sphere(0.5);
    const auto asset = baked(m, 2);
    // Every particle of the cavity has one of the shell in its region: the coupling has no gaps.
    for (std::uint32_t v = 642; v < m.vertices.size(); ++v) {
        const auto region = asset->regions[asset->particle_of_vertex[v]];
        EXPECT_TRUE(std::any_of(region.begin(), region.end(), [&](std::uint32_t j) {
            return asset->vertex_of_particle[j] < 642;
        }));
    }
    // Bridges are no edges of the surface.
    for (const auto& [a, b] : asset->bridges) {
        const auto ring = asset->neighbours[a];
        EXPECT_EQ(std::find(ring.begin(), ring.end(), b), ring.end());
    }
}

TEST(Bake, a_fine_part_near_a_few_vertices_makes_no_hub) {
    const Mesh m =
        joined({shapes::icosphere(1, 2), moved(shapes::icosphere(0.05, 4), {0, 0.97, 0})});
    const auto asset = baked(m, 2);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < asset->regions.size(); ++i)
        largest = std::max(largest, asset->regions[i].size());
    EXPECT_LT(largest, 150u);
}

TEST(Bake, many_parts_are_connected_quickly) {
    std::vector<Mesh> parts;
    for (int i = 0; i < 300; ++i)
        parts.push_back(
            moved(shapes::icosphere(0.6, 1), {1.0 * (i % 7), 1.0 * (i / 7 % 7), 1.0 * (i / 49)}));
    const Mesh m = joined(parts);
    const auto asset = baked(m, 1);
    const auto all = plain_distances(m.vertices.size(), edges_and_bridges(m, *asset), 0);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 1 << 20);
}

TEST(Bake, the_order_keeps_regions_in_few_intervals) {
    for (const Mesh& m :
         {shapes::icosphere(1, 4), shapes::torus(1, 0.4, 60, 30), shapes::cube(1, 20)})
        for (const int omega : {1, 3, 5}) {
            const double ideal = 2 * omega + 1;
            EXPECT_LT(intervals_per_region(*baked(shuffled(m, 3), omega)), 1.2 * ideal)
                << m.name << ' ' << omega;
        }
}

TEST(Bake, the_same_mesh_gives_the_same_asset) {
    const Mesh m = shuffled(hollow_sphere(0.7), 5);
    const auto a = baked(m, 3), b = baked(m, 3);
    EXPECT_EQ(a->rest, b->rest);
    EXPECT_EQ(a->triangles, b->triangles);
    EXPECT_EQ(a->regions.items, b->regions.items);
    EXPECT_EQ(a->bridges, b->bridges);
    EXPECT_EQ(a->struts.partner, b->struts.partner);
}

TEST(Bake, place_and_scale_do_not_matter) {
    const Mesh m = shapes::torus(1, 0.4, 30, 15);
    const auto asset = baked(m, 2);
    Mesh far = m;
    for (Vec3& v : far.vertices) v = 1e-3 * v + Vec3{50, -20, 8};
    const auto other = baked(far, 2);
    EXPECT_EQ(other->regions.items, asset->regions.items);
    EXPECT_NEAR(other->rest_volume, 1e-9 * asset->rest_volume, 1e-18);
    EXPECT_LT(norm(other->rest_centre - Vec3{50, -20, 8}), 1e-12);
    // A ray that meets an edge may end at either side of it.
    for (std::size_t i = 0; i < asset->rest.size(); ++i)
        EXPECT_NEAR(1e3 * other->struts.rest_length[i], asset->struts.rest_length[i],
                    asset->mean_edge);
}

TEST(Bake, mean_edge_and_bytes) {
    const auto asset = baked(tetrahedron(), 5);
    EXPECT_DOUBLE_EQ(asset->mean_edge, std::sqrt(8.0));
    EXPECT_EQ(asset->regions.items.size(), 16u);
    const auto large = baked(shapes::cube(1, 12), 4);
    EXPECT_GE(bytes(*large), 4 * large->regions.items.size() + 24 * large->rest.size());
    EXPECT_LT(bytes(*large), 2 * (4 * large->regions.items.size() + 260 * large->rest.size()));
}

TEST(Bake, a_vertex_without_area_still_has_a_mass) {
    // A needle: one vertex pulled to the middle of the opposite edge's end leaves triangles without
    // area.
    Mesh m = shapes::cube(1, 4);
    const auto asset = baked(m);
    const std::uint32_t v = 0;
    std::set<std::uint32_t> ring;
    for (const Triangle& t : m.triangles)
        if (std::find(t.begin(), t.end(), v) != t.end()) ring.insert(t.begin(), t.end());
    for (const std::uint32_t i : ring) m.vertices[i] = m.vertices[v];
    const auto collapsed = baked(m);
    for (const double mass : collapsed->mass) EXPECT_GT(mass, 0);
    for (const double length : collapsed->struts.rest_length) EXPECT_TRUE(std::isfinite(length));
}

TEST(Bake, more_items_than_can_be_counted_are_refused_at_once) {
    ListOfLists star;
    constexpr std::uint32_t n = 100000;
    for (std::uint32_t i = 1; i < n; ++i) star.items.push_back(i);
    star.end_row();
    for (std::uint32_t i = 1; i < n; ++i) star.items.push_back(0), star.end_row();
    EXPECT_EQ(make_regions(star, 1).items.size(), n + 2 * (n - 1));
    EXPECT_THROW(make_regions(star, 2), Error);
}

struct BadMesh {
    std::string name;
    std::function<void(Mesh&)> spoil;
    std::string word;  ///< that the sentence must contain
};

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

INSTANTIATE_TEST_SUITE_P(
    all, RefusedMesh,
    testing::Values(
        BadMesh{"no_triangles", [](Mesh& m) { m.triangles.clear(); }, "empty"},
        BadMesh{"nothing", [](Mesh& m) { m.vertices.clear(), m.triangles.clear(); }, "empty"},
        BadMesh{"hole", [](Mesh& m) { m.triangles.pop_back(); }, "not closed"},
        BadMesh{"flipped", [](Mesh& m) { std::swap(m.triangles[3][0], m.triangles[3][1]); },
                "orientation"},
        BadMesh{"doubled", [](Mesh& m) { m.triangles.push_back(m.triangles[0]); }, "more than two"},
        BadMesh{"index", [](Mesh& m) { m.triangles[5][1] = 1000; }, "1000"},
        BadMesh{"repeated", [](Mesh& m) { m.triangles[5][1] = m.triangles[5][0]; }, "twice"},
        BadMesh{"loose", [](Mesh& m) { m.vertices.push_back({}); }, "no triangle"},
        BadMesh{"nan", [](Mesh& m) { m.vertices[7].y = std::numeric_limits<double>::quiet_NaN(); },
                "finite"},
        BadMesh{"infinite",
                [](Mesh& m) { m.vertices[7].x = -std::numeric_limits<double>::infinity(); },
                "finite"},
        BadMesh{"huge", [](Mesh& m) { m.vertices[7].x = 1e200; }, "far away"},
        BadMesh{"flat",
                [](Mesh& m) {
                    for (Vec3& v : m.vertices) v.y = 0;
                },
                "volume"},
        BadMesh{"a_point",
                [](Mesh& m) {
                    for (Vec3& v : m.vertices) v = {1, 2, 3};
                },
                "volume"},
        BadMesh{"inside_out", [](Mesh& m) { m.triangles = inside_out(m).triangles; }, "volume"}),
    [](const auto& shape) { return shape.param.name; });

TEST(Bake, settings_out_of_range_are_refused) {
    const Mesh m = tetrahedron();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const BakeSettings& s :
         {BakeSettings{0}, BakeSettings{-3}, BakeSettings{65}, BakeSettings{2, nan, 0.1},
          BakeSettings{2, 0.2, 0.1}, BakeSettings{2, -1, 0.1}, BakeSettings{2, 0.1, 2}})
        EXPECT_THROW(bake(m, s), Error);
    EXPECT_NO_THROW(bake(m, {64}));
}

TEST(Bake, a_bad_display_mesh_is_refused) {
    const Mesh m = tetrahedron();
    Mesh display = shapes::icosphere(1, 1);
    display.vertices[0].x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(bake(m, {}, &display), Error);
    display = {};
    EXPECT_THROW(bake(m, {}, &display), Error);
}

}  // namespace
}  // namespace turgor
