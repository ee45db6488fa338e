#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "mesh/intersections.hpp"
#include "mesh_checks.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

using namespace checks;
using std::numbers::pi;

void expect_good(const Mesh& mesh, long expected_genus) {
    EXPECT_TRUE(is_closed_manifold(mesh)) << mesh.name;
    EXPECT_EQ(component_count(mesh), 1u) << mesh.name;
    EXPECT_EQ(genus(mesh), expected_genus) << mesh.name;
    EXPECT_GT(volume(mesh), 0) << mesh.name << " is inside out";
    EXPECT_TRUE(self_intersections(mesh).empty()) << mesh.name;
    EXPECT_FALSE(mesh.name.empty());
    Vec3 centre;
    for (const Vec3& p : mesh.vertices) centre += p / static_cast<double>(mesh.vertices.size());
    EXPECT_LT(norm(centre), 1e-12) << mesh.name;
}

TEST(Primitives, AreClosedManifoldAndOutward) {
    for (const auto& [segments, rings] :
         {std::pair{3, 1}, {3, 2}, {4, 1}, {7, 4}, {20, 19}, {21, 8}})
        expect_good(shapes::uv_sphere(0.7, segments, rings), 0);
    for (int subdivisions = 0; subdivisions < 4; ++subdivisions)
        expect_good(shapes::icosphere(2.5, subdivisions), 0);
    for (const auto& [major, minor] : {std::pair{3, 3}, {4, 5}, {30, 12}, {31, 11}})
        expect_good(shapes::torus(1, 0.3, major, minor), 1);
    for (int points : {2, 3, 4, 5, 10}) expect_good(shapes::cube(0.3, points), 0);
    for (int points : {2, 3, 9, 20}) expect_good(shapes::bar({0.2, 1.5, 0.33}, points), 0);
    for (int segments : {3, 4, 9, 24}) {
        expect_good(shapes::capsule(0.2, 1, segments), 0);
        expect_good(shapes::capsule(0.2, 0.4, segments), 0);
    }
}

TEST(Primitives, HaveTheDocumentedVertexCounts) {
    EXPECT_EQ(shapes::uv_sphere(1, 20, 19).vertices.size(), 382u);
    EXPECT_EQ(shapes::uv_sphere(1, 40, 39).vertices.size(), 1562u);
    EXPECT_EQ(shapes::icosphere(1, 0).vertices.size(), 12u);
    EXPECT_EQ(shapes::icosphere(1, 4).vertices.size(), 2562u);
    EXPECT_EQ(shapes::torus(1, 0.3, 30, 12).vertices.size(), 360u);
    EXPECT_EQ(shapes::cube(1, 2).vertices.size(), 8u);
    EXPECT_EQ(shapes::cube(1, 31).vertices.size(), 5402u);
    EXPECT_EQ(shapes::cube(1, 72).vertices.size(), 30248u);
}

/// The error of the volume must fall with the square of the edge length.
void expect_second_order(double exact, const std::function<Mesh(int)>& shape) {
    const double coarse = std::abs(volume(shape(1)) / exact - 1);
    const double fine = std::abs(volume(shape(2)) / exact - 1);
    EXPECT_LT(coarse, 0.1);
    EXPECT_NEAR(coarse / fine, 4, 0.5) << coarse << " then " << fine;
}

TEST(Primitives, VolumesConvergeToTheExactOnes) {
    const double ball = 4.0 / 3 * pi * 8;
    expect_second_order(ball, [](int k) { return shapes::uv_sphere(2, 20 * k, 20 * k - 1); });
    expect_second_order(ball, [](int k) { return shapes::icosphere(2, 1 + k); });
    expect_second_order(2 * pi * pi * 1.5 * 0.25,
                        [](int k) { return shapes::torus(1.5, 0.5, 40 * k, 16 * k); });
    expect_second_order(pi * 0.25 * 2 + pi / 6,
                        [](int k) { return shapes::capsule(0.5, 3, 20 * k); });
    EXPECT_NEAR(volume(shapes::cube(0.3, 7)), 0.027, 1e-15);
    EXPECT_NEAR(volume(shapes::bar({0.2, 1.5, 0.4}, 16)), 0.12, 1e-15);
    EXPECT_NEAR(area(shapes::bar({0.2, 1.5, 0.4}, 16)), 2 * (0.3 + 0.6 + 0.08), 1e-12);
}

