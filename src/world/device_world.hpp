#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "turgor/world.hpp"

namespace turgor {

struct BodyRecord;
struct Island;
struct WorldImpl;

/// What one kernel has done so far.
struct KernelTime {
    std::size_t launches = 0;
    double milliseconds = 0;  ///< of all launches
    std::size_t bytes = 0;    ///< of the arrays that one launch looks at, each counted once
};

/// The opencl back end of a world: bodies whose particles live in a device's memory. A body that
/// something else advances leaves it for that long: its CpuBody is the way out and in again.
class DeviceWorld {
public:
    virtual ~DeviceWorld() = default;

    /// All sub-steps of a step for all these bodies, and for those of the islands, at once.
    /// Afterwards everything about them is up to date but the particles of their CpuBody.
    virtual void advance(WorldImpl& world, std::span<BodyRecord* const> bodies,
                         std::span<const Island> islands, double dt) = 0;
    /// Brings a body's particles back.
    virtual void fetch(BodyRecord& body) = 0;
    /// A body is no more.
    virtual void release(BodyRecord& body) = 0;
    virtual const std::string& name() const = 0;
    /// Bytes of the device's memory.
    virtual std::size_t memory() const = 0;
    /// How often a body's particles were brought back.
    virtual std::size_t fetched() const = 0;
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
