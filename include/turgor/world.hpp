#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turgor/collider.hpp"
#include "turgor/error.hpp"
#include "turgor/material.hpp"
#include "turgor/math.hpp"
#include "turgor/mesh.hpp"
#include "turgor/model.hpp"
#include "turgor/rigid.hpp"
#include "turgor/scheduler.hpp"

/// Every function here that can fail throws an Error; given a `Status*`, it never throws and leaves
/// the error there. Spans that are passed in are read during the call only.
namespace turgor {

enum class VolumeMode {
    local,   ///< kept exactly, bulging near where it is squeezed (alpha, beta of the material)
    global,  ///< kept exactly, bulging everywhere alike
    off      ///< not kept
};

/// Which mathematics runs. The default is Turgor's; `paper()` is the formulation as published: in
/// 2011 with its volume gradient put right, the meshless model's in 2005. For comparison;
/// docs/methods.md explains each switch.
struct Formulation {
    /// The part of the surface model.
    struct Surface {
        bool share_mass = true;          ///< fit regions with m/|ℜ|: momentum is conserved
        double normal_point_weight = 0;  ///< the extra point above each region; 1 as published
        bool operator==(const Surface&) const = default;
    } surface{};
    /// The part of the meshless model.
    struct Meshless {
        bool published = false;  ///< everything as in Müller et al. 2005, flaws included
        bool operator==(const Meshless&) const = default;
    } meshless{};
    bool exact_volume = true;          ///< solve the cubic; else one linear step
    bool momentum_free_volume = true;  ///< volume corrections without ghost forces
    bool contact_fade =
        true;  ///< volume weights fade with the gap; else only touching particles are held
    bool velocities_from_positions =
        true;             ///< else positions and velocities are corrected separately
    bool settle = true;   ///< the whole-body damping that lets things come to rest
    bool recover = true;  ///< bodies that lost their shape are brought back
    bool operator==(const Formulation&) const = default;

