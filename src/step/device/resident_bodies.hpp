#pragma once

#include "step/body_sim.hpp"
#include "step/device/device_assets.hpp"
#include "step/device/device_step.hpp"

namespace turgor::device {

/// Where a body is in the device's memory.
struct BodySlot {
    DeviceRest rest;                    ///< without an asset: nobody is here
    std::size_t particle = 0, row = 0;  ///< the first of each
    std::uint32_t asset_particle = 0;
    std::uint32_t model = 0;         ///< DeviceStep::number_of
    CollisionSurfaceSlot surface{};  ///< once it has been in an island
};

/// Bodies whose particles are in the device's memory: how they come and go, and the way of their
/// state from and to CpuBody.
class ResidentBodies {
public:
    ResidentBodies(Queue& queue, DeviceStep& step) : queue_(queue), step_(step) {}

    /// Finds a slot for a body, and memory.
    void arrive(BodySim& body);
    /// The same for the surface of one that may meet others.
    void arrive_surface(BodySim& body);
    /// The body is no more.
    void release(BodySim& body);
    /// From its CpuBody, if that was changed.
    void load(BodySim& body);
    /// Into its CpuBody, if the device has advanced it since.
    void fetch(BodySim& body);
    std::size_t fetches() const { return fetches_; }  ///< so far
    /// Whether its particles are there as they are now.
    bool holds(const BodySim& body) const;
    /// Where its particles were when the last sub-step began.
    AlignedVector<Quad> read_start(const BodySim& body);

    /// Keeps states as they are, in case there is no room for all contacts of the step; and brings
    /// them back.
    void keep();
    void bring_back();

    const BodySlot& slot(const BodySim& body) const { return slots_[body.device.slot]; }
    std::size_t slots() const { return slots_.size(); }
    std::size_t bytes() const { return assets.bytes() + particles.bytes(); }

    DeviceAssets assets;
    DeviceParticles particles;

private:
    void leave(std::uint32_t slot);
    void load_clusters(BodySim& body);
    void fetch_clusters(BodySim& body);

    Queue& queue_;
    DeviceStep& step_;
    std::vector<BodySlot> slots_;
    Ranges particle_ranges_, row_ranges_;
    std::size_t fetches_ = 0;
    struct Kept {
        Array<Quad> x, v, elastic_state;
        Array<BodyState> states;
        Array<ClusterState> clusters;
    } kept_;
};

}  // namespace turgor::device
