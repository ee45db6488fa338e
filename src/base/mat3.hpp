#pragma once

#include "turgor/math.hpp"

namespace turgor {

/// A 3×3 matrix, row by row.
struct Mat3 {
    double m[3][3] = {};

    static Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
    static Mat3 from_columns(Vec3 a, Vec3 b, Vec3 c) {
        return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    }
    Vec3 row(int i) const { return {m[i][0], m[i][1], m[i][2]}; }
    Vec3 column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }

    Mat3& operator+=(const Mat3& b) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) m[i][j] += b.m[i][j];
        return *this;
    }
    Mat3& operator*=(double s) {
        for (auto& row : m)
            for (double& e : row) e *= s;
        return *this;
    }
};

inline Mat3 operator+(Mat3 a, const Mat3& b) {
    return a += b;
}
inline Mat3 operator*(double s, Mat3 a) {
    return a *= s;
}
inline Mat3 operator-(Mat3 a, const Mat3& b) {
    return a += -1.0 * b;
}
inline Vec3 operator*(const Mat3& a, Vec3 v) {
    return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
    return Mat3::from_columns(a * b.column(0), a * b.column(1), a * b.column(2));
}
inline Mat3 transpose(const Mat3& a) {
    return Mat3::from_columns(a.row(0), a.row(1), a.row(2));
}
inline double trace(const Mat3& a) {
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}
inline double determinant(const Mat3& a) {
    return dot(a.row(0), cross(a.row(1), a.row(2)));
}
/// a bᵀ
inline Mat3 outer(Vec3 a, Vec3 b) {
    return Mat3::from_columns(b.x * a, b.y * a, b.z * a);
}
/// [a]×, so that skew(a) b = a × b.
inline Mat3 skew(Vec3 a) {
    return {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

inline Mat3 to_matrix(Quat q) {
    return Mat3::from_columns(rotate(q, {1, 0, 0}), rotate(q, {0, 1, 0}), rotate(q, {0, 0, 1}));
}

/// The symmetric matrix of xx yy zz and xy yz zx.
inline Mat3 symmetric(Vec3 diagonal, Vec3 mixed) {
    return {{{diagonal.x, mixed.x, mixed.z},
             {mixed.x, diagonal.y, mixed.y},
             {mixed.z, mixed.y, diagonal.z}}};
}

}  // namespace turgor
