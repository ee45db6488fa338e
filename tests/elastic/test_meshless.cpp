#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>

#include "base/random.hpp"
#include "base/rotation.hpp"
#include "body/bake.hpp"
#include "body/cloud.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "elastic/meshless/meshless.hpp"
#include "elastic/meshless/parameters.hpp"
#include "elastic/meshless/rigid_motion.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// Particles without a mesh: what fits need of an asset.
BodyAsset cloud(std::span<const Vec3> points, Random& random) {
    BodyAsset asset;
    double total = 0;
    Vec3 centre;
    for (const Vec3& p : points) {
        asset.rest.push_back(p);
        asset.mass.push_back(0.5 + std::abs(random.in_cube().x));
        total += asset.mass.back();
        centre += asset.mass.back() * p;
    }
    for (Vec3& p : asset.rest) p -= centre / total;
    asset.size = 1;
    return asset;
}

/// Clusters of random members with random shares that add up to 1.
ClusterLayout random_clusters(std::size_t particles, std::size_t count, Random& random) {
    ClusterLayout layout;
    layout.clusters.resize(count);
    for (std::uint32_t i = 0; i < particles; ++i) {
        std::vector<double> share(count);
        double total = 0;
        for (double& s : share) total += s = std::pow(std::abs(random.in_cube().x), 2);
        for (std::size_t c = 0; c < count; ++c) layout.clusters[c].push_back({i, share[c] / total});
    }
    return layout;
}

/// Of the clusters of all particles; 1 each where they are shared out in full.
std::vector<double> whole_shares(const BodyAsset& asset, const ClusterLayout& layout) {
    std::vector<double> sum(asset.rest.size());
    for (const auto& cluster : layout.clusters)
        for (const ClusterShare& s : cluster) sum[s.particle] += s.share;
    return sum;
}

std::shared_ptr<const BodyAsset> asset_of(const Mesh& mesh) {
    const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
    return make_body_asset(mesh, sweep_order(corners, mesh.triangles));
}

ClusterStates states_of(const MeshlessRest& rest) {
    return {std::vector<Quat>(rest.clusters.size()), {}};
}

/// Force and torque of the goals, relative to Σ m |goal − x|.
std::pair<double, double> imbalance(const BodyAsset& asset, const MeshlessRest& rest,
                                    std::span<const Vec3> x, std::span<const Vec3> goals) {
    Vec3 linear, angular;
    double scale = 1e-300;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double firm = rest.importance.empty() ? 1 : rest.importance[i];
        const Vec3 pull = firm * asset.mass[i] * (goals[i] - x[i]);
        linear += pull;
        angular += cross(x[i], pull);
        scale += norm(pull);
    }
    return {norm(linear) / scale, norm(angular) / scale};
}

constexpr MeshlessMode modes[] = {MeshlessMode::rigid, MeshlessMode::linear,
                                  MeshlessMode::quadratic};

TEST(MeshlessGoals, have_neither_force_nor_torque) {
    Random random(3);
    for (const MeshlessMode mode : modes)
        for (const std::size_t clusters : {1, 2, 8, 27})
            for (const bool plastic : {false, true})
                for (const bool important : {false, true}) {
                    std::vector<Vec3> points(200);
                    for (Vec3& p : points) p = random.in_cube();
                    // A flat cloud as well: thin directions count as rigid.
                    if (clusters == 8)
                        for (Vec3& p : points) p.z *= 0.05;
                    const BodyAsset asset = cloud(points, random);
                    std::vector<double> importance(points.size());
                    for (double& u : importance) u = std::abs(random.in_cube().x);
                    const MeshlessRest rest =
                        make_meshless_rest(asset, {mode, 0.8, static_cast<int>(clusters)},
                                           random_clusters(points.size(), clusters, random),
                                           important ? std::span<const double>(importance)
                                                     : std::span<const double>());
                    ClusterStates states = states_of(rest);
                    if (plastic) {
                        states.shape.resize(rest.clusters.size());
                        for (PlasticShape& shape : states.shape) {
                            shape.stretch += 0.1 * outer(random.in_cube(), random.in_cube());
                            for (Vec3& b : shape.bend) b = 0.5 * random.in_cube();
                        }
                    }
                    std::vector<Vec3> x = asset.rest, goals(x.size());
                    const Quat turn = rotation_by({1, 2, -0.4});
                    for (Vec3& p : x) p = rotate(turn, p) + 0.3 * random.in_cube();
                    match_clusters(rest, x, states, goals);
                    const auto [force, torque] = imbalance(asset, rest, x, goals);
                    EXPECT_LT(force, 1e-12) << clusters;
                    EXPECT_LT(torque, 1e-12) << clusters;
                }
}

