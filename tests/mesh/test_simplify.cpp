#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "mesh/intersections.hpp"
#include "mesh/simplify_surface.hpp"
#include "mesh/triangle_tree.hpp"
#include "mesh_checks.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

using namespace checks;

Mesh joined(Mesh a, const Mesh& b) {
    const auto first = static_cast<std::uint32_t>(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const auto& [i, j, k] : b.triangles)
        a.triangles.push_back({first + i, first + j, first + k});
    return a;
}

Mesh inside_out(Mesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// A ball of radius 1 with a ball-shaped hole of radius 0.5.
Mesh ball_with_cavity() {
    return joined(shapes::icosphere(1, 4), inside_out(shapes::icosphere(0.5, 3)));
}

/// How far the points of `a` are from `b` at most.
double greatest_distance(const Mesh& a, const Mesh& b) {
    const TriangleTree tree(b.vertices, b.triangles);
    double most = 0;
    for (const Vec3& p : a.vertices) most = std::max(most, tree.nearest(p).distance);
    return most;
}

/// The share of triangles that face against the surface they stand for.
double flipped_share(const Mesh& mesh, const Mesh& original) {
    const TriangleTree tree(original.vertices, original.triangles);
    std::size_t flipped = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 middle = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
        const Triangle& nearest = original.triangles[tree.nearest(middle).triangle];
        flipped += dot(triangle_normal(mesh, t), triangle_normal(original, nearest)) < 0;
    }
    return static_cast<double>(flipped) / static_cast<double>(mesh.triangles.size());
}

/// What holds for every result, however coarse.
void expect_sound(const Mesh& mesh, const Mesh& original) {
    ASSERT_TRUE(is_closed_manifold(mesh));
    EXPECT_EQ(component_count(mesh), component_count(original));
    EXPECT_EQ(genus(mesh), genus(original));
    EXPECT_NEAR(volume(mesh) / volume(original), 1, 1e-9);
    EXPECT_EQ(mesh.name, original.name);
}

void expect_good(const Mesh& original, std::size_t n) {
    SCOPED_TRACE(original.name + " to " + std::to_string(n));
    const Mesh mesh = simplify(original, n);
    expect_sound(mesh, original);
    EXPECT_NEAR(static_cast<double>(mesh.vertices.size()), static_cast<double>(n), 0.05 * n);
    EXPECT_TRUE(self_intersections(mesh).empty());
    const auto angles = smallest_angles(mesh);
    EXPECT_GT(percentile(angles, 0.01), 20);
    EXPECT_GT(percentile(angles, 0.05), 35);
    const auto lengths = edge_lengths(mesh);
    EXPECT_LT(percentile(lengths, 0.98) / percentile(lengths, 0.02), 2.2);
}

TEST(Simplify, KeepsTopologyAndVolumeOfShapes) {
    expect_good(shapes::icosphere(0.7, 4), 600);
    expect_good(shapes::uv_sphere(1, 100, 60), 400);
    expect_good(shapes::torus(1, 0.35, 80, 32), 500);
    expect_good(shapes::capsule(0.2, 2, 40), 300);
    expect_good(shapes::cube(1, 20), 500);
    expect_good(shapes::bar({0.1, 0.1, 2}, 150), 300);
    expect_good(shapes::gummy_bear(0.3, 4000), 700);
    expect_good(ball_with_cavity(), 700);
}

TEST(Simplify, KeepsEachPartsVolume) {
    const Mesh coarse = simplify(ball_with_cavity(), 300);
    double inner = 0, outer = 0;
    for (const auto& [a, b, c] : coarse.triangles) {
        const Vec3 p = coarse.vertices[a], q = coarse.vertices[b], r = coarse.vertices[c];
        (norm(p) < 0.75 ? inner : outer) += dot(p, cross(q, r)) / 6;
    }
    EXPECT_NEAR(outer, volume(shapes::icosphere(1, 4)), 1e-9);
    EXPECT_NEAR(inner, -volume(shapes::icosphere(0.5, 3)), 1e-9);
}

TEST(Simplify, StaysCloseToTheSurface) {
    const Mesh ball = shapes::icosphere(1, 5);
    // an edge of 0.12 leaves a sagitta of 0.12²/8 · 4/3 in the middle of a triangle
    const Mesh coarse = simplify(ball, 1000);
    EXPECT_LT(greatest_distance(coarse, ball), 0.004);
    EXPECT_LT(greatest_distance(ball, coarse), 0.006);
    const Mesh bear = shapes::gummy_bear(1, 6000);
    const Mesh small_bear = simplify(bear, 1500);
    EXPECT_LT(greatest_distance(bear, small_bear), 0.02);
    EXPECT_LT(greatest_distance(small_bear, bear), 0.02);
    EXPECT_EQ(flipped_share(small_bear, bear), 0);
    EXPECT_EQ(flipped_share(coarse, ball), 0);
}

TEST(Simplify, ReturnsTheSmallestValidMeshWhenAskedForTooFew) {
    const Mesh ball = shapes::icosphere(1, 3), ring = shapes::torus(1, 0.4, 40, 20);
    const Mesh two = joined(ball, transformed(ball, {3, 0, 0}));
    for (std::size_t n : {1, 2, 4, 5, 7, 9, 12, 20}) {
        SCOPED_TRACE(n);
        const Mesh a = simplify(ball, n), b = simplify(ring, n), c = simplify(two, n);
        expect_sound(a, ball), expect_sound(b, ring), expect_sound(c, two);
        EXPECT_LE(a.vertices.size(), std::max<std::size_t>(n, 5));
        EXPECT_LE(b.vertices.size(), std::max<std::size_t>(n, 14));
        EXPECT_LE(c.vertices.size(), std::max<std::size_t>(n, 10));
    }
}

