#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bake/asset.hpp"
#include "bake/fast_asset.hpp"
#include "base/motion_sums.hpp"
#include "contact/collision_surface.hpp"
#include "contact/contact.hpp"
#include "contact/rigid_encounter.hpp"
#include "contact/self_contact.hpp"
#include "elastic/surface/surface.hpp"
#include "turgor/world.hpp"
#include "world/cpu_body.hpp"
#include "world/device_world.hpp"
#include "world/handles.hpp"
#include "world/parameters.hpp"

namespace turgor {

/// What a body was made of: kept for other region widths and for snapshots, shared by all bodies
/// made of it.
struct BodySource {
    Mesh mesh;
    std::optional<Mesh> display;
    std::uint64_t hash = 0;
};
/// Of its meshes.
std::uint64_t hash_of(const BodySource& source);

/// An asset and what the elastic model adds to it, shared by all bodies of one source and ω.
struct Prepared {
    std::shared_ptr<const BodySource> source;
    std::shared_ptr<const BodyAsset> asset;
    std::shared_ptr<const SurfaceRest> rest;
    std::shared_ptr<const FastAsset> fast;  ///< for the cpu back end only
    double wobble_share = 0;
    std::shared_ptr<const CollisionTree> tree{};  ///< made when a body first comes near another
};

/// The state of all particles of all bodies, body after body. The reference works on it; for the
/// cpu back end it is a mirror of each CpuBody, brought up to date when somebody asks.
struct Particles {
    std::vector<Vec3> x, v;
    std::vector<Quat> rotation;   ///< the last fit of each region
    std::vector<double> pressed;  ///< how hard the last volume correction pressed it on a collider
                                  ///< [m]
    std::vector<double> mass;     ///< [kg]

    void resize(std::size_t n);
    void erase(std::size_t first, std::size_t count);
};

/// What the reference needs besides, for one body at a time.
struct ReferenceScratch {
    std::vector<Vec3> x_start;   ///< xₙ, where the (sub-)step began
    std::vector<Vec3> goal;      ///< of shape matching; blended velocities after it
    std::vector<double> change;  ///< |cᵢ|: how far shape matching would move a particle
    std::vector<double> weight;  ///< of the volume correction
    std::vector<Support> support;
    HandledParticles handled;
    std::vector<Pin> pins;
    std::vector<const Contact*> nearest;
};

struct Published {
    std::vector<Vec3f> positions, normals;
    std::vector<Vec3f> display_positions, display_normals;  ///< empty without a display mesh
};

/// Where a body touches a collider or another body: their ids never coincide.
struct Touch {
    enum class Kind : std::uint32_t { collider, body, rigid };
    std::uint32_t id = 0;
    Kind kind = Kind::collider;
    Vec3 point, normal;
    double impulse = 0;  ///< [N s]
};

/// What a body's meetings with others were like in the last sub-step.
struct Met {
    std::vector<Touch> touches;  ///< other bodies it touches
    Vec3 points;                 ///< Σ of where it does
    double count = 0;            ///< of those points
    bool grounded = false;       ///< they stand on something, in the end
    void clear() {
        touches.clear();
        points = {};
        count = 0;
        grounded = false;
    }
};

/// What is known about a body touching itself.
struct SelfContact {
    bool wanted = true;
    /// Parts are on the wrong side of each other and may pass, until none is: it was put there.
    bool tangled = false;
    /// How far parts may still move towards each other before one has to be looked at [m].
    double clearance = 0;
    double travelled = 0;  ///< Σ of the farthest that any particle has come, in its frame [m]
    /// How fast parts that may touch closed in the last step on a device [m/s]; negative: none did.
    double closing = -1;
    bool looked_ahead = false;  ///< that was found out for the next step
    /// When a cluster of vertices was last looked at.
    struct Cluster {
        double gap = 0;   ///< to what it could touch, beyond what counts as near [m]
        double seen = 0;  ///< `travelled` then
    };
    std::vector<Cluster> clusters;

    void lose_track() {
        tangled = true;
        clearance = 0;
        looked_ahead = false;
        clusters.clear();
    }
};

/// What a body remembers of a later one near it.
struct Neighbour {
    std::uint32_t id = 0;
    std::uint32_t parting = 0;  ///< 1: they overlap and are being moved apart
    Vec3 push;                  ///< Σ of how it was pushed away, fading [kg m]
};

/// Whom a body touches, soft or rigid.
struct TouchLog {
    Met met;
    std::vector<Neighbour> neighbours;
    std::vector<Touch> touching, touched;  ///< what it touches and touched before, by id
    std::vector<ContactEvent> events;      ///< of the step