TEST(MeshlessGoals, follow_a_deformation_of_their_mode_exactly) {
    Random random(5);
    std::vector<Vec3> points(300);
    for (Vec3& p : points) p = random.in_cube();
    const BodyAsset asset = cloud(points, random);
    const Mat3 f{{{1.1, 0.2, 0}, {-0.1, 0.9, 0.1}, {0, 0.1, 1.05}}};
    for (const MeshlessMode mode : {MeshlessMode::linear, MeshlessMode::quadratic}) {
        const MeshlessRest rest = make_meshless_rest(asset, {mode, 1.0, 1});
        std::vector<Vec3> x, goals(asset.rest.size());
        for (const Vec3& q : asset.rest) {
            Vec3 p = f * q;
            if (mode == MeshlessMode::quadratic)
                p += Vec3{0.1 * q.x * q.y, 0.05 * q.z * q.z - 0.1 * q.x * q.x, 0.15 * q.x * q.z};
            x.push_back(p + Vec3{3, -2, 7});
        }
        ClusterStates states = states_of(rest);
        match_clusters(rest, x, states, goals);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(goals[i] - x[i]), 1e-12);
    }
}

TEST(MeshlessGoals, are_a_least_squares_fit_at_the_largest_beta) {
    Random random(6);
    std::vector<Vec3> points(200);
    for (Vec3& p : points) p = random.in_cube();
    const BodyAsset asset = cloud(points, random);
    const MeshlessRest rest = make_meshless_rest(asset, {MeshlessMode::quadratic, 1.0, 1});
    std::vector<Vec3> x, goals(asset.rest.size());
    for (const Vec3& q : asset.rest)
        x.push_back(Vec3{0.9 * q.x + 0.2 * q.y * q.z, q.y - 0.1 * q.x * q.x, 1.1 * q.z} +
                    0.1 * random.in_cube());
    ClusterStates states = states_of(rest);
    match_clusters(rest, x, states, goals);
    const auto n = static_cast<Eigen::Index>(x.size());
    Eigen::MatrixXd functions(n, 10), values(n, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vec3 q = asset.rest[k];
        const double root = std::sqrt(asset.mass[k]);
        functions.row(i) << 1, q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z,
            q.z * q.x;
        values.row(i) << x[k].x, x[k].y, x[k].z;
        functions.row(i) *= root;
        values.row(i) *= root;
    }
    const Eigen::MatrixXd fit = functions * functions.householderQr().solve(values);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double root = std::sqrt(asset.mass[k]);
        EXPECT_LT(norm(goals[k] - Vec3{fit(i, 0), fit(i, 1), fit(i, 2)} / root), 1e-10);
    }
}

