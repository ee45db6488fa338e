// The rotations of many regions at once. Included once for each instruction set (Highway's
// foreach_target), hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_MATCHING_ROTATIONS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_MATCHING_ROTATIONS_INL_HPP
#undef TURGOR_ELASTIC_MATCHING_ROTATIONS_INL_HPP
#else
#define TURGOR_ELASTIC_MATCHING_ROTATIONS_INL_HPP
#endif

#include "base/rotation.hpp"
#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

struct Matrix {
    F3 row0, row1, row2;
};
HWY_INLINE Matrix matrix_of(F3 q, F w) {
    const F two = all(2), one_ = all(1);
    const F3 d = two * q;
    const F xx = d.x * q.x, yy = d.y * q.y, zz = d.z * q.z, xy = d.x * q.y, yz = d.y * q.z,
            zx = d.z * q.x, wx = d.x * w, wy = d.y * w, wz = d.z * w;
    return {{one_ - (yy + zz), xy - wz, zx + wy},
            {xy + wz, one_ - (xx + zz), yz - wx},
            {zx - wy, yz + wx, one_ - (xx + yy)}};
}

/// Newton's method on SO(3) (base/rotation.cpp), for `lanes` matrices at once. Lanes that are done
/// stay as they are, so that no lane notices its neighbours. True for lanes that need the slow way.
HWY_INLINE Mask turn_towards(const Matrix& given, F3& q, F& w) {
    const F zero = hn::Zero(Floats());
    F scale = zero;
    for (const F3& r : {given.row0, given.row1, given.row2})
        scale = hn::Max(scale, hn::Max(hn::Abs(r.x), hn::Max(hn::Abs(r.y), hn::Abs(r.z))));
    Mask active = scale > all(1e-30f);
    const F per_scale = hn::IfThenElseZero(active, all(1) / hn::Max(scale, all(1e-30f)));
    const Matrix a{per_scale * given.row0, per_scale * given.row1, per_scale * given.row2};
    Mask slow = hn::FirstN(Floats(), 0);
    constexpr int most = 8;
    for (int i = 0; i < most && !hn::AllFalse(Floats(), active); ++i) {
        const Matrix r = matrix_of(q, w);
        // s = rᵀ a
        const F3 s0 = r.row0.x * a.row0 + r.row1.x * a.row1 + r.row2.x * a.row2;
        const F3 s1 = r.row0.y * a.row0 + r.row1.y * a.row1 + r.row2.y * a.row2;
        const F3 s2 = r.row0.z * a.row0 + r.row1.z * a.row1 + r.row2.z * a.row2;
        const F3 g{s2.y - s1.z, s0.z - s2.x, s1.x - s0.y};
        const F half = all(-0.5f);
        const F h00 = s1.y + s2.z, h11 = s0.x + s2.z, h22 = s0.x + s1.y;
        const F h10 = half * (s0.y + s1.x), h20 = half * (s0.z + s2.x), h21 = half * (s1.z + s2.y);
        const F least = all(1e-4f);
        const F d0 = h00;
        const F p0 = all(1) / hn::Max(d0, least);
        const F l10 = h10 * p0, l20 = h20 * p0;
        const F d1 = h11 - l10 * h10;
        const F p1 = all(1) / hn::Max(d1, least);
        const F c21 = h21 - l20 * h10;
        const F l21 = c21 * p1;
        const F d2 = h22 - l20 * h20 - l21 * c21;
        const F p2 = all(1) / hn::Max(d2, least);
        const Mask bad = hn::And(active, hn::Min(d0, hn::Min(d1, d2)) < least);
        slow = hn::Or(slow, bad);
        active = hn::AndNot(bad, active);
        const F y1 = g.y - l10 * g.x, y2 = g.z - l20 * g.x - l21 * y1;
        const F w2 = y2 * p2, w1 = y1 * p1 - l21 * w2, w0 = g.x * p0 - l10 * w1 - l20 * w2;
        // q (1, w/2), which turns by w up to the third order, normalised.
        const F3 t = all(0.5f) * F3{w0, w1, w2};
        const F3 turned = q + w * t + cross(q, t);
        const F turned_w = w - dot(q, t);
        const F per_length = all(1) / hn::Sqrt(dot(turned, turned) + turned_w * turned_w);
        q.x = hn::IfThenElse(active, per_length * turned.x, q.x);
        q.y = hn::IfThenElse(active, per_length * turned.y, q.y);
        q.z = hn::IfThenElse(active, per_length * turned.z, q.z);
        w = hn::IfThenElse(active, per_length * turned_w, w);
        // What is left is of the order of the square of this step.
        active = hn::And(active, dot(t, t) > all(2.5e-8f));
    }
    return hn::Or(slow, active);
}

/// The rows of `lanes` matrices: their x, y and z are the elements.
struct MatrixRows {
    const Quad *row0, *row1, *row2;
};

/// The rotations nearest to `lanes` matrices; `rotation` holds the last ones and takes the new
/// ones, which are in `q` as well. Returns how many were flat, inside out or turned by half a turn
/// since, and needed the slow, certain way.
HWY_INLINE std::uint32_t fit_rotations(const MatrixRows& rows, Quad* rotation, F4& q) {
    const Matrix a{load4(rows.row0).xyz, load4(rows.row1).xyz, load4(rows.row2).xyz};
    q = load4(rotation);
    const Mask hard = turn_towards(a, q.xyz, q.w);
    store4(q.xyz, q.w, rotation);
    if (HWY_LIKELY(hn::AllFalse(Floats(), hard))) return 0;
    std::uint32_t slow = 0;
    alignas(64) float is_hard[lanes];
    store(hn::IfThenElseZero(hard, all(1)), is_hard);
    for (std::size_t k = 0; k < lanes; ++k) {
        if (is_hard[k] == 0) continue;
        ++slow;
        Quad& last = rotation[k];
        const Quat found = nearest_rotation({{{rows.row0[k].x, rows.row0[k].y, rows.row0[k].z},
                                              {rows.row1[k].x, rows.row1[k].y, rows.row1[k].z},
                                              {rows.row2[k].x, rows.row2[k].y, rows.row2[k].z}}},
                                            {last.w, last.x, last.y, last.z});
        last = to_quad({found.x, found.y, found.z}, found.w);
    }
    q = load4(rotation);
    return slow;
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