    void begin();  ///< another sub-step
    bool touched_before(std::uint32_t id) const;
    void add(const Touch& touch);
    /// What began and ended; of two bodies the one that came first speaks for both, and a soft one
    /// for a rigid one.
    void tell(std::uint32_t own_id, Touch::Kind own_kind);
};

struct BodyRecord : TouchLog {
    BodyId id = 0;
    std::string name;
    Prepared prepared;
    std::size_t first = 0, count = 0;  ///< its particles
    Material material;
    SurfaceParameters parameters;
    VolumeMode volume_mode = VolumeMode::local;
    double gravity_factor = 1;
    CollisionFilter filter;
    std::uint32_t surface = FrictionPairs::no_surface;  ///< its number, in this step
    Vec3f colour;
    Vec3 force;                            ///< on the whole body [N]
    std::map<std::uint32_t, Vec3> forces;  ///< on particles [N]
    std::vector<Handle> handles;
    /// Of the last sub-step. `particle` is one of the body's for the reference, one of the touched
    /// particles for the cpu back end.
    std::vector<Contact> contacts;
    SelfContact self;
    SelfSearch self_search;
    bool recovering = false;
    bool overflowed = false;  ///< in this step
    double quiet = 0;         ///< how long it has hardly moved [s]
    bool asleep = false;
    bool in_island = false;  ///< in this step: it may meet others
    CollisionBoxes boxes;
    CpuBody cpu;
    static constexpr std::uint32_t nowhere = 0xffffffff;
    /// What the opencl back end knows of it.
    struct OnDevice {
        std::uint32_t place = nowhere;
        bool is_old = true;       ///< its CpuBody was changed since
        bool is_ahead = false;    ///< the particles of its CpuBody are of an earlier step
        Vec3 low, high;           ///< the box around its particles, relative to the origin
        double spread = 0;        ///< of velocities about their mean [m/s]
        bool is_coming = false;   ///< what is shown of it is being read back
        std::uint32_t shown = 0;  ///< as this one of those that are
    } device;
    bool cpu_is_old = true;      ///< the mirror was changed from outside
    bool mirror_is_old = false;  ///< the cpu back end advanced
    bool shown_is_old = true;    ///< `published` is of an earlier state
    Quat orientation;            ///< of the global fit
    double mass = 0;             ///< [kg]
    Published published;

    const BodyAsset& asset() const { return *prepared.asset; }
};

struct RigidRecord : TouchLog {
    RigidId id = 0;
    std::string name;
    RigidBody made;  ///< with what was changed since; its pose and velocities are of the start
    std::shared_ptr<const RigidGeometry> geometry;
    double mass = 0;  ///< [kg]
    RigidState state;
    Vec3 force, torque;             ///< [N], [N m]
    Vec3 impulse, angular_impulse;  ///< of soft bodies in the last step, if a host drives it
    std::vector<RigidContact> contacts;
    bool overflowed = false;  ///< in this step
    double quiet = 0;         ///< how long it has hardly moved [s]
    bool asleep = false;
    bool shown_is_old = true;
    std::vector<Vec3f> positions, normals;  ///< of its mesh as it is shown

