#include "volume/volume_cpu.hpp"

#include <algorithm>

#include "device/shared/constants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/volume_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "body/cpu_particle-inl.hpp"
#include "elastic/region_sums-inl.hpp"
#include "volume/dither-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

constexpr auto largest_weight =
    static_cast<float>(TURGOR_LARGEST_WEIGHT);  // of the mean (docs/methods.md, "Volume")

/// One unit of the fixed-point weights that are summed over regions.
float weight_unit(const CpuRegions& regions) {
    return largest_weight * regions.largest / FixedQuad::one;
}

template <class Tag>
HWY_INLINE void load_two(const Quad& first, const Quad& second, hn::Vec<Tag>* out) {
    if constexpr (hn::MaxLanes(Tag()) == 8) {
        out[0] = hn::Combine(Tag(), load(second), load(first));
    } else {
        out[0] = hn::Load(Tag(), &first.x);
        out[1] = hn::Load(Tag(), &second.x);
    }
}

/// Two quads in one register where there is one that wide, else in two.
class TwoQuads {
public:
    HWY_INLINE TwoQuads() = default;
    HWY_INLINE TwoQuads(const Quad& first, const Quad& second) { load_two<Tag>(first, second, v_); }
    static HWY_INLINE TwoQuads zero() {
        TwoQuads z;
        for (auto& v : z.v_) v = hn::Zero(Tag());
        return z;
    }
    HWY_INLINE friend TwoQuads operator+(TwoQuads a, TwoQuads b) {
        for (int k = 0; k < parts_; ++k) a.v_[k] = a.v_[k] + b.v_[k];
        return a;
    }
    HWY_INLINE friend TwoQuads operator-(TwoQuads a, TwoQuads b) {
        for (int k = 0; k < parts_; ++k) a.v_[k] = a.v_[k] - b.v_[k];
        return a;
    }
    HWY_INLINE friend TwoQuads operator*(TwoQuads a, TwoQuads b) {
        for (int k = 0; k < parts_; ++k) a.v_[k] = a.v_[k] * b.v_[k];
        return a;
    }
    /// (y, z, x, w) of each.
    HWY_INLINE TwoQuads yzx() const {
        TwoQuads turned;
        for (int k = 0; k < parts_; ++k) turned.v_[k] = turgor::HWY_NAMESPACE::yzx(v_[k]);
        return turned;
    }
    HWY_INLINE void store_to(Quad* two) const {
        for (int k = 0; k < parts_; ++k)
            hn::StoreU(v_[k], Tag(), &two->x + static_cast<std::size_t>(k) * hn::MaxLanes(Tag()));
    }

private:
    using Tag = hn::CappedTag<float, 8>;
    static constexpr bool wide = hn::MaxLanes(Tag()) == 8;
    static constexpr int parts_ = wide ? 1 : 2;
    hn::Vec<Tag> v_[parts_];
};

/// Twice the area vectors of a group's particles from the walks around them.
HWY_INLINE void ring_normals(const VolumeCpuView& body, std::uint32_t first, Quad* normal) {
    const CpuAsset& asset = body.asset;
    const Quad* const x = body.x.data();
    const auto* at = asset.ring.data() + asset.ring_starts[first / 2];
    for (std::uint32_t p = 0; p < group; p += 2) {
        const auto* const end = asset.ring.data() + asset.ring_starts[(first + p) / 2 + 1];
        const TwoQuads middle(x[first + p], x[first + p + 1]);
        TwoQuads twice = TwoQuads::zero();
        TwoQuads a = TwoQuads(x[(*at)[0]], x[(*at)[1]]) - middle, a_turned = a.yzx();
        while (++at != end) {
            const TwoQuads b = TwoQuads(x[(*at)[0]], x[(*at)[1]]) - middle, b_turned = b.yzx();
            twice = twice + (a * b_turned - a_turned * b);  // (a × b), turned
            a = b;
            a_turned = b_turned;
        }
        twice.yzx().store_to(normal + p);
    }
}

/// n̄ of `lanes` particles from what ring_normals left.
HWY_INLINE F3 normal_of(const Quad* twice) {
    return all(0.5f) * load3(twice);
}