    static Formulation paper();
};

/// Who does the work.
enum class Backend {
    automatic,  ///< cpu where it knows the formulation, else the reference
    reference,  ///< double precision, written for reading
    cpu,        ///< single precision with SIMD and threads: the same physics, many times faster
    opencl      ///< the same on a graphics card, all bodies at once; the cpu does the rest
};

/// How the cpu back end sums over regions: fast by differences of prefix sums, or naively particle
/// by particle, for comparison. Both give the same bits.
enum class Summation { fast, naive };

struct WorldSettings {
    Vec3 gravity{0, -9.81, 0};  ///< [m/s²]
    Formulation formulation{};
    Backend backend = Backend::automatic;
    int threads = 0;                         ///< of the cpu back end; 0: as many as the machine has
    std::string device{};                    ///< of the opencl back end: a part of its name
    std::shared_ptr<Scheduler> scheduler{};  ///< the host's own threads instead
    Summation summation = Summation::fast;
    /// Where bakes of large meshes are kept, so that the next world need not make them again;
    /// empty: nowhere. Files that are damaged or of another version are made anew; a folder that
    /// cannot be written is no error.
    std::filesystem::path bake_folder{};
    bool sleeping = true;  ///< bodies at rest are not simulated until something happens to them
};

struct BodyOptions {
    std::string name{};       ///< for output; made unique
    Vec3 position{};          ///< added to the mesh's own coordinates [m]
    Quat rotation{};          ///< about the mesh's origin
    double scale = 1;         ///< about the mesh's origin, > 0
    Vec3 velocity{};          ///< [m/s]
    Vec3 angular_velocity{};  ///< about the centre of mass [rad/s]
    VolumeMode volume = VolumeMode::local;
    double gravity_factor = 1;  ///< 0 floats, −1 rises
    CollisionFilter filter{};   ///< whom it collides with
    bool self_contact = true;   ///< its parts do not pass through each other
    Model model{};              ///< how it resists being deformed
    /// A finer mesh in the same coordinates that is shown instead, or points (no triangles): of the
    /// meshless model they are particles inside.
    const Mesh* display = nullptr;
    /// Of the mesh's vertices, > 0: how many times as much each weighs as its share of the surface
    /// says, the heaviest at most 100 times as much as the lightest. The whole mass stays that of
    /// the volume. Empty: all alike.
    std::vector<double> relative_masses{};
    /// Of the mesh's vertices, 0 … 1, relative to the largest: how much each counts where goals are
    /// found and how firmly it is drawn to its own; what counts little trails after the rest. Less
    /// than a hundredth is taken as a hundredth. The meshless model knows it. Empty: all alike.
    std::vector<double> matching_weights{};
    Vec3f colour{0.8f, 0.8f, 0.8f};
};

using BodyId = std::uint32_t;
using ColliderId = std::uint32_t;
using HandleId = std::uint32_t;

/// A body and a collider, or two bodies, met or parted. Of a removed body nothing more is heard; a
/// removed collider ends its contacts in the next step. A rigid body is in `rigid`, with `body`,
/// `collider` or (another rigid one) `other` it met.
struct ContactEvent {
    enum class Kind { began, ended } kind = Kind::began;
    BodyId body = 0;
    ColliderId collider = 0;  ///< 0 where it is another body
    Vec3 point;               ///< where the body touches first, or touched last [m]
    Vec3 normal;              ///< there, pointing at the body
    BodyId other = 0;         ///< the other body, or 0
    double impulse = 0;       ///< of the push when it began, of all its points [N s]
    RigidId rigid = 0;        ///< a rigid body, or 0; the normal points at it where `body` is 0
};

/// A body came apart further. Its surface and what is shown of it have other vertices and triangles
/// now. Handles and forces go along with the particles that they act on.
struct TearEvent {
    BodyId body = 0;
    BodyId piece = 0;  ///< the body itself, or one that came off and is new
};

/// The stages of a step, in their order.
enum class Stage { integrate, elasticity, contact, volume_positions, volume_velocities, publish };
inline constexpr std::array<std::string_view, 6> stage_names{
    "integrate", "elasticity", "contact", "volume_positions", "volume_velocities", "publish"};

/// What the last step did.
struct StepReport {
    std::array<double, 6> milliseconds{};  ///< by stage
    int sub_steps = 0;                     ///< the most of any body
    std::size_t contacts = 0;              ///< pairs of a particle and a collider that touch
    std::size_t pairs_left_out = 0;        ///< of bodies: more than 32 were at one's place
    double max_penetration = 0;  ///< into a collider, relative to the body's size; the cpu back end
                                 ///< looks at particles that are or were near one
};

/// A point on a body or a collider that a query found.
struct SurfaceHit {
    BodyId body = 0;             ///< 0 where it is something else
    ColliderId collider = 0;     ///< likewise
    std::uint32_t triangle = 0;  ///< of the body's mesh
    Vec3 point, normal;          ///< the normal points outwards
    double distance = 0;         ///< along the ray, or from the point to it, negative inside [m]
    RigidId rigid = 0;           ///< 0 where it is something else
};

struct WorldImpl;
struct BodyRecord;
struct Inspection;

/// A body in a world: a light reference to copy freely, valid until the body or its world is gone.
/// Vertices are those of the mesh the body was made of, in its order. Asking a removed body for
/// anything but `alive` is an Error.
class Body {
public:
    BodyId id() const { return id_; }
    bool alive() const;
    const std::string& name() const;

    /// Of the simulated vertices [m], and unit normals. Both are valid until the next step,
    /// restore, edit or removal of the body.
    std::span<const Vec3f> positions() const;
    std::span<const Vec3f> normals() const;
    /// Valid until the next restore or removal of the body, or until it tears.
    std::span<const Triangle> triangles() const;
    /// Of the display mesh; the same as positions() and normals() without one, and valid as long.
    std::span<const Vec3f> display_positions() const;
    std::span<const Vec3f> display_normals() const;
    /// Valid until the next set_material, restore or removal of the body, or until it tears.
    std::span<const Triangle> display_triangles() const;
    Vec3f colour() const;

    Vec3 position(std::size_t vertex) const;  ///< in full precision
    Vec3 velocity(std::size_t vertex) const;  ///< [m/s]
    Bounds bounds() const;
    double size() const;         ///< diameter of the sphere of equal rest volume [m]
    double volume() const;       ///< now [m³]
    double rest_volume() const;  ///< [m³]
    double mass() const;         ///< [kg]
    Vec3 centre_of_mass() const;
    Vec3 momentum() const;          ///< [kg m/s]
    Vec3 angular_momentum() const;  ///< about the centre of mass [kg m²/s]
    double kinetic_energy() const;  ///< [J]
    double max_speed() const;       ///< of any particle [m/s]
    double shape_error() const;     ///< rms distance from the rest shape, rigid motion removed,
                                    ///< relative to the rms radius
    /// The shape that it comes back to, of its vertices [m]: the centre of mass at the origin,
    /// turned as the mesh was. Of a plastic body it changes as it is pressed, bent and twisted.
    std::vector<Vec3> rest_shape() const;
    void reset_shape();   ///< it comes back to the shape that it was made with
    bool asleep() const;  ///< at rest, until something happens to it
    bool recovering()
        const;  ///< it lost its shape and is being brought back; its volume is not kept meanwhile
    double frequency() const;  ///< of its slowest wobble [Hz]; less than the material asks for
                               ///< where that would take more than 100 sub-steps in 5 ms

