#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// Where something is and how it is turned.
struct Pose {
    Vec3 position;
    Quat rotation;
    bool operator==(const Pose&) const = default;

    Vec3 to_world(Vec3 local) const { return position + rotate(rotation, local); }
    Vec3 to_local(Vec3 world) const { return rotate(conjugate(rotation), world - position); }
};

/// A motion given in advance: poses at times, linear (or with `smooth`, gently starting and
/// stopping) in between, standing still before the first and after the last unless it loops.
/// Without keys it stays at the identity. A loop goes from the last key to the first at once:
/// unless their poses are the same, it jumps.
struct Path {
    struct Key {
        double time = 0;  ///< [s], ascending
        Pose pose;
        bool operator==(const Key&) const = default;
    };
    std::vector<Key> keys;
    bool loop = false;
    bool smooth = false;
    bool operator==(const Path&) const = default;

    Pose at(double time) const;
};

/// Who collides with whom: two things do if each is in a layer that the other collides with. Layers
/// are bits.
struct CollisionFilter {
    std::uint32_t layers = 1;
    std::uint32_t collides_with = 0xffffffff;
    bool operator==(const CollisionFilter&) const = default;

    bool meets(const CollisionFilter& other) const {
        return (layers & other.collides_with) != 0 && (other.layers & collides_with) != 0;
    }
};

enum class ColliderShape { plane, sphere, box, capsule, cup };

/// Something that bodies collide with and that no body moves. Its path moves it relative to its
/// pose.
struct Collider {
    ColliderShape shape = ColliderShape::plane;
    std::string name;
    Pose pose;  ///< a plane's outside is its +y; a capsule's and a cup's axis is y
    Path path;
    double radius = 0.5;              ///< sphere, capsule; of a cup: inside [m]
    double height = 1;                ///< capsule: tip to tip; cup: inside [m]
    Vec3 half_extent{0.5, 0.5, 0.5};  ///< box [m]
    double wall = 0.05;               ///< cup: thickness of wall and floor [m]
    CollisionFilter filter;
    bool sensor = false;                ///< tells who touches it and pushes nobody
    std::optional<double> friction;     ///< 0 … 10; unset: the body's own
    std::optional<double> restitution;  ///< 0 … 1; unset: the body's own
    /// `friction` … 10; unset: as `friction`, or the body's own where that is unset too.
    std::optional<double> static_friction;
    std::string surface;  ///< as that of a Material

    /// `normal`: any length but zero, else World::add_collider refuses it.
    static Collider plane(Vec3 point, Vec3 normal);
    static Collider ground(double height = 0) { return plane({0, height, 0}, {0, 1, 0}); }
    static Collider sphere(Vec3 centre, double radius);
    static Collider box(Vec3 centre, Vec3 half_extent, Quat rotation = {});
    static Collider capsule(Vec3 centre, double radius, double height, Quat rotation = {});
    /// An open cup standing with its inner floor at `floor`.
    static Collider cup(Vec3 floor, double radius, double height, double wall = 0.05);
};

}  // namespace turgor
