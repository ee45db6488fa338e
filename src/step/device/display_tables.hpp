#pragma once

#include <map>

#include "body/asset.hpp"
#include "device/device.hpp"
#include "device/ranges.hpp"
#include "device/shared/display_input.h"

namespace turgor::device {

/// What showing bodies needs of their assets, in the device's memory: once for all bodies of one
/// asset, from when one of them is first shown until the asset is gone.
class DisplayTables {
public:
    /// Where an asset's tables begin.
    struct TableEntry {
        std::weak_ptr<const BodyAsset> asset;
        std::size_t particle = 0, binding = 0, other = 0;     ///< the first of each
        std::size_t particles = 0, bindings = 0, others = 0;  ///< how many
    };
    const TableEntry& of(Queue& queue, const std::shared_ptr<const BodyAsset>& asset);
    void forget_what_is_gone();
    std::size_t bytes() const;

    Array<std::uint32_t> vertex_of_particle;
    Array<BindingInput> bindings;
    Array<std::uint32_t> triangle_starts;        ///< of each display vertex, and of the end
    Array<std::array<std::uint32_t, 2>> others;  ///< the other corners of triangles around it

private:
    TableEntry upload(Queue& queue, const BodyAsset& asset);
    std::map<const BodyAsset*, TableEntry> known_;
    Ranges particle_ranges_, binding_ranges_, other_ranges_;
};

}  // namespace turgor::device
