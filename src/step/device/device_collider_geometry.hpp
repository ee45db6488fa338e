#pragma once

#include <map>
#include <memory>

#include "contact/collider_geometry.hpp"
#include "device/device.hpp"
#include "device/ranges.hpp"
#include "device/shared/collider_geometry_input.h"

namespace turgor::device {

/// The surfaces of colliders of triangles in the device's memory: each once for all colliders that
/// have it, all surfaces in one set of arrays.
class DeviceColliderGeometry {
public:
    /// Where it is in `given`; it is uploaded if it is not there yet. 0 for colliders without one.
    std::uint32_t take(Queue& queue, const std::shared_ptr<const ColliderGeometry>& geometry);
    /// Those that nobody has taken since the last time are gone.
    void forget_others();
    std::size_t count() const { return entries_.size(); }
    std::size_t bytes() const;

    Array<ColliderGeometryInput> given;
    Array<NodeInput> nodes;
    Array<TriangleInput> triangles;
    Array<NormalsInput> normals;  ///< of the triangles
    Array<double> heights;
    Array<RangeInput> ranges;

private:
    struct Part {
        std::size_t first = 0, count = 0;
    };
    struct GeometryEntry {
        std::shared_ptr<const ColliderGeometry> geometry;
        Part given, nodes, triangles, heights, ranges;
        bool taken = false;
    };
    void make_room(Queue& queue);
    void upload(Queue& queue, GeometryEntry& entry);
    ColliderGeometryInput upload_mesh(Queue& queue, GeometryEntry& entry, const MeshGeometry& mesh);
    ColliderGeometryInput upload_heights(Queue& queue, GeometryEntry& entry,
                                         const HeightGrid& grid);
    void give_back(const GeometryEntry& entry);

    std::map<const ColliderGeometry*, GeometryEntry> entries_;
    Ranges given_ranges_, node_ranges_, triangle_ranges_, height_ranges_, range_ranges_;
};

}  // namespace turgor::device
