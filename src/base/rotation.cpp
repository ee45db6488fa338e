#include "base/rotation.hpp"

#include <algorithm>
#include <optional>

#include "base/functions.hpp"
#include "base/positive_definite.hpp"

namespace turgor {
namespace {

/// The vector w with a − aᵀ = [w]×.
Vec3 axial(const Mat3& a) {
    return {a.m[2][1] - a.m[1][2], a.m[0][2] - a.m[2][0], a.m[1][0] - a.m[0][1]};
}

/// Newton's method on SO(3). With S = Rᵀa, tr(Rᵀa) is stationary where S is symmetric, and R is its
/// maximum over all proper rotations exactly if tr(S) I − S has no negative eigenvalue; a step
/// solves (tr(S) I − sym S) w = axial S.
template <class Turn>
std::optional<Quat> newton(const Mat3& a, Quat q, double least_pivot, double converged,
                           Turn&& turned) {
    constexpr int max_iterations = 12;
    for (int i = 0; i < max_iterations; ++i) {
        const Mat3 s = transpose(to_matrix(q)) * a;
        const Mat3 symmetric = 0.5 * (s + transpose(s));
        const Mat3 hessian = trace(s) * Mat3::identity() - symmetric;
        const auto w = solve_positive_definite(hessian, axial(s), least_pivot);
        if (!w) return std::nullopt;
        q = turned(q, *w);
        if (dot(*w, *w) < converged * converged) return q;
    }
    return std::nullopt;
}

/// Horn (1987): tr(Rᵀa) = qᵀ K q for a symmetric 4×4 matrix K, so the nearest rotation is the
/// eigenvector of its largest eigenvalue. Cyclic Jacobi finds all four; of a repeated largest one,
/// the vector nearest to `guess`.
Quat by_eigenvectors(const Mat3& a, Quat guess) {
    const auto& m = a.m;
    double k[4][4] = {
        {m[0][0] + m[1][1] + m[2][2], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]},
        {m[0][2] - m[2][0], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]},
        {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1]}};
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0;
        for (int p = 0; p < 4; ++p)
            for (int q = p + 1; q < 4; ++q) {
                off = std::max(off, std::abs(k[p][q]));
                if (k[p][q] == 0) continue;
                const double theta = (k[q][q] - k[p][p]) / (2 * k[p][q]);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (auto& row : k) {
                    const double kp = row[p], kq = row[q];
                    row[p] = c * kp - s * kq;
                    row[q] = s * kp + c * kq;
                }
                for (int i = 0; i < 4; ++i) {
                    const double kp = k[p][i], kq = k[q][i];
                    k[p][i] = c * kp - s * kq;
                    k[q][i] = s * kp + c * kq;
                    const double vp = v[i][p], vq = v[i][q];
                    v[i][p] = c * vp - s * vq;
                    v[i][q] = s * vp + c * vq;
                }
            }
        if (off < 1e-15) break;
    }
    const double largest = std::max({k[0][0], k[1][1], k[2][2], k[3][3]});
    const double g[4] = {guess.w, guess.x, guess.y, guess.z};
    double projected[4] = {};
    int best = 0;
    for (int j = 0; j < 4; ++j) {
        if (k[j][j] > k[best][best]) best = j;
        if (k[j][j] < largest - 1e-9) continue;
        double along = 0;
        for (int i = 0; i < 4; ++i) along += v[i][j] * g[i];
        for (int i = 0; i < 4; ++i) projected[i] += along * v[i][j];
    }
    const Quat q{projected[0], projected[1], projected[2], projected[3]};
    if (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12) return normalized(q);
    return normalized(Quat{v[0][best], v[1][best], v[2][best], v[3][best]});
}

}  // namespace

Quat Quat::about(Vec3 axis, double angle) {
    const Vec3 a = normalized(axis) * portable::sin(angle / 2);
    return a == Vec3{} ? Quat{} : Quat{portable::cos(angle / 2), a.x, a.y, a.z};
}

Quat rotation_by(Vec3 w) {
    const double angle = norm(w);
    // The cosine is 1 in all of its digits, and so is the length.
    if (angle <= 1e-9) return {1, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
    const double s = portable::sin(angle / 2) / angle;
    return normalized(Quat{portable::cos(angle / 2), s * w.x, s * w.y, s * w.z});
}

/// With the largest element 1; nothing where there is no such matrix.
static std::optional<Mat3> scaled_to_one(const Mat3& a) {
    double scale = 0;
    for (const auto& row : a.m)
        for (const double e : row) scale = std::max(scale, std::abs(e));
    if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
    return (1 / scale) * a;
}

Quat nearest_rotation(const Mat3& a, Quat guess) {
    const auto unit = scaled_to_one(a);
    if (!unit) return guess;
    const auto exactly = [](Quat q, Vec3 w) { return normalized(q * rotation_by(w)); };
    if (const auto q = newton(*unit, guess, 1e-7, 1e-11, exactly)) return *q;
    return by_eigenvectors(*unit, guess);
}

Quat nearest_rotation_for_floats(const Mat3& a, Quat guess) {
    const auto unit = scaled_to_one(a);
    if (!unit) return guess;
    // (1, w/2) turns by w up to the third order; what is left is of the order of w².
    const auto nearly = [](Quat q, Vec3 w) {
        return normalized(q * Quat{1, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
    };
    if (const auto q = newton(*unit, guess, 1e-3, 1e-4, nearly)) return *q;
    return nearest_rotation(a, guess);
}

}  // namespace turgor
