#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "base/random.hpp"
#include "base/rotation.hpp"

namespace turgor {
namespace {

Eigen::Matrix3d to_eigen(const Mat3& a) {
    Eigen::Matrix3d e;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) e(i, j) = a.m[i][j];
    return e;
}

/// The largest tr(Rᵀa) that a proper rotation can reach: σ₁ + σ₂ ± σ₃ with the sign of det U Vᵀ.
struct Oracle {
    double best, gap, scale;  ///< gap: σ₂ ± σ₃, how well the rotation is determined
    Eigen::Matrix3d rotation;
};
Oracle svd(const Mat3& a) {
    const Eigen::JacobiSVD<Eigen::Matrix3d> d(to_eigen(a),
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double sign = (d.matrixU() * d.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    const Eigen::Vector3d s = d.singularValues();
    const Eigen::Matrix3d flip = Eigen::Vector3d(1, 1, sign).asDiagonal();
    return {s(0) + s(1) + sign * s(2), s(1) + sign * s(2), s(0),
            d.matrixU() * flip * d.matrixV().transpose()};
}

Mat3 random_matrix(Random& random) {
    return Mat3::from_columns(random.in_cube(), random.in_cube(), random.in_cube());
}

Quat random_rotation(Random& random) {
    return rotation_by(3.1 * random.in_cube());
}

/// R₁ diag(s) R₂
Mat3 with_singular_values(Random& random, Vec3 s) {
    const Mat3 d{{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}};
    return to_matrix(random_rotation(random)) * d * to_matrix(random_rotation(random));
}

void expect_nearest(const Mat3& a, Quat guess, double tolerance) {
    const Mat3 r = to_matrix(nearest_rotation(a, guess));
    const Oracle oracle = svd(a);
    EXPECT_NEAR((to_eigen(r) * to_eigen(r).transpose() - Eigen::Matrix3d::Identity()).norm(), 0,
                1e-12);
    EXPECT_GT(determinant(r), 0);
    EXPECT_NEAR((to_eigen(r).transpose() * to_eigen(a)).trace(), oracle.best, 1e-9 * oracle.scale);
    if (oracle.gap > 0.01 * oracle.scale) {
        EXPECT_LT((to_eigen(r) - oracle.rotation).norm(), tolerance);
    }
}

TEST(NearestRotation, agrees_with_svd_on_a_million_matrices) {
    Random random(1);
    for (int k = 0; k < 1'000'000 && !HasFailure(); ++k) {
        Mat3 a = random_matrix(random);
        switch (k % 5) {
            case 0:
                break;
            case 1:
                a = with_singular_values(random, {1, random.between(0.1, 1), 0});
                break;  // flat
            case 2:
                a = 1e-12 * a;
                break;  // tiny
            case 3:
                a = with_singular_values(random,
                                         {1, random.between(0.5, 1), -random.between(0, 0.4)});
                break;  // inverted
            case 4:
                a = with_singular_values(random,
                                         {1, random.between(0, 1e-3), random.between(0, 1e-3)});
                break;  // a needle
        }
        expect_nearest(a, k % 2 ? Quat{} : random_rotation(random), 1e-6);
    }
}

TEST(NearestRotation, for_floats_is_the_same_within_their_digits) {
    Random random(2);
    for (int k = 0; k < 200'000 && !HasFailure(); ++k) {
        const Mat3 a =
            k % 3 == 0 ? random_matrix(random)
            : k % 3 == 1
                ? with_singular_values(random, {1, random.between(0.2, 1), 0})
                : with_singular_values(random, {1, random.between(0.5, 1), random.between(0, 1)});
        // From near the result, as from step to step, and from anywhere.
        const Quat exact = nearest_rotation(a, {});
        const Quat guess = k % 2 ? normalized(exact * rotation_by(0.1 * random.in_cube()))
                                 : random_rotation(random);
        const Mat3 r = to_matrix(nearest_rotation_for_floats(a, guess));
        EXPECT_NEAR(determinant(r), 1, 1e-12);
        if (svd(a).gap > 0.1 * svd(a).scale) {
            EXPECT_LT((to_eigen(r) - to_eigen(to_matrix(exact))).norm(), 2e-7);
        }
    }
    const Quat guess = rotation_by({0.3, -0.2, 1});
    EXPECT_EQ(nearest_rotation_for_floats({}, guess), guess);
}

TEST(NearestRotation, keeps_the_guess_where_nothing_tells_it) {
    const Quat guess = rotation_by({0.3, -0.2, 1});
    EXPECT_EQ(nearest_rotation({}, guess), guess);
    Mat3 bad;
    bad.m[0][0] = NAN;
    EXPECT_EQ(nearest_rotation(bad, guess), guess);
}

TEST(NearestRotation, finds_back_from_half_a_turn) {
    const Quat half = rotation_by({0, 3.14159265358979, 0});
    const Mat3 r = to_matrix(nearest_rotation(Mat3::identity(), half));
    EXPECT_NEAR(trace(r), 3, 1e-12);
}

TEST(NearestRotation, exactly_inverted_matrix_gives_a_proper_rotation) {
    const Mat3 r = to_matrix(nearest_rotation(-1.0 * Mat3::identity(), {}));
    EXPECT_NEAR(determinant(r), 1, 1e-12);
    EXPECT_NEAR(trace(r), -1, 1e-12);  // every half turn is equally near
}

}  // namespace
}  // namespace turgor