/// Which of `lanes` particles are corners of the surface.
HWY_INLINE Mask on_surface(const CpuAsset& asset, std::size_t p) {
    return hn::FirstN(Floats(), p < asset.surface ? asset.surface - p : 0);
}
/// The share of corners of the surface in corrections, 0 for inner particles and padding; n̄ are
/// those of now.
HWY_INLINE F corner_share(const VolumeCpuView& body, std::size_t p) {
    const CpuAsset& asset = body.asset;
    if (asset.volume_share.empty() || p >= asset.volume_share.size())
        return hn::IfThenElseZero(on_surface(asset, p), all(1));
    const F share = load(&asset.volume_share[p]);
    if (!body.followers) return share;
    const F rest = load(&body.followers->rest_area[p]);
    const F area = hn::Max(rest, length_of(load4(&body.normal[p])));
    return hn::IfThenElseZero(area > hn::Zero(Floats()), share * rest / hn::Max(area, all(1e-30f)));
}

/// What of a particle contacts and pins leave free.
HWY_INLINE F free_of_all(const VolumeCpuView& body, std::size_t p) {
    return corner_share(body, p) * load(&body.free[p]);
}

/// Accumulates WeightSums in sums n … n + 2 of a GroupSums.
template <int N>
HWY_INLINE void add_weights(GroupSums<N>& sums, int n, std::size_t part, F& most, F free, F weight,
                            F area, F per_mass) {
    const F w = free * weight;
    const F pull = w * area * per_mass;
    sums.add(n, part, w);
    sums.add(n + 1, part, free);
    sums.add(n + 2, part, all(1.0f / 3) * area * pull);
    most = hn::Max(most, pull);
}
HWY_INLINE void take(const double* totals, F most, WeightSums& sums) {
    sums.add({totals[0], totals[1], totals[2], largest(most)});
}

}  // namespace

void MeasureShape(const VolumeCpuView& body, float beta, float rounding, std::uint32_t block,
                  ShapeSums& sums) {
    const CpuAsset& asset = body.asset;
    const SurfaceRange range(asset, block);
    GroupSums<2> total;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) Quad normal[group], across[group];
        ring_normals(body, i, normal);
        for (std::uint32_t p = 0; p < group; ++p)
            store(load(body.x[i + p]) - load(body.x[body.struts.partner[i + p]]), across[p]);
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F3 n = normal_of(normal + at);
            store4(n, norm(n), &body.normal[p]);
            const F2 strut = load2(&body.struts.strut[p]);
            const F squeezed = strut.y * hn::Abs(norm(load3(across + at)) - strut.x);
            const F felt = all(beta) * squeezed + all(1 - beta) * load(&body.change[p]);
            const F w = hn::IfThenElseZero(on_surface(asset, p),
                                           hn::Max(felt - all(rounding), hn::Zero(Floats())));
            store(w, &body.weight[p]);
            total.add(0, part, dot(load3(&body.x[p]), n));
            total.add(1, part, w);
        }
    }
    double totals[2] = {};
    total.add_to(totals);
    sums.nine_volumes += totals[0];
    sums.raw_weight += totals[1];
}

void FindNormals(const VolumeCpuView& body, std::uint32_t block) {
    const SurfaceRange range(body.asset, block);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) Quad normal[group];
        ring_normals(body, i, normal);
        for (std::size_t at = 0; at < group; at += lanes) {
            const F3 n = normal_of(normal + at);
            store4(n, norm(n), &body.normal[i + at]);
        }
    }
}

void CapWeights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block) {
    const SurfaceRange range(body.asset, block);
    const F per_unit = all(1 / weight_unit(body.smoothing));
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

void SmoothWeights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums) {
    const CpuAsset& asset = body.asset;
    const CpuRegions& regions = body.smoothing;
    const SurfaceRange range(asset, block);
    const F unit = all(weight_unit(regions));
    GroupSums<3> total;
    F most = hn::Zero(Floats());
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) std::int32_t sum[group];
        for (std::uint32_t p = 0; smooth && p < group; ++p) {
            NumberSum total_of_region{body.rows.data()};
            if (body.summation == Summation::fast)
                add_rows_of_region<Summation::fast>(regions, i + p, total_of_region);
            else
                add_rows_of_region<Summation::naive>(regions, i + p, total_of_region);
            sum[p] = static_cast<std::int32_t>(total_of_region.sum);
        }
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F share = load(&regions.share[p]);
            const F w = smooth ? unit * share * hn::ConvertTo(Floats(), hn::Load(Ints(), sum + at))
                               : all(1);
            store(w, &body.weight[p]);
            add_weights(total, 0, part, most, free_of_all(body, p), w,
                        length_of(load4(&body.normal[p])), load(&asset.per_mass[p]));
        }
    }
    double totals[3] = {};
    total.add_to(totals);
    take(totals, most, sums);
}

