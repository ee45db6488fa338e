#pragma once

#include <array>
#include <map>

#include "body/fast_asset.hpp"
#include "device/device.hpp"
#include "device/ranges.hpp"

namespace turgor::device {

/// What never changes about bodies (FastAsset), in the device's memory: once for all bodies of one
/// asset, all assets in one set of arrays.
class DeviceAssets {
public:
    /// Where its particles are; it is uploaded for the first of its bodies.
    std::uint32_t take(Queue& queue, const std::shared_ptr<const FastAsset>& asset);
    /// Gone with its last body.
    void give_back(const FastAsset* asset);
    std::size_t bytes() const;

    Array<Quad> rest, fit, centre;
    Array<std::array<double, 4>> exact_centre;
    Array<float> mass, per_mass;
    Array<std::uint32_t> run_starts, ring_starts, ring, strut_partner;
    Array<Run> runs;
    Array<Pair> strut;

private:
    struct Place {
        std::shared_ptr<const FastAsset> asset;
        std::size_t particle = 0, run = 0, ring = 0;  ///< the first of each
        std::size_t rings = 0;
        std::size_t bodies = 0;
    };
    void upload(Queue& queue, Place& place);
    std::map<const FastAsset*, Place> places_;
    Ranges particles_, runs_, rings_;
};

}  // namespace turgor::device
