#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "mesh/characters.hpp"
#include "mesh/implicit.hpp"
#include "mesh/intersections.hpp"
#include "mesh_checks.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

using namespace checks;

struct Character {
    const char* name;
    Mesh (*make)(double height, std::size_t vertices);
};

void PrintTo(const Character& character, std::ostream* out) {
    *out << character.name;
}

class Characters : public testing::TestWithParam<Character> {
protected:
    /// The character with a height of 1, made once for all tests.
    const Mesh& character(std::size_t vertices) {
        static std::map<std::pair<std::string, std::size_t>, Mesh> made;
        Mesh& mesh = made[{GetParam().name, vertices}];
        if (mesh.vertices.empty()) mesh = GetParam().make(1, vertices);
        return mesh;
    }
};

INSTANTIATE_TEST_SUITE_P(Our, Characters,
                         testing::Values(Character{"gummy_bear", shapes::gummy_bear},
                                         Character{"rubber_duck", shapes::rubber_duck},
                                         Character{"shoe", shapes::shoe}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Characters, AreSoundAtAnyResolution) {
    for (std::size_t n : {200, 237, 500, 1500, 3001, 12000}) {
        SCOPED_TRACE(n);
        const Mesh& mesh = character(n);
        EXPECT_EQ(mesh.name, GetParam().name);
        EXPECT_NEAR(static_cast<double>(mesh.vertices.size()), static_cast<double>(n), 0.02 * n);
        ASSERT_TRUE(is_closed_manifold(mesh));
        EXPECT_EQ(component_count(mesh), 1u);
        EXPECT_EQ(genus(mesh), 0);
        EXPECT_GT(volume(mesh), 0);
        EXPECT_TRUE(self_intersections(mesh).empty());
    }
}

TEST_P(Characters, HaveEvenTriangles) {
    for (std::size_t n : {200, 500, 1500, 12000}) {
        SCOPED_TRACE(n);
        const Mesh& mesh = character(n);
        const auto angles = smallest_angles(mesh);
        EXPECT_GT(percentile(angles, 0), 20);
        EXPECT_GT(percentile(angles, 0.01), 35);
        EXPECT_GT(percentile(angles, 0.5), 50);
        const auto lengths = edge_lengths(mesh);
        const double usual = percentile(lengths, 0.5);
        EXPECT_GT(percentile(lengths, 0.01), 0.65 * usual);
        EXPECT_LT(percentile(lengths, 0.99), 1.35 * usual);
    }
}

TEST_P(Characters, StandOnTheGroundWithTheirHeight) {
    for (std::size_t n : {200, 1000}) {
        const Bounds box = bounds(GetParam().make(0.4, n));
        EXPECT_NEAR(box.lower.y, 0, 1e-12);
        EXPECT_NEAR(box.extent().y, 0.4, 1e-12);
        EXPECT_NEAR(box.centre().x, 0, 1e-12);
    }
}

/// The front differs from the back, left is about the mirror image of right.
TEST_P(Characters, AreSymmetricToTheEye) {
    const Mesh& mesh = character(3001);
    Vec3 centre;
    double total = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3 p = mesh.vertices[a], q = mesh.vertices[b], r = mesh.vertices[c];
        const double v = dot(p, cross(q, r)) / 6;
        centre += v / 4 * (p + q + r), total += v;
    }
    EXPECT_NEAR(centre.x / total, 0, 0.002);
    EXPECT_LT(centre.y / total, 0.5) << "it would fall over";
}

TEST_P(Characters, KeepTheirShapeOverResolutions) {
    const double fine = volume(character(12000));
    for (std::size_t n : {200, 500, 2000})
        EXPECT_NEAR(volume(GetParam().make(1, n)) / fine, 1, 0.08);
}

TEST_P(Characters, AreTheSameEveryTime) {
    for (std::size_t n : {500, 12000}) {
        const Mesh again = GetParam().make(1, n);
        EXPECT_EQ(again.vertices, character(n).vertices);
        EXPECT_EQ(again.triangles, character(n).triangles);
    }
}

TEST_P(Characters, RefuseNumbersOutOfRange) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (double height : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
        EXPECT_THROW(GetParam().make(height, 500), Error);
    for (std::size_t n : {std::size_t{0}, std::size_t{199}, ~std::size_t{0}})
        EXPECT_THROW(GetParam().make(1, n), Error);
}

template <class Part>
void expect_gradient(const Part& part) {
    const double step = 1e-6;
    for (const Vec3 p : {Vec3{0.31, 0.42, -0.2}, Vec3{-0.5, 0.1, 0.33}, Vec3{0.11, -0.62, 0.4}}) {
        const FieldSample sample = part(p);
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 a = p, b = p;
            a[axis] -= step, b[axis] += step;
            EXPECT_NEAR((part(b).value - part(a).value) / (2 * step), sample.gradient[axis], 1e-6);
        }
    }
}

TEST(Implicit, GradientsMatchDifferences) {
    const Ellipsoid ellipsoid{{0.1, 0, 0.05}, {0.3, 0.2, 0.5}, Quat::about({1, 2, 3}, 0.7)};
    const RoundCone cone{{-0.4, -0.1, 0}, {0.5, 0.2, 0.1}, 0.2, 0.1};
    expect_gradient(ellipsoid);
    expect_gradient(cone);
    expect_gradient([&](Vec3 p) { return smooth_union(ellipsoid(p), cone(p), 0.4); });
    expect_gradient([&](Vec3 p) { return smooth_intersection(ellipsoid(p), cone(p), 0.4); });
}

TEST(Implicit, PolygonisesABall) {
    const Field ball = Ellipsoid{{0.01, 0.02, 0.03}, {0.5, 0.5, 0.5}};
    double error = 1;
    for (double cell : {0.1, 0.05, 0.025}) {
        const Mesh mesh = polygonise(ball, {{-0.7, -0.7, -0.7}, {0.7, 0.7, 0.7}}, cell);
        EXPECT_TRUE(is_closed_manifold(mesh));
        EXPECT_EQ(genus(mesh), 0);
        const double now = std::abs(volume(mesh) / (4.0 / 3 * 3.14159265358979 * 0.125) - 1);
        EXPECT_LT(now, 0.5 * error);
        error = now;
    }
    EXPECT_LT(error, 0.005);
    EXPECT_THROW(polygonise(ball, {{-0.7, -0.7, -0.2}, {0.7, 0.7, 0.7}}, 0.05), Error);
}

TEST(Implicit, PolygonisesASpongeWithoutGaps) {
    // a sponge with pores of two cells in size
    const Field sponge = [](Vec3 p) {
        const double wave =
            std::sin(31 * p.x + 1) * std::sin(29 * p.y + 2) * std::sin(37 * p.z + 3);
        const double ball = norm(p) - 0.8;
        return FieldSample{std::max(ball, wave), {}};
    };
    const Mesh mesh = polygonise(sponge, {{-1, -1, -1}, {1, 1, 1}}, 0.05);
    EXPECT_GT(genus(mesh), 100);
    EXPECT_TRUE(is_closed_manifold(mesh));
}

TEST(Implicit, ProjectsOntoTheSurface) {
    const Field field = Ellipsoid{{0, 0, 0}, {0.5, 0.3, 0.4}};
    const Vec3 near{0.3, 0.2, 0.2};
    const Vec3 on = project_to_zero(field, near, normalized(near));
    EXPECT_NEAR(field(on).value, 0, 1e-6);
    EXPECT_LT(norm(on - near), 0.1);
    EXPECT_EQ(project_to_zero(field, near, -normalized(near)), near) << "the wrong side";
}

}  // namespace
}  // namespace turgor