namespace {

/// Σ M w …, 17 sums, and with followers 7 more.
template <bool with_followers>
void sum_directions_of(const VolumeCpuView& body, Held held, float keep, SurfaceRange range,
                       double* totals) {
    const CpuAsset& asset = body.asset;
    GroupSums<with_followers ? 24 : 17> total;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F4 place = load4(held == Held::by_all ? &body.x_start[p] : &body.x[p]);
            const F free = held == Held::by_all ? free_of_all(body, p)
                                                : corner_share(body, p) * free_of_pins(place);
            const F w = free * (all(keep) * load(&body.weight[p]) + all(1 - keep));
            const F4 n = load4(&body.normal[p]);
            F3 r = place.xyz;
            F mw = load(&asset.mass[p]) * w;
            if constexpr (with_followers) {
                const F factor = load(&body.followers->mass_factor[p]);
                r = load3(&body.arm[p]);
                mw = factor * mw;
                const F3 pressed = (factor * w) * n.xyz;
                total.add(17, part, pressed);
                total.add(20, part, cross(r, pressed));
                total.add(23, part, factor * w);
            }
            const F3 first = mw * r, unbalanced = w * n.xyz;
            total.add(0, part, mw);
            total.add(1, part, first);
            total.add(4, part, F3{first.x * r.x, first.y * r.y, first.z * r.z});
            total.add(7, part, F3{first.x * r.y, first.y * r.z, first.z * r.x});
            total.add(10, part, unbalanced);
            total.add(13, part, cross(r, unbalanced));
            total.add(16, part, w * length_of(n) * length_of(n) * load(&asset.per_mass[p]));
        }
    total.add_to(totals);
}

/// D = w (n̄/m − a − b × r) of stage 5, for `lanes` corners from p on, which are at x.
HWY_INLINE F3 last_direction(const VolumeCpuView& body, const LastMove& move, std::size_t p, F4 x) {
    const F w = corner_share(body, p) * free_of_pins(x) *
                (all(move.keep) * load(&body.weight[p]) + all(1 - move.keep));
    const F3 arm = body.followers ? load3(&body.arm[p]) : x.xyz;
    return w * (load(&body.asset.per_mass[p]) * load3(&body.normal[p]) - all(move.a) -
                cross(all(move.b), arm));
}

}  // namespace

void SumDirections(const VolumeCpuView& body, Held held, float keep, std::uint32_t block,
                   DirectionSums& sums) {
    const SurfaceRange range(body.asset, block);
    double totals[24] = {};
    if (body.followers) {
        sum_directions_of<true>(body, held, keep, range, totals);
    } else {
        sum_directions_of<false>(body, held, keep, range, totals);
        std::copy(totals + 10, totals + 16, totals + 17);
    }
    const auto at = [&](int n) { return Vec3{totals[n], totals[n + 1], totals[n + 2]}; };
    sums.add(
        {totals[0], at(1), at(4), at(7), at(10), at(13), totals[16], at(17), at(20), totals[23]});
}

void FindLastDirection(const VolumeCpuView& body, const LastMove& move, std::uint32_t block) {
    const SurfaceRange range(body.asset, block);
    for (std::uint32_t p = range.begin; p < range.end; p += lanes)
        store4(last_direction(body, move, p, load4(&body.x[p])), hn::Zero(Floats()),
               &body.velocity[p]);
}

