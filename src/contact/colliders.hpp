#pragma once

#include <array>
#include <limits>
#include <optional>

#include "turgor/collider.hpp"

namespace turgor {

/// Distance to a collider's surface, negative inside, and the direction in which it grows.
struct SignedDistance {
    double distance = 0;
    Vec3 normal;
    bool on_face = true;  ///< of a mesh: not on an edge or a corner
};

/// In the collider's own frame. Exact outside; inside, the way out to the nearest surface. What is
/// farther outside than `reach` need not be told: then the distance may be infinite.
SignedDistance nearest_surface(const Collider& collider, Vec3 local,
                               double reach = std::numeric_limits<double>::infinity());

/// What a particle that went from `from` to `to` (both in the collider's frame at their times) met:
/// the plane through `point` with `normal`. A particle that started outside is stopped where it
/// entered, however thin the collider is.
struct Obstacle {
    Vec3 point, normal;
    double gap = 0;        ///< of `to` above the plane, negative: inside
    double start_gap = 0;  ///< of `from` above the surface
};
std::optional<Obstacle> find_obstacle(const Collider& collider, Vec3 from, Vec3 to, double margin);

/// All planes that stop it: in a corner of a mesh or a height field there may be several.
struct Obstacles {
    std::array<Obstacle, 3> found;
    std::size_t count = 0;
    const Obstacle* begin() const { return found.data(); }
    const Obstacle* end() const { return found.data() + count; }
};
Obstacles find_obstacles(const Collider& collider, Vec3 from, Vec3 to, double margin);

/// Where on the way from → to, as a share of it, it first comes within `touch` of the surface.
std::optional<double> first_touch(const Collider& collider, Vec3 from, Vec3 to, double touch);

/// The sentence that says what is wrong with it, or nothing.
std::optional<std::string> problem_with(const Collider& collider);
std::optional<std::string> problem_with(const Path& path);

}  // namespace turgor
