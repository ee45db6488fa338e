#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/float_box.hpp"

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

/// Leaves that something may be near to, and their boxes, eight at a time.
class LeafCandidates {
public:
    struct alignas(64) Boxes {
        float lower[3][leaf_lanes], upper[3][leaf_lanes];
    };
    void clear() {
        leaves_.clear();
        boxes_.clear();
    }
    void add(std::uint32_t leaf, const FloatBox& box);
    bool empty() const { return leaves_.empty(); }
    std::size_t size() const { return leaves_.size(); }
    std::span<const std::uint32_t> leaves() const { return leaves_; }
    std::span<const Boxes> boxes() const { return boxes_; }
    std::size_t bytes() const {
        return leaves_.capacity() * sizeof(std::uint32_t) + boxes_.capacity() * sizeof(Boxes);
    }

private:
    std::vector<std::uint32_t> leaves_;
    AlignedVector<Boxes> boxes_;
};

/// Where on a list of leaves the triangle nearest to a point is.
struct NearestLane {
    float squared = 0;  ///< distance; as given where no triangle is nearer
    std::uint32_t leaf = 0, lane = leaf_lanes;
};
/// For each point. Of equally near triangles the first.
void find_nearest(std::span<const TriangleLeaf> leaves, const LeafCandidates& candidates,
                  std::span<const Quad> points, float limit, std::span<NearestLane> nearest);

/// Unit normals of the triangles of a leaf, and their doubled areas; 0 where there is none.
struct alignas(64) LeafNormals {
    float n[3][leaf_lanes], area[leaf_lanes];
};
void make_normals(std::span<const TriangleLeaf> leaves, std::span<LeafNormals> normals);

/// What of a surface a vertex could touch: triangles whose normals point against its own.
struct FacingQuery {
    Quad point, normal;
    float most = 0;               ///< product of the normals
    float front = 0, behind = 0;  ///< squared distances within which it matters
};
/// Adds the lanes of all such triangles, and perhaps some that are not quite.
void find_facing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                 const LeafCandidates& candidates, const FacingQuery& query,
                 std::vector<NearestLane>& found);

}  // namespace turgor