    Mat3 inertia() const { return mass * turned(state.pose.rotation, geometry->spread); }
    Vec3 angular_momentum() const { return inertia() * state.angular_velocity; }
};

struct ColliderRecord {
    ColliderId id = 0;
    Collider collider;
    Pose now;                       ///< where it is
    std::optional<Pose> commanded;  ///< where move_collider wants it at the end of the next step
    std::uint32_t surface = FrictionPairs::no_surface;  ///< its number, in this step
    Pose pose_at(double time) const;
    /// After a share 0 … 1 of a step from `time` on.
    Pose pose_during(double time, double dt, double share) const;
};

/// The numbers of one (sub-)step, the same for every stage.
struct StepContext {
    double h = 0;           ///< [s]
    double time_start = 0;  ///< [s]
    double dt = 0;          ///< of the whole step [s]
    double progress = 1;    ///< share of the whole step that is done at the end of this sub-step
    Vec3 gravity;
    const Formulation& formulation;
    std::span<const MovingCollider> colliders;
    const FrictionPairs* friction_pairs = nullptr;
    double time_end() const { return time_start + h; }
};

/// One body's slice of the particles, and of scratch where a step needs it.
struct BodyView {
    BodyRecord& body;
    std::span<Vec3> x, v;
    std::span<Quat> rotation;
    std::span<const double> mass;
    std::span<double> pressed;
    std::span<Vec3> x_start{}, goal{};
    std::span<double> change{}, weight{};
    std::span<Support> support{};
    ReferenceScratch* scratch = nullptr;
    Vec3 angular_drift{};  ///< ΔL: what stage 2 did to the angular momentum, to be taken back in
                           ///< stage 5
};

/// Bodies that may meet in this step, and which of them.
struct Island {
    struct Pair {
        std::uint32_t first = 0, second = 0;  ///< places in `bodies`, then in `rigids`
        double speed = 0;                     ///< at most, of any two particles [m/s]
    };
    std::vector<BodyRecord*> bodies;
    std::vector<RigidRecord*> rigids;
    std::vector<Pair> pairs;
    int sub_steps = 1;
    bool on_device = false;  ///< all of it
};

/// The colliders in every sub-step of a step that is cut into `sub_steps`.
struct CollidersInSteps {
    int sub_steps = 0;
    std::vector<MovingCollider> moving;  ///< sub-step after sub-step
};

/// What is prepared already, found by the hash of its source and ω; forgotten with its last body.
struct WeakPrepared {
    std::weak_ptr<const BodySource> source;
    std::weak_ptr<const BodyAsset> asset;
    std::weak_ptr<const SurfaceRest> rest;
    std::weak_ptr<const FastAsset> fast;
    double wobble_share = 0;
    std::weak_ptr<const CollisionTree> tree{};
};
using PreparedCache = std::map<std::pair<std::uint64_t, int>, WeakPrepared>;

/// Names in use, and the number that the next body of a name may try.
class BodyNames {
public:
    std::string take(const std::string& wanted);
    void release(const std::string& name) { taken_.erase(name); }

private:
    std::set<std::string> taken_;
    std::map<std::string, int> next_;
};

struct IslandScratch;

struct WorldImpl {
    WorldSettings settings;
    double time = 0;
    std::uint32_t next_id = 1;
    Particles particles;
    std::vector<std::unique_ptr<BodyRecord>> bodies;   ///< by ascending id
    std::vector<std::unique_ptr<RigidRecord>> rigids;  ///< likewise
    BodyNames names;
    PreparedCache prepared;
    std::vector<ColliderRecord> colliders;
    FrictionPairs friction_pairs;
    std::vector<ContactEvent> events;
    StepReport report;

    Backend wanted_backend = Backend::automatic;  ///< `settings` has the one that was chosen
    std::shared_ptr<Scheduler> scheduler;
    std::vector<std::unique_ptr<CpuScratch>> cpu_scratch;  ///< one for each thread
    ReferenceScratch reference_scratch;
    std::vector<CollidersInSteps> collider_plans;
    std::vector<StepReport> thread_reports;
    std::vector<BodyRecord*> whole, split;  ///< bodies of this step: by one thread, by all
    std::vector<Island> islands;            ///< those that may meet others, and unused ones
    std::size_t island_count = 0;
    std::shared_ptr<IslandScratch> island_scratch;

    std::unique_ptr<DeviceWorld> device;  ///< of the opencl back end only
    std::vector<BodyRecord*> for_device;  ///< bodies of this step that it advances, alone
    std::size_t islands_on_device = 0;    ///< islands that it advances come first
    std::vector<BodyRecord*> to_read;     ///< bodies that it shows

