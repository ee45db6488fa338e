#pragma once

#include <array>
#include <map>

#include "body/cpu_asset.hpp"
#include "device/device.hpp"
#include "device/ranges.hpp"
#include "elastic/surface/surface_cpu.hpp"
#include "step/body_sim.hpp"
#include "volume/volume_rest.hpp"

namespace turgor::device {

/// What never changes about a body, as the device needs it.
struct DeviceRest {
    std::shared_ptr<const CpuAsset> asset;  ///< null: nothing
    VolumeCpuRest volume;
    std::shared_ptr<const SurfaceCpuRest> surface;
    bool operator==(const DeviceRest& other) const {
        return asset == other.asset && surface == other.surface;
    }
};
DeviceRest device_rest(const BodySim& body);

/// What never changes about bodies, in the device's memory: once for all bodies of one
/// asset, all assets in one set of arrays.
class DeviceAssets {
public:
    /// Where its particles are; it is uploaded for the first of its bodies.
    std::uint32_t take(Queue& queue, const DeviceRest& rest);
    /// Gone with its last body.
    void give_back(const DeviceRest& rest);
    std::size_t bytes() const;

    Array<Quad> rest, fit, centre;
    Array<std::array<double, 4>> exact_centre;
    Array<float> mass, per_mass;
    Array<std::uint32_t> run_starts, ring_starts, ring, strut_partner;
    Array<Run> runs;
    Array<Pair> strut;

private:
    struct AssetEntry {
        DeviceRest rest;
        std::size_t particle = 0, run = 0, ring = 0;  ///< the first of each
        std::size_t rings = 0;
        std::size_t bodies = 0;
    };
    void upload(Queue& queue, AssetEntry& entry);
    std::map<const void*, AssetEntry> entries_;  ///< by what the model has at rest
    Ranges particles_, runs_, rings_;
};

}  // namespace turgor::device
