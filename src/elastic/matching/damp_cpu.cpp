#include <algorithm>

#include "elastic/matching/matching_cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/matching/damp_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "body/cpu_particle-inl.hpp"
#include "elastic/matching/group_sums-inl.hpp"
#include "elastic/prediction-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

template <RowSums how>
void damping_terms_of(const RegionCpuView& body, const RegionScales& scales, BlockRange range) {
    const F spin = all(0.5f * one / (scales.position * scales.speed)),
            place = all(one / scales.position), speed = all(one / scales.speed),
            square = all(one / (scales.position * scales.position));
    RowWriter<written(how), 4> rows(body.terms.data(), range.begin);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        FixedQuad terms[4][group];
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F3 r = load3(&body.x[p]), v = load3(&body.v[p]);
            const F w = load4(&body.rest.fit[p]).w;
            const F3 wr = w * r;
            const F3 angular = spin * cross(wr, v), linear = (speed * w) * v, first = place * wr;
            const F3 squares = square * F3{wr.x * r.x, wr.y * r.y, wr.z * r.z};
            const F3 mixed = square * F3{wr.x * r.y, wr.y * r.z, wr.z * r.x};
            const std::size_t at = part * lanes;
            store_fixed(to_fixed(angular.x), to_fixed(angular.y), to_fixed(angular.z),
                        to_fixed(first.x), &terms[0][at]);
            store_fixed(to_fixed(linear.x), to_fixed(linear.y), to_fixed(linear.z),
                        to_fixed(first.y), &terms[1][at]);
            store_fixed(to_fixed(squares.x), to_fixed(squares.y), to_fixed(squares.z),
                        to_fixed(first.z), &terms[2][at]);
            store_fixed(to_fixed(mixed.x), to_fixed(mixed.y), to_fixed(mixed.z), hn::Zero(Ints()),
                        &terms[3][at]);
        }
        rows.add_group(terms);
    }
    rows.finish();
}

/// Solves the symmetric system m x = b (m: xx yy zz xy yz zx) by its adjugate; along directions
/// that hardly anything resists the answer is cut off later.
HWY_INLINE F3 solve_symmetric(F3 diagonal, F3 mixed, F3 b) {
    const F xx = diagonal.x, yy = diagonal.y, zz = diagonal.z, xy = mixed.x, yz = mixed.y,
            zx = mixed.z;
    const F cxx = yy * zz - yz * yz, cyy = zz * xx - zx * zx, czz = xx * yy - xy * xy;
    const F cxy = zx * yz - xy * zz, cyz = xy * zx - yz * xx, czx = xy * yz - zx * yy;
    const F det = xx * cxx + xy * cxy + zx * czx;
    const F trace = xx + yy + zz;
    const F least = all(1e-7f) * trace * trace * trace;
    const F per_det = hn::IfThenElseZero(det > least, all(1) / hn::Max(det, least));
    return {per_det * (cxx * b.x + cxy * b.y + czx * b.z),
            per_det * (cxy * b.x + cyy * b.y + cyz * b.z),
            per_det * (czx * b.x + cyz * b.y + czz * b.z)};
}

HWY_INLINE F clamp(F v, F limit) {
    return hn::Max(hn::Min(v, limit), hn::Neg(limit));
}
HWY_INLINE F3 clamp(F3 v, F limit) {
    return {clamp(v.x, limit), clamp(v.y, limit), clamp(v.z, limit)};
}

/// Fields a + b × r in units of the speed and of speed per position: no larger than these, so that
/// the sum over a region fits.
struct FieldScales {
    float spin, drift, per_spin, per_drift;
    FieldScales(const RegionCpuRest& rest, const RegionScales& scales)
        : spin(rest.spin_limit * scales.position),
          drift(1 + 2 * spin),
          per_spin(one / (spin * rest.largest)),
          per_drift(one / (drift * rest.largest)) {}
};

