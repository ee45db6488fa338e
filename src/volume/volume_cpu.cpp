#include "volume/volume_cpu.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/volume_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

constexpr float largest_weight = 3;  // of the mean (METHODS E)

/// One unit of the fixed-point weights that are summed over regions.
float weight_unit(const FastAsset& asset) {
    return largest_weight * asset.largest_region / FixedQuad::one;
}

}  // namespace

void RingNormals(const VolumeCpuView& body, std::uint32_t block, double* nine_volumes) {
    const FastAsset& asset = body.asset;
    const BlockRange range(asset, block);
    alignas(16) static constexpr std::int32_t order[4] = {1, 2, 0, 3};
    const auto yzx = hn::SetTableIndices(Four(), order);
    const Float4 half = hn::Set(Four(), 0.5f);
    GroupSums<1> sum;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        for (std::uint32_t p = i; p < i + group; ++p) {
            const std::uint32_t* at = asset.ring.data() + asset.ring_starts[p];
            const std::uint32_t* const end = asset.ring.data() + asset.ring_starts[p + 1];
            Float4 twice = hn::Zero(Four());
            if (at != end) {
                const Float4 middle = load(body.x[p]);
                Float4 a = load(body.x[*at]) - middle;
                Float4 a_turned = hn::TableLookupLanes(a, yzx);
                while (++at != end) {
                    const Float4 b = load(body.x[*at]) - middle;
                    const Float4 b_turned = hn::TableLookupLanes(b, yzx);
                    twice = twice + (a * b_turned - a_turned * b);  // (a × b), turned
                    a = b;
                    a_turned = b_turned;
                }
            }
            store(half * hn::TableLookupLanes(twice, yzx), body.normal[p]);
        }
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F3 n = load3(&body.normal[p]);
            store4(n, norm(n), &body.normal[p]);
            sum.add(0, part, dot(load3(&body.x[p]), n));
        }
    }
    sum.add_to(nine_volumes);
}

void RawWeights(const VolumeCpuView& body, float beta, std::uint32_t block, double* total) {
    const FastAsset& asset = body.asset;
    const BlockRange range(asset, block);
    GroupSums<1> sum;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad across[group];
        for (std::uint32_t p = 0; p < group; ++p)
            store(load(body.x[i + p]) - load(body.x[asset.strut_partner[i + p]]), across[p]);
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F3 strut = load3(&asset.strut[p]);
            const F squeezed = strut.y * hn::Abs(norm(load3(&across[at])) - strut.x);
            const F w = all(beta) * squeezed + all(1 - beta) * load(&body.change[p]);
            store(w, &body.weight[p]);
            sum.add(0, part, w);
        }
    }
    sum.add_to(total);
}

void CapWeights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block) {
    const BlockRange range(body.asset, block);
    const F per_unit = all(1 / weight_unit(body.asset));
    std::int32_t* row = body.rows.data() + row_of(range.begin);
    std::int32_t before = 0;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) std::int32_t terms[group];
        for (std::size_t part = 0; part < parts; ++part) {
            const F w =
                scale > 0
                    ? all((1 - alpha) * scale) * load(&body.weight[i + part * lanes]) + all(alpha)
                    : all(1);
            hn::Store(to_fixed(per_unit * hn::Min(w, all(largest_weight))), Ints(),
                      terms + part * lanes);
        }
        for (const std::int32_t term : terms) {
            *row++ = body.summation == Summation::fast ? before : term;
            before = static_cast<std::int32_t>(static_cast<std::uint32_t>(before) +
                                               static_cast<std::uint32_t>(term));
        }
    }
    *row = before;
}

void FreeWeights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums) {
    const FastAsset& asset = body.asset;
    const BlockRange range(asset, block);
    const F unit = all(weight_unit(asset));
    GroupSums<3> total;
    F most = hn::Zero(Floats());
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) std::int32_t sum[group];
        for (std::uint32_t p = 0; smooth && p < group; ++p) {
            std::uint32_t s = 0;
            if (body.summation == Summation::fast) {
                for (auto k = asset.run_starts[i + p]; k < asset.run_starts[i + p + 1]; ++k)
                    s += static_cast<std::uint32_t>(body.rows[asset.runs[k].end]) -
                         static_cast<std::uint32_t>(body.rows[asset.runs[k].begin]);
            } else {
                for (auto k = asset.member_starts[i + p]; k < asset.member_starts[i + p + 1]; ++k)
                    s += static_cast<std::uint32_t>(body.rows[asset.members[k]]);
            }
            sum[p] = static_cast<std::int32_t>(s);
        }
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F per_mass = load(&asset.per_mass[p]);
            const F real = hn::IfThenElseZero(per_mass > hn::Zero(Floats()), all(1));
            const F free = real * (all(1) - load4(&body.support[p]).w);
            const F share = load4(&asset.rest[p]).w;
            const F mean = smooth
                               ? unit * share * hn::ConvertTo(Floats(), hn::Load(Ints(), sum + at))
                               : all(1);
            const F w = free * mean;
            store(w, &body.weight[p]);
            const F area = load4(&body.normal[p]).w;
            const F pull = w * area * per_mass;
            total.add(0, part, w);
            total.add(1, part, free);
            total.add(2, part, all(1.0f / 3) * area * pull);
            most = hn::Max(most, pull);
        }
    }
    double totals[3] = {};
    total.add_to(totals);
    sums.weight += totals[0];
    sums.free += totals[1];
    sums.slope += totals[2];
    sums.largest = std::max(sums.largest, largest(most));
}

