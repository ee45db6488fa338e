#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/float_box.hpp"
#include "device/shared/constants.h"

namespace turgor {

/// Triangles of a surface near something, eight at a time, in single precision. What is found is
/// decided in double precision by those who ask; both back ends ask for winding numbers here.

inline constexpr std::size_t leaf_lanes = TURGOR_LEAF;

/// Up to eight triangles, one in each lane; where there are fewer, the others are far away.
struct alignas(64) TriangleLeaf {
    float a[3][leaf_lanes], b[3][leaf_lanes], c[3][leaf_lanes];
    float ab_ab[leaf_lanes], ab_ac[leaf_lanes], ac_ac[leaf_lanes];
    float per_area[leaf_lanes];  ///< 1 / (ab_ab ac_ac − ab_ac²), 0 for triangles without area
    float per_ab[leaf_lanes], per_ac[leaf_lanes], per_bc[leaf_lanes];  ///< 1/length², or 0
};

struct alignas(64) LeafCorners {
    float corner[3][3][leaf_lanes];  ///< corner, axis, lane
};
void make_leaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf);

/// Boxes around eight nodes of a tree.
struct alignas(64) BoxGroup {
    float lower[3][leaf_lanes], upper[3][leaf_lanes];
    void set(std::size_t lane, const FloatBox& box);
};
/// Boxes around the nodes of a tree with 2ⁿ ≥ 8 leaves, in groups of eight: node 1 is the whole, 2k
/// and 2k + 1 are the parts of k, so 8k … 8k + 7 are what k consists of three levels below. Group k
/// has those, for every k at the level of the leaves less a multiple of three.
struct GroupedBoxes {
    std::uint32_t leaves = 0;
    AlignedVector<BoxGroup> groups;
    void fit(std::span<const FloatBox> nodes);
};

/// Leaves that something may be near to: some of a group of eight.
struct LeafCandidates {
    struct Some {
        std::uint32_t group = 0, lanes = 0;  ///< a bit for each
    };
    std::vector<Some> groups;
    std::size_t leaves = 0;  ///< how many
    void clear();
    void add(std::uint32_t group, std::uint32_t lanes);
};
/// The leaves whose boxes come within `reach` of a box.
void find_leaves(const GroupedBoxes& tree, const FloatBox& box, float reach, LeafCandidates& found);
/// Of those, the leaves with normals within boxes `normals` whose product with one of `own` can be
/// `most` or less.
void find_facing_leaves(const GroupedBoxes& tree, const FloatBox& box, float reach,
                        const GroupedBoxes& normals, const FloatBox& own, float most,
                        LeafCandidates& found);

/// Where on a list of leaves the triangle nearest to a point is.
struct NearestLane {
    float squared = 0;  ///< distance; as given where no triangle is nearer
    std::uint32_t leaf = 0, lane = leaf_lanes;
};
/// For each point. Of equally near triangles the first.
void find_nearest(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes,
                  const LeafCandidates& candidates, std::span<const Quad> points, float limit,
                  std::span<NearestLane> nearest);

/// How often a closed surface goes around a point: 1 inside, 2 where two parts of it are, −1 where
/// it is turned inside out. Along a line that is parallel to nothing in particular, counting
/// triangles.
int winding_number(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes, Quad point);

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
struct FacingLane {
    float squared = 0;  ///< distance
    std::uint32_t leaf = 0, lane = 0;
    bool in_front = false;  ///< the point is, as far as single precision can tell
};
/// Adds the lanes of all such triangles, and perhaps some that are not quite.
void find_facing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                 const GroupedBoxes& boxes, const LeafCandidates& candidates,
                 const FacingQuery& query, std::vector<FacingLane>& found);

}  // namespace turgor
