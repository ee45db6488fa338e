#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "elastic/surface/surface.hpp"
#include "volume/volume.hpp"

namespace turgor {
namespace {

std::vector<Vec3> crumpled(const Mesh& mesh, double amount, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> x = mesh.vertices;
    for (Vec3& p : x) p += amount * random.in_cube();
    return x;
}

TEST(Volume, unit_cube_is_one_wherever_it_is) {
    const Mesh cube = shapes::cube(1, 5);
    EXPECT_NEAR(enclosed_volume(cube.vertices, cube.triangles), 1, 1e-14);
    const Mesh far = transformed(cube, {1e6, -3e5, 2e6});
    EXPECT_NEAR(enclosed_volume(far.vertices, far.triangles), 1, 1e-8);
}

TEST(Volume, equation_8_holds_with_the_area_normals) {
    const Mesh duck = shapes::rubber_duck(1, 500);
    std::vector<Vec3> n(duck.vertices.size());
    area_normals(duck.vertices, duck.triangles, n);
    double sum = 0;
    for (std::size_t i = 0; i < n.size(); ++i) sum += dot(duck.vertices[i], n[i]) / 3;
    EXPECT_NEAR(sum, 3 * enclosed_volume(duck.vertices, duck.triangles), 1e-12);
}

TEST(Volume, sphere_converges_to_four_thirds_pi) {
    const double exact = 4 * std::numbers::pi / 3;
    double before = 1;
    for (int k = 2; k <= 5; ++k) {
        const Mesh s = shapes::icosphere(1, k);
        const double error = 1 - enclosed_volume(s.vertices, s.triangles) / exact;
        EXPECT_GT(error, 0);
        EXPECT_LT(error, 0.3 * before);
        before = error;
    }
}

TEST(Volume, gradient_is_a_third_of_the_area_normal_by_finite_differences) {
    const Mesh bear = shapes::gummy_bear(1, 300);
    std::vector<Vec3> x = crumpled(bear, 0.02, 5), n(x.size());
    area_normals(x, bear.triangles, n);
    constexpr double e = 1e-5;
    for (std::size_t i = 0; i < x.size(); i += 7)
        for (int axis = 0; axis < 3; ++axis) {
            const double keep = x[i][axis];
            x[i][axis] = keep + e;
            const double up = enclosed_volume(x, bear.triangles);
            x[i][axis] = keep - e;
            const double down = enclosed_volume(x, bear.triangles);
            x[i][axis] = keep;
            EXPECT_NEAR((up - down) / (2 * e), n[i][axis] / 3, 1e-9);
        }
}

TEST(Volume, cubic_is_the_volume_along_a_line) {
    const Mesh torus = shapes::torus(1, 0.4, 20, 12);
    Random random(2);
    std::vector<Vec3> d(torus.vertices.size());
    for (Vec3& v : d) v = random.in_cube();
    const VolumeCubic cubic = volume_cubic(torus.vertices, d, torus.triangles);
    for (const double t : {-0.7, -0.1, 0.0, 0.3, 1.0}) {
        std::vector<Vec3> x = torus.vertices;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * d[i];
        EXPECT_NEAR(cubic.at(t), enclosed_volume(x, torus.triangles), 1e-12);
    }
}

TEST(RootNearestZero, finds_the_nearest_of_random_roots) {
    Random random(4);
    for (int k = 0; k < 100000; ++k) {
        const double r[3] = {random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)},
                     a = random.between(-1, 1);
        double nearest = r[0];
        for (const double x : r)
            if (std::abs(x) < std::abs(nearest)) nearest = x;
        const VolumeCubic cubic{{1 - a * r[0] * r[1] * r[2],
                                 a * (r[0] * r[1] + r[1] * r[2] + r[2] * r[0]),
                                 -a * (r[0] + r[1] + r[2]), a}};
        const Root root = root_nearest_zero(cubic, 1);
        if (std::abs(a) < 1e-3) continue;
        ASSERT_TRUE(root.found);
        EXPECT_NEAR(cubic.at(root.value), 1, 1e-9);
        EXPECT_LE(std::abs(root.value), std::abs(nearest) + 1e-4);
    }
}

TEST(RootNearestZero, degenerate_polynomials) {
    EXPECT_FALSE(root_nearest_zero({{1, 0, 0, 0}}, 2).found);
    EXPECT_FALSE(root_nearest_zero({{1, 0, 1, 0}}, 0.5).found);
    EXPECT_NEAR(root_nearest_zero({{1, 2, 0, 0}}, 2).value, 0.5, 1e-14);
    EXPECT_EQ(root_nearest_zero({{1, 2, 3, 4}}, 1).value, 0);
    EXPECT_NEAR(root_nearest_zero({{1, 1, 0, 0}}, 1 + 1e-13).value, 1e-13, 1e-15);
    EXPECT_FALSE(root_nearest_zero({{NAN, 1, 1, 1}}, 1).found);
}

/// A dented duck with uneven masses and weights, to be corrected.
struct Dented {
    std::shared_ptr<const BodyAsset> asset = bake_surface(shapes::rubber_duck(1, 400)).asset;
    std::vector<Vec3> x = asset->rest, start = asset->rest;
    std::vector<double> mass, weight;
    Dented() {
        Random random(9);
        for (std::size_t i = 0; i < x.size(); ++i) {
            mass.push_back(asset->mass[i] * random.between(0.5, 2));
            weight.push_back(random.between(0.1, 2));
            if (x[i].y > 0.2) x[i].y *= 0.9;
            start[i] += 0.01 * random.in_cube();
        }
    }
    VolumeProblem problem(std::span<const Support> supports = {}) const {
        return {*asset, asset->rest_volume, mass, weight, supports, 1, true, true};
    }
};

TEST(CorrectPositions, volume_is_exact_and_the_correction_has_no_momentum) {
    Dented d;
    const std::vector<Vec3> before = d.x;
    EXPECT_LT(correct_positions(d.problem(), d.start, d.x), -1e-3);
    EXPECT_NEAR(enclosed_volume(d.x, d.asset->triangles) / d.asset->rest_volume, 1, 1e-13);
    Vec3 linear, angular;
    double scale = 0;
    for (std::size_t i = 0; i < d.x.size(); ++i) {
        const Vec3 p = d.mass[i] * (d.x[i] - before[i]);
        linear += p;
        angular += cross(d.start[i], p);
        scale += norm(p);
    }
    EXPECT_LT(norm(linear), 1e-12 * scale);
    EXPECT_LT(norm(angular), 1e-12 * scale);
}

TEST(CorrectPositions, held_particles_stay_put) {
    Dented d;
    std::vector<Support> supports(d.x.size());
    for (std::size_t i = 0; i < d.x.size(); ++i)
        if (d.x[i].y < -0.2) supports[i] = {1, {0, 1, 0}};
    const std::vector<Vec3> before = d.x;
    correct_positions(d.problem(supports), d.start, d.x);
    EXPECT_NEAR(enclosed_volume(d.x, d.asset->triangles) / d.asset->rest_volume, 1, 1e-13);
    for (std::size_t i = 0; i < d.x.size(); ++i)
        if (supports[i].hold == 1) {
            EXPECT_EQ(d.x[i], before[i]);
        }
}

TEST(CorrectPositions, keeps_the_volume_even_if_everything_is_held) {
    Dented d;
    const std::vector<Support> all(d.x.size(), Support{1, {0, 1, 0}});
    correct_positions(d.problem(all), d.start, d.x);
    EXPECT_NEAR(enclosed_volume(d.x, d.asset->triangles) / d.asset->rest_volume, 1, 1e-12);
}

TEST(CorrectPositions, rest_stays_at_rest) {
    Dented d;
    d.x = d.asset->rest;
    correct_positions(d.problem(), d.start, d.x);
    for (std::size_t i = 0; i < d.x.size(); ++i) EXPECT_LT(norm(d.x[i] - d.asset->rest[i]), 1e-13);
}

TEST(CorrectVelocities, field_becomes_divergence_free_and_keeps_its_momentum) {
    Dented d;
    Random random(11);
    std::vector<Vec3> v(d.x.size()), n(d.x.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = d.x[i] + 0.3 * random.in_cube();
    const auto momentum = [&] {
        Vec3 p, l;
        for (std::size_t i = 0; i < v.size(); ++i) {
            p += d.mass[i] * v[i];
            l += cross(d.x[i], d.mass[i] * v[i]);
        }
        return std::pair(p, l);
    };
    const auto before = momentum();
    correct_velocities(d.problem(), 0.005, d.x, v);
    const auto after = momentum();
    area_normals(d.x, d.asset->triangles, n);
    double divergence = 0, scale = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        divergence += dot(v[i], n[i]);
        scale += norm(v[i]) * norm(n[i]);
    }
    EXPECT_LT(std::abs(divergence), 1e-13 * scale);
    EXPECT_LT(norm(after.first - before.first), 1e-13);
    EXPECT_LT(norm(after.second - before.second), 1e-13);
}

TEST(LocalWeights, large_where_it_deforms_capped_and_never_negative) {
    const auto [asset, surface] = bake_surface(shapes::uv_sphere(0.5, 20, 19));
    const VolumeRest rest{std::make_shared<Struts>(make_struts(*asset)), surface->regions};
    std::vector<double> change(asset->rest.size()), w(change.size());
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = asset->rest[i].y > 0.4 ? 0.01 : 0;
    local_weights(*asset, rest, asset->rest, change, {0.1, 0.0}, w);
    for (std::size_t i = 0; i < w.size(); ++i) {
        EXPECT_GE(w[i], 0.1 - 1e-12);
        EXPECT_LE(w[i], 3 + 1e-12);
        if (asset->rest[i].y > 0.49) {
            EXPECT_GT(w[i], 2);
        }
        if (asset->rest[i].y < 0) {
            EXPECT_LT(w[i], 0.2);
        }
    }
    std::fill(change.begin(), change.end(), 0.0);
    local_weights(*asset, rest, asset->rest, change, {0.1, 0.1}, w);
    for (const double weight : w) EXPECT_EQ(weight, 1);
}

}  // namespace
}  // namespace turgor