template <RowSums how>
void damping_fields_of(const RegionCpuView& body, const RegionScales& scales, BlockRange range) {
    const RegionCpuRest& rest = body.rest;
    const FieldScales out(rest, scales);
    // All in units of position and speed, so that no product leaves the range of floats.
    const F unit = all(1 / one), two_units = all(2 / one);
    RowWriter<written(how), 2> rows(body.transforms.data(), range.begin);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad sums[4][group];
        sum_rows_of_group<how>(body, body.terms.data(), i, sums);
        FixedQuad fields[2][group];
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes;
            const F4 q0 = load4(&sums[0][at]), q1 = load4(&sums[1][at]), q2 = load4(&sums[2][at]);
            const F3 q3 = load3(&sums[3][at]);
            const F per_weight = load4(&rest.centre[i + at]).w;
            const F3 first = unit * F3{q0.w, q1.w, q2.w};
            const F3 c = per_weight * first, linear = unit * q1.xyz;
            const F3 angular = two_units * q0.xyz - cross(c, linear);
            // Second moments about the centre, and the inertia made of them.
            const F3 s = unit * q2.xyz - F3{c.x * first.x, c.y * first.y, c.z * first.z};
            const F3 m = unit * q3 - F3{c.x * first.y, c.y * first.z, c.z * first.x};
            const F3 inertia{s.y + s.z, s.z + s.x, s.x + s.y};
            const F3 none = hn::Zero(Floats()) * m;
            const F3 b = clamp(solve_symmetric(inertia, none - m, angular), all(out.spin));
            const F3 a = clamp(per_weight * linear - cross(b, c), all(out.drift));
            const F3 fa = all(out.per_drift) * a, fb = all(out.per_spin) * b;
            const I zero = hn::Zero(Ints());
            store_fixed(to_fixed(fa.x), to_fixed(fa.y), to_fixed(fa.z), zero, &fields[0][at]);
            store_fixed(to_fixed(fb.x), to_fixed(fb.y), to_fixed(fb.z), zero, &fields[1][at]);
        }
        rows.add_group(fields);
    }
    rows.finish();
}

template <RowSums how>
void damp_and_integrate_of(const RegionCpuView& body, const RegionScales& scales, float k, float h,
                           const FrameChange& frame, BlockRange range, IntegrateSums& out) {
    const RegionCpuRest& rest = body.rest;
    const FieldScales in(rest, scales);
    Prediction prediction(h, frame);
    GroupSums<6> damped;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad fields[2][group];
        if (k > 0) blend_rows<how>(body, body.transforms.data(), i, fields);
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F4 x = load4(&body.x[p]);
            const F4 v = load4(&body.v[p]);
            F3 velocity = v.xyz;
            if (k > 0) {
                const F share = load4(&rest.rest[p]).w;
                const F3 a = (share * all(scales.speed / in.per_drift)) * load3(&fields[0][at]);
                const F3 b = (share * all(scales.speed / scales.position / in.per_spin)) *
                             load3(&fields[1][at]);
                const F3 blended = a + cross(b, x.xyz);
                velocity = velocity + all(k) * (blended - velocity);
                if constexpr (how == RowSums::given) {
                    const F3 change = load(&body.asset.mass[p]) * (velocity - v.xyz);
                    damped.add(0, part, change);
                    damped.add(3, part, cross(x.xyz, change));
                }
            }
            prediction.move(body, part, p, x, v, velocity);
        }
    }
    prediction.add_to(out);
    if constexpr (how == RowSums::given) {
        if (!(k > 0)) return;
        double totals[6] = {};
        damped.add_to(totals);
        out.damped += Vec3{totals[0], totals[1], totals[2]};
        out.damped_angular += Vec3{totals[3], totals[4], totals[5]};
    }
}

}  // namespace

void DampingTerms(const RegionCpuView& b, const RegionScales& s, std::uint32_t block) {
    const BlockRange r(b.asset, block);
    with_sums_of(b, [&]<RowSums how>() HWY_ATTR { return damping_terms_of<how>(b, s, r); });
}
void DampingFields(const RegionCpuView& b, const RegionScales& s, std::uint32_t block) {
    const BlockRange r(b.asset, block);
    with_sums_of(b, [&]<RowSums how>() HWY_ATTR { return damping_fields_of<how>(b, s, r); });
}
void DampAndPredict(const RegionCpuView& b, const RegionScales& s, float k, float h,
                    const FrameChange& frame, std::uint32_t block, IntegrateSums& sums) {
    const BlockRange r(b.asset, block);
    with_sums_of(b, [&]<RowSums how>() HWY_ATTR {
        return damp_and_integrate_of<how>(b, s, k, h, frame, r, sums);
    });
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(DampingTerms);
HWY_EXPORT(DampingFields);
HWY_EXPORT(DampAndPredict);

void damping_terms(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(DampingTerms)(body, scales, block);
}
void damping_fields(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(DampingFields)(body, scales, block);
}
void damp_and_integrate(const RegionCpuView& body, const RegionScales& scales, float k, float h,
                        const FrameChange& frame, std::uint32_t block, IntegrateSums& sums) {
    HWY_DYNAMIC_DISPATCH(DampAndPredict)(body, scales, k, h, frame, block, sums);
}

}  // namespace turgor
#endif
