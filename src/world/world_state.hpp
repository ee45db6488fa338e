#pragma once

#include <exception>

#include "step/step_world.hpp"
#include "world/records.hpp"

namespace turgor {

/// What a World is made of, behind the public interface.
struct WorldImpl : StepWorld {
    std::uint32_t next_id = 1;
    std::vector<std::unique_ptr<BodyRecord>> bodies;   ///< by ascending id
    std::vector<std::unique_ptr<RigidRecord>> rigids;  ///< likewise
    BodyNames names;
    BakeCache bakes;
    std::vector<ColliderRecord> colliders;
    std::vector<ContactEvent> events;
    std::vector<TearEvent> tears;  ///< of the last step
    StepReport report;
    std::exception_ptr broken_by;  ///< what left a step half-way; a restored world has none

    Backend wanted_backend = Backend::automatic;  ///< `settings` has the one that was chosen
    std::shared_ptr<Scheduler> scheduler;
    std::vector<std::unique_ptr<CpuScratch>> cpu_scratch;              ///< one for each thread
    std::vector<std::vector<CpuScratch>> batch_scratch;                ///< likewise, of each batch
    std::vector<std::unique_ptr<ReferenceScratch>> reference_scratch;  ///< likewise
    std::vector<StepReport> thread_reports;
    std::vector<BodySim*> small_bodies,
        large_bodies;  ///< of this step: one thread each, all threads each
    std::vector<BodySim*> batched_bodies;
    std::vector<std::span<BodySim* const>> batches;  ///< of them: one thread each
    std::vector<Island> islands;  ///< those that may meet others, and unused ones
    std::size_t island_count = 0;
    std::size_t islands_side_by_side = 0;  ///< of those that come first on the cpu: one thread each
    std::shared_ptr<IslandScratch> island_scratch;
    std::vector<std::shared_ptr<IslandScratch>> more_island_scratch;  ///< of further threads

    std::vector<BodySim*> device_bodies;  ///< bodies of this step that it advances, alone
    std::size_t islands_on_device = 0;    ///< islands that it advances come first
    std::vector<BodySim*> to_read;        ///< bodies that it shows

    void choose_backend();
    BodyRecord& find(BodyId id);
    BodyRecord* find_or_null(BodyId id);
    ColliderRecord& find_collider(ColliderId id);
    RigidRecord& find_rigid(RigidId id);
    RigidRecord* find_rigid_or_null(RigidId id);
    void wake_all();
    std::shared_ptr<const BodySource> make_source(const Mesh& mesh, const BodyOptions& options);
    /// What body, volume and elastic model made becomes one body.
    void join_parts(BodySim& body);
    void apply_material(BodyRecord& body, const Material& material);
    void weigh(BodyRecord& body);  ///< masses from the density
    void resize_particles(BodyRecord& body, std::size_t count);
    /// Bodies that are stretched too far come apart (tear.cpp).
    void tear_bodies();
    void tear(BodyRecord& body, std::vector<ElasticBody::Piece>& pieces);
    HandleId add_handle(BodyRecord& body, Handle handle);
    BodyRecord& insert(std::unique_ptr<BodyRecord> body);

    // Schedule (schedule.cpp).
    void step(double dt);
    void require_whole() const;  ///< an Error where a step ended half-way
    void advance(double dt);
    void plan(double dt);
    void plan_batches();
    /// Small islands, batches, then small bodies: every thread takes the next one.
    void advance_side_by_side(double dt);

    // Islands (find_islands.cpp, self_contact_schedule.cpp, island.cpp).
    void find_islands(double dt);
    void find_pairs(double dt);
    void share_out_among_threads(std::span<Island> candidates);
    using StepWorld::sub_steps;
    int sub_steps(const RigidRecord& rigid, double dt) const;
    void join_island(BodySim& body);        ///< wakes it and makes it ready
    void share_out_islands();               ///< between the device and the cpu back end
    void need_tree(BodySim& body);          ///< makes its CollisionTree if there is none
    void schedule_self_contact(double dt);  ///< which bodies may touch themselves in this step

    void publish_on_host(BodyRecord& body);  ///< from the host's arrays
    const DisplayGeometry& display_of(BodyRecord& body);
    /// Whether the device evaluates what is shown of it.
    bool is_displayed_by_device(const BodyRecord& body) const;
    void begin_reading();
};

/// Shape and mass of what it is `made` of; an Error says what is wrong with that.
void check_and_make(RigidRecord& rigid);
void require_finite(Vec3 value, const char* what);
void require_rotation(Quat q);

/// What a body shows whose particles are at `x`.
void show(const BodyAsset& asset, std::span<const Vec3> x, DisplayGeometry& out);

}  // namespace turgor