TEST(Simplify, ReturnsTheMeshItselfWhenAskedForAsMany) {
    const Mesh cube = shapes::cube(1, 4);
    for (std::size_t n : {cube.vertices.size(), cube.vertices.size() + 1, ~std::size_t{0}}) {
        EXPECT_EQ(simplify(cube, n).vertices, cube.vertices);
        EXPECT_EQ(simplify(cube, n).triangles, cube.triangles);
    }
}

TEST(Simplify, IsTheSameEveryTimeAndAtEverySize) {
    const Mesh bear = shapes::gummy_bear(1, 3000);
    const Mesh a = simplify(bear, 500), b = simplify(bear, 500);
    EXPECT_EQ(a.vertices, b.vertices);
    EXPECT_EQ(a.triangles, b.triangles);
    const double huge = std::ldexp(1.0, 300);
    const Mesh c = simplify(transformed(bear, {}, huge), 500);
    EXPECT_EQ(a.triangles, c.triangles);
    EXPECT_LT(norm(c.vertices[7] / huge - a.vertices[7]), 1e-9);
}

TEST(Simplify, RefusesWhatIsNoClosedMesh) {
    const Mesh ball = shapes::icosphere(1, 2);
    auto refused_as = [](const Mesh& mesh, std::size_t n) {
        try {
            simplify(mesh, n);
        } catch (const Error& e) {
            return e.code();
        }
        return ErrorCode::none;
    };
    EXPECT_EQ(refused_as(ball, 0), ErrorCode::bad_argument);
    Mesh bad = ball;
    bad.triangles.pop_back();
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "a hole";
    bad = ball;
    bad.triangles[3][1] = 1000000;
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "index";
    bad = ball;
    bad.vertices[5].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "nan";
    bad = ball;
    std::swap(bad.triangles[3][1], bad.triangles[3][2]);
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "a turned triangle";
    bad = ball;
    for (Vec3& p : bad.vertices) p = {1, 2, 3};
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "a point";
    bad = joined(ball, transformed(ball, {2, 0, 0}));
    for (Triangle& t : bad.triangles)
        for (std::uint32_t& v : t)
            if (v == ball.vertices.size()) v = 0;
    EXPECT_EQ(refused_as(bad, 50), ErrorCode::bad_mesh) << "two balls that share a vertex";
}

TEST(Simplify, LeavesOutUnusedVertices) {
    Mesh ball = shapes::icosphere(1, 3);
    ball.vertices.push_back({0, 0, 0.5});
    const Mesh coarse = simplify(ball, 100);
    EXPECT_EQ(coarse.vertices.size(), 100u);
    EXPECT_TRUE(is_closed_manifold(coarse));
}

TEST(Simplify, SurvivesZeroAreaTriangles) {
    // all points of the grid on three planes: many triangles without area
    Mesh flat = shapes::cube(1, 12);
    for (Vec3& p : flat.vertices) p.x = std::round(p.x * 2) / 2;
    const Mesh coarse = simplify(flat, 200);
    EXPECT_TRUE(is_closed_manifold(coarse));
    for (const Vec3& p : coarse.vertices) EXPECT_TRUE(is_finite(p));
}

TEST(Simplify, TakesNoQuadraticTime) {
    const auto seconds = [](const Mesh& mesh, std::size_t n) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_TRUE(is_closed_manifold(simplify(mesh, n)));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // poles with thousands of triangles each
    EXPECT_LT(seconds(shapes::uv_sphere(1, 4000, 10), 500), 20);
    EXPECT_LT(seconds(shapes::torus(1, 0.3, 400, 200), 2000), 20);
}

TEST(Simplify, HandlesRealMeshes) {
    const std::filesystem::path folder = TURGOR_SHARED_MESHES;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
    for (const auto& [file, n] : {std::pair{"armadillo_5400", 1000},
                                  {"armadillo_5400", 500},
                                  {"horse_10000", 2000},
                                  {"rocker-arm_5400", 1000},
                                  {"bunny_5400", 600},
                                  {"spot_5400", 700}})
        expect_good(load_mesh(folder / (std::string(file) + ".obj")), static_cast<std::size_t>(n));
}

TEST(EditSurface, OperationsKeepTheSurfaceManifold) {
    EditSurface surface(shapes::torus(1, 0.4, 12, 8));
    std::uint64_t state = 7;
    auto random = [&](std::uint32_t end) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((state >> 33) % end);
    };
    for (int i = 0; i < 3000; ++i) {
        const std::uint32_t h = random(surface.half_edge_end());
        if (!surface.alive(h)) continue;
        const std::uint32_t operation = random(3);
        const Vec3 p = surface.position(surface.origin(h));
        if (operation == 0 && surface.vertex_count() < 150) surface.split(h, p);
        if (operation == 1 && surface.can_flip(h)) surface.flip(h);
        if (operation == 2 && surface.can_collapse(h)) surface.collapse(h, p);
        if (i % 100 == 0) {
            surface.compact();
            const Mesh mesh = surface.to_mesh("");
            ASSERT_TRUE(is_closed_manifold(mesh)) << i;
            ASSERT_EQ(genus(mesh), 1);
            ASSERT_EQ(mesh.vertices.size(), surface.vertex_count());
        }
    }
}

}  // namespace
}  // namespace turgor