TEST(MeshlessGoals, of_any_cluster_are_finite_and_those_of_its_rest_shape) {
    Random random(8);
    for (const double scale : {1e-6, 1.0, 1e4})
        for (const std::size_t count : {1, 2, 3, 4, 20})
            for (const int flat : {0, 1, 2}) {  // a cloud, a plate, a line
                std::vector<Vec3> points(count);
                for (Vec3& p : points) {
                    p = scale * random.in_cube();
                    if (flat >= 1) p.z = 0;
                    if (flat >= 2) p.y = 0;
                }
                const BodyAsset asset = cloud(points, random);
                for (const MeshlessMode mode : modes) {
                    const MeshlessRest rest = make_meshless_rest(asset, {mode, 0.9, 1});
                    std::vector<Vec3> goals(count);
                    ClusterStates states = states_of(rest);
                    match_clusters(rest, asset.rest, states, goals);
                    for (std::size_t i = 0; i < count; ++i)
                        EXPECT_LT(norm(goals[i] - asset.rest[i]), 1e-12 * scale);
                    // All at one point, and inside out.
                    for (const double by : {0.0, -1.0}) {
                        std::vector<Vec3> x = asset.rest;
                        for (Vec3& p : x) p = by * p;
                        match_clusters(rest, x, states, goals);
                        for (const Vec3& g : goals) EXPECT_LT(norm(g), 10 * scale);
                    }
                }
            }
}

TEST(MeshlessClusters, of_all_shapes_hang_together_and_share_everything) {
    for (const Mesh& mesh : {shapes::gummy_bear(1, 800), shapes::torus(1, 0.2, 40, 12),
                             shapes::cube(1, 8), shapes::rubber_duck(1, 500)})
        for (const Placement placement : {Placement::connected, Placement::regular})
            for (const int count : {1, 2, 5, 12, 40}) {
                const auto asset = asset_of(mesh);
                const ClusterLayout layout = place_clusters(*asset, placement, count);
                EXPECT_TRUE(hang_together(*asset, layout)) << mesh.name << count;
                EXPECT_LE(layout.clusters.size(), static_cast<std::size_t>(2 * count + 2));
                std::vector<double> sum(asset->rest.size());
                for (const auto& cluster : layout.clusters)
                    for (const ClusterShare& s : cluster) sum[s.particle] += s.share;
                for (const double s : sum) EXPECT_NEAR(s, 1, 1e-12);
            }
}

/// A bar bent into a U: legs of a length of 1.2 with a gap of 0.2 between them.
Mesh horseshoe() {
    Mesh mesh = shapes::bar({3.2, 0.3, 0.3}, 8);
    constexpr double radius = 0.25, half_turn = 3.14159265358979323846;
    for (Vec3& p : mesh.vertices) {
        const double along = std::clamp(p.x, -radius * half_turn / 2, radius * half_turn / 2);
        const double angle = along / radius, beyond = p.x - along, out = radius + p.y;
        p = {out * std::sin(angle) + (beyond < 0 ? 0.0 : 0.0), -out * std::cos(angle), p.z};
        p.y += std::abs(beyond) * (std::abs(angle) > 1.5 ? 1 : 0);
    }
    return make_mesh(mesh);
}

TEST(MeshlessClusters, do_not_join_two_legs_through_the_air) {
    const auto asset = asset_of(horseshoe());
    const auto joins = [&](Placement placement) {
        for (const auto& cluster : place_clusters(*asset, placement, 8).clusters) {
            bool left = false, right = false;
            for (const ClusterShare& s : cluster) {
                const Vec3 p = asset->rest[s.particle];
                if (s.share < 0.05 || p.y < 0.2) continue;  // the bend may join them
                (p.x < 0 ? left : right) = true;
            }
            if (left && right) return true;
        }
        return false;
    };
    EXPECT_FALSE(joins(Placement::connected));
}

