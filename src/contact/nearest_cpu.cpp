#include "contact/nearest_cpu.hpp"

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
        const V3 a = load(corners.corner[0], lane);
        const V3 ab = load(corners.corner[1], lane) - a, ac = load(corners.corner[2], lane) - a;
        const V3 bc = ac - ab;
        const V ab_ab = dot(ab, ab), ab_ac = dot(ab, ac), ac_ac = dot(ac, ac);
        const V area = ab_ab * ac_ac - ab_ac * ab_ac;
        store(a, leaf.a, lane);
        store(ab, leaf.ab, lane);
        store(ac, leaf.ac, lane);
        store(ab_ab, leaf.ab_ab + lane);
        store(ab_ac, leaf.ab_ac + lane);
        store(ac_ac, leaf.ac_ac + lane);
        store(inverse(area, hn::Set(Lanes(), 1e-6f) * ab_ab * ac_ac), leaf.per_area + lane);
        store(inverse(ab_ab, hn::Zero(Lanes())), leaf.per_ab + lane);
        store(inverse(ac_ac, hn::Zero(Lanes())), leaf.per_ac + lane);
        store(inverse(dot(bc, bc), hn::Zero(Lanes())), leaf.per_bc + lane);
    }
    for (std::size_t lane = count; lane < leaf_lanes; ++lane)
        for (int axis = 0; axis < 3; ++axis) {
            leaf.a[axis][lane] = 1e15f;
            leaf.ab[axis][lane] = leaf.ac[axis][lane] = 0;
        }
    for (std::size_t lane = count; lane < leaf_lanes; ++lane)
        leaf.per_area[lane] = leaf.per_ab[lane] = leaf.per_ac[lane] = leaf.per_bc[lane] = 0;
}

/// Over the plane of a triangle the distance to it, else the least of those to its three edges.
HWY_INLINE V squared_distances(const TriangleLeaf& leaf, std::size_t lane, V3 p) {
    const V3 ab = load(leaf.ab, lane), ac = load(leaf.ac, lane);
    const V3 ap = p - load(leaf.a, lane);
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

void FindNearest(std::span<const TriangleLeaf> leaves, std::span<const std::uint32_t> candidates,
                 std::span<const Quad> points, float limit, std::span<NearestLane> nearest) {
    using Ints = hn::RebindToSigned<Lanes>;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const V3 p{hn::Set(Lanes(), points[k].x), hn::Set(Lanes(), points[k].y),
                   hn::Set(Lanes(), points[k].z)};
        alignas(32) float squared[leaf_lanes];
        alignas(32) std::int32_t place[leaf_lanes];
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            V best = hn::Set(Lanes(), limit);
            auto at = hn::Set(Ints(), -1);
            for (std::size_t c = 0; c < candidates.size(); ++c) {
                const V d = squared_distances(leaves[candidates[c]], lane, p);
                const auto nearer = d < best;
                best = hn::IfThenElse(nearer, d, best);
                at = hn::IfThenElse(hn::RebindMask(Ints(), nearer),
                                    hn::Set(Ints(), static_cast<std::int32_t>(c)), at);
            }
            store(best, squared + lane);
            hn::Store(at, Ints(), place + lane);
        }
        NearestLane& found = nearest[k] = {limit, 0, leaf_lanes};
        for (std::uint32_t lane = 0; lane < leaf_lanes; ++lane)
            if (place[lane] >= 0 && squared[lane] < found.squared)
                found = {squared[lane], candidates[static_cast<std::size_t>(place[lane])], lane};
    }
}

}  // namespace
}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {
namespace {

HWY_EXPORT(MakeLeaf);
HWY_EXPORT(FindNearest);

}  // namespace

void make_leaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf) {
    HWY_DYNAMIC_DISPATCH(MakeLeaf)(corners, count, leaf);
}

void find_nearest(std::span<const TriangleLeaf> leaves, std::span<const std::uint32_t> candidates,
                  std::span<const Quad> points, float limit, std::span<NearestLane> nearest) {
    HWY_DYNAMIC_DISPATCH(FindNearest)(leaves, candidates, points, limit, nearest);
}

}  // namespace turgor
#endif
