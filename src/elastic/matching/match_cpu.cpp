#include "elastic/matching/matching_cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/matching/match_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "elastic/goal_sums-inl.hpp"
#include "elastic/matching/group_sums-inl.hpp"
#include "elastic/matching/rotations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

template <RowSums how>
void matching_terms_of(const RegionCpuView& body, const RegionScales& scales, BlockRange range) {
    // One register (w x⁰, w) times each component of x; all four lanes fit into the same range,
    // because the asset's reach is at least that of its rest positions.
    const float per_place = one / scales.position;
    const float per_square = per_place / body.asset.reach;
    const Float4 scale = load(Quad{per_square, per_square, per_square, per_place});
    RowWriter<written(how), 3> rows(body.terms.data(), range.begin);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        FixedQuad terms[3][group];
        for (std::uint32_t p = 0; p < group; ++p) {
            const Float4 fit = scale * load(body.rest.fit[i + p]);
            const Quad& x = body.x[i + p];
            store_fixed(hn::NearestInt(hn::Set(Four(), x.x) * fit), terms[0][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), x.y) * fit), terms[1][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), x.z) * fit), terms[2][p]);
        }
        rows.add_group(terms);
    }
    rows.finish();
}

/// (Σ w x x⁰, Σ w x) of one component of x becomes (A, Σ w x) with A = Σ w x x⁰ − (Σ w x) t⁰. The
/// two are large and nearly equal, hence in double precision.
#if HWY_HAVE_FLOAT64
using Doubles = hn::CappedTag<double, 4>;

template <std::size_t doubles = hn::MaxLanes(Doubles())>
HWY_INLINE Float4 centred(Fixed4 sum, const double* centre, double scale, double place) {
    const double mean = place * hn::GetLane(hn::Broadcast<3>(sum));
    alignas(32) double scales[4] = {scale, scale, scale, place};
    const Doubles d;
    const auto row = [&](auto ints, std::size_t k) HWY_ATTR {
        return hn::Load(d, scales + k) * hn::PromoteTo(d, ints) -
               hn::Set(d, mean) * hn::Load(d, centre + k);
    };
    if constexpr (doubles == 4) {
        return hn::DemoteTo(Four(), row(sum, 0));
    } else {
        const hn::Half<Four> half;
        return hn::Combine(Four(),
                           hn::DemoteTo(half, row(hn::UpperHalf(hn::Half<FourInts>(), sum), 2)),
                           hn::DemoteTo(half, row(hn::LowerHalf(sum), 0)));
    }
}
#else
HWY_INLINE Float4 centred(Fixed4 sum, const double* centre, double scale, double place) {
    alignas(16) std::int32_t sums[4];
    hn::Store(sum, FourInts(), sums);
    const double mean = place * sums[3];
    const double scales[4] = {scale, scale, scale, place};
    alignas(16) float row[4];
    for (int k = 0; k < 4; ++k) row[k] = static_cast<float>(scales[k] * sums[k] - mean * centre[k]);
    return hn::Load(Four(), row);
}
#endif

struct TransformScales {
    float turn, shift, per_turn, per_shift;
    TransformScales(const CpuAsset& asset, const RegionCpuRest& rest, const RegionScales& scales)
        : per_turn(one / rest.largest) {
        const float reach = scales.position + 2 * asset.reach;
        per_shift = one / (rest.largest * reach);
        turn = 1 / per_turn;
        shift = 1 / per_shift;
    }
};

