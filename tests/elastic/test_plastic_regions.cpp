#include "elastic/surface/plastic_regions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/eigen.hpp"
#include "base/random.hpp"
#include "elastic/surface/surface_model.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// A bear whose regions keep what chance has made of them, bent and turned.
struct Dented {
    SurfaceBake baked = bake_surface(shapes::gummy_bear(1, 500), {.omega = 2});
    const BodyAsset& asset = *baked.asset;
    std::shared_ptr<const PlasticRest> rest = make_plastic_rest(asset, *baked.rest, nullptr);
    std::size_t n = asset.rest.size();
    std::vector<RegionShape> shapes = std::vector<RegionShape>(n);
    std::vector<Quat> rotations = std::vector<Quat>(n);
    std::vector<Vec3> x, goals = std::vector<Vec3>(n);
    Random random{11};

    Dented() {
        const Quat turn = random.rotation();
        for (std::size_t j = 0; j < n; ++j) {
            const Vec3 s = 0.3 * random.in_cube();
            shapes[j].log_stretch = {s.x, s.y, s.z};
            for (int k = 0; k < rest->planes[j].bends; ++k)
                shapes[j].bend[static_cast<std::size_t>(k)] =
                    0.3 * rest->planes[j].radius * random.in_cube();
        }
        for (const Vec3& p : asset.rest)
            x.push_back(Vec3{100, -20, 7} +
                        rotate(turn, Vec3{1.3 * p.x + 0.4 * p.y * p.z, 0.7 * p.y, p.z + 0.2 * p.x} +
                                         0.05 * random.in_cube()));
    }
    double match(const PlasticStep* step = nullptr) {
        return match_plastic_regions(asset, *baked.rest, *rest, x, step, shapes, rotations, goals);
    }
};

TEST(PlasticRegions, functions_are_orthonormal_to_each_other_and_to_the_plane) {
    Dented bear;
    const SurfaceRest& surface = *bear.baked.rest;
    for (std::size_t j = 0; j < bear.n; ++j) {
        const RegionPlane& plane = bear.rest->planes[j];
        ASSERT_EQ(plane.rank, 2);
        ASSERT_EQ(plane.bends, 3);
        double product[6][6] = {};
        for (const auto i : (*surface.regions)[j]) {
            const Vec3 q = bear.asset.rest[i] - surface.region_centre[j];
            const auto phi = bend_functions(plane, q);
            const double w = surface.weight[i] / surface.region_weight[j];
            const double f[6] = {1,
                                 dot(plane.along[0], q) / plane.radius,
                                 dot(plane.along[1], q) / plane.radius,
                                 phi[0],
                                 phi[1],
                                 phi[2]};
            for (int a = 0; a < 6; ++a)
                for (int b = 0; b < 6; ++b) product[a][b] += w * f[a] * f[b];
        }
        for (int a = 3; a < 6; ++a)
            for (int b = 0; b < 6; ++b) EXPECT_NEAR(product[a][b], a == b, 1e-9);
    }
}

TEST(PlasticRegions, functions_are_never_made_of_rounding) {
    // Around a vertex of a grid the product of the coordinates is zero on all points.
    for (const Mesh& mesh : {shapes::bar({2, 0.4, 0.4}, 6), shapes::cube(1, 6), shapes::cube(1, 12),
                             shapes::torus(0.5, 0.2, 20, 10), shapes::uv_sphere(0.5, 12, 8)})
        for (const int omega : {1, 2, 3}) {
            const SurfaceBake baked = bake_surface(mesh, {.omega = omega});
            const auto rest = make_plastic_rest(*baked.asset, *baked.rest, nullptr);
            for (const RegionPlane& plane : rest->planes)
                for (int k = 0; k < plane.bends; ++k)
                    for (int n = 3; n < 6; ++n)
                        EXPECT_LT(std::abs(plane.function[static_cast<std::size_t>(k)]
                                                         [static_cast<std::size_t>(n)]) *
                                      plane.radius * plane.radius,
                                  1e3);
        }
}

TEST(PlasticRegions, goals_have_neither_force_nor_torque) {
    Dented bear;
    bear.match();
    Vec3 force, torque;
    double scale = 0;
    for (std::size_t i = 0; i < bear.n; ++i) {
        const Vec3 pull = bear.asset.mass[i] * (bear.goals[i] - bear.x[i]);
        const Vec3 arm = bear.x[i] - bear.x[0];
        force += pull;
        torque += cross(arm, pull);
        scale += norm(pull) * (1 + norm(arm));
    }
    EXPECT_LT(norm(force), 1e-11 * scale);
    EXPECT_LT(norm(torque), 1e-11 * scale);
}

TEST(PlasticRegions, without_dents_goals_are_those_of_the_surface_model) {
    Dented bear;
    std::ranges::fill(bear.shapes, RegionShape{});
    bear.match();
    std::vector<Vec3> elastic(bear.n);
    std::vector<Quat> rotations(bear.n);
    match_regions(bear.asset, *bear.baked.rest, bear.x, rotations, elastic);
    for (std::size_t i = 0; i < bear.n; ++i) EXPECT_LT(norm(bear.goals[i] - elastic[i]), 1e-9);
}

