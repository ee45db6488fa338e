#include "draw/mat4.hpp"

#include <cmath>

namespace turgor {
namespace {

float narrow(double x) {
    return static_cast<float>(x);
}

}  // namespace

Mat4 operator*(const Mat4& a, const Mat4& b) {
    Mat4 c{};
    for (std::size_t column = 0; column < 4; ++column)
        for (std::size_t row = 0; row < 4; ++row)
            for (std::size_t k = 0; k < 4; ++k)
                c[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return c;
}

Mat4 look_at(Vec3 eye, Vec3 target, Vec3 up) {
    const Vec3 back = normalized(eye - target);
    const Vec3 right = normalized(cross(up, back));
    const Vec3 top = cross(back, right);
    Mat4 m{};
    for (int i = 0; i < 3; ++i) {
        const auto column = static_cast<std::size_t>(4 * i);
        m[column] = narrow(right[i]);
        m[column + 1] = narrow(top[i]);
        m[column + 2] = narrow(back[i]);
    }
    m[12] = narrow(-dot(right, eye));
    m[13] = narrow(-dot(top, eye));
    m[14] = narrow(-dot(back, eye));
    m[15] = 1;
    return m;
}

Mat4 perspective(double fov, double aspect, double nearest, double farthest) {
    const double scale = 1 / std::tan(fov / 2);
    Mat4 m{};
    m[0] = narrow(scale / aspect);
    m[5] = narrow(scale);
    m[10] = narrow((farthest + nearest) / (nearest - farthest));
    m[11] = -1;
    m[14] = narrow(2 * farthest * nearest / (nearest - farthest));
    return m;
}

Mat4 orthographic(double half_width, double half_height, double nearest, double farthest) {
    Mat4 m{};
    m[0] = narrow(1 / half_width);
    m[5] = narrow(1 / half_height);
    m[10] = narrow(2 / (nearest - farthest));
    m[14] = narrow((farthest + nearest) / (nearest - farthest));
    m[15] = 1;
    return m;
}

}  // namespace turgor
