#include "draw/camera.hpp"

#include <algorithm>
#include <cmath>

namespace turgor {

Vec3 Camera::position() const {
    return target + distance * Vec3{std::cos(pitch) * std::sin(yaw), std::sin(pitch),
                                    std::cos(pitch) * std::cos(yaw)};
}

Vec3 Camera::right() const {
    return {std::cos(yaw), 0, -std::sin(yaw)};
}

Vec3 Camera::up() const {
    return cross(normalized(position() - target), right());
}

Mat4 Camera::view() const {
    return look_at(position(), target, {0, 1, 0});
}

Mat4 Camera::projection(double aspect) const {
    return perspective(fov, aspect, nearest(), farthest());
}

Vec3 Camera::direction_through(double x, double y, double aspect) const {
    const double tangent = std::tan(fov / 2);
    const Vec3 ahead = normalized(target - position());
    return normalized(ahead + (x * tangent * aspect) * right() + (y * tangent) * up());
}

Vec3 Camera::project(Vec3 point, double aspect) const {
    const Vec3 offset = point - position();
    const double depth = dot(offset, normalized(target - position()));
    const double scale = 1 / (std::tan(fov / 2) * depth);
    return {dot(offset, right()) * scale / aspect, dot(offset, up()) * scale, depth};
}

Camera framing(const Bounds& bounds, double aspect, Camera from) {
    constexpr double air = 1.12;
    from.target = bounds.centre();
    const Vec3 ahead = normalized(from.target - from.position());
    const double tangent = std::tan(from.fov / 2);
    from.distance = 1e-6;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p{corner & 1 ? bounds.upper.x : bounds.lower.x,
                     corner & 2 ? bounds.upper.y : bounds.lower.y,
                     corner & 4 ? bounds.upper.z : bounds.lower.z};
        const Vec3 offset = p - from.target;
        const double across = std::max(std::fabs(dot(offset, from.right())) / aspect,
                                       std::fabs(dot(offset, from.up())));
        from.distance = std::max(from.distance, air * across / tangent - dot(offset, ahead));
    }
    return from;
}

}  // namespace turgor