template <RowSums how>
std::uint32_t fit_regions_of(const RegionCpuView& body, const RegionScales& scales,
                             BlockRange range) {
    const CpuAsset& asset = body.asset;
    const RegionCpuRest& rest = body.rest;
    const TransformScales out(body.asset, rest, scales);
    const double place = double{scales.position} / one, square = place * asset.reach;
    RowWriter<written(how), 3> rows(body.transforms.data(), range.begin);
    std::uint32_t slow = 0;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad sums[3][group];
        for (std::uint32_t p = 0; p < group; ++p) {
            alignas(64) FixedQuad sum[3];
            sum_rows<how>(body, body.terms.data(), i + p, sum);
            const double* const centre = rest.exact_centre[i + p].data();
            for (int k = 0; k < 3; ++k)
                store(centred(load_fixed(sum[k]), centre, square, place), sums[k][p]);
        }
        FixedQuad transforms[3][group];
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F4 r0 = load4(&sums[0][at]), r1 = load4(&sums[1][at]), r2 = load4(&sums[2][at]);
            F4 q;
            slow += fit_rotations({sums[0] + at, sums[1] + at, sums[2] + at}, &body.rotation[p], q);
            const Matrix r = matrix_of(q.xyz, q.w);
            const F4 centre = load4(&rest.centre[p]);
            const F3 mean = centre.w * F3{r0.w, r1.w, r2.w};
            const F3 shift = mean - F3{dot(r.row0, centre.xyz), dot(r.row1, centre.xyz),
                                       dot(r.row2, centre.xyz)};
            const F turn = all(out.per_turn);
            const F3 t = all(out.per_shift) * shift;
            const F3 a0 = turn * r.row0, a1 = turn * r.row1, a2 = turn * r.row2;
            store_fixed(to_fixed(a0.x), to_fixed(a0.y), to_fixed(a0.z), to_fixed(t.x),
                        &transforms[0][at]);
            store_fixed(to_fixed(a1.x), to_fixed(a1.y), to_fixed(a1.z), to_fixed(t.y),
                        &transforms[1][at]);
            store_fixed(to_fixed(a2.x), to_fixed(a2.y), to_fixed(a2.z), to_fixed(t.z),
                        &transforms[2][at]);
        }
        rows.add_group(transforms);
    }
    rows.finish();
    return slow;
}

template <RowSums how>
void move_to_goals_of(const RegionCpuView& body, const RegionScales& scales, float s, float h,
                      float weight_stiffness, Quad centre, BlockRange range, GoalSums& out) {
    const CpuAsset& asset = body.asset;
    const RegionCpuRest& rest = body.rest;
    const TransformScales in(asset, rest, scales);
    // Those whose sums are given are lattices.
    PullToGoals to_goals(s, h, centre, how == RowSums::given);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad sums[3][group];
        blend_rows<how>(body, body.transforms.data(), i, sums);
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F4 r0 = load4(&sums[0][at]), r1 = load4(&sums[1][at]), r2 = load4(&sums[2][at]);
            const F4 at_rest = load4(&rest.rest[p]);
            const F4 x = load4(&body.x[p]);
            const F turn = at_rest.w * all(in.turn), shift = at_rest.w * all(in.shift);
            const F3 goal{turn * dot(r0.xyz, at_rest.xyz) + shift * r0.w,
                          turn * dot(r1.xyz, at_rest.xyz) + shift * r1.w,
                          turn * dot(r2.xyz, at_rest.xyz) + shift * r2.w};
            const F mass = load(&asset.mass[p]);
            const Mask is_real = mass > hn::Zero(Floats());
            const F3 pull = only(is_real, goal - x.xyz);
            store(all(weight_stiffness) * norm(pull), &body.change[p]);
            to_goals.move(body, part, p, x, mass, pull);
        }
    }
    to_goals.add_to(out);
}

}  // namespace

void MatchingTerms(const RegionCpuView& b, const RegionScales& s, std::uint32_t block) {
    const BlockRange r(b.asset, block);
    with_sums_of(b, [&]<RowSums how>() HWY_ATTR { return matching_terms_of<how>(b, s, r); });
}
std::uint32_t FitRegions(const RegionCpuView& b, const RegionScales& s, std::uint32_t block) {
    const BlockRange r(b.asset, block);
    return with_sums_of(b, [&]<RowSums how>() HWY_ATTR { return fit_regions_of<how>(b, s, r); });
}
void MoveToGoals(const RegionCpuView& b, const RegionScales& s, float stiffness, float h,
                 float weight_stiffness, Quad centre, std::uint32_t block, GoalSums& sums) {
    const BlockRange r(b.asset, block);
    with_sums_of(b, [&]<RowSums how>() HWY_ATTR {
        return move_to_goals_of<how>(b, s, stiffness, h, weight_stiffness, centre, r, sums);
    });
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(MatchingTerms);
HWY_EXPORT(FitRegions);
HWY_EXPORT(MoveToGoals);

void matching_terms(const RegionCpuView& body, const RegionScales& scales, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(MatchingTerms)(body, scales, block);
}
std::uint32_t fit_regions(const RegionCpuView& body, const RegionScales& scales,
                          std::uint32_t block) {
    return HWY_DYNAMIC_DISPATCH(FitRegions)(body, scales, block);
}
void move_to_goals(const RegionCpuView& body, const RegionScales& scales, float s, float h,
                   float weight_stiffness, Quad centre, std::uint32_t block, GoalSums& sums) {
    HWY_DYNAMIC_DISPATCH(MoveToGoals)
    (body, scales, s, h, weight_stiffness, centre, block, sums);
}

}  // namespace turgor
#endif
