#include "contact/nearest_cpu.hpp"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "contact/nearest_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<float, leaf_lanes>;
using V = hn::Vec<Lanes>;
constexpr std::size_t width = hn::MaxLanes(Lanes());

struct V3 {
    V x, y, z;
};
HWY_INLINE V3 operator-(V3 a, V3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HWY_INLINE V3 operator*(V s, V3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
HWY_INLINE V dot(V3 a, V3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
HWY_INLINE V3 cross(V3 a, V3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE V load(const float* p) {
    return hn::Load(Lanes(), p);
}
HWY_INLINE V3 load(const float (&p)[3][leaf_lanes], std::size_t lane) {
    return {load(p[0] + lane), load(p[1] + lane), load(p[2] + lane)};
}
HWY_INLINE void store(V v, float* p) {
    hn::Store(v, Lanes(), p);
}
HWY_INLINE void store(V3 v, float (&p)[3][leaf_lanes], std::size_t lane) {
    store(v.x, p[0] + lane);
    store(v.y, p[1] + lane);
    store(v.z, p[2] + lane);
}
HWY_INLINE V clamped(V share) {
    return hn::Min(hn::Max(share, hn::Zero(Lanes())), hn::Set(Lanes(), 1.0f));
}
/// 1/v, or 0 where v is not greater than `least`.
HWY_INLINE V inverse(V v, V least) {
    return hn::IfThenElseZero(v > least, hn::Set(Lanes(), 1.0f) / v);
}

void MakeLeaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf) {
    for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
        const V3 a = load(corners.corner[0], lane), b = load(corners.corner[1], lane);
        const V3 c = load(corners.corner[2], lane), ab = b - a, ac = c - a;
        const V3 bc = ac - ab;
        const V ab_ab = dot(ab, ab), ab_ac = dot(ab, ac), ac_ac = dot(ac, ac);
        const V area = ab_ab * ac_ac - ab_ac * ab_ac;
        store(a, leaf.a, lane);
        store(b, leaf.b, lane);
        store(c, leaf.c, lane);
        store(ab_ab, leaf.ab_ab + lane);
        store(ab_ac, leaf.ab_ac + lane);
        store(ac_ac, leaf.ac_ac + lane);
        store(inverse(area, hn::Set(Lanes(), 1e-6f) * ab_ab * ac_ac), leaf.per_area + lane);
        store(inverse(ab_ab, hn::Zero(Lanes())), leaf.per_ab + lane);
        store(inverse(ac_ac, hn::Zero(Lanes())), leaf.per_ac + lane);
        store(inverse(dot(bc, bc), hn::Zero(Lanes())), leaf.per_bc + lane);
    }
    for (std::size_t lane = count; lane < leaf_lanes; ++lane)
        for (int axis = 0; axis < 3; ++axis)
            leaf.a[axis][lane] = leaf.b[axis][lane] = leaf.c[axis][lane] = 1e15f;
    for (std::size_t lane = count; lane < leaf_lanes; ++lane)
        leaf.per_area[lane] = leaf.per_ab[lane] = leaf.per_ac[lane] = leaf.per_bc[lane] = 0;
}

/// Over the plane of a triangle the distance to it, else the least of those to its three edges.
HWY_INLINE V squared_distances(const TriangleLeaf& leaf, std::size_t lane, V3 p) {
    const V3 a = load(leaf.a, lane);
    const V3 ab = load(leaf.b, lane) - a, ac = load(leaf.c, lane) - a, ap = p - a;
    const V d1 = dot(ab, ap), d2 = dot(ac, ap);
    const V ab_ab = load(leaf.ab_ab + lane), ab_ac = load(leaf.ab_ac + lane);
    const V ac_ac = load(leaf.ac_ac + lane), per_area = load(leaf.per_area + lane);
    const V v = (ac_ac * d1 - ab_ac * d2) * per_area, w = (ab_ab * d2 - ab_ac * d1) * per_area;
    const V3 bc = ac - ab, bp = ap - ab;
    const V3 on_plane = ap - v * ab - w * ac;
    const V3 on_ab = ap - clamped(d1 * load(leaf.per_ab + lane)) * ab;
    const V3 on_ac = ap - clamped(d2 * load(leaf.per_ac + lane)) * ac;
    const V3 on_bc = bp - clamped(dot(bc, bp) * load(leaf.per_bc + lane)) * bc;
    const V edges = hn::Min(hn::Min(dot(on_ab, on_ab), dot(on_ac, on_ac)), dot(on_bc, on_bc));
    const V zero = hn::Zero(Lanes());
    const auto over = hn::And(hn::And(v >= zero, w >= zero),
                              hn::And(v + w <= hn::Set(Lanes(), 1.0f), per_area > zero));
    return hn::IfThenElse(over, dot(on_plane, on_plane), edges);
}

/// One bit for each lane.
template <class Mask>
HWY_INLINE std::uint32_t bits_of(Mask mask) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Lanes(), mask, bits);
    return bits[0];
}

