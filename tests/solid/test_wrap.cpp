#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/cancel.hpp"
#include "base/progress.hpp"
#include "mesh/intersections.hpp"
#include "mesh/mesh_checks.hpp"
#include "mesh/soups.hpp"
#include "mesh/triangle_tree.hpp"
#include "solid/wrap.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

using namespace checks;

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}

/// What every cage is, whatever it is around.
void expect_cage(const Mesh& cage, std::size_t vertices, const std::string& what,
                 std::size_t parts = 1) {
    ASSERT_TRUE(is_closed_manifold(cage)) << what;
    EXPECT_EQ(component_count(cage), parts) << what;
    EXPECT_GT(volume(cage), 0) << what;
    EXPECT_TRUE(self_intersections(cage).empty()) << what;
    const auto n = static_cast<double>(cage.vertices.size()), asked = static_cast<double>(vertices);
    EXPECT_NEAR(n / asked, 1, 0.1) << what << ": " << n << " of " << asked;
}

/// Distances of the points from the surface of a mesh.
double rms_distance(const std::vector<Vec3>& points, const Mesh& mesh) {
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    double sum = 0;
    for (const Vec3& p : points) {
        const Vec3 away = tree.nearest(p).point - p;
        sum += dot(away, away);
    }
    return std::sqrt(sum / static_cast<double>(points.size()));
}

/// A cage of a closed mesh is that mesh over again.
void expect_like(const Mesh& cage, const Mesh& mesh, const std::string& what) {
    EXPECT_NEAR(volume(cage) / volume(mesh), 1, 0.02) << what;
    EXPECT_LE(rms_distance(cage.vertices, mesh), 0.3 * mean(edge_lengths(cage))) << what;
}

/// Nothing of the mesh is far outside.
void expect_covered(const Mesh& mesh, const Mesh& cage, const std::string& what) {
    const TriangleTree tree(cage.vertices, cage.triangles);
    const double edge = mean(edge_lengths(cage));
    std::size_t far = 0;
    for (const Vec3& p : mesh.vertices) far += norm(tree.nearest(p).point - p) > 2 * edge;
    // What lies inside may be as far from the surface as it likes; shells here are hollow.
    EXPECT_LE(static_cast<double>(far), 0.1 * static_cast<double>(mesh.vertices.size())) << what;
}

std::vector<std::pair<std::string, Mesh>> closed_shapes() {
    return {{"sphere", shapes::icosphere(1, 4)},
            {"torus", shapes::torus(0.4, 0.1, 60, 20)},
            {"cube", shapes::cube(1, 20)},
            {"bear", shapes::gummy_bear(1, 3000)},
            {"duck", shapes::rubber_duck(1, 3000)},
            {"thin bar", shapes::bar({1, 0.02, 0.3}, 60)},
            {"far away", transformed(shapes::icosphere(1, 3), {1000, -300, 20}, 1)},
            {"tiny", shapes::uv_sphere(1e-5, 20, 15)}};
}

TEST(Wrap, FollowsClosedMeshes) {
    for (const auto& [name, mesh] : closed_shapes())
        for (const std::size_t vertices : {400u, 2000u}) {
            const Mesh cage = wrap(mesh, vertices);
            expect_cage(cage, vertices, name);
            expect_like(cage, mesh, name);
        }
}

TEST(Wrap, FollowsMeshesInsideOut) {
    Mesh mesh = shapes::gummy_bear(1, 2000);
    const Mesh outward = mesh;
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    const Mesh cage = wrap(mesh, 1000);
    expect_cage(cage, 1000, "inside out");
    expect_like(cage, outward, "inside out");
    const double distance = rms_distance(cage.vertices, outward);
    EXPECT_LE(distance, 1.2 * rms_distance(wrap(outward, 1000).vertices, outward));
}

TEST(Wrap, KeepsACavityOfAClosedMesh) {
    Mesh mesh = shapes::icosphere(1, 3);
    const Mesh inner = shapes::icosphere(0.5, 3);
    for (const auto& [a, b, c] : inner.triangles)
        mesh.triangles.push_back({a + 642, c + 642, b + 642});
    mesh.vertices.insert(mesh.vertices.end(), inner.vertices.begin(), inner.vertices.end());
    const Mesh cage = wrap(mesh, 1000);
    expect_cage(cage, 1000, "hollow", 2);
    expect_like(cage, mesh, "hollow");
    EXPECT_EQ(split_bodies(cage).size(), 1u);
}

TEST(Wrap, EnclosesSoups) {
    const std::vector<std::pair<std::string, Mesh>> soups{
        {"tree", shapes::tree(1, 300)},
        {"bunny", shapes::broken_bunny(1, 3000, 8)},
        {"cake", shapes::cake(0.3)}};
    for (const auto& [name, mesh] : soups)
        for (const std::size_t vertices : {100u, 800u, 3000u}) {
            const Mesh cage = wrap(mesh, vertices);
            expect_cage(cage, vertices, name);
        }
    expect_covered(soups[0].second, wrap(soups[0].second, 3000), "tree");
}

TEST(Wrap, EnclosesRandomSoups) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Mesh soup = shapes::random_soup(seed);
        const std::string name = "soup " + std::to_string(seed);
        expect_cage(wrap(soup, 600), 600, name);
    }
}

