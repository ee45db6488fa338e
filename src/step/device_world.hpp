#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/kernel_time.hpp"
#include "turgor/world.hpp"

namespace turgor {

struct BodySim;
struct DisplayGeometry;
struct Island;
struct WorldImpl;

/// The opencl back end of a world: bodies whose particles live in a device's memory. A body that
/// something else advances leaves it for that long: its CpuBody is the way out and in again.
class DeviceWorld {
public:
    virtual ~DeviceWorld() = default;

    /// All sub-steps of a step for all these bodies, and for those of the islands, at once.
    /// Afterwards everything about them is up to date but the particles of their CpuBody.
    virtual void advance(WorldImpl& world, std::span<BodySim* const> bodies,
                         std::span<const Island> islands, double dt) = 0;
    /// The bodies, by their numbers in the world, whose ways may meet in a step of `dt`: all such
    /// pairs, in order, and perhaps some that do not meet. False where that was not found out after
    /// the last step, or something has changed since.
    virtual bool pairs_ahead(const WorldImpl& world, double dt,
                             std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) = 0;
    /// Brings a body's particles back.
    virtual void fetch(BodySim& body) = 0;
    /// How often that was done so far.
    virtual std::size_t fetches() const = 0;
    /// Whether its particles are there as they are now, but for changes of the mirror.
    virtual bool holds(const BodySim& body) const = 0;
    /// Starts evaluating what is shown of all these bodies, which it holds, and reading it back;
    /// waits for nothing. What was started before is forgotten.
    virtual void begin_reading(std::span<BodySim* const> bodies) = 0;
    /// Waits for that.
    virtual void finish_reading(BodySim& body, DisplayGeometry& out) = 0;
    /// A body is no more.
    virtual void release(BodySim& body) = 0;
    virtual const std::string& name() const = 0;
    /// Bytes of the device's memory.
    virtual std::size_t memory() const = 0;
    /// How long the host has waited for the device so far [ms].
    virtual double waited() const = 0;
    /// Kernel calls of the last step.
    virtual std::size_t launches() const = 0;
    /// What a kernel reaches that does nothing but copy [GB/s], read and written.
    virtual double copy_bandwidth() = 0;
    /// By the names of the kernels, in their order.
    virtual std::vector<std::pair<std::string, KernelTime>> kernels() const = 0;
};

/// An Error says what is missing.
std::unique_ptr<DeviceWorld> make_device_world(const std::string& wanted);

}  // namespace turgor