TEST(MeshlessParameters, follow_a_damped_oscillator_for_every_step) {
    Material m;
    for (const double zeta : {0.03, 0.1, 0.3, 0.7})
        for (const double h : {0.001, 0.0025, 0.005, 0.01}) {
            m.damping_ratio = zeta;
            m.frequency = 6;
            const double share = 0.6, damping_share = 0.8;
            const MeshlessParameters p = meshless_parameters(m, {}, 1, share, damping_share);
            const MatchingStep step = p.at(h);
            const double angle = 2 * 3.14159265358979323846 * 6 * h;
            const double d = std::exp(-2 * zeta * angle), t = 2 * std::sqrt(d) * std::cos(angle);
            const double kept = 1 - step.damping * damping_share, a = step.stiffness * share;
            // A mode y with u = h v: y' = (1−a) y + (1−aη) u, u' = −a y + (1−aη) u, where u was
            // damped before. Trace and determinant decide about frequency and decay.
            const double trace = 1 - a + (1 - a * step.look_ahead) * kept;
            const double det = (1 - a * step.look_ahead) * kept;
            EXPECT_NEAR(trace, t, 1e-9) << zeta << " " << h;
            EXPECT_NEAR(det, d, 1e-9) << zeta << " " << h;
        }
}

TEST(RigidMotion, a_spinning_brick_flips_when_theory_says) {
    // Sides 3 : 2 : 1; spins about the middle axis, which is unstable.
    std::vector<Vec3> offsets;
    std::vector<double> mass;
    for (const double x : {-1.5, 1.5})
        for (const double y : {-1.0, 1.0})
            for (const double z : {-0.5, 0.5}) offsets.push_back({x, y, z}), mass.push_back(1);
    const auto spin_energy = [&](Quat q, Vec3 angular) {
        Mat3 spread;
        for (const Vec3& o : offsets) spread += outer(rotate(q, o), rotate(q, o));
        const Mat3 inertia = trace(spread) * Mat3::identity() - spread;
        Vec3 w;
        const double det = determinant(inertia);
        for (int k = 0; k < 3; ++k) {
            Mat3 m = inertia;
            for (int r = 0; r < 3; ++r) m.m[r][k] = angular[r];
            w[k] = determinant(m) / det;
        }
        return 0.5 * dot(w, angular);
    };
    // I = Σ m (r² − …): about y, 8 (1.5² + 0.5²).
    const Vec3 angular{0.01, 8 * 2.5 * 12, 0};
    const auto flips = [&](double h) {
        Quat q;
        std::vector<double> times;
        double before = 1;
        for (double t = h; t < 20 + h / 2; t += h) {
            q = turn_freely(mass, offsets, q, angular, h);
            const double up = rotate(q, {0, 1, 0}).y;
            if (up * before < 0) times.push_back(t);
            before = up;
        }
        EXPECT_NEAR(spin_energy(q, angular) / spin_energy({}, angular), 1, 1e-3);
        return times;
    };
    const auto coarse = flips(0.005), fine = flips(0.0001);
    ASSERT_GE(std::min(coarse.size(), fine.size()), 5u);
    for (std::size_t k = 0; k < std::min(coarse.size(), fine.size()); ++k)
        EXPECT_NEAR(coarse[k] / fine[k], 1, 0.01) << k;
}

TEST(Clusters, PointsInsideShareAsTheSurfaceAroundThemDoes) {
    BodyAsset asset = *asset_of(shapes::bar({2, 0.4, 0.4}, 20));
    std::vector<Vec3> points;
    Random random(8);
    for (int i = 0; i < 1500; ++i) points.push_back(random.in_box({-1, -.2, -.2}, {1, .2, .2}));
    put_points_inside(asset, points);
    for (const Placement placement : {Placement::connected, Placement::regular}) {
        const ClusterLayout layout = place_clusters(asset, placement, 6);
        EXPECT_GE(layout.clusters.size(), 3u);
        for (const double share : whole_shares(asset, layout)) EXPECT_NEAR(share, 1, 1e-12);
        EXPECT_TRUE(hang_together(asset, layout));
        // No cluster reaches from end to end.
        for (const auto& cluster : layout.clusters) {
            Bounds box;
            for (const ClusterShare& s : cluster) box.add(asset.rest[s.particle]);
            EXPECT_LT(box.extent().x, 1.9);
        }
    }
}

}  // namespace
}  // namespace turgor