    const Model& model() const;  ///< as it was added
    bool can_tear() const;       ///< see World::tears
    /// What its model tells of it, by name, and one of them: an Error where it has none of the
    /// name. The surface model has "omega" (region width in use [edges]), "stiffness" (s in use,
    /// per 5 ms), "damping" (k in use, per 5 ms) and "intervals_per_region" (mean number of index
    /// intervals).
    std::vector<ModelFigure> figures() const;
    double figure(std::string_view name) const;

    const Material& material() const;
    void set_material(const Material& material, Status* status = nullptr);
    VolumeMode volume_mode() const;
    void set_volume_mode(VolumeMode mode);
    void set_gravity_factor(double factor, Status* status = nullptr);
    const CollisionFilter& filter() const;
    void set_filter(const CollisionFilter& filter);
    bool self_contact() const;
    void set_self_contact(bool on);

    /// A force [N] that acts until it is changed: on the whole body (spread by mass), or on one
    /// vertex. The same force again wakes nobody.
    void set_force(Vec3 force, Status* status = nullptr);
    void set_force(std::size_t vertex, Vec3 force, Status* status = nullptr);
    /// A kick [N s], on the whole body or on one vertex.
    void apply_impulse(Vec3 impulse, Status* status = nullptr);
    void apply_impulse(std::size_t vertex, Vec3 impulse, Status* status = nullptr);
    /// Moves it rigidly so that its centre of mass is at `position`, turned further by `rotation`;
    /// keeps its deformation. Its pins move with it.
    void teleport(Vec3 position, Quat rotation = {}, bool keep_velocity = false,
                  Status* status = nullptr);
    /// Sets every vertex: any start will do, see `recovering`.
    void set_positions(std::span<const Vec3> positions, Status* status = nullptr);
    void set_velocities(std::span<const Vec3> velocities, Status* status = nullptr);

