#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/rotation.hpp"
#include "elastic/surface/surface.hpp"

namespace turgor {
namespace {

struct Surface {
    std::shared_ptr<const BodyAsset> asset;
    SurfaceRest rest;
    std::vector<Quat> rotations;
    std::vector<Vec3> goals;
    Surface(const Mesh& mesh, int omega, double normal_point = 0)
        : Surface(bake_surface(mesh, {omega, true, normal_point})) {}
    explicit Surface(const SurfaceBake& baked)
        : asset(baked.asset),
          rest(*baked.rest),
          rotations(asset->rest.size()),
          goals(asset->rest.size()) {}
};

/// Σ m (g − x) and Σ m x × (g − x), relative to Σ m |g − x|.
std::pair<double, double> imbalance(const Surface& s, std::span<const Vec3> x) {
    Vec3 linear, angular;
    double scale = 1e-300;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 pull = s.asset->mass[i] * (s.goals[i] - x[i]);
        linear += pull;
        angular += cross(x[i], pull);
        scale += norm(pull);
    }
    return {norm(linear) / scale, norm(angular) / scale};
}

TEST(MatchRegions, a_rigid_motion_is_matched_exactly) {
    for (const double normal_point : {0.0, 1.0})
        for (const int omega : {1, 3}) {
            Surface s(shapes::gummy_bear(1, 400), omega, normal_point);
            const Quat q = rotation_by({1, -2, 0.5});
            std::vector<Vec3> x;
            for (const Vec3& p : s.asset->rest) x.push_back(Vec3{100, 3, -7} + rotate(q, p));
            match_regions(*s.asset, s.rest, x, s.rotations, s.goals);
            for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(s.goals[i] - x[i]), 1e-11);
        }
}

TEST(MatchRegions, flat_regions_are_matched_without_the_extra_point) {
    Surface s(shapes::cube(1, 9), 2);
    std::vector<Vec3> x;
    const Quat q = rotation_by({0, 0, 2});
    for (const Vec3& p : s.asset->rest) x.push_back(rotate(q, p));
    match_regions(*s.asset, s.rest, x, s.rotations, s.goals);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(s.goals[i] - x[i]), 1e-12);
}

TEST(MatchRegions, pulls_without_momentum_from_any_state) {
    Random random(6);
    for (const int omega : {1, 2, 5}) {
        Surface s(shapes::rubber_duck(1, 400), omega);
        std::vector<Vec3> x = s.asset->rest;
        for (Vec3& p : x) p += 0.2 * random.in_cube();
        match_regions(*s.asset, s.rest, x, s.rotations, s.goals);
        const auto [linear, angular] = imbalance(s, x);
        EXPECT_LT(linear, 1e-13);
        EXPECT_LT(angular, 1e-13);
    }
}

TEST(MatchRegions, plain_masses_do_not_keep_momentum) {
    Surface s(shapes::rubber_duck(1, 400), 2);
    s.rest = make_surface_rest(*s.asset, s.rest.regions, {.omega = 2, .share_mass = false});
    Random random(6);
    std::vector<Vec3> x = s.asset->rest;
    for (Vec3& p : x) p += 0.2 * random.in_cube();
    match_regions(*s.asset, s.rest, x, s.rotations, s.goals);
    EXPECT_GT(imbalance(s, x).first, 1e-6);
}

TEST(MatchRegions, follows_a_rotated_frame) {
    Random random(8);
    Surface a(shapes::torus(1, 0.4, 20, 12), 2), b(shapes::torus(1, 0.4, 20, 12), 2);
    const Quat q = rotation_by({0.4, 1, -0.3});
    std::vector<Vec3> x = a.asset->rest, y;
    for (Vec3& p : x) p += 0.1 * random.in_cube();
    for (const Vec3& p : x) y.push_back(Vec3{1, 2, 3} + rotate(q, p));
    match_regions(*a.asset, a.rest, x, a.rotations, a.goals);
    match_regions(*b.asset, b.rest, y, b.rotations, b.goals);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_LT(norm(b.goals[i] - (Vec3{1, 2, 3} + rotate(q, a.goals[i]))), 1e-11);
}

TEST(MatchRegions, collapsed_regions_give_finite_goals) {
    Surface s(shapes::uv_sphere(0.5, 12, 11), 2);
    const std::vector<Vec3> point(s.asset->rest.size(), Vec3{3, 3, 3});
    match_regions(*s.asset, s.rest, point, s.rotations, s.goals);
    for (const Vec3& g : s.goals) EXPECT_TRUE(is_finite(g));
}

TEST(BlendRigidVelocities, leaves_rigid_motion_alone_and_keeps_momentum) {
    Surface s(shapes::gummy_bear(1, 400), 2);
    const std::vector<Vec3>& x = s.asset->rest;
    std::vector<Vec3> v;
    for (const Vec3& p : x) v.push_back(Vec3{1, 2, 3} + cross(Vec3{3, -1, 2}, p));
    blend_rigid_velocities(*s.asset, s.rest, x, v, s.goals);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(s.goals[i] - v[i]), 1e-10);

    Random random(3);
    for (Vec3& u : v) u += random.in_cube();
    blend_rigid_velocities(*s.asset, s.rest, x, v, s.goals);
    Vec3 linear, angular;
    double energy_before = 0, energy_after = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        linear += s.asset->mass[i] * (s.goals[i] - v[i]);
        angular += cross(x[i], s.asset->mass[i] * (s.goals[i] - v[i]));
        energy_before += s.asset->mass[i] * dot(v[i], v[i]);
        energy_after += s.asset->mass[i] * dot(s.goals[i], s.goals[i]);
    }
    EXPECT_LT(norm(linear), 1e-12);
    EXPECT_LT(norm(angular), 1e-12);
    EXPECT_LT(energy_after, energy_before);
}

TEST(WobbleShare, grows_with_the_regions_and_hardly_depends_on_the_resolution_at_equal_reach) {
    const Mesh coarse = shapes::icosphere(0.5, 3), fine = shapes::icosphere(0.5, 4);
    const auto share = [](const Mesh& mesh, int omega) {
        const Surface s(mesh, omega);
        return find_wobble_share(*s.asset, s.rest);
    };
    EXPECT_LT(share(coarse, 1), share(coarse, 2));
    EXPECT_LT(share(coarse, 2), share(coarse, 4));
    EXPECT_LT(share(coarse, 4), 1);
    EXPECT_NEAR(share(fine, 4) / share(coarse, 2), 1, 0.25);
}

}  // namespace
}  // namespace turgor
