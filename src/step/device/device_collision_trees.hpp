#pragma once

#include <map>

#include "contact/collision_surface.hpp"
#include "device/device.hpp"
#include "device/ranges.hpp"
#include "device/shared/device_contact.h"

namespace turgor::device {

/// What never changes about surfaces that meet others (CollisionTree), in the device's memory: once
/// for all bodies of one asset, all of them in one set of arrays.
class DeviceCollisionTrees {
public:
    /// Where its leaves are; it is uploaded for the first of its bodies.
    CollisionSurfaceInput take(Queue& queue, const BodyAsset& asset,
                               const std::shared_ptr<const CollisionTree>& tree);
    /// Gone with its last body.
    void give_back(const CollisionTree* tree);
    std::size_t bytes() const;

    Array<uint4> corners;           ///< of triangles; the last is the triangle's number
    Array<std::uint32_t> vertices;  ///< particles
    Array<uint4> edges;             ///< ends, then the triangles at both sides
    Array<std::uint32_t> around_starts, around;  ///< triangles around particles

private:
    struct TreeEntry {
        std::shared_ptr<const CollisionTree> tree;
        CollisionSurfaceInput given{};
        std::size_t around_first = 0, around_count = 0;
        std::size_t bodies = 0;
    };
    void upload(Queue& queue, const BodyAsset& asset, TreeEntry& entry);
    std::map<const CollisionTree*, TreeEntry> entries_;
    Ranges triangles_, vertices_, edges_, starts_, around_;
};

}  // namespace turgor::device