HWY_INLINE V3 everywhere(Quad p) {
    return {hn::Set(Lanes(), p.x), hn::Set(Lanes(), p.y), hn::Set(Lanes(), p.z)};
}

/// How far boxes are from another one, which may be a point; squared.
HWY_INLINE V squared_distances(const BoxGroup& boxes, std::size_t lane, V3 lower, V3 upper) {
    const V zero = hn::Zero(Lanes());
    const V3 below = load(boxes.lower, lane) - upper, above = lower - load(boxes.upper, lane);
    const V3 apart{hn::Max(hn::Max(below.x, above.x), zero),
                   hn::Max(hn::Max(below.y, above.y), zero),
                   hn::Max(hn::Max(below.z, above.z), zero)};
    return dot(apart, apart);
}

/// The smallest product of two numbers, each between two others.
HWY_INLINE V least_product(V a0, V a1, V b0, V b1) {
    return hn::Min(hn::Min(a0 * b0, a0 * b1), hn::Min(a1 * b0, a1 * b1));
}

/// Goes down a tree; `lanes_of(boxes)` tells which eighths of a group matter, as bits. Calls
/// visit(group, lanes) for those with leaves.
template <class LanesOf, class Visit>
HWY_INLINE void go_down(const GroupedBoxes& tree, LanesOf&& lanes_of, Visit&& visit) {
    std::array<std::uint32_t, 128> stack;
    std::size_t size = 0;
    std::uint32_t top = tree.leaves;
    while (top >= 8) top /= 8;
    for (std::uint32_t k = 0; k < top; ++k) stack[size++] = 2 * top - 1 - k;
    while (size > 0) {
        const std::uint32_t group = stack[--size];
        const std::uint32_t lanes = lanes_of(tree.groups[group]);
        if (lanes == 0) continue;
        if (8 * group >= tree.leaves) {
            visit(group, lanes);
            continue;
        }
        for (std::uint32_t lane = leaf_lanes; lane-- > 0;)
            if ((lanes >> lane & 1) != 0) stack[size++] = 8 * group + lane;
    }
}

void FindLeaves(const GroupedBoxes& tree, const FloatBox& box, float reach, LeafCandidates& found) {
    const V3 lower = everywhere(box.lower), upper = everywhere(box.upper);
    const V most = hn::Set(Lanes(), reach * reach);
    const auto lanes_of = [&](const BoxGroup& group) {
        std::uint32_t lanes = 0;
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width)
            lanes |= bits_of(squared_distances(group, lane, lower, upper) <= most) << lane;
        return lanes;
    };
    go_down(tree, lanes_of, [&](auto group, auto lanes) { found.add(group, lanes); });
}

void FindFacingLeaves(const GroupedBoxes& tree, const FloatBox& box, float reach,
                      const GroupedBoxes& normals, const FloatBox& own, float most_product,
                      LeafCandidates& found) {
    const V3 lower = everywhere(box.lower), upper = everywhere(box.upper);
    const V3 own_lower = everywhere(own.lower), own_upper = everywhere(own.upper);
    const V most = hn::Set(Lanes(), reach * reach), facing = hn::Set(Lanes(), most_product);
    const auto lanes_of = [&](const BoxGroup& group) {
        const BoxGroup& n = normals.groups[static_cast<std::size_t>(&group - tree.groups.data())];
        std::uint32_t lanes = 0;
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const auto near = squared_distances(group, lane, lower, upper) <= most;
            if (hn::AllFalse(Lanes(), near)) continue;
            const V3 n0 = load(n.lower, lane), n1 = load(n.upper, lane);
            const V product = least_product(own_lower.x, own_upper.x, n0.x, n1.x) +
                              least_product(own_lower.y, own_upper.y, n0.y, n1.y) +
                              least_product(own_lower.z, own_upper.z, n0.z, n1.z);
            lanes |= bits_of(hn::And(near, product <= facing)) << lane;
        }
        return lanes;
    };
    go_down(tree, lanes_of, [&](auto group, auto lanes) { found.add(group, lanes); });
}

/// Calls work(leaf) for the candidates whose boxes come within `limit` of a point.
template <class Work>
HWY_INLINE void each_near(const GroupedBoxes& boxes, const LeafCandidates& candidates, V3 p,
                          float limit, Work&& work) {
    const V most = hn::Set(Lanes(), limit);
    for (const auto& [group, lanes] : candidates.groups)
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const V apart = squared_distances(boxes.groups[group], lane, p, p);
            for (std::uint32_t near = bits_of(apart <= most) & (lanes >> lane); near != 0;
                 near &= near - 1)
                work(8 * group + static_cast<std::uint32_t>(lane) +
                     static_cast<std::uint32_t>(std::countr_zero(near)) - boxes.leaves);
        }
}

