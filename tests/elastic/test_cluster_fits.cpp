#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <limits>

#include "base/random.hpp"
#include "body/bake.hpp"
#include "body/cpu_asset.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "elastic/meshless/cluster_fits.hpp"

namespace turgor {
namespace {

/// A body's rest data for the cpu form.
struct Rest {
    MeshlessRest fit;
    std::shared_ptr<const MeshlessCpuRest> cpu;

    Rest(const Mesh& mesh, MeshlessMode mode, int clusters) {
        const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
        const auto asset = make_body_asset(mesh, sweep_order(corners, mesh.triangles));
        fit = make_meshless_rest(*asset, {mode, 0.7, clusters});
        cpu = make_meshless_cpu_rest(*make_cpu_asset(*asset), fit);
    }
};

std::vector<Rest> bodies() {
    std::vector<Rest> all;
    for (const MeshlessMode mode :
         {MeshlessMode::rigid, MeshlessMode::linear, MeshlessMode::quadratic}) {
        all.emplace_back(shapes::uv_sphere(0.5, 14, 7), mode, 1);
        all.emplace_back(shapes::torus(0.5, 0.2, 20, 8), mode, 5);
        all.emplace_back(shapes::bar({1e-3, 1, 1}, 6), mode, 1);
    }
    return all;
}

template <class Numbers>
std::vector<std::uint64_t> bits(const Numbers& numbers) {
    std::vector<std::uint64_t> all;
    for (const auto& row : numbers)
        for (const float v : row) all.push_back(std::bit_cast<std::uint32_t>(v));
    return all;
}
std::vector<std::uint64_t> bits(Quat q) {
    std::vector<std::uint64_t> all;
    for (const double v : {q.w, q.x, q.y, q.z}) all.push_back(std::bit_cast<std::uint64_t>(v));
    return all;
}

/// Sums of a cluster that is turned, deformed and moved; `kind` of trouble, 0: none.
CellSums sums_of(const Rest& rest, std::size_t cluster, int kind, Quat turn, Random& random) {
    const Cluster& c = rest.fit.clusters[cluster];
    Mat3 deform = to_matrix(turn);
    for (auto& row : deform.m)
        for (double& e : row) e += 0.2 * random.in_cube().x;
    if (kind == 1) deform = to_matrix(turn) * Mat3{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (kind == 2) deform = {};
    if (kind == 3) deform = {{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    if (kind == 4) deform = 1e200 * deform;
    if (kind == 5) deform.m[1][1] = std::numeric_limits<double>::infinity();
    if (kind == 6) deform.m[2][0] = std::numeric_limits<double>::quiet_NaN();
    if (kind == 7) deform = to_matrix(turn * Quat{0, 1, 0, 0});
    // Of a body at rest all but the diagonal is rounding, which shows in every digit.
    if (kind == 8) deform = Mat3::identity();
    const Vec3 centre = random.in_cube();
    const double noise = kind == 8 ? 0 : 0.01;
    CellSums sums{};
    for (std::uint32_t k = c.begin; k < c.end; ++k) {
        const Member& m = rest.fit.members[k];
        const Vec3 x = m.weight * (centre + deform * m.offset + noise * random.in_cube());
        for (int n = 0; n < 3; ++n) {
            auto& row = sums[static_cast<std::size_t>(n)];
            row[0] += x[n];
            for (int j = 0; j < 3; ++j) row[1 + static_cast<std::size_t>(j)] += x[n] * m.offset[j];
            for (std::size_t b = 0; b < c.bends; ++b) row[linear_rows + b] += x[n] * m.bend[b];
        }
    }
    return sums;
}

/// Calls `test` for every instruction set that this machine has.
template <class Test>
void on_every_instruction_set(Test&& test) {
    int tried = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        SCOPED_TRACE(hwy::TargetName(target));
        test();
        ++tried;
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_GE(tried, 2);
}

TEST(ClusterFits, of_goals_have_the_same_bits_alone_and_beside_any_others) {
    const std::vector<Rest> all = bodies();
    on_every_instruction_set([&] {
        Random random(11);
        for (int round = 0; round < 200; ++round) {
            struct One {
                const Rest* rest = nullptr;
                std::size_t cluster = 0;
                CellSums sum{};
                ClusterStates alone, together;
                CellGoals goals_alone{}, goals_together{};
                int kind = 0;
            };
            std::vector<One> ones(1 + static_cast<std::size_t>(round) % fits_at_once);
            std::vector<GoalFit> fits;
            for (One& one : ones) {
                one.rest = &all[random.bits() % all.size()];
                one.cluster = random.bits() % one.rest->fit.clusters.size();
                one.kind = round % 2 == 0 ? 0 : static_cast<int>(random.bits() % 9);
                const Vec3 axis = random.in_cube();
                const Quat turn = Quat::about(axis, 3 * random.in_cube().x);
                const Quat last = one.kind == 8 ? Quat{} : turn * Quat::about(axis, 0.02);
                one.sum = sums_of(*one.rest, one.cluster, one.kind, turn, random);
                one.alone.rotation.assign(one.rest->fit.clusters.size(), last);
                one.together = one.alone;
                double flowed = 0;
                GoalFit fit{&one.rest->fit, one.rest->cpu.get(), one.cluster,
                            &one.sum,       &one.alone,          &one.goals_alone};
                fit.make_alone(nullptr, flowed);
                fit.states = &one.together;
                fit.goals = &one.goals_together;
                fits.push_back(fit);
            }
            make_fits(fits);
            for (const One& one : ones) {
                EXPECT_EQ(bits(one.together.rotation[one.cluster]),
                          bits(one.alone.rotation[one.cluster]))
                    << one.kind;
                // Which NaN it is says nothing.
                if (one.kind < 5 || one.kind > 6) {
                    EXPECT_EQ(bits(one.goals_together), bits(one.goals_alone)) << one.kind;
                }
            }
        }
    });
}

TEST(ClusterFits, of_velocity_fields_have_the_same_bits_alone_and_beside_any_others) {
    on_every_instruction_set([&] {
        Random random(12);
        for (int round = 0; round < 200; ++round) {
            struct One {
                CellMotion sum{};
                double weight = 0, mass = 0;
                CellGoals alone{}, together{};
            };
            std::vector<One> ones(1 + static_cast<std::size_t>(round) % fits_at_once);
            std::vector<FieldFit> fits;
            for (One& one : ones) {
                // A few particles: one or two, or some in a line, cannot resist every turn.
                const std::size_t particles = round % 2 == 0 ? 20 : random.bits() % 4;
                const Vec3 line = random.in_cube();
                const bool straight = random.bits() % 3 == 0;
                // Far away all but a few digits cancel, so that rounding shows in single precision.
                const Vec3 far = round % 3 == 0 ? 1e5 * random.in_cube() : Vec3{};
                for (std::size_t k = 0; k < particles; ++k) {
                    const Vec3 x = far + (straight ? random.in_cube().x * line : random.in_cube()),
                               v = random.in_cube(), l = cross(x, v);
                    const double terms[] = {v.x,       v.y,       v.z,       l.x,       l.y,
                                            l.z,       x.x,       x.y,       x.z,       x.x * x.x,
                                            x.y * x.y, x.z * x.z, x.x * x.y, x.y * x.z, x.z * x.x};
                    for (std::size_t n = 0; n < one.sum.size(); ++n) one.sum[n] += terms[n];
                    one.weight += 1;
                }
                one.mass = 0.5 + random.in_cube().x * random.in_cube().x;
                FieldFit{&one.sum, one.weight, one.mass, &one.alone}.make_alone();
                fits.push_back({&one.sum, one.weight, one.mass, &one.together});
            }
            make_fits(fits);
            for (const One& one : ones) EXPECT_EQ(bits(one.together), bits(one.alone));
        }
    });
}

}  // namespace
}  // namespace turgor
