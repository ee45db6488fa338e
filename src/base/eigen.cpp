#include "base/eigen.hpp"

#include <cmath>

#include "base/functions.hpp"

namespace turgor {

namespace {

/// Jᵀ a J and v J for the rotation J in the plane of p and q that makes a_pq zero. Indices are
/// known when it is compiled, so that all of it stays in registers.
template <int p, int q>
inline void rotate_to_zero(Mat3& a, Mat3& v) {
    if (a.m[p][q] == 0) return;
    const double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double c = 1 / std::sqrt(t * t + 1), s = t * c;
    // Without the zeros of J.
    for (int k = 0; k < 3; ++k) {
        const double ap = a.m[p][k], aq = a.m[q][k];
        a.m[p][k] = c * ap - s * aq;
        a.m[q][k] = s * ap + c * aq;
    }
    for (int k = 0; k < 3; ++k) {
        const double ap = a.m[k][p], aq = a.m[k][q];
        a.m[k][p] = ap * c - aq * s;
        a.m[k][q] = ap * s + aq * c;
        const double vp = v.m[k][p], vq = v.m[k][q];
        v.m[k][p] = vp * c - vq * s;
        v.m[k][q] = vp * s + vq * c;
    }
}

}  // namespace

Vec3 eigen_symmetric(Mat3 a, Mat3& v) {
    v = Mat3::identity();
    for (int sweep = 0; sweep < 20; ++sweep) {
        if (std::abs(a.m[0][1]) + std::abs(a.m[0][2]) + std::abs(a.m[1][2]) <
            1e-16 * std::abs(trace(a)))
            break;
        rotate_to_zero<0, 1>(a, v);
        rotate_to_zero<0, 2>(a, v);
        rotate_to_zero<1, 2>(a, v);
    }
    return {a.m[0][0], a.m[1][1], a.m[2][2]};
}

Mat3 from_eigen(const Mat3& v, Vec3 values) {
    Mat3 sum;
    for (int k = 0; k < 3; ++k) sum += outer(values[k] * v.column(k), v.column(k));
    return sum;
}

double frobenius(const Mat3& a) {
    return std::sqrt(dot(a.row(0), a.row(0)) + dot(a.row(1), a.row(1)) + dot(a.row(2), a.row(2)));
}

Mat3 log_symmetric(const Mat3& a) {
    Mat3 v;
    const Vec3 values = eigen_symmetric(a, v);
    return from_eigen(v,
                      {portable::log(values.x), portable::log(values.y), portable::log(values.z)});
}

Mat3 exp_symmetric(const Mat3& a) {
    // Shifted, so that no eigenvalue is negative.
    const double shift = frobenius(a);
    Mat3 v;
    const Vec3 values = eigen_symmetric(a + shift * Mat3::identity(), v);
    return from_eigen(v, {portable::exp(values.x - shift), portable::exp(values.y - shift),
                          portable::exp(values.z - shift)});
}

}  // namespace turgor