TEST(PlasticRegions, what_is_held_for_long_becomes_the_rest_shape_but_for_the_stretch_across) {
    Dented bear;
    std::ranges::fill(bear.shapes, RegionShape{});
    // A ball pressed to a spheroid: nearly all of that is a stretch and a bend of its surface.
    SurfaceBake ball = bake_surface(shapes::icosphere(0.5, 3), {.omega = 2});
    const auto rest = make_plastic_rest(*ball.asset, *ball.rest, nullptr);
    const std::size_t n = ball.asset->rest.size();
    std::vector<RegionShape> shapes(n);
    std::vector<Quat> rotations(n);
    std::vector<Vec3> x, goals(n);
    for (const Vec3& p : ball.asset->rest) x.push_back({1.25 * p.x, 0.64 * p.y, 1.25 * p.z});
    const auto pull = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += norm(goals[i] - x[i]);
        return sum / static_cast<double>(n);
    };
    match_plastic_regions(*ball.asset, *ball.rest, *rest, x, nullptr, shapes, rotations, goals);
    const double before = pull();
    const PlasticStep step(Plasticity{.yield = 0, .flow_time = 0.01}, 0.01);
    double flowed = 0;
    for (int k = 0; k < 40; ++k)
        flowed = match_plastic_regions(*ball.asset, *ball.rest, *rest, x, &step, shapes, rotations,
                                       goals);
    EXPECT_LT(flowed, 1e-9);
    EXPECT_LT(pull(), 0.1 * before);
    std::vector<Vec3> kept(n);
    plastic_rest_goals(*ball.asset, *ball.rest, *rest, x, shapes, rotations, kept);
    for (std::size_t i = 0; i < n; ++i) EXPECT_LT(norm(kept[i] - goals[i]), 1e-9);
}

TEST(PlasticRegions, a_shape_carried_over_to_other_regions_is_the_same_shape) {
    // Of a plane, which every region has alike.
    const auto planes = [](int omega) {
        const SurfaceBake baked = bake_surface(shapes::cube(1, 15), {.omega = omega});
        return make_plastic_rest(*baked.asset, *baked.rest, nullptr);
    };
    const auto narrow = planes(1), wide = planes(3);
    std::size_t middle = 0;
    for (std::size_t j = 0; j < narrow->planes.size(); ++j)
        if (narrow->planes[j].rank == 2 && wide->planes[j].rank == 2 &&
            norm(wide->planes[j].rest_bend[0]) < 1e-9)
            middle = j;
    const RegionPlane &from = narrow->planes[middle], &to = wide->planes[middle];
    RegionShape shape;
    shape.log_stretch = {0.2, 0.05, -0.1};
    const RegionShape carried = carried_over(from, to, shape);
    const Mat3 a = kept_stretch(from, shape), b = kept_stretch(to, carried);
    EXPECT_LT(frobenius(a - b), 1e-9);
    EXPECT_TRUE(is_legal(carried));
}

/// A ball of dough is thrown on the ground: every third step of the reference is made by the cpu
/// form as well, from the same state.
TEST(PlasticRegions, both_forms_make_the_same_step) {
    WorldSettings s;
    s.backend = Backend::reference;
    World reference(s);
    s.backend = Backend::cpu;
    World cpu(s);
    for (World* world : {&reference, &cpu}) world->add_collider(Collider::ground());
    BodyOptions o;
    o.position = {0, 0.5, 0};
    o.velocity = {1, -3, 0};
    Body exact = reference.add_body(shapes::icosphere(0.4, 3), Material::named("dough"), o);
    double farthest = 0;
    for (int k = 0; k < 90; ++k) {
        const bool compared = k % 3 == 0;
        if (compared) cpu.restore(reference.snapshot());
        reference.step();
        if (!compared) continue;
        cpu.step();
        const Body other = cpu.bodies()[0];
        for (std::size_t i = 0; i < exact.positions().size(); ++i)
            farthest = std::max(farthest, norm(exact.position(i) - other.position(i)));
    }
    EXPECT_GT(norm(exact.rest_shape()[0] - shapes::icosphere(0.4, 3).vertices[0]), 1e-3);
    EXPECT_LT(farthest, 1e-5 * exact.size());
}

TEST(PlasticRegions, naive_and_fast_sums_have_the_same_bits) {
    const auto hash = [](Summation summation) {
        WorldSettings s;
        s.backend = Backend::cpu;
        s.summation = summation;
        World world(s);
        world.add_collider(Collider::ground());
        BodyOptions o;
        o.position = {0, 0.5, 0};
        o.velocity = {1, -3, 0};
        world.add_body(shapes::icosphere(0.4, 3), Material::named("dough"), o);
        for (int k = 0; k < 80; ++k) world.step();
        return world.state_hash();
    };
    EXPECT_EQ(hash(Summation::fast), hash(Summation::naive));
}

}  // namespace
}  // namespace turgor