float MakeDirection(const VolumeCpuView& body, float keep, Quad a, Quad b, std::uint32_t block) {
    const CpuAsset& asset = body.asset;
    const SurfaceRange range(asset, block);
    const F3 drift = all(a), spin = all(b);
    F most = hn::Zero(Floats());
    for (std::uint32_t i = range.begin; i < range.end; i += lanes) {
        const F w = free_of_all(body, i) * (all(keep) * load(&body.weight[i]) + all(1 - keep));
        const F3 d = w * (load(&asset.per_mass[i]) * load3(&body.normal[i]) - drift -
                          cross(spin, load3(body.followers ? &body.arm[i] : &body.x_start[i])));
        store4(d, hn::Zero(Floats()), &body.direction[i]);
        most = hn::Max(most, dot(d, d));
    }
    return largest(hn::Sqrt(most));
}

void MoveAlong(const VolumeCpuView& body, float factor, float per_h, std::uint32_t block) {
    const SurfaceRange range(body.asset, block);
    const Float4 by = hn::Set(Four(), factor), faster = hn::Set(Four(), factor * per_h);
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const Float4 d = load(body.direction[i]);
        store(load(body.x[i]) + by * d, body.x[i]);
        store(load(body.v[i]) + faster * d, body.v[i]);
    }
}

void MeasureMoved(const VolumeCpuView& body, std::uint32_t block, MovedSums& sums) {
    const CpuAsset& asset = body.asset;
    const SurfaceRange range(asset, block);
    GroupSums<9> total;
    F most_all = hn::Zero(Floats()), most_pins = most_all;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        alignas(64) Quad normal[group];
        ring_normals(body, i, normal);
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F3 n = normal_of(normal + at);
            const F area = norm(n);
            store4(n, area, &body.normal[p]);
            const F4 x = load4(&body.x[p]);
            total.add(0, part, dot(x.xyz, n));
            total.add(1, part, dot(load3(&body.direction[p]), n));
            total.add(2, part, dot(load3(&body.v[p]), n));
            const F w = load(&body.weight[p]), per_mass = load(&asset.per_mass[p]);
            add_weights(total, 3, part, most_all, free_of_all(body, p), w, area, per_mass);
            add_weights(total, 6, part, most_pins, corner_share(body, p) * free_of_pins(x), w, area,
                        per_mass);
        }
    }
    double totals[9] = {};
    total.add_to(totals);
    sums.nine_volumes += totals[0];
    sums.effect += totals[1];
    sums.divergence += totals[2];
    take(totals + 3, most_all, sums.all);
    take(totals + 6, most_pins, sums.pins);
}

void MoveLast(const VolumeCpuView& body, const LastMove& move, std::uint32_t block,
              MotionSums& sums) {
    const CpuAsset& asset = body.asset;
    const BlockRange range(asset, block);
    const SurfaceRange surface(asset, block);
    GroupSums<17> total;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            F4 x = load4(&body.x[p]), v = load4(&body.v[p]);
            const bool moves = i < surface.end;
            if (moves && move.velocity != 0)
                v.xyz = v.xyz - all(move.velocity) * last_direction(body, move, p, x);
            if (moves && move.position != 0) {
                const F3 moved = all(move.position) * load3(&body.direction[p]);
                const F3 dithered = moved + dither(x.xyz, p, move.dither);
                x.xyz = x.xyz + only(on_surface(asset, p), dithered);
                v.xyz = v.xyz + all(move.per_h) * moved;
                store4(x.xyz, x.w, &body.x[p]);
            }
            if (moves && (move.velocity != 0 || move.position != 0)) store4(v.xyz, v.w, &body.v[p]);
            const F m = load(&asset.mass[p]);
            const F3 r = x.xyz, first = m * r, linear = m * v.xyz;
            total.add(0, part, m);
            total.add(1, part, first);
            total.add(4, part, F3{first.x * r.x, first.y * r.y, first.z * r.z});
            total.add(7, part, F3{first.x * r.y, first.y * r.z, first.z * r.x});
            total.add(10, part, linear);
            total.add(13, part, cross(r, linear));
            total.add(16, part, dot(linear, v.xyz));
        }
    double t[17] = {};
    total.add_to(t);
    sums.add({t[0],
              {t[1], t[2], t[3]},
              {t[4], t[5], t[6]},
              {t[7], t[8], t[9]},
              {t[10], t[11], t[12]},
              {t[13], t[14], t[15]},
              t[16]});
}