void SumDirections(const VolumeCpuView& body, std::span<const Quad> arm, float keep, float push,
                   std::uint32_t block, DirectionSums& sums) {
    const FastAsset& asset = body.asset;
    const BlockRange range(asset, block);
    const F zero = hn::Zero(Floats());
    GroupSums<16> total;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F mass = load(&asset.mass[p]);
            const F4 support = load4(&body.support[p]);
            const F real = hn::IfThenElseZero(mass > zero, all(1));
            const F w =
                all(keep) * load(&body.weight[p]) + all(1 - keep) * real * (all(1) - support.w);
            store(w, &body.weight[p]);
            const F3 r = load3(&arm[p]), n = load3(&body.normal[p]);
            const auto pin = dot(support.xyz, support.xyz) == zero;
            const F pressed = hn::Max(zero, hn::Neg(dot(support.xyz, n)));
            const F strength = all(push) * support.w;
            const F3 back{strength * hn::IfThenElse(pin, hn::Neg(n.x), pressed * support.xyz.x),
                          strength * hn::IfThenElse(pin, hn::Neg(n.y), pressed * support.xyz.y),
                          strength * hn::IfThenElse(pin, hn::Neg(n.z), pressed * support.xyz.z)};
            const F3 unbalanced = w * n - back;
            const F mw = mass * w;
            const F3 first = mw * r;
            total.add(0, part, mw);
            total.add(1, part, first);
            total.add(4, part, F3{first.x * r.x, first.y * r.y, first.z * r.z});
            total.add(7, part, F3{first.x * r.y, first.y * r.z, first.z * r.x});
            total.add(10, part, unbalanced);
            total.add(13, part, cross(r, unbalanced));
        }
    double totals[16] = {};
    total.add_to(totals);
    sums.weight += totals[0];
    for (int k = 0; k < 3; ++k) {
        sums.first[k] += totals[1 + k];
        sums.linear[k] += totals[10 + k];
        sums.angular[k] += totals[13 + k];
    }
    for (int k = 0; k < 6; ++k) sums.second[k] += totals[4 + k];
}

float MakeDirection(const VolumeCpuView& body, std::span<const Quad> arm, Quad a, Quad b,
                    std::uint32_t block, double* effect) {
    const FastAsset& asset = body.asset;
    const BlockRange range(asset, block);
    const F zero = hn::Zero(Floats());
    const F3 drift = all(a), spin = all(b);
    GroupSums<1> sum;
    F most = zero;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F w = load(&body.weight[p]);
            const F3 n = load3(&body.normal[p]);
            const F4 support = load4(&body.support[p]);
            F3 d = w * (load(&asset.per_mass[p]) * n - drift - cross(spin, load3(&arm[p])));
            d = d - (support.w * hn::Min(zero, dot(d, support.xyz))) * support.xyz;
            store4(d, zero, &body.direction[p]);
            sum.add(0, part, dot(d, n));
            most = hn::Max(most, dot(d, d));
        }
    sum.add_to(effect);
    return largest(hn::Sqrt(most));
}

void MoveAlong(const VolumeCpuView& body, std::span<Quad> target, float factor,
               std::uint32_t block) {
    const BlockRange range(body.asset, block);
    const Float4 by = hn::Set(Four(), factor);
    for (std::uint32_t i = range.begin; i < range.end; ++i)
        store(load(target[i]) + by * load(body.direction[i]), target[i]);
}

void Divergence(const VolumeCpuView& body, std::span<const Quad> v, std::uint32_t block,
                double* total) {
    const BlockRange range(body.asset, block);
    GroupSums<1> sum;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            sum.add(0, part, dot(load3(&v[p]), load3(&body.normal[p])));
        }
    sum.add_to(total);
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(RingNormals);
HWY_EXPORT(RawWeights);
HWY_EXPORT(CapWeights);
HWY_EXPORT(FreeWeights);
HWY_EXPORT(SumDirections);
HWY_EXPORT(MakeDirection);
HWY_EXPORT(MoveAlong);
HWY_EXPORT(Divergence);

void ring_normals(const VolumeCpuView& body, std::uint32_t block, double* nine_volumes) {
    HWY_DYNAMIC_DISPATCH(RingNormals)(body, block, nine_volumes);
}
void raw_weights(const VolumeCpuView& body, float beta, std::uint32_t block, double* sum) {
    HWY_DYNAMIC_DISPATCH(RawWeights)(body, beta, block, sum);
}
void cap_weights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(CapWeights)(body, scale, alpha, block);
}
void free_weights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums) {
    HWY_DYNAMIC_DISPATCH(FreeWeights)(body, smooth, block, sums);
}
void direction_sums(const VolumeCpuView& body, std::span<const Quad> arm, float keep, float push,
                    std::uint32_t block, DirectionSums& sums) {
    HWY_DYNAMIC_DISPATCH(SumDirections)(body, arm, keep, push, block, sums);
}
float make_direction(const VolumeCpuView& body, std::span<const Quad> arm, Quad a, Quad b,
                     std::uint32_t block, double* effect) {
    return HWY_DYNAMIC_DISPATCH(MakeDirection)(body, arm, a, b, block, effect);
}
void move_along(const VolumeCpuView& body, std::span<Quad> target, float factor,
                std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(MoveAlong)(body, target, factor, block);
}
void divergence(const VolumeCpuView& body, std::span<const Quad> v, std::uint32_t block,
                double* sum) {
    HWY_DYNAMIC_DISPATCH(Divergence)(body, v, block, sum);
}

}  // namespace turgor
#endif
