#include "elastic/plasticity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/eigen.hpp"
#include "base/random.hpp"
#include "base/rotation.hpp"

namespace turgor {
namespace {

constexpr double steps[] = {0.001, 0.0025, 0.005, 0.01, 1.0 / 60};
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Stretched along x by e^strain, volume kept, then turned.
Mat3 stretched(double strain, Quat turn = {}) {
    const double a = std::exp(strain), b = std::exp(-strain / 2);
    return to_matrix(turn) * Mat3{{{a, 0, 0}, {0, b, 0}, {0, 0, b}}};
}

double kept(const PlasticShape& shape) {
    return equivalent_strain(log_symmetric(shape.stretch));
}

/// The kept shape of a cluster that is held at `f` for a time.
PlasticShape held(const Plasticity& plasticity, const Mat3& f, double time, double h,
                  PlasticShape shape = {}) {
    const PlasticStep step(plasticity, h);
    for (int k = 0; k < std::lround(time / h); ++k) flow_linear(step, f, shape);
    return shape;
}

TEST(Plasticity, a_held_stretch_creeps_as_the_closed_form_says_for_every_step) {
    const double strain = 0.4, time = 1, tau = 0.7;
    const double expected = strain * (1 - std::exp(-time / tau));
    for (const double h : steps) {
        for (const Plasticity& p :
             {Plasticity{.creep_time = tau}, Plasticity{.yield = 0, .flow_time = tau}}) {
            const PlasticShape shape = held(p, stretched(strain), time, h);
            EXPECT_NEAR(kept(shape), expected, 1e-12) << h;
            EXPECT_NEAR(log_symmetric(shape.stretch).m[0][0], expected, 1e-12) << h;
            EXPECT_NEAR(determinant(shape.stretch), 1, 1e-14) << h;
        }
    }
}

TEST(Plasticity, what_is_turned_flows_alike) {
    const Plasticity p{.yield = 0.05, .flow_time = 0.3};
    const Quat turn = Quat::about({1, 2, 3}, 2.5);
    const Mat3 plain = held(p, stretched(0.4), 0.2, 0.005).stretch;
    const Mat3 turned = held(p, stretched(0.4, turn), 0.2, 0.005).stretch;
    EXPECT_LT(frobenius(turned - plain), 1e-13);
}

TEST(Plasticity, below_the_yield_nothing_changes_and_above_it_the_yield_is_what_stays) {
    const Plasticity p{.yield = 0.05, .flow_time = 0.1};
    EXPECT_EQ(kept(held(p, stretched(0.049), 5, 0.01)), 0);
    EXPECT_NEAR(kept(held(p, stretched(0.4), 5, 0.01)), 0.35, 1e-9);
    EXPECT_NEAR(kept(held(p, stretched(-0.4), 5, 0.01)), 0.35, 1e-9);
}

TEST(Plasticity, flow_creep_and_hardening_together_do_not_depend_on_the_step) {
    const Plasticity p{.yield = 0.08, .flow_time = 0.2, .creep_time = 1.5, .hardening = 0.4};
    // By a fourth-order method with steps of a microsecond's order.
    double e = 0.5;
    const auto rate = [&](double x) {
        const double c = 0.08 + 0.4 * (0.5 - x);
        return -(x > c ? (x - c) / 0.2 : 0) - x / 1.5;
    };
    const double dt = 1e-5;
    for (int k = 0; k < 100000; ++k) {
        const double a = rate(e), b = rate(e + dt / 2 * a), c = rate(e + dt / 2 * b);
        e += dt / 6 * (a + 2 * b + 2 * c + rate(e + dt * c));
    }
    for (const double h : steps)
        EXPECT_NEAR(kept(held(p, stretched(0.5), 1, h)), 0.5 - e, 1e-8) << h;
    // In one step over the whole second it crosses the yield.
    EXPECT_NEAR(kept(held(p, stretched(0.5), 1, 1)), 0.5 - e, 1e-8);
}

TEST(Plasticity, hardening_leaves_more_strain_elastic) {
    const Plasticity p{.yield = 0.03, .flow_time = 0.005, .hardening = 0.3};
    // e = c_y + H (E − e)
    EXPECT_NEAR(kept(held(p, stretched(0.5), 1, 0.005)), 0.5 - (0.03 + 0.3 * 0.5) / 1.3, 1e-9);
}

TEST(Plasticity, heals_towards_the_first_shape) {
    PlasticShape shape;
    shape.stretch = stretched(0.5);
    const Plasticity p{.healing_time = 2};
    for (const double h : steps) {
        const PlasticShape healed = held(p, Mat3::identity(), 3, h, shape);
        EXPECT_NEAR(kept(healed), 0.5 * std::exp(-1.5), 1e-12) << h;
        EXPECT_NEAR(determinant(healed.stretch), 1, 1e-14) << h;
    }
}

TEST(Plasticity, keeps_no_more_than_the_cap) {
    const Plasticity p{.yield = 0.01, .flow_time = 0.01, .cap = 0.7};
    EXPECT_NEAR(kept(held(p, stretched(1.3), 1, 0.005)), 0.7, 1e-12);
    EXPECT_EQ(kept(held({.yield = 0.01, .cap = 0}, stretched(1.3), 1, 0.005)), 0);
}

TEST(Plasticity, a_shear_after_a_stretch_is_split_into_a_stretch_and_a_turn) {
    const Plasticity p{.yield = 0, .flow_time = 1e-3};
    PlasticShape shape = held(p, stretched(0.5), 0.1, 0.005);
    shape.bend[0] = {0.1, 0.2, 0.3};
    const Mat3 shear{{{1, 0.6, 0}, {0, 1, 0}, {0, 0, 1}}};
    const Mat3 f = shear * shape.stretch;
    const PlasticFlow flow = flow_linear(PlasticStep(p, 0.1), f, shape, 1);
    // All of it flowed: what is kept has the metric of f, and turn says how it lies in f's frame.
    EXPECT_LT(frobenius(shape.stretch * shape.stretch - transpose(f) * f), 1e-9);
    EXPECT_LT(frobenius(shape.stretch - transpose(shape.stretch)), 1e-12);
    EXPECT_NEAR(determinant(flow.turn), 1, 1e-12);
    EXPECT_GT(frobenius(flow.turn - Mat3::identity()), 0.1);
    EXPECT_GT(flow.change, 0.1);
    EXPECT_LT(norm(flow.turn * shape.bend[0] - Vec3{0.1, 0.2, 0.3}), 1e-12);
}

TEST(Plasticity, nothing_is_learnt_from_what_is_flat_inverted_or_not_finite) {
    const Plasticity p{.yield = 0, .flow_time = 0.01, .creep_time = 1, .healing_time = 9};
    const Mat3 odd[] = {{},
                        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
                        {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
                        {{{1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}}},
                        {{{infinity, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        {{{std::nan(""), 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    for (const Mat3& f : odd) {
        PlasticShape shape;
        shape.stretch = stretched(0.5);
        const double before = kept(shape);
        flow_linear(PlasticStep(p, 0.01), f, shape);
        EXPECT_NEAR(kept(shape), before * std::exp(-0.01 / 9), 1e-12);
    }
}

TEST(Plasticity, stays_bounded_whatever_happens_to_it) {
    Random random(5);
    const Plasticity p{.yield = 0.01, .flow_time = 0.001, .creep_time = 0.1, .cap = 1.4};
    const PlasticStep step(p, 0.01);
    PlasticShape shape;
    for (int k = 0; k < 2000; ++k) {
        Mat3 f;
        const double size = std::exp(random.between(-6, 6));
        for (auto& row : f.m)
            for (double& e : row) e = size * random.between(-1, 1);
        flow_linear(step, f, shape);
        ASSERT_LE(kept(shape), 1.4 + 1e-9) << k;
        ASSERT_NEAR(determinant(shape.stretch), 1, 1e-12) << k;
    }
}

TEST(Plasticity, bends_flow_by_the_same_rule) {
    const double size = 0.3, time = 1, tau = 0.7;
    const Vec3 moments[] = {{0.03, 0, 0}, {0, -0.02, 0.01}, {0, 0, 0.04}};
    for (const double h : steps) {
        const PlasticStep step(Plasticity{.creep_time = tau}, h);
        Vec3 bend[3];
        for (int k = 0; k < std::lround(time / h); ++k) flow_quadratic(step, moments, size, bend);
        for (int k = 0; k < 3; ++k)
            EXPECT_LT(norm(bend[k] - (1 - std::exp(-time / tau)) * moments[k]), 1e-12) << h;
    }
    Vec3 bend[3];
    const PlasticStep yielding(Plasticity{.yield = 0.05, .flow_time = 0.001}, 0.01);
    const Vec3 little[] = {{0.01, 0, 0}, {}, {}};
    flow_quadratic(yielding, little, size, bend);
    EXPECT_EQ(bend[0], Vec3{});
    const Vec3 huge[] = {{30, 0, 0}, {}, {}}, none[] = {{std::nan(""), 0, 0}, {}, {}};
    for (int k = 0; k < 100; ++k) flow_quadratic(yielding, huge, size, bend);
    EXPECT_NEAR(bend[0].x, most_bend * size, 1e-12);
    flow_quadratic(yielding, none, size, bend);
    EXPECT_NEAR(bend[0].x, most_bend * size, 1e-12);
    const PlasticStep healing(Plasticity{.healing_time = 2}, 0.5);
    for (int k = 0; k < 4; ++k) flow_quadratic(healing, none, size, bend);
    EXPECT_NEAR(bend[0].x, most_bend * size * std::exp(-1), 1e-12);
}

// In a plane.

Plane2 metric_of(const Mat3& f) {
    const Mat3 c = transpose(f) * f;
    return {c.m[0][0], c.m[0][1], c.m[1][1]};
}

TEST(PlasticityInAPlane, a_held_stretch_creeps_as_the_closed_form_says_for_every_step) {
    const double strain = 0.4, time = 1, tau = 0.7;
    const double expected = strain * (1 - std::exp(-time / tau));
    for (const double h : steps)
        for (const int rank : {1, 2}) {
            const PlasticStep step(Plasticity{.yield = 0, .flow_time = tau}, h);
            Plane2 log_kept;
            for (int k = 0; k < std::lround(time / h); ++k)
                flow_in_plane(step, metric_of(stretched(strain)), rank, log_kept);
            EXPECT_NEAR(log_kept.xx, expected, 1e-12) << h;
            EXPECT_NEAR(log_kept.yy, rank == 2 ? -expected / 2 : 0, 1e-12) << h;
            EXPECT_NEAR(log_kept.xy, 0, 1e-12) << h;
        }
}

TEST(PlasticityInAPlane, strain_is_that_of_the_body_whose_volume_is_kept) {
    EXPECT_NEAR(equivalent_strain(Plane2{0.4, 0, -0.2}), 0.4, 1e-15);
    EXPECT_NEAR(equivalent_strain(Plane2{-0.2, 0, -0.2}), 0.4, 1e-15);
}

TEST(PlasticityInAPlane, a_shear_after_a_stretch_is_split_into_a_stretch_and_a_turn) {
    Plane2 log_kept{0.5, 0.1, -0.3};
    const Plane2 s = exp_symmetric(log_kept);
    const Mat3 stretch{{{s.xx, s.xy, 0}, {s.xy, s.yy, 0}, {0, 0, 1}}};
    const Mat3 f = Mat3{{{1, 0.6, 0}, {0, 1, 0}, {0, 0, 1}}} * stretch;
    const PlasticStep step(Plasticity{.yield = 0, .flow_time = 1e-3}, 0.1);
    const PlaneFlow flow = flow_in_plane(step, metric_of(f), 2, log_kept);
    const Plane2 now = exp_symmetric(Plane2{2 * log_kept.xx, 2 * log_kept.xy, 2 * log_kept.yy});
    EXPECT_NEAR(now.xx, metric_of(f).xx, 1e-9);
    EXPECT_NEAR(now.xy, metric_of(f).xy, 1e-9);
    EXPECT_NEAR(now.yy, metric_of(f).yy, 1e-9);
    EXPECT_NEAR(flow.cosine * flow.cosine + flow.sine * flow.sine, 1, 1e-12);
    // X S = R_p U_p with a symmetric X: what R_p U_p S⁻¹ is.
    const Plane2 u = exp_symmetric(log_kept), si = exp_symmetric(Plane2{-0.5, -0.1, 0.3});
    const Mat3 r{{{flow.cosine, -flow.sine, 0}, {flow.sine, flow.cosine, 0}, {0, 0, 1}}};
    const Mat3 x = r * Mat3{{{u.xx, u.xy, 0}, {u.xy, u.yy, 0}, {0, 0, 1}}} *
                   Mat3{{{si.xx, si.xy, 0}, {si.xy, si.yy, 0}, {0, 0, 1}}};
    EXPECT_NEAR(x.m[0][1], x.m[1][0], 1e-9);
    EXPECT_GT(flow.sine * flow.sine, 1e-4);
}

TEST(PlasticityInAPlane, nothing_is_learnt_from_what_is_collapsed_or_not_finite) {
    const PlasticStep step(Plasticity{.yield = 0, .flow_time = 0.01, .cap = 1}, 0.01);
    const Plane2 odd[] = {{0, 0, 0}, {1, 1, 1}, {1, 0, -1}, {infinity, 0, 1}, {std::nan(""), 0, 1}};
    for (const Plane2& metric : odd)
        for (const int rank : {1, 2}) {
            if (rank == 1 && metric.xx == 1) continue;
            Plane2 log_kept{0.2, 0, 0};
            flow_in_plane(step, metric, rank, log_kept);
            EXPECT_EQ(log_kept.xx, 0.2);
        }
    Plane2 log_kept;
    for (int k = 0; k < 1000; ++k) flow_in_plane(step, {1e-200, 0, 1e100}, 2, log_kept);
    EXPECT_NEAR(equivalent_strain(log_kept), 1, 1e-9);
}

TEST(Plasticity, presets_are_named_and_legal) {
    for (const char* name : {"clay", "dough", "metal", "foam"}) {
        const Material m = Material::named(name);
        EXPECT_TRUE(m.plasticity) << name;
        EXPECT_FALSE(problem_with(m)) << name;
    }
    for (const char* name : {"jelly", "gummy", "rubber", "flesh"})
        EXPECT_FALSE(Material::named(name).plasticity) << name;
    Material m = Material::named("clay");
    m.plasticity->flow_time = 0;
    EXPECT_EQ(problem_with(m), "plasticity.flow_time is 0 but must be between 0.0001 and 10000");
}

}  // namespace
}  // namespace turgor
