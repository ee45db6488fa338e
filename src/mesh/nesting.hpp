#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mesh/topology.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {

/// Which parts of a mesh lie inside which others.
class Nesting {
public:
    /// The arrays must outlive this.
    Nesting(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
            const SurfaceParts& parts);

    /// The parts that contain `part`, ascending.
    std::vector<std::uint32_t> around(std::uint32_t part);
    const TriangleTree& tree() const { return tree_; }
    const std::vector<Triangle>& triangles_of(std::uint32_t part) const {
        return triangles_of_[part];
    }

private:
    bool contains(std::uint32_t outer, std::uint32_t inner);

    std::span<const Vec3> vertices_;
    const SurfaceParts& parts_;
    TriangleTree tree_;
    std::vector<std::vector<Triangle>> triangles_of_;
    std::vector<Bounds> boxes_;
    std::map<std::uint32_t, std::unique_ptr<TriangleTree>> part_trees_;
};

}  // namespace turgor