TEST(Wrap, GivesSheetsAThickness) {
    Mesh sheet;
    sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    const Mesh cage = wrap(sheet, 800);
    expect_cage(cage, 800, "sheet");
    const Vec3 size = bounds(cage).extent();
    EXPECT_GT(size.y, 0.01);
    EXPECT_LT(size.y, 0.15);
    EXPECT_NEAR(size.x, 1, 0.15);
    EXPECT_NEAR(size.z, 1, 0.15);
}

TEST(Wrap, EnclosesPointsAndLines) {
    const Mesh ball = shapes::icosphere(1, 4);
    const Mesh cloud{"cloud", ball.vertices, {}};
    const Mesh around = wrap(cloud, 500);
    expect_cage(around, 500, "cloud");
    EXPECT_NEAR(volume(around) / volume(ball), 1, 0.35);

    Mesh helix;
    for (std::uint32_t k = 0; k < 100; ++k) {
        const double angle = 0.2 * k;
        helix.vertices.push_back({std::cos(angle), 0.02 * k, std::sin(angle)});
        if (k > 0) helix.triangles.push_back({k - 1, k, k});
    }
    for (const std::size_t vertices : {700u, 1500u}) {
        const Mesh tube = wrap(helix, vertices);
        expect_cage(tube, vertices, "helix");
        EXPECT_EQ(genus(tube), 0);
        EXPECT_LT(volume(tube), 1);  // not the coil as a whole
        EXPECT_LE(rms_distance(tube.vertices, helix), 1.2 * mean(edge_lengths(tube)));
    }
}

TEST(Wrap, HasEnoughVerticesAroundFewLines) {
    const Mesh lines{
        "lines", {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}}, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}}};
    for (const std::size_t vertices : {50u, 1000u, 5000u}) {
        const Mesh cage = wrap(lines, vertices);
        expect_cage(cage, vertices, "three lines");
        EXPECT_LE(rms_distance(cage.vertices, lines), 0.2);
    }
}

TEST(Wrap, JoinsPartsThatStandApart) {
    Mesh two = shapes::icosphere(0.5, 3);
    const Mesh other = transformed(two, {3, 0, 0});
    for (const auto& [a, b, c] : other.triangles)
        two.triangles.push_back({a + 642, b + 642, c + 642});
    two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
    expect_cage(wrap(two, 1000), 1000, "two balls");
}

TEST(Wrap, HasTheSameBitsForAllThreads) {
    for (const Mesh& mesh : {shapes::tree(1, 200), shapes::broken_bunny(1, 2000, 6)}) {
        const Mesh one = wrap_on(*make_thread_pool(1), mesh, 700);
        for (const int threads : {2, 5}) {
            const Mesh cage = wrap_on(*make_thread_pool(threads), mesh, 700);
            EXPECT_EQ(cage.triangles, one.triangles) << threads;
            EXPECT_EQ(cage.vertices, one.vertices) << threads;
        }
    }
}

TEST(Wrap, WrapsOrRefusesWhatIsInFiles) {
    const std::filesystem::path folder = std::filesystem::path(TURGOR_SHARED_MESHES) / "bad";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
    for (const char* name :
         {"21_quads_bob.obj", "26_soup_jitter_1e-7.obj", "31_nonmanifold_edge_4faces.obj",
          "33_inverted.obj", "35_duplicate_faces.obj", "37_klein_bottle.obj",
          "39_two_components.obj", "45_single_triangle.obj", "47_flat_tetra.obj",
          "49_scale_1e9.obj"})
        expect_cage(wrap(read_mesh(folder / name), 300), 300, name);
    Status status;
    wrap(read_mesh(folder / "51_scale_1e300.obj"), 300, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_mesh);
}

TEST(Wrap, RefusesWhatHasNoExtent) {
    const auto code_of = [](const Mesh& mesh, std::size_t vertices) {
        Status status;
        wrap(mesh, vertices, &status);
        return status.code;
    };
    const Mesh point{"point", {{1, 2, 3}}, {}}, nothing;
    EXPECT_EQ(code_of(point, 100), ErrorCode::bad_mesh);
    EXPECT_EQ(code_of(nothing, 100), ErrorCode::bad_mesh);
    EXPECT_EQ(code_of(shapes::cube(1, 5), 19), ErrorCode::bad_argument);
    EXPECT_EQ(code_of(shapes::cube(1, 5), 100001), ErrorCode::bad_argument);
    Mesh wild = shapes::cube(1, 3);
    wild.vertices[0].x = std::nan("");
    EXPECT_EQ(code_of(wild, 100), ErrorCode::bad_mesh);
}

TEST(Wrap, IsGivenUpWhenNobodyWaits) {
    const std::atomic<bool> wanted = true;
    const CancelScope scope(wanted);
    EXPECT_THROW(wrap(shapes::icosphere(1, 3), 1000), Cancelled);
}

TEST(Wrap, TellsHowFarItIs) {
    std::size_t last = 0, all = 0;
    {
        const ProgressScope scope([&](std::string_view what, std::size_t done, std::size_t of) {
            EXPECT_EQ(what, "cage of icosphere");
            EXPECT_EQ(done, ++last);
            EXPECT_LE(done, all = of);
        });
        Mesh ball = shapes::icosphere(1, 3);
        ball.name = "icosphere";
        wrap(ball, 300);
    }
    EXPECT_GT(all, 0u);
    EXPECT_EQ(last, all);
}

}  // namespace
}  // namespace turgor
