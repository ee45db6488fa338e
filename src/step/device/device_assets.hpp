#pragma once

#include <functional>
#include <map>

#include "body/cpu_asset.hpp"
#include "device/ranges.hpp"
#include "elastic/device/device_pass.hpp"
#include "step/body_sim.hpp"
#include "volume/volume_rest.hpp"

namespace turgor::device {

/// What never changes about a body, as the device needs it.
struct DeviceRest {
    std::shared_ptr<const CpuAsset> asset;  ///< null: nothing
    std::shared_ptr<const BodyAsset> body_asset;
    VolumeCpuRest volume;
    std::shared_ptr<const void> elastic;  ///< CpuElasticity::rest
    bool operator==(const DeviceRest& other) const {
        return asset == other.asset && elastic == other.elastic;
    }
};
DeviceRest device_rest(const BodySim& body);

/// What never changes about bodies, in the device's memory: once for all bodies made alike.
class DeviceAssets : public AssetArrays {
public:
    /// Where an elastic model is to put its own: place of the first particle, and how many there
    /// are (DeviceElasticity::upload).
    using UploadElastic = std::function<void(std::size_t first, std::size_t end)>;
    /// Where its particles are; it is uploaded for the first of its bodies.
    std::uint32_t take(Queue& queue, const DeviceRest& rest, const UploadElastic& upload_elastic);
    /// Gone with its last body.
    void give_back(const DeviceRest& rest);
    std::size_t bytes() const;

private:
    struct AssetEntry {
        DeviceRest rest;
        std::size_t particle = 0, run = 0, ring = 0;  ///< the first of each
        std::size_t rings = 0;
        std::size_t bodies = 0;
    };
    void upload(Queue& queue, AssetEntry& entry);
    std::map<std::pair<const void*, const void*>, AssetEntry> entries_;  ///< asset, elastic
    Ranges particles_, runs_, rings_;
};

}  // namespace turgor::device
