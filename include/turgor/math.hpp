#pragma once

#include <cmath>
#include <cstdint>

namespace turgor {

/// A vector in double precision: what parameters and single queries use.
struct Vec3 {
    double x = 0, y = 0, z = 0;

    double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

    Vec3& operator+=(Vec3 b) { return x += b.x, y += b.y, z += b.z, *this; }
    Vec3& operator-=(Vec3 b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
    Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
    Vec3& operator/=(double s) { return x /= s, y /= s, z /= s, *this; }
    bool operator==(const Vec3&) const = default;
};

inline Vec3 operator+(Vec3 a, Vec3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(Vec3 a, Vec3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(Vec3 a) {
    return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, Vec3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline Vec3 operator*(Vec3 a, double s) {
    return s * a;
}
inline Vec3 operator/(Vec3 a, double s) {
    return {a.x / s, a.y / s, a.z / s};
}

inline double dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(Vec3 a) {
    return std::sqrt(dot(a, a));
}
/// The unit vector along `a`, or zero where `a` is zero.
inline Vec3 normalized(Vec3 a) {
    const double length = norm(a);
    return length > 0 ? a / length : Vec3{};
}
inline bool is_finite(Vec3 a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// A vector in single precision: what arrays for drawing use.
struct Vec3f {
    float x = 0, y = 0, z = 0;
    bool operator==(const Vec3f&) const = default;
};

inline Vec3f to_float(Vec3 a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}
inline Vec3 to_double(Vec3f a) {
    return {a.x, a.y, a.z};
}

/// A unit quaternion: a rotation.
struct Quat {
    double w = 1, x = 0, y = 0, z = 0;
    bool operator==(const Quat&) const = default;

    /// The rotation by `angle` [rad] about `axis` (any length but zero; zero gives no rotation).
    static Quat about(Vec3 axis, double angle);
};

inline Quat operator*(Quat a, Quat b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conjugate(Quat q) {
    return {q.w, -q.x, -q.y, -q.z};
}
inline Quat normalized(Quat q) {
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return length > 0 ? Quat{q.w / length, q.x / length, q.y / length, q.z / length} : Quat{};
}
inline Vec3 rotate(Quat q, Vec3 v) {
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2.0 * cross(u, v);
    return v + q.w * t + cross(u, t);
}

/// An axis-aligned box; empty where `lower` exceeds `upper`.
struct Bounds {
    Vec3 lower{1e300, 1e300, 1e300}, upper{-1e300, -1e300, -1e300};

    void add(Vec3 p) {
        lower = {std::fmin(lower.x, p.x), std::fmin(lower.y, p.y), std::fmin(lower.z, p.z)};
        upper = {std::fmax(upper.x, p.x), std::fmax(upper.y, p.y), std::fmax(upper.z, p.z)};
    }
    Vec3 centre() const { return 0.5 * (lower + upper); }
    Vec3 extent() const { return upper - lower; }
    double diagonal() const { return norm(extent()); }
};

}  // namespace turgor
