#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bake/asset.hpp"
#include "contact/contact.hpp"
#include "elastic/surface/surface.hpp"
#include "turgor/world.hpp"
#include "world/handles.hpp"
#include "world/parameters.hpp"

namespace turgor {

class ByteReader;

/// What a body was made of: kept for other region widths and for snapshots, shared by all bodies
/// made of it.
struct BodySource {
    Mesh mesh;
    std::optional<Mesh> display;
    std::uint64_t hash = 0;
};

/// An asset and what the elastic model adds to it, shared by all bodies of one source and ω.
struct Prepared {
    std::shared_ptr<const BodySource> source;
    std::shared_ptr<const BodyAsset> asset;
    std::shared_ptr<const SurfaceRest> rest;
    double wobble_share = 0;
};

/// The state and the scratch of all particles of all bodies, body after body.
struct Particles {
    std::vector<Vec3> x, v;      ///< state
    std::vector<Quat> rotation;  ///< state: the last fit of each region
    std::vector<double>
        pressed;  ///< state: how hard the last volume correction pressed it on a collider [m]
    std::vector<double> mass;    ///< [kg]
    std::vector<Vec3> x_start;   ///< xₙ, where the (sub-)step began
    std::vector<Vec3> goal;      ///< of shape matching; blended velocities after it
    std::vector<double> change;  ///< |cᵢ|: how far shape matching would move a particle
    std::vector<double> weight;  ///< of the volume correction
    std::vector<Support> support;

    void resize(std::size_t n);
    void erase(std::size_t first, std::size_t count);
};

struct Published {
    std::vector<Vec3f> positions, normals;
    std::vector<Vec3f> display_positions, display_normals;  ///< empty without a display mesh
};

struct BodyRecord {
    BodyId id = 0;
    std::string name;
    Prepared prepared;
    std::size_t first = 0, count = 0;  ///< its particles
    Material material;
    SurfaceParameters parameters;
    VolumeMode volume_mode = VolumeMode::local;
    double gravity_factor = 1;
    Vec3f colour;
    Vec3 force;                            ///< on the whole body [N]
    std::map<std::uint32_t, Vec3> forces;  ///< on particles [N]
    std::vector<Handle> handles;
    std::vector<Contact> contacts;  ///< of the last sub-step
    std::map<ColliderId, std::pair<Vec3, Vec3>>
        touching;  ///< colliders it touches: last point and normal
    bool recovering = false;
    Quat orientation;  ///< of the global fit
    double mass = 0;   ///< [kg]
    Published published;

    const BodyAsset& asset() const { return *prepared.asset; }
};

struct ColliderRecord {
    ColliderId id = 0;
    Collider collider;
    Pose now;                       ///< where it is
    std::optional<Pose> commanded;  ///< where move_collider wants it at the end of the next step
    Pose pose_at(double time) const;
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
    double time_end() const { return time_start + h; }
};

/// One body's slice of the particles.
struct BodyView {
    BodyRecord& body;
    std::span<Vec3> x, v, x_start, goal;
    std::span<Quat> rotation;
    std::span<const double> mass;
    std::span<double> pressed, change, weight;
    std::span<Support> support;
    Vec3 angular_drift;  ///< ΔL: what stage 2 did to the angular momentum, to be taken back in
                         ///< stage 5
};

/// What is prepared already, found by the hash of its source and ω; forgotten with its last body.
struct WeakPrepared {
    std::weak_ptr<const BodySource> source;
    std::weak_ptr<const BodyAsset> asset;
    std::weak_ptr<const SurfaceRest> rest;
    double wobble_share = 0;
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

struct WorldImpl {
    WorldSettings settings;
    double time = 0;
    std::uint32_t next_id = 1;
    Particles particles;
    std::vector<std::unique_ptr<BodyRecord>> bodies;  ///< by ascending id
    BodyNames names;
    PreparedCache prepared;
    std::vector<ColliderRecord> colliders;
    std::vector<ContactEvent> events;
    StepReport report;

    BodyRecord& find(BodyId id);
    BodyRecord* find_or_null(BodyId id);
    ColliderRecord& find_collider(ColliderId id);
    BodyView view(BodyRecord& body);
    Prepared prepare(std::shared_ptr<const BodySource> source, int omega);
    void apply_material(BodyRecord& body, const Material& material);
    void weigh(BodyRecord& body);  ///< masses from the density
    HandleId add_handle(BodyRecord& body, Handle handle);
    BodyRecord& insert(std::unique_ptr<BodyRecord> body);

    void step(double dt);
    int sub_steps(const BodyRecord& body, double dt) const;
    std::vector<MovingCollider> moving_colliders(double dt, int sub_step, int sub_steps) const;
    /// False where the body's numbers are no longer finite.
    bool advance(BodyView& view, const StepContext& context);
    void note_contacts(BodyRecord& body, std::span<const MovingCollider> colliders);
    void publish(BodyRecord& body);
    void stop_body(BodyView& view);  ///< where it was, after its numbers overflowed
    void read_body(ByteReader& in, std::span<const std::shared_ptr<const BodySource>> sources);
};

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

/// A pin or a fully followed target holds it, not a contact.
bool is_held(const Support& support);
void stop_at_contacts(BodyView& view, const StepContext& context);

// Handles (handles.cpp).
void pull_by_handles(BodyView& view, const StepContext& context);  ///< springs, on velocities
void place_pins(BodyView& view, const StepContext& context);       ///< exact, on positions

// Recovery (recovery.cpp, METHODS G5).
bool lost_its_shape(const BodyView& view, double volume);
void recover(BodyView& view, const StepContext& context);

/// The best rigid fit of the whole rest shape, as goal positions.
void match_whole_body(const BodyAsset& asset, std::span<const double> mass, std::span<const Vec3> x,
                      Quat& orientation, std::span<Vec3> goals);
/// rms |x − goal| weighted by mass, relative to the rms radius of the rest shape.
double rms_distance(const BodyAsset& asset, std::span<const Vec3> x, std::span<const Vec3> goals);

}  // namespace turgor
