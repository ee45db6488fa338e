#pragma once

#include <optional>

#include "turgor/collider.hpp"

namespace turgor {

/// Distance to a collider's surface, negative inside, and the direction in which it grows.
struct SurfacePoint {
    double distance = 0;
    Vec3 normal;
};

/// In the collider's own frame. Exact outside; inside, the way out to the nearest surface.
SurfacePoint nearest_surface(const Collider& collider, Vec3 local);

/// What a particle that went from `from` to `to` (both in the collider's frame at their times) met:
/// the plane through `point` with `normal`. A particle that started outside is stopped where it
/// entered, however thin the collider is.
struct Obstacle {
    Vec3 point, normal;
    double gap = 0;        ///< of `to` above the plane, negative: inside
    double start_gap = 0;  ///< of `from` above the surface
};
std::optional<Obstacle> find_obstacle(const Collider& collider, Vec3 from, Vec3 to, double margin);

/// Where on the way from → to, as a share of it, it first comes within `touch` of the surface.
std::optional<double> first_touch(const Collider& collider, Vec3 from, Vec3 to, double touch);

/// The sentence that says what is wrong with it, or nothing.
std::optional<std::string> problem_with(const Collider& collider);
std::optional<std::string> problem_with(const Path& path);

}  // namespace turgor