    /// Vertices within `radius` [m] of a point, as they are now.
    std::vector<std::uint32_t> vertices_near(Vec3 point, double radius) const;
    /// Holds vertices where they are, or moves them along a path about their common centre (key
    /// times count from now).
    HandleId pin(std::span<const std::uint32_t> vertices, const Path& path = {},
                 Status* status = nullptr);
    /// Pulls vertices towards a point that can be moved, like a damped spring of the given
    /// frequency [Hz]; the fewer vertices, the softer.
    HandleId drag(std::span<const std::uint32_t> vertices, Vec3 target, double frequency = 4,
                  Status* status = nullptr);
    /// Lets vertices follow an animated mesh: `targets` for every vertex (update it with
    /// move_handle), `strength` each in 0 (free) … 1 (glued to it).
    HandleId follow(std::span<const Vec3> targets, std::span<const double> strength,
                    Status* status = nullptr);
    void move_handle(HandleId handle, Vec3 target, Status* status = nullptr);
    void move_handle(HandleId handle, std::span<const Vec3> targets, Status* status = nullptr);
    /// Of a body that tore apart a handle is moved and released in all pieces that it holds.
    void release(HandleId handle);
    std::vector<HandleId> handles() const;

private:
    friend class World;
    friend struct Inspection;
    Body(WorldImpl* world, BodyId id) : world_(world), id_(id) {}
    BodyRecord& record() const;  // an Error where the body is gone
    WorldImpl* world_;
    BodyId id_;
};

/// Bodies, soft and rigid, colliders and the time they live in. Not thread-safe: one thread at a
/// time.
class World {
public:
    explicit World(const WorldSettings& settings = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    /// The mesh must be closed and oriented outwards: what load_mesh, make_mesh and shapes::
    /// return.
    Body add_body(const Mesh& mesh, const Material& material = {}, const BodyOptions& options = {},
                  Status* status = nullptr);
    void remove_body(BodyId id);
    Body body(BodyId id);
    std::vector<Body> bodies();

    /// An Error says what is wrong with the shape, the mass or the start.
    Rigid add_rigid(const RigidBody& body, Status* status = nullptr);
    void remove_rigid(RigidId id);
    Rigid rigid(RigidId id);
    std::vector<Rigid> rigids();

    ColliderId add_collider(const Collider& collider, Status* status = nullptr);
    void remove_collider(ColliderId id);
    /// Moves a collider from outside; it reaches the pose at the end of the next step. Replaces its
    /// path.
    void move_collider(ColliderId id, const Pose& pose, Status* status = nullptr);
    Pose collider_pose(ColliderId id) const;
    std::vector<ColliderId> colliders() const;
    /// As it was added.
    const Collider& collider(ColliderId id) const;

    /// How two surfaces (Material::surface, Collider::surface) rub on each other, in whatever order
    /// they are named: wins over what bodies and colliders say by themselves. A surface may be
    /// named with itself.
    void set_friction(const std::string& surface, const std::string& other,
                      const PairFriction& friction, Status* status = nullptr);
    /// From now on they rub as their own values say; nothing where there was no such pair.
    void remove_friction(const std::string& surface, const std::string& other);
    std::optional<PairFriction> friction(const std::string& surface,
                                         const std::string& other) const;

    /// Advances by `dt` [s], 1e-6 … 0.25, in as many sub-steps as each body's material needs: the
    /// motion hardly depends on how the time is cut. 5 ms is the step the papers use. A body whose
    /// numbers overflow is stopped where it was and named in an Error; all others have advanced.
    /// Whatever else ends a step half-way, memory that runs out above all, leaves the world broken:
    /// it can be read, but every step is an Error until a snapshot is restored.
    void step(double dt = 0.005, Status* status = nullptr);

    /// Starts what bodies show (positions, normals, display meshes), without waiting for it: a
    /// device evaluates it for all bodies that changed, at once, and sends it while the host does
    /// something else. Whoever then asks a Body waits only for the rest of it; without this call
    /// the first question after a step does all of it. Other back ends have nothing to start.
    void begin_reading(Status* status = nullptr);

    // Queries: of everything as it is now that collides with `filter`. Sensors are not seen.

    /// The first thing that a ray meets, at most `longest` [m] away. `direction`: any length but
    /// zero. From inside a body its far side is met.
    std::optional<SurfaceHit> cast_ray(Vec3 origin, Vec3 direction, double longest = 1e6,
                                       const CollisionFilter& filter = {0xffffffff},
                                       Status* status = nullptr);
    /// The nearest point of any surface within `reach` [m]; inside something, with a negative
    /// distance.
    std::optional<SurfaceHit> closest_point(Vec3 point, double reach,
                                            const CollisionFilter& filter = {0xffffffff},
                                            Status* status = nullptr);
    /// Bodies that a ball touches or that contain it, by ascending id.
    std::vector<BodyId> bodies_in_ball(Vec3 centre, double radius,
                                       const CollisionFilter& filter = {0xffffffff},
                                       Status* status = nullptr);

    double time() const;
    Vec3 gravity() const;
    void set_gravity(Vec3 gravity, Status* status = nullptr);
    const Formulation& formulation() const;
    Backend backend() const;  ///< never automatic
    int threads() const;
    const StepReport& report() const;
    std::span<const ContactEvent> events() const;  ///< of the last step; valid until the next one
                                                   ///< or a restore
    std::span<const TearEvent> tears() const;      ///< likewise
    std::size_t particles() const;
    /// Changes with any bit of the state: positions, velocities, time.
    std::uint64_t state_hash() const;
    /// False as soon as a number anywhere is not finite (which step reports as an Error too).
    bool finite() const;

    /// Memory of all bodies, asset and state, without the copies of their meshes [bytes].
    std::size_t bytes() const;

    /// The whole state as bytes: bodies, colliders, frictions of pairs, handles, time. Continuing
    /// from it gives the same bits. Of a broken world there is none, but an Error.
    std::vector<std::byte> snapshot() const;
    /// Replaces everything by what the snapshot holds, and mends a broken world. On an error the
    /// world is unchanged.
    void restore(std::span<const std::byte> snapshot, Status* status = nullptr);

private:
    friend struct Inspection;
    std::unique_ptr<WorldImpl> impl_;
};

}  // namespace turgor
