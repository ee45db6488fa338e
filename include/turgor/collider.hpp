#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "turgor/math.hpp"
#include "turgor/mesh.hpp"

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

enum class ColliderShape { plane, sphere, box, capsule, cup, mesh, height_field };

/// The triangles or heights of a collider with what is needed to find one's way among them: made
/// once, never changed, shared by all copies of the collider.
struct ColliderGeometry;

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
    double thickness = 0;  ///< mesh: > 0 makes it a shell, half of it on either side [m]; 0: solid
    std::shared_ptr<const ColliderGeometry> geometry;  ///< of a mesh or a height field
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

    // What is wrong with a mesh or with heights, World::add_collider says. To have the same thing
    // in many places, copy the collider and change its pose: the triangles are shared.

    /// A solid of triangles in the collider's own frame. The mesh must be closed; it is welded,
    /// repaired and oriented outwards as by make_mesh. For one that is open, use `shell`.
    static Collider mesh(Mesh mesh, const Pose& pose = {});
    /// A wall along any mesh, open or closed, that nothing passes from either side: all that is
    /// within half of the thickness [m]. Triangles may face anywhere.
    static Collider shell(Mesh mesh, double thickness, const Pose& pose = {});
    /// Ground: `columns` (along x) × `rows` (along z) of heights [m] along y, row after row, at
    /// least 2 and at most 4096 each, `spacing` apart [m] and centred at the pose. Solid below,
    /// down for ever, with vertical sides; outside of its extent there is nothing. A cell is cut
    /// into two triangles from its lowest x and z to its highest.
    static Collider height_field(std::size_t columns, std::size_t rows, std::vector<double> heights,
                                 double spacing_x, double spacing_z, const Pose& pose = {});
};

}  // namespace turgor
