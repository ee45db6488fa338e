#pragma once

#include <memory>
#include <span>
#include <vector>

#include "contact/friction.hpp"
#include "step/body_sim.hpp"
#include "step/context.hpp"
#include "step/device_world.hpp"
#include "step/island.hpp"
#include "step/rigid_sim.hpp"

namespace turgor {

class BodyStep;
struct IslandScratch;

/// In worlds that are larger than the caches, a body's state comes from memory while others are
/// advanced: that of bodies[next], and where to find that of the one after it.
void prefetch(std::span<BodySim* const> bodies, std::size_t next);

/// What steps know of the world: its settings, the particles of all bodies in each of their forms,
/// and the colliders of every sub-step.
struct StepWorld {
    WorldSettings settings;
    double time = 0;  ///< [s]
    Particles particles;
    FrictionPairs friction_pairs;
    std::vector<CollidersInSteps> collider_plans;
    std::unique_ptr<DeviceWorld> device;  ///< of the opencl back end only

    /// Or on a device, which leaves to the cpu back end what it does not do itself.
    bool on_cpu() const { return settings.backend != Backend::reference; }
    bool cpu_is_current(const BodySim& body) const {
        return body.form == Form::cpu && body.copies.cpu_is_current();
    }
    BodyView view(BodySim& body);  ///< the mirror, up to date
    BodyView edit(BodySim& body);  ///< the same, to be changed; wakes the body
    BodyView mirror(BodySim& body);
    /// What is found out about a body that is awake before a step is planned.
    void begin_step(BodySim& body);
    const CpuBody& particles_of(BodySim& body);  ///< its CpuBody, up to date
    BodyView reference_view(BodySim& body, ReferenceScratch& scratch);
    /// Its CpuBody from the mirror, if that was changed, or from the device.
    void load_cpu(BodySim& body);
    CollisionSurface collision_surface_of(BodySim& body);  ///< as it is now; its boxes may not be

    /// That the stiffness of a body needs; and what its speed may need besides.
    int sub_steps(const BodySim& body, double dt) const;
    int sub_steps_at_its_speed(BodySim& body, double dt);
    double way_in_step(BodySim& body, double dt);
    bool is_large(const BodySim& body) const;  ///< worth all threads at once
    const CollidersInSteps& colliders_in_steps(int sub_steps) const;
    StepContext sub_step_context(double dt, int sub_steps, int k) const;
    /// What gravity and forces change of a body's velocity in a step [m/s].
    Vec3 fall_in(const BodySim& body, double dt) const;
    /// Whether a body is to be advanced on the device (device_placement.cpp).
    bool goes_to_device(BodySim& body);
    bool may_collide(const BodySim& body, const MovingCollider& collider, double dt) const;

    void advance_body(BodySim& body, double dt, CpuScratch* scratch, ReferenceScratch& reference,
                      Scheduler* blocks, StepReport& times);
    /// Whether a body that takes `sub_steps` may be advanced in a batch.
    static bool joins_batches(const BodySim& body, int sub_steps);
    /// Several bodies of one model that do, with the same bits as one after the other; each needs a
    /// scratch of its own. Meanwhile `next` are brought from memory.
    void advance_batch(std::span<BodySim* const> bodies, std::span<BodySim* const> next, double dt,
                       std::span<CpuScratch> scratch, StepReport& times);
    void advance_island(const Island& island, double dt, IslandScratch& scratch, Scheduler* threads,
                        StepReport& times);
    bool end_sub_step(BodySim& body, const BodyStep& step, const StepContext& context,
                      double deforming);
    /// After the step: what overflowed is stopped, what is asleep has no velocity.
    void finish_body(BodySim& body, bool falls_asleep);
    void finish_rigid(RigidSim& rigid, const RigidState& before, bool falls_asleep);
};

}  // namespace turgor
