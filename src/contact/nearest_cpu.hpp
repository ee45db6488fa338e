#pragma once

#include <cstdint>
#include <span>

#include "base/quad.hpp"

namespace turgor {

/// Nearest triangles for the cpu back end: eight triangles at a time, in single precision.

inline constexpr std::size_t leaf_lanes = 8;

/// Up to eight triangles, one in each lane; where there are fewer, the others are far away.
struct alignas(64) TriangleLeaf {
    float a[3][leaf_lanes], ab[3][leaf_lanes], ac[3][leaf_lanes];
    float ab_ab[leaf_lanes], ab_ac[leaf_lanes], ac_ac[leaf_lanes];
    float per_area[leaf_lanes];  ///< 1 / (ab_ab ac_ac − ab_ac²), 0 for triangles without area
    float per_ab[leaf_lanes], per_ac[leaf_lanes], per_bc[leaf_lanes];  ///< 1/length², or 0
};

struct alignas(64) LeafCorners {
    float corner[3][3][leaf_lanes];  ///< corner, axis, lane
};
void make_leaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf);

/// Where on a list of leaves the triangle nearest to a point is.
struct NearestLane {
    float squared = 0;  ///< distance; as given where no triangle is nearer
    std::uint32_t leaf = 0, lane = leaf_lanes;
};
/// For each point; `candidates` are places in `leaves`. Of equally near triangles the first.
void find_nearest(std::span<const TriangleLeaf> leaves, std::span<const std::uint32_t> candidates,
                  std::span<const Quad> points, float limit, std::span<NearestLane> nearest);

}  // namespace turgor