    void choose_backend();
    /// Or on a device, which leaves to the cpu back end what it does not do itself.
    bool on_cpu() const { return settings.backend != Backend::reference; }
    bool cpu_is_current(const BodyRecord& body) const { return on_cpu() && !body.cpu_is_old; }
    BodyRecord& find(BodyId id);
    BodyRecord* find_or_null(BodyId id);
    ColliderRecord& find_collider(ColliderId id);
    RigidRecord& find_rigid(RigidId id);
    RigidRecord* find_rigid_or_null(RigidId id);
    BodyView view(BodyRecord& body);  ///< the mirror, up to date
    BodyView edit(BodyRecord& body);  ///< the same, to be changed; wakes the body
    BodyView mirror(BodyRecord& body);
    const CpuBody& particles_of(BodyRecord& body);  ///< its CpuBody, up to date
    BodyView reference_view(BodyRecord& body, ReferenceScratch& scratch);
    /// Its CpuBody from the mirror, if that was changed, or from the device.
    void load_cpu(BodyRecord& body);
    void wake_all();
    Prepared prepare(std::shared_ptr<const BodySource> source, int omega);
    void apply_material(BodyRecord& body, const Material& material);
    void weigh(BodyRecord& body);  ///< masses from the density
    HandleId add_handle(BodyRecord& body, Handle handle);
    BodyRecord& insert(std::unique_ptr<BodyRecord> body);

    // Schedule (schedule.cpp).
    void step(double dt);
    void plan(double dt);
    int sub_steps(const BodyRecord& body, double dt) const;
    bool is_large(const BodyRecord& body) const;  ///< worth all threads at once
    const CollidersInSteps& colliders_in_steps(int sub_steps) const;
    /// Whether a body is to be advanced on the device (device_world.cpp).
    bool goes_to_device(BodyRecord& body);
    bool may_meet(const BodyRecord& body, const MovingCollider& collider, double dt) const;
    StepContext sub_step_context(double dt, int sub_steps, int k) const;
    void advance_body(BodyRecord& body, double dt, CpuScratch* scratch, Scheduler* blocks,
                      StepReport& times);
    /// After the step: what overflowed is stopped, what is asleep has no velocity.
    void finish_body(BodyRecord& body, bool falls_asleep);

    // Islands (find_islands.cpp, folding.cpp, island.cpp).
    void find_islands(double dt);
    void find_pairs(double dt);
    /// What gravity and forces change of a body's velocity in a step [m/s].
    Vec3 fall_in(const BodyRecord& body, double dt) const;
    int sub_steps(const RigidRecord& rigid, double dt) const;
    void finish_rigid(RigidRecord& rigid, const RigidState& before, bool falls_asleep);
    void join_island(BodyRecord& body);  ///< wakes it and makes it ready
    void share_out_islands();            ///< between the device and the cpu back end
    void need_tree(BodyRecord& body);    ///< makes its CollisionTree if there is none
    void find_folding(double dt);        ///< which bodies may touch themselves in this step
    CollisionSurface surface_of(BodyRecord& body);  ///< as it is now; its boxes may not be
    void advance_island(const Island& island, double dt, IslandScratch& scratch, Scheduler* threads,
                        StepReport& times);

