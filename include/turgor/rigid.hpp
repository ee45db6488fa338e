#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "turgor/collider.hpp"
#include "turgor/error.hpp"
#include "turgor/mesh.hpp"

/// Rigid bodies, for soft ones to meet: both push each other. docs/limits.md says what they are not
/// good at.
namespace turgor {

enum class RigidShape { sphere, box, capsule, convex };

/// What a rigid body is made of and how it starts. Its frame has its centre of mass at the origin.
struct RigidBody {
    RigidShape shape = RigidShape::sphere;
    std::string name{};               ///< for output; made unique
    double radius = 0.5;              ///< sphere, capsule [m]
    double height = 1;                ///< capsule: tip to tip, along y [m]
    Vec3 half_extent{0.5, 0.5, 0.5};  ///< box [m]
    Mesh mesh{};                      ///< convex: closed, outward and convex, up to 4096 vertices
    double density = 1000;            ///< [kg/m³]
    std::optional<double> mass{};     ///< instead of the density [kg]
    Pose pose{};  ///< of the centre of mass, wherever the mesh has its origin; axes are the mesh's
    Vec3 velocity{};            ///< [m/s]
    Vec3 angular_velocity{};    ///< [rad/s]
    double gravity_factor = 1;  ///< 0 floats, −1 rises
    double friction = 0.5;      ///< 0 … 10; with another body: √(μ₁ μ₂)
    double restitution = 0;     ///< 0 … 1; with another body: the larger one
    CollisionFilter filter{};   ///< whom it collides with
    /// Another engine moves it: it meets soft bodies only, feels no gravity, and tells what they
    /// did to it (Rigid::impulse). Before each step: Rigid::set_state.
    bool driven_by_host = false;
    Vec3f colour{0.6f, 0.6f, 0.65f};

    static RigidBody sphere(Vec3 centre, double radius);
    static RigidBody box(Vec3 centre, Vec3 half_extent, Quat rotation = {});
    static RigidBody capsule(Vec3 centre, double radius, double height, Quat rotation = {});
    static RigidBody convex(const Mesh& mesh, Vec3 centre, Quat rotation = {});
};

using RigidId = std::uint32_t;

struct RigidState {
    Pose pose;
    Vec3 velocity;          ///< of the centre of mass [m/s]
    Vec3 angular_velocity;  ///< [rad/s]
};

struct WorldImpl;
struct RigidRecord;

/// A rigid body in a world: a light reference to copy freely, valid until the body or its world is
/// gone. Asking a removed one for anything but `alive` is an Error.
class Rigid {
public:
    RigidId id() const { return id_; }
    bool alive() const;
    const std::string& name() const;
    Vec3f colour() const;

    const Pose& pose() const;       ///< of the centre of mass
    Vec3 velocity() const;          ///< of the centre of mass [m/s]
    Vec3 angular_velocity() const;  ///< [rad/s]
    double mass() const;            ///< [kg]
    double volume() const;          ///< [m³]
    Vec3 momentum() const;          ///< [kg m/s]
    Vec3 angular_momentum() const;  ///< about the centre of mass [kg m²/s]
    double kinetic_energy() const;  ///< [J]
    Bounds bounds() const;
    bool asleep() const;  ///< at rest, until something happens to it

    /// A mesh of it as it is now, for drawing; round shapes are made of flat triangles. Positions
    /// and normals are valid until the next step, restore, edit or removal of the body; triangles
    /// until the next restore or removal.
    std::span<const Vec3f> positions() const;
    std::span<const Vec3f> normals() const;
    std::span<const Triangle> triangles() const;

    void set_state(const RigidState& state, Status* status = nullptr);
    /// A kick [N s] at the centre of mass, or at a point in space.
    void apply_impulse(Vec3 impulse, Status* status = nullptr);
    void apply_impulse(Vec3 impulse, Vec3 point, Status* status = nullptr);
    /// A force at the centre of mass [N] and a torque [N m] that act until they are changed.
    void set_force(Vec3 force, Vec3 torque = {}, Status* status = nullptr);
    void set_gravity_factor(double factor, Status* status = nullptr);
    void set_filter(const CollisionFilter& filter);

    /// What soft bodies did to it in the last step, if it is driven by a host: impulse [N s], and
    /// angular impulse about its centre of mass [N m s].
    Vec3 impulse() const;
    Vec3 angular_impulse() const;

private:
    friend class World;
    Rigid(WorldImpl* world, RigidId id) : world_(world), id_(id) {}
    RigidRecord& record() const;  // an Error where it is gone
    WorldImpl* world_;
    RigidId id_;
};

}  // namespace turgor