void ChangeVelocities(const VolumeCpuView& body, const VelocityChange& change,
                      const RigidField& rigid, std::uint32_t block, Extent& extent) {
    const BlockRange range(body.asset, block);
    const F3 a = all(to_quad(change.a)), b = all(to_quad(change.b));
    const F3 rigid_a = all(to_quad(rigid.a)), rigid_b = all(to_quad(rigid.b));
    const F keep = all(static_cast<float>(change.keep));
    F reach = hn::Zero(Floats()), speed = reach, deforming = reach;
    const auto widest = [](F so_far, F3 r) HWY_ATTR {
        return hn::Max(so_far, hn::Max(hn::Abs(r.x), hn::Max(hn::Abs(r.y), hn::Abs(r.z))));
    };
    for (std::uint32_t i = range.begin; i < range.end; i += lanes) {
        const F4 x = load4(&body.x[i]), v = load4(&body.v[i]);
        const F3 changed = keep * v.xyz + a + cross(b, x.xyz);
        const Mask pinned = is_pinned(x);
        const F3 kept{hn::IfThenElse(pinned, v.xyz.x, changed.x),
                      hn::IfThenElse(pinned, v.xyz.y, changed.y),
                      hn::IfThenElse(pinned, v.xyz.z, changed.z)};
        store4(kept, v.w, &body.v[i]);
        reach = widest(reach, x.xyz);
        speed = widest(speed, kept);
        deforming = widest(deforming, kept - rigid_a - cross(rigid_b, x.xyz));
    }
    extent.add({largest(reach), largest(speed), largest(deforming)});
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(MeasureShape);
HWY_EXPORT(FindNormals);
HWY_EXPORT(CapWeights);
HWY_EXPORT(SmoothWeights);
HWY_EXPORT(SumDirections);
HWY_EXPORT(MakeDirection);
HWY_EXPORT(MoveAlong);
HWY_EXPORT(MeasureMoved);
HWY_EXPORT(FindLastDirection);
HWY_EXPORT(MoveLast);
HWY_EXPORT(ChangeVelocities);

void measure_shape(const VolumeCpuView& body, float beta, float rounding, std::uint32_t block,
                   ShapeSums& sums) {
    HWY_DYNAMIC_DISPATCH(MeasureShape)(body, beta, rounding, block, sums);
}
void find_normals(const VolumeCpuView& body, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(FindNormals)(body, block);
}
void cap_weights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(CapWeights)(body, scale, alpha, block);
}
void smooth_weights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums) {
    HWY_DYNAMIC_DISPATCH(SmoothWeights)(body, smooth, block, sums);
}
void direction_sums(const VolumeCpuView& body, Held held, float keep, std::uint32_t block,
                    DirectionSums& sums) {
    HWY_DYNAMIC_DISPATCH(SumDirections)(body, held, keep, block, sums);
}
void find_last_direction(const VolumeCpuView& body, const LastMove& move, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(FindLastDirection)(body, move, block);
}
float make_direction(const VolumeCpuView& body, float keep, Quad a, Quad b, std::uint32_t block) {
    return HWY_DYNAMIC_DISPATCH(MakeDirection)(body, keep, a, b, block);
}
void move_along(const VolumeCpuView& body, float factor, float per_h, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(MoveAlong)(body, factor, per_h, block);
}
void measure_moved(const VolumeCpuView& body, std::uint32_t block, MovedSums& sums) {
    HWY_DYNAMIC_DISPATCH(MeasureMoved)(body, block, sums);
}
void move_last(const VolumeCpuView& body, const LastMove& move, std::uint32_t block,
               MotionSums& sums) {
    HWY_DYNAMIC_DISPATCH(MoveLast)(body, move, block, sums);
}
void change_velocities(const VolumeCpuView& body, const VelocityChange& change,
                       const RigidField& rigid, std::uint32_t block, Extent& extent) {
    HWY_DYNAMIC_DISPATCH(ChangeVelocities)(body, change, rigid, block, extent);
}

}  // namespace turgor
#endif
