#pragma once

#include "draw/mat4.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// A camera that looks at a point from some way off.
struct Camera {
    Vec3 target;
    double yaw = 0.45;    ///< about y; 0 looks from +z [rad]
    double pitch = 0.3;   ///< above the horizon [rad], within ± highest_pitch
    double distance = 5;  ///< [m]
    double fov = 0.6;     ///< vertical [rad]
    bool operator==(const Camera&) const = default;

    static constexpr double highest_pitch = 1.5;

    Vec3 position() const;
    Vec3 right() const;
    Vec3 up() const;
    Mat4 view() const;
    Mat4 projection(double aspect) const;
    double nearest() const { return 0.02 * distance; }
    double farthest() const { return 60 * distance; }

    /// The unit direction from the camera through a place in the picture, x and y in −1 … 1, y up.
    Vec3 direction_through(double x, double y, double aspect) const;
    /// Where a point is in the picture, likewise; z: how far in front [m].
    Vec3 project(Vec3 point, double aspect) const;
};

/// Sees all of a box, with some air around it.
Camera framing(const Bounds& bounds, double aspect, Camera from = {});

}  // namespace turgor