    void publish(BodyRecord& body);
    void publish_here(BodyRecord& body);  ///< from the host's arrays
    const Published& published(BodyRecord& body);
    /// Whether the device evaluates what is shown of it.
    bool is_shown_by_device(const BodyRecord& body) const;
    void begin_reading();
};

/// Within which bodies count as near each other [m].
double meeting_margin(const BodyRecord& body);

/// Adds the times of a part, and what went deepest.
void merge(StepReport& total, const StepReport& part);

/// Adds the time of its life to one stage of a report.
class Timer {
public:
    Timer(StepReport& report, Stage stage)
        : milliseconds_(report.milliseconds[static_cast<std::size_t>(stage)]),
          start_(Clock::now()) {}
    ~Timer() {
        milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& milliseconds_;
    Clock::time_point start_;
};

/// A body asleep has been slow for this long [s].
inline constexpr double drowsy_time = 0.5;
void wake(BodyRecord& body);
void wake(RigidRecord& rigid);
/// Shape and mass of what it is `made` of; an Error says what is wrong with that.
void check_and_make(RigidRecord& rigid);
/// After the numbers of its CpuBody overflowed: it stands where it was.
void stop_body(BodyRecord& body, std::span<const Quad> x_start, Vec3 origin_start);
/// Far below the largest float, which positions are published as.
inline constexpr double farthest_place = 1e30;
bool is_sane(const BodyView& view);
bool is_finite_rotation(Quat q);
void stop(BodyView& view);  ///< where it was, after its numbers overflowed
void require_finite(Vec3 value, const char* what);
void require_rotation(Quat q);

// The stages, in their order (step.cpp); each works on one body.
void damp_regions(BodyView& view, const StepContext& context);
void integrate(BodyView& view, const StepContext& context);
void deform(BodyView& view, const StepContext& context);
void collide(BodyView& view, const StepContext& context);
void keep_volume(BodyView& view, const StepContext& context);
void keep_divergence(BodyView& view, const StepContext& context);
void settle(BodyView& view, const StepContext& context);

// What both back ends reckon with.
inline constexpr double lift_time = 0.05;        ///< to come out of a collider it was put into [s]
double collider_margin(const BodyRecord& body);  ///< contacts are kept within this gap [m]
ContactSettings contact_settings(const BodyRecord& body, const StepContext& context);
double felt_gravity(const BodyRecord& body, const StepContext& context);  ///< [m/s²]
double least_bounce(const BodyRecord& body, const StepContext& context);  ///< [m/s]
/// Up to which static friction acts, along a surface [m/s].
double sticking_speed(const BodyRecord& body, const StepContext& context);
double comfortable_push(const BodyRecord& body, const StepContext& context);
/// What of local weights is nothing but the rounding of floats.
double weight_rounding(const BodyRecord& body);
Vec3 acceleration(const BodyRecord& body, const StepContext& context);
/// How whole-body damping changes velocities in a step.
struct WholeBodyDamping {
    double keep = 1;  ///< of what is not rigid motion
    double roll = 0;  ///< taken off the turning about the middle of the contacts
    Vec3 touch;       ///< that middle
};
WholeBodyDamping whole_body_damping(const BodyRecord& body, const StepContext& context);
double kept_of_wobble(const BodyRecord& body, const StepContext& context);    ///< `keep`
double roll_of_touching(const BodyRecord& body, const StepContext& context);  ///< `roll`
/// Whether it may lose momentum to what supports it: not to others that fly as freely as it does.
bool may_calm_down(const BodyRecord& body);
double calm_speed(const BodyRecord& body, const StepContext& context);  ///< [m/s]
/// What is left of the velocities of a supported body that moves at `rms` relative to its support.
double calm_factor(const BodyRecord& body, const StepContext& context, double rms);
/// Contacts speak of `particles` by their place there; where it is empty, of the body's own.
void note_contacts(BodyRecord& body, const StepContext& context, std::span<const Vec3> x,
                   std::span<const std::uint32_t> particles, StepReport& report);
/// How fast a body moves.
struct Pace {
    double rms = 0;    ///< of all particles [m/s]
    double rigid = 0;  ///< of its motion as a whole, turning included [m/s]
};
/// From the sums over all particles, relative to a frame that moves at `drift`.
Pace pace_of(const MotionSums& sums, Vec3 drift, double size);
/// How long a body has hardly moved, after another sub-step.
void grow_drowsy(BodyRecord& body, const StepContext& context, const Pace& pace);

/// A pin or a fully followed target holds it, not a contact.
bool is_held(const Support& support);
void stop_at_contacts(BodyView& view, const StepContext& context);

// Handles (handles.cpp).
/// Springs: changes the velocities of the particles of a drag or a follow.
void pull(const Handle& handle, const BodyRecord& body, const StepContext& context,
          HandledParticles& held);
void find_pins(const BodyRecord& body, const StepContext& context, std::vector<Pin>& pins);
/// Where the target of a drag or a follow is at the end of a (sub-)step, and how fast it is.
Vec3 target_of(const Handle& handle, std::size_t k, const StepContext& context);
Vec3 target_velocity(const Handle& handle, std::size_t k, const StepContext& context);
/// A strength in 0 … 1 as the angular frequency of a spring: 0.5 follows within about 5 ms.
double spring_rate(double strength);

// Recovery (recovery.cpp, METHODS G5).
/// `held`: how many particles are held by something.
bool lost_its_shape(const BodyRecord& body, double volume, std::size_t held);
void recover(BodyView& view, const StepContext& context);

/// The best rigid fit of the whole rest shape, as goal positions.
void match_whole_body(const BodyAsset& asset, std::span<const double> mass, std::span<const Vec3> x,
                      Quat& orientation, std::span<Vec3> goals);
/// rms |x − goal| weighted by mass, relative to the rms radius of the rest shape.
double rms_distance(const BodyAsset& asset, std::span<const Vec3> x, std::span<const Vec3> goals);

}  // namespace turgor