void FindNearest(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes,
                 const LeafCandidates& candidates, std::span<const Quad> points, float limit,
                 std::span<NearestLane> nearest) {
    using Ints = hn::RebindToSigned<Lanes>;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const V3 p = everywhere(points[k]);
        alignas(64) float squared[leaf_lanes];
        alignas(64) std::int32_t place[leaf_lanes];  // its leaf
        std::ranges::fill(squared, limit);
        std::ranges::fill(place, -1);
        each_near(boxes, candidates, p, limit, [&](std::uint32_t number) {
            const TriangleLeaf& leaf = leaves[number];
            for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
                const V best = load(squared + lane), d = squared_distances(leaf, lane, p);
                const auto nearer = d < best;
                store(hn::IfThenElse(nearer, d, best), squared + lane);
                hn::Store(hn::IfThenElse(hn::RebindMask(Ints(), nearer),
                                         hn::Set(Ints(), static_cast<std::int32_t>(number)),
                                         hn::Load(Ints(), place + lane)),
                          Ints(), place + lane);
            }
        });
        NearestLane& found = nearest[k] = {limit, 0, leaf_lanes};
        for (std::uint32_t lane = 0; lane < leaf_lanes; ++lane)
            if (place[lane] >= 0 && squared[lane] < found.squared)
                found = {squared[lane], static_cast<std::uint32_t>(place[lane]), lane};
    }
}

/// What two triangles share is seen by both with the same numbers, so that every line goes through
/// the surface, not between them.
int WindingNumber(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes, Quad point) {
    const V3 p = everywhere(point), way = everywhere({0.6123f, 0.2387f, 0.7537f, 0});
    const V3 per_way = everywhere({1 / 0.6123f, 1 / 0.2387f, 1 / 0.7537f, 0});
    const V zero = hn::Zero(Lanes());
    const auto lanes_of = [&](const BoxGroup& group) {
        std::uint32_t lanes = 0;
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const V3 low = load(group.lower, lane) - p, high = load(group.upper, lane) - p;
            const V slack =
                hn::Set(Lanes(), 1e-5f) * (hn::Abs(low.x) + hn::Abs(low.y) + hn::Abs(low.z) +
                                           hn::Abs(high.x) + hn::Abs(high.y) + hn::Abs(high.z));
            const V near =
                hn::Max(hn::Max(low.x * per_way.x, low.y * per_way.y), low.z * per_way.z);
            const V far =
                hn::Min(hn::Min(high.x * per_way.x, high.y * per_way.y), high.z * per_way.z);
            lanes |= bits_of(hn::And(near <= far + slack, far + slack >= zero)) << lane;
        }
        return lanes;
    };
    int left = 0;
    go_down(boxes, lanes_of, [&](std::uint32_t group, std::uint32_t lanes) {
        for (; lanes != 0; lanes &= lanes - 1) {
            const TriangleLeaf& leaf =
                leaves[8 * group + static_cast<std::uint32_t>(std::countr_zero(lanes)) -
                       boxes.leaves];
            for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
                const V3 a = load(leaf.a, lane) - p, b = load(leaf.b, lane) - p;
                const V3 c = load(leaf.c, lane) - p, bc = cross(b, c);
                const V u = dot(way, bc), v = dot(way, cross(c, a)), w = dot(way, cross(a, b));
                const V sum = u + v + w, ahead = dot(a, bc);
                const auto out = hn::And(hn::And(u >= zero, v >= zero),
                                         hn::And(w >= zero, hn::And(sum > zero, ahead > zero)));
                const auto in = hn::And(hn::And(u <= zero, v <= zero),
                                        hn::And(w <= zero, hn::And(sum < zero, ahead < zero)));
                left += std::popcount(bits_of(out)) - std::popcount(bits_of(in));
            }
        }
    });
    return left;
}

void MakeNormals(std::span<const TriangleLeaf> leaves, std::span<LeafNormals> normals) {
    const V zero = hn::Zero(Lanes());
    for (std::size_t k = 0; k < leaves.size(); ++k)
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const V3 a = load(leaves[k].a, lane);
            const V3 n = cross(load(leaves[k].b, lane) - a, load(leaves[k].c, lane) - a);
            const V area = hn::Sqrt(dot(n, n));
            store(inverse(area, zero) * n, normals[k].n, lane);
            store(area, normals[k].area + lane);
        }
}

