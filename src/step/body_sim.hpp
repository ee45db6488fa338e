#pragma once

#include <map>
#include <memory>

#include "body/asset.hpp"
#include "body/cpu_asset.hpp"
#include "body/source.hpp"
#include "contact/collision_surface.hpp"
#include "contact/contact.hpp"
#include "contact/self_contact.hpp"
#include "elastic/model.hpp"
#include "step/contact_log.hpp"
#include "step/cpu_body.hpp"
#include "step/handles.hpp"
#include "step/particles.hpp"
#include "step/self_closing.hpp"
#include "step/state_copies.hpp"
#include "volume/volume_rest.hpp"

namespace turgor {

/// What never changes about a body: made by its elastic model and by the volume stage, shared by
/// all bodies made alike.
struct BodyParts {
    std::shared_ptr<const BodySource> source;
    std::shared_ptr<const BodyAsset> asset;
    VolumeRest volume;
    double longest_step = 1;  ///< that its masses allow, whatever its model says [s]
    // For the cpu back end only.
    std::shared_ptr<const CpuAsset> cpu_asset{};
    VolumeCpuRest cpu_volume{};
    std::shared_ptr<const CollisionTree> tree{};  ///< made when a body first comes near another
};

/// Who advances a body.
enum class Form : std::uint8_t { reference, cpu };

/// What is known about a body touching itself.
struct SelfContact {
    bool wanted = true;
    /// Parts are on the wrong side of each other. Until none is, they may pass through each other:
    /// self contact would hold them there.
    bool self_intersecting = false;
    /// How far parts may still move towards each other before a cluster has to be searched [m].
    double clearance = 0;
    double travelled = 0;  ///< Σ of the farthest that any particle has come, in its frame [m]
    SelfClosing closing;
    /// The result of the last search of a cluster of vertices.
    struct Cluster {
        double gap = 0;   ///< to what it could touch, beyond what counts as near [m]
        double seen = 0;  ///< `travelled` then
    };
    std::vector<Cluster> clusters;

    void mark_unknown() {
        self_intersecting = true;
        clearance = 0;
        closing.outdated();
        clusters.clear();
    }
};

/// What steps know of a body: its state beyond particles, and what acts on it.
struct BodySim : ContactLog {
    BodyId id = 0;
    BodyParts parts;
    const ElasticModel* model = nullptr;
    Model made_with;  ///< the model's name and settings, as they were asked for
    std::unique_ptr<ElasticBody> elastic;
    /// A model without a cpu form runs its reference form in a cpu world.
    Form form = Form::reference;
    std::size_t first = 0, count = 0;  ///< its particles
    Material material;
    VolumeMode volume_mode = VolumeMode::local;
    double gravity_factor = 1;
    CollisionFilter filter;
    std::uint32_t surface_id = FrictionPairs::no_surface_id;  ///< its number, in this step
    Vec3 force;                                               ///< on the whole body [N]
    std::map<std::uint32_t, Vec3> forces;                     ///< on particles [N]
    std::vector<Handle> handles;
    std::vector<Contact> contacts;  ///< of the last sub-step
    SelfContact self;
    SelfSearch self_search;
    bool recovering = false;
    bool lost_at_start = false;  ///< of a plastic body: of this step
    bool overflowed = false;     ///< in this step
    double sleep_timer = 0;      ///< how long it has been slow enough to sleep [s]
    bool asleep = false;
    bool in_island = false;  ///< in this step: it may meet others
    CollisionBoxes boxes;
    CpuBody cpu;
    StateCopies copies;
    static constexpr std::uint32_t no_slot = 0xffffffff;
    /// What the opencl back end knows of it.
    struct OnDevice {
        std::uint32_t slot = no_slot;
        Vec3 low, high;                   ///< the box around its particles, relative to the origin
        double spread = 0;                ///< of velocities about their mean [m/s]
        std::uint32_t display_index = 0;  ///< its index among those that are
    } device;
    Quat orientation;                   ///< of the global fit
    std::uint64_t struts_of_shape = 0;  ///< which rest shape its struts were measured from
    double mass = 0;                    ///< [kg]

    const BodyAsset& asset() const { return *parts.asset; }
};

void wake(BodySim& body);

/// One body's slice of the particles, and of scratch where a step needs it.
struct BodyView {
    BodySim& body;
    std::span<Vec3> x, v;
    std::span<const double> mass;
    std::span<double> pressed;
    std::span<Vec3> x_start{}, goal{};
    std::span<double> change{}, weight{};
    std::span<Support> support{};
    ReferenceScratch* scratch = nullptr;
    Response* response = nullptr;   ///< of a body that answers contacts as a whole
    Vec3 angular_momentum_error{};  ///< ΔL: what stage 2 did to the angular momentum, to be
                                    ///< returned in stage 5
};

}  // namespace turgor