TEST(Primitives, HaveTheirSize) {
    const Bounds capsule = bounds(shapes::capsule(0.25, 1.5, 16));
    EXPECT_DOUBLE_EQ(capsule.extent().y, 1.5);
    EXPECT_NEAR(capsule.extent().z, 0.5, 1e-12);
    const Bounds bar = bounds(shapes::bar({0.2, 1.5, 0.4}, 16));
    EXPECT_EQ(bar.upper, (Vec3{0.1, 0.75, 0.2}));
    EXPECT_EQ(bar.lower, (Vec3{-0.1, -0.75, -0.2}));
    for (const Vec3& p : shapes::icosphere(3, 3).vertices) EXPECT_NEAR(norm(p), 3, 1e-14);
    const Bounds torus = bounds(shapes::torus(1, 0.25, 32, 16));
    EXPECT_NEAR(torus.extent().y, 0.5, 1e-12) << "the axis is y";
    EXPECT_NEAR(torus.extent().x, 2.5, 1e-12);
}

TEST(Primitives, BarCellsAreNearlySquare) {
    const auto lengths = edge_lengths(shapes::bar({0.2, 1.5, 0.4}, 31));
    EXPECT_LT(percentile(lengths, 1) / percentile(lengths, 0), 1.6);
}

TEST(Primitives, CapsuleTrianglesAwayFromTheTipsAreEven) {
    EXPECT_GT(percentile(smallest_angles(shapes::capsule(0.25, 2, 24)), 0.25), 35);
}

using Edge3 = std::set<std::tuple<double, double, double>>;

std::set<Edge3> edges_of(const Mesh& mesh, const std::function<Vec3(Vec3)>& map) {
    std::set<Edge3> edges;
    auto key = [](Vec3 p) {
        // − 0 and 0 are one
        return std::tuple{p.x + 0.0, p.y + 0.0, p.z + 0.0};
    };
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            edges.insert({key(map(mesh.vertices[t[k]])), key(map(mesh.vertices[t[(k + 1) % 3]]))});
    return edges;
}

TEST(Primitives, CubeHasTheSymmetriesOfACube) {
    const Mesh cube = shapes::cube(1, 5);
    const auto edges = edges_of(cube, [](Vec3 p) { return p; });
    EXPECT_EQ(edges, edges_of(cube, [](Vec3 p) { return Vec3{-p.x, p.y, p.z}; }));
    EXPECT_EQ(edges, edges_of(cube, [](Vec3 p) { return Vec3{p.y, p.x, p.z}; }));
    EXPECT_EQ(edges, edges_of(cube, [](Vec3 p) { return Vec3{p.y, p.z, p.x}; }));
    const Mesh even = shapes::cube(1, 6);
    EXPECT_EQ(edges_of(even, [](Vec3 p) { return p; }), edges_of(even, [](Vec3 p) {
                  return Vec3{p.z, p.x, p.y};
              }));
}

/// Runs `make`, which must fail with bad_argument and a sentence that names `word`.
void expect_refused(const char* word, const std::function<Mesh()>& make) {
    try {
        make();
        ADD_FAILURE() << "accepted: " << word;
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_argument);
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
}

TEST(Primitives, RefuseNumbersOutOfRange) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr int most = std::numeric_limits<int>::max();
    for (double bad : {0.0, -1.0, nan, inf}) {
        expect_refused("radius", [=] { return shapes::uv_sphere(bad, 8, 8); });
        expect_refused("radius", [=] { return shapes::icosphere(bad, 1); });
        expect_refused("radius", [=] { return shapes::torus(bad, 0.1, 8, 8); });
        expect_refused("radius", [=] { return shapes::torus(1, bad, 8, 8); });
        expect_refused("side", [=] { return shapes::cube(bad, 4); });
        expect_refused("side", [=] { return shapes::bar({1, bad, 1}, 4); });
        expect_refused("radius", [=] { return shapes::capsule(bad, 3, 8); });
        expect_refused("height", [=] { return shapes::capsule(1, bad, 8); });
    }
    expect_refused("segments", [] { return shapes::uv_sphere(1, 2, 8); });
    expect_refused("rings", [] { return shapes::uv_sphere(1, 8, 0); });
    expect_refused("subdivisions", [] { return shapes::icosphere(1, -1); });
    expect_refused("minor", [] { return shapes::torus(1, 0.1, 8, 2); });
    expect_refused("tube", [] { return shapes::torus(1, 1, 8, 8); });
    expect_refused("points", [] { return shapes::cube(1, 1); });
    expect_refused("height", [] { return shapes::capsule(1, 1.9, 8); });
    expect_refused("million", [] { return shapes::uv_sphere(1, most, most); });
    expect_refused("million", [] { return shapes::icosphere(1, most); });
    expect_refused("million", [] { return shapes::icosphere(1, 12); });
    expect_refused("million", [] { return shapes::torus(1, 0.1, most, most); });
    expect_refused("million", [] { return shapes::cube(1, most); });
    expect_refused("million", [] { return shapes::bar({1, 1, 1}, 10000); });
    expect_refused("million", [] { return shapes::capsule(1e-9, 1e9, 100); });
    expect_refused("million", [] { return shapes::capsule(1, 10, most); });
}

}  // namespace
}  // namespace turgor