void FindFacing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                const GroupedBoxes& boxes, const LeafCandidates& candidates,
                const FacingQuery& query, std::vector<FacingLane>& found) {
    const V3 p = everywhere(query.point), own = everywhere(query.normal);
    // What rounding may make of the numbers that decide.
    constexpr float wider = 1.002f;
    const float farther = wider * std::max(query.front, query.behind);
    const V most = hn::Set(Lanes(), query.most + 1e-3f), close = hn::Set(Lanes(), 1e-6f * farther);
    const V front = hn::Set(Lanes(), wider * query.front);
    const V behind = hn::Set(Lanes(), wider * query.behind);
    each_near(boxes, candidates, p, farther, [&](std::uint32_t leaf) {
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const V3 n = load(normals[leaf].n, lane);
            const V above = dot(p - load(leaves[leaf].a, lane), n), plane = above * above;
            const V limit =
                hn::IfThenElse(plane < close, hn::Set(Lanes(), farther),
                               hn::IfThenElse(above > hn::Zero(Lanes()), front, behind));
            const auto may = hn::And(dot(own, n) <= most, plane <= limit);
            if (hn::AllFalse(Lanes(), may)) continue;
            const V squared = squared_distances(leaves[leaf], lane, p);
            std::uint32_t near = bits_of(hn::And(may, squared <= limit));
            if (near == 0) continue;
            alignas(64) float each[leaf_lanes];
            store(squared, each);
            const std::uint32_t in_front = bits_of(above >= hn::Zero(Lanes()));
            for (; near != 0; near &= near - 1) {
                const int at = std::countr_zero(near);
                found.push_back({each[at], leaf,
                                 static_cast<std::uint32_t>(lane) + static_cast<std::uint32_t>(at),
                                 (in_front >> at & 1) != 0});
            }
        }
    });
}

}  // namespace
}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {
namespace {

HWY_EXPORT(MakeLeaf);
HWY_EXPORT(FindLeaves);
HWY_EXPORT(FindFacingLeaves);
HWY_EXPORT(FindNearest);
HWY_EXPORT(WindingNumber);
HWY_EXPORT(MakeNormals);
HWY_EXPORT(FindFacing);

}  // namespace

void LeafCandidates::clear() {
    groups.clear();
    leaves = 0;
}

void LeafCandidates::add(std::uint32_t group, std::uint32_t lanes) {
    groups.push_back({group, lanes});
    leaves += static_cast<std::size_t>(std::popcount(lanes));
}

void BoxGroup::set(std::size_t lane, const FloatBox& box) {
    const float l[3] = {box.lower.x, box.lower.y, box.lower.z};
    const float u[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        lower[axis][lane] = l[axis];
        upper[axis][lane] = u[axis];
    }
}

void GroupedBoxes::fit(std::span<const FloatBox> nodes) {
    leaves = static_cast<std::uint32_t>(nodes.size() / 2);
    groups.resize(leaves / 4);
    for (std::uint32_t level = leaves; level >= 8; level /= 8)
        for (std::uint32_t node = level; node < 2 * level; ++node)
            groups[node / 8].set(node % 8, nodes[node]);
}

void find_leaves(const GroupedBoxes& tree, const FloatBox& box, float reach,
                 LeafCandidates& found) {
    found.clear();
    HWY_DYNAMIC_DISPATCH(FindLeaves)(tree, box, reach, found);
}

void find_facing_leaves(const GroupedBoxes& tree, const FloatBox& box, float reach,
                        const GroupedBoxes& normals, const FloatBox& own, float most,
                        LeafCandidates& found) {
    found.clear();
    HWY_DYNAMIC_DISPATCH(FindFacingLeaves)(tree, box, reach, normals, own, most, found);
}

void make_leaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf) {
    HWY_DYNAMIC_DISPATCH(MakeLeaf)(corners, count, leaf);
}

void find_nearest(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes,
                  const LeafCandidates& candidates, std::span<const Quad> points, float limit,
                  std::span<NearestLane> nearest) {
    HWY_DYNAMIC_DISPATCH(FindNearest)(leaves, boxes, candidates, points, limit, nearest);
}

int winding_number(std::span<const TriangleLeaf> leaves, const GroupedBoxes& boxes, Quad point) {
    return HWY_DYNAMIC_DISPATCH(WindingNumber)(leaves, boxes, point);
}

void make_normals(std::span<const TriangleLeaf> leaves, std::span<LeafNormals> normals) {
    HWY_DYNAMIC_DISPATCH(MakeNormals)(leaves, normals);
}

void find_facing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                 const GroupedBoxes& boxes, const LeafCandidates& candidates,
                 const FacingQuery& query, std::vector<FacingLane>& found) {
    HWY_DYNAMIC_DISPATCH(FindFacing)(leaves, normals, boxes, candidates, query, found);
}

}  // namespace turgor
#endif
