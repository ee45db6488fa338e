#include "contact/nearest_cpu.hpp"

#include <algorithm>
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

/// One bit for each lane.
template <class Mask>
HWY_INLINE std::uint32_t bits_of(Mask mask) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Lanes(), mask, bits);
    return bits[0];
}

/// Calls work(place) for the candidates whose boxes come within `limit` of a point.
template <class Work>
HWY_INLINE void each_near(const LeafCandidates& candidates, V3 p, float limit, Work&& work) {
    const V zero = hn::Zero(Lanes()), most = hn::Set(Lanes(), limit);
    std::size_t place = 0;
    for (const LeafCandidates::Boxes& box : candidates.boxes())
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width, place += width) {
            const V3 below = load(box.lower, lane) - p, above = p - load(box.upper, lane);
            const V3 out{hn::Max(hn::Max(below.x, above.x), zero),
                         hn::Max(hn::Max(below.y, above.y), zero),
                         hn::Max(hn::Max(below.z, above.z), zero)};
            for (std::uint32_t near = bits_of(dot(out, out) <= most); near != 0; near &= near - 1)
                work(place + static_cast<std::size_t>(std::countr_zero(near)));
        }
}

HWY_INLINE V3 everywhere(Quad p) {
    return {hn::Set(Lanes(), p.x), hn::Set(Lanes(), p.y), hn::Set(Lanes(), p.z)};
}

void FindNearest(std::span<const TriangleLeaf> leaves, const LeafCandidates& candidates,
                 std::span<const Quad> points, float limit, std::span<NearestLane> nearest) {
    using Ints = hn::RebindToSigned<Lanes>;
    constexpr std::size_t parts = leaf_lanes / width;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const V3 p = everywhere(points[k]);
        alignas(64) float squared[leaf_lanes];
        alignas(64) std::int32_t place[leaf_lanes];
        for (std::size_t part = 0; part < parts; ++part) {
            store(hn::Set(Lanes(), limit), squared + part * width);
            hn::Store(hn::Set(Ints(), -1), Ints(), place + part * width);
        }
        each_near(candidates, p, limit, [&](std::size_t c) {
            const TriangleLeaf& leaf = leaves[candidates.leaves()[c]];
            for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
                const V best = load(squared + lane), d = squared_distances(leaf, lane, p);
                const auto nearer = d < best;
                store(hn::IfThenElse(nearer, d, best), squared + lane);
                hn::Store(hn::IfThenElse(hn::RebindMask(Ints(), nearer),
                                         hn::Set(Ints(), static_cast<std::int32_t>(c)),
                                         hn::Load(Ints(), place + lane)),
                          Ints(), place + lane);
            }
        });
        NearestLane& found = nearest[k] = {limit, 0, leaf_lanes};
        for (std::uint32_t lane = 0; lane < leaf_lanes; ++lane)
            if (place[lane] >= 0 && squared[lane] < found.squared)
                found = {squared[lane], candidates.leaves()[static_cast<std::size_t>(place[lane])],
                         lane};
    }
}

void MakeNormals(std::span<const TriangleLeaf> leaves, std::span<LeafNormals> normals) {
    const V zero = hn::Zero(Lanes());
    for (std::size_t k = 0; k < leaves.size(); ++k)
        for (std::size_t lane = 0; lane < leaf_lanes; lane += width) {
            const V3 u = load(leaves[k].ab, lane), v = load(leaves[k].ac, lane);
            const V3 n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
            const V area = hn::Sqrt(dot(n, n));
            store(inverse(area, zero) * n, normals[k].n, lane);
            store(area, normals[k].area + lane);
        }
}

void FindFacing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                const LeafCandidates& candidates, const FacingQuery& query,
                std::vector<NearestLane>& found) {
    const V3 p = everywhere(query.point), own = everywhere(query.normal);
    // What rounding may make of the numbers that decide.
    constexpr float wider = 1.002f;
    const float farther = wider * std::max(query.front, query.behind);
    const V most = hn::Set(Lanes(), query.most + 1e-3f), close = hn::Set(Lanes(), 1e-6f * farther);
    const V front = hn::Set(Lanes(), wider * query.front);
    const V behind = hn::Set(Lanes(), wider * query.behind);
    each_near(candidates, p, farther, [&](std::size_t c) {
        const std::uint32_t leaf = candidates.leaves()[c];
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
            for (; near != 0; near &= near - 1) {
                const int at = std::countr_zero(near);
                found.push_back(
                    {each[at], leaf,
                     static_cast<std::uint32_t>(lane) + static_cast<std::uint32_t>(at)});
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
HWY_EXPORT(FindNearest);
HWY_EXPORT(MakeNormals);
HWY_EXPORT(FindFacing);

}  // namespace

void LeafCandidates::add(std::uint32_t leaf, const FloatBox& box) {
    const std::size_t lane = leaves_.size() % leaf_lanes;
    if (lane == 0) {
        Boxes& none = boxes_.emplace_back();
        for (auto* corner : {&none.lower, &none.upper})
            for (auto& axis : *corner) std::ranges::fill(axis, 1e15f);
    }
    leaves_.push_back(leaf);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        boxes_.back().lower[axis][lane] = lower[axis];
        boxes_.back().upper[axis][lane] = upper[axis];
    }
}

void make_leaf(const LeafCorners& corners, std::uint32_t count, TriangleLeaf& leaf) {
    HWY_DYNAMIC_DISPATCH(MakeLeaf)(corners, count, leaf);
}

void find_nearest(std::span<const TriangleLeaf> leaves, const LeafCandidates& candidates,
                  std::span<const Quad> points, float limit, std::span<NearestLane> nearest) {
    HWY_DYNAMIC_DISPATCH(FindNearest)(leaves, candidates, points, limit, nearest);
}

void make_normals(std::span<const TriangleLeaf> leaves, std::span<LeafNormals> normals) {
    HWY_DYNAMIC_DISPATCH(MakeNormals)(leaves, normals);
}

void find_facing(std::span<const TriangleLeaf> leaves, std::span<const LeafNormals> normals,
                 const LeafCandidates& candidates, const FacingQuery& query,
                 std::vector<NearestLane>& found) {
    HWY_DYNAMIC_DISPATCH(FindFacing)(leaves, normals, candidates, query, found);
}

}  // namespace turgor
#endif
