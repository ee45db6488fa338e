#include "elastic/surface/plastic_regions_cpu.hpp"

#include <algorithm>
#include <cmath>

#ifndef TURGOR_PLASTIC_REGIONS_CPU_ONCE
#define TURGOR_PLASTIC_REGIONS_CPU_ONCE
namespace turgor {

/// What turns what regions draw their particles to into fixed point: factors for the linear part,
/// the constant part and the second powers.
struct PlasticScales {
    double turn, shift, square;
    PlasticScales(const RegionCpuView& body, const PlasticCpuRest& rest,
                  const RegionScales& scales) {
        const double most = FixedQuad::one / double{body.rest.regions->largest};
        const double reach = body.asset.reach;
        turn = most / rest.linear_range;
        shift = most / (scales.position + rest.shift_range + 2 * reach * rest.linear_range);
        square = rest.square_range > 0 ? most / rest.square_range : 0;
    }
};

inline std::int32_t to_fixed_number(double value) {
    return static_cast<std::int32_t>(
        std::lrint(std::clamp<double>(value, -FixedQuad::one, FixedQuad::one)));
}

inline PositionPowers powers_of(Vec3 p) {
    return {1, p.x, p.y, p.z, p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.y * p.z, p.z * p.x};
}

/// The sums Σ w x (1, x⁰, x⁰x⁰ᵀ) of a region, component by component, in the order of
/// PositionPowers.
using PowerSums = std::array<Vec3, position_powers>;

/// Puts the numbers of a row (three quads and five) into that order, or takes them out of it.
template <class Visit>
inline void each_number_of_a_row(Visit&& visit) {
    for (int c = 0; c < 3; ++c) {
        visit(true, 4 * c + 3, 0, c);
        for (int k = 0; k < 3; ++k) visit(true, 4 * c + k, 1 + k, c);
        for (int k = 0; k < 4; ++k) visit(false, 4 * c + k, 4 + k, c);
        visit(false, 12 + c, 8, c);
        visit(false, 16 + c, 9, c);
    }
}

inline RegionMoments moments_of(const RegionCpuRest& rest, const PlasticCpuRest& plastic,
                                std::uint32_t region, PowerSums sums) {
    // Weights that add up to 1 in the region.
    const double per_weight = rest.centre[region].w;
    for (Vec3& s : sums) s *= per_weight;
    const auto& centre = rest.exact_centre[region];
    RegionMoments moments;
    moments.mean = sums[0];
    moments.linear =
        Mat3::from_columns(sums[1] - centre[0] * sums[0], sums[2] - centre[1] * sums[0],
                           sums[3] - centre[2] * sums[0]);
    for (std::size_t k = 0; k < most_plane_bends; ++k)
        for (std::size_t n = 0; n < position_powers; ++n)
            moments.bend[k] += plastic.function[region][k][n] * sums[n];
    return moments;
}

/// Where a region draws a particle, as a polynomial of its rest position.
inline PowerSums goal_powers(const RegionCpuRest& rest, const PlasticCpuRest& plastic,
                             std::uint32_t region, const RegionGoals& goals) {
    const auto& c = rest.exact_centre[region];
    PowerSums powers{};
    powers[0] = goals.mean - goals.linear * Vec3{c[0], c[1], c[2]};
    for (int k = 0; k < 3; ++k) powers[static_cast<std::size_t>(k) + 1] = goals.linear.column(k);
    for (std::size_t k = 0; k < most_plane_bends; ++k)
        for (std::size_t n = 0; n < position_powers; ++n)
            powers[n] += plastic.function[region][k][n] * goals.bend[k];
    return powers;
}

}  // namespace turgor
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/surface/plastic_regions_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "elastic/goal_sums-inl.hpp"
#include "elastic/matching/group_sums-inl.hpp"
#include "elastic/matching/rotations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

constexpr int squares = plastic_row_quads;

template <Summation summation>
void plastic_terms_of(const RegionCpuView& body, const PlasticCpuView& plastic,
                      const RegionScales& scales, BlockRange range) {
    const float reach = body.asset.reach;
    const Float4 scale = hn::Set(Four(), one / scales.position / reach / reach);
    const AlignedVector<Quad>& powers = plastic.rest.cpu->squares;
    RowWriter<summation, squares> rows(plastic.terms.data(), range.begin);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        FixedQuad terms[squares][group];
        for (std::uint32_t p = 0; p < group; ++p) {
            const Quad& x = body.x[i + p];
            const Quad& mixed = powers[2 * (i + p) + 1];
            const Float4 first = scale * load(powers[2 * (i + p)]);
            const Float4 all = scale * load(Quad{x.x, x.y, x.z, 0});
            store_fixed(hn::NearestInt(hn::Set(Four(), x.x) * first), terms[0][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), x.y) * first), terms[1][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), x.z) * first), terms[2][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), mixed.x) * all), terms[3][p]);
            store_fixed(hn::NearestInt(hn::Set(Four(), mixed.y) * all), terms[4][p]);
        }
        rows.add_group(terms);
    }
    rows.finish();
}

template <Summation summation>
void fit_plastic_regions_of(const RegionCpuView& body, const PlasticCpuView& plastic,
                            const RegionScales& scales, std::uint32_t block) {
    const BlockRange range(body.asset, block);
    const CpuRegions& regions = *body.rest.regions;
    const PlasticCpuRest& rest = *plastic.rest.cpu;
    const double place = double{scales.position} / one, reach = body.asset.reach;
    const double per_power[3] = {place, place * reach, place * reach * reach};
    const PlasticScales out(body, rest, scales);
    const double to_row[3] = {out.shift, out.turn, out.square};
    RowWriter<summation, 3> rows(body.transforms.data(), range.begin);
    RowWriter<summation, squares> square_rows(plastic.transforms.data(), range.begin);
    const auto degree = [](std::size_t power) { return power == 0 ? 0 : power < 4 ? 1 : 2; };
    RegionMoments moments[group];
    Mat3 stretch[group];
    Quad to_fit[3][group] = {};
    const auto count = [&](std::uint32_t first) {
        return std::min<std::uint32_t>(group, body.asset.count - std::min(first, body.asset.count));
    };
    const auto fit = [&](std::uint32_t first) HWY_ATTR {
        for (std::uint32_t p = 0; p < count(first); ++p) {
            const Mat3 a = matrix_to_fit(moments[p], stretch[p], plastic.shapes[first + p]);
            for (int k = 0; k < 3; ++k) to_fit[k][p] = to_quad(a.row(k));
        }
        for (std::size_t at = 0; at < group; at += lanes) {
            F4 q;
            fit_rotations({to_fit[0] + at, to_fit[1] + at, to_fit[2] + at},
                          &body.rotation[first + at], q);
        }
    };
    const auto rotation_of = [&](std::uint32_t region) {
        const Quad& q = body.rotation[region];
        return to_matrix(normalized(Quat{q.w, q.x, q.y, q.z}));
    };
    double flowed = 0;
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        for (std::uint32_t p = 0; p < count(i); ++p) {
            alignas(64) FixedQuad sum[3], square_sum[squares];
            sum_region<summation>(regions, body.terms.data(), i + p, sum);
            sum_region<summation>(regions, plastic.terms.data(), i + p, square_sum);
            PowerSums sums;
            each_number_of_a_row([&](bool is_linear, int at, std::size_t power, int c) {
                const auto* const row = is_linear ? sum : square_sum;
                sums[power][c] = per_power[degree(power)] * row[at / 4].a[at % 4];
            });
            moments[p] = moments_of(body.rest, rest, i + p, sums);
            stretch[p] = kept_stretch(plastic.rest.planes[i + p], plastic.shapes[i + p]);
        }
        fit(i);
        double most = 0;
        for (std::uint32_t p = 0; plastic.step && p < count(i); ++p) {
            const RegionPlane& plane = plastic.rest.planes[i + p];
            RegionShape& shape = plastic.shapes[i + p];
            const double change =
                flow_region(plane, moments[p], *plastic.step, rotation_of(i + p), shape);
            if (change > 0) stretch[p] = kept_stretch(plane, shape);
            most = std::max(most, change);
        }
        if (most > 0) fit(i);
        flowed = std::max(flowed, most);
        FixedQuad transforms[3][group] = {}, square_transforms[squares][group] = {};
        for (std::uint32_t p = 0; p < count(i); ++p) {
            const RegionGoals goals =
                goals_at(moments[p], stretch[p], plastic.shapes[i + p], rotation_of(i + p));
            const PowerSums powers = goal_powers(body.rest, rest, i + p, goals);
            each_number_of_a_row([&](bool is_linear, int at, std::size_t power, int c) {
                auto& quad = is_linear ? transforms[at / 4][p] : square_transforms[at / 4][p];
                quad.a[at % 4] = to_fixed_number(to_row[degree(power)] * powers[power][c]);
            });
        }
        rows.add_group(transforms);
        square_rows.add_group(square_transforms);
    }
    rows.finish();
    square_rows.finish();
    plastic.flowed[block] = flowed;
}

template <Summation summation>
void move_to_plastic_goals_of(const RegionCpuView& body, const PlasticCpuView& plastic,
                              const RegionScales& scales, float s, float h, float weight_stiffness,
                              Quad centre, BlockRange range, GoalSums& out) {
    const CpuAsset& asset = body.asset;
    const CpuRegions& regions = *body.rest.regions;
    const PlasticScales in(body, *plastic.rest.cpu, scales);
    const double from_row[3] = {1 / in.shift, 1 / in.turn, in.square > 0 ? 1 / in.square : 0};
    const auto degree = [](std::size_t power) { return power == 0 ? 0 : power < 4 ? 1 : 2; };
    PullToGoals to_goals(s, h, centre);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        Quad goals[group] = {};
        for (std::uint32_t p = 0; p < group && i + p < asset.count; ++p) {
            alignas(64) FixedQuad sum[3], square_sum[squares];
            sum_region<summation>(regions, body.transforms.data(), i + p, sum);
            sum_region<summation>(regions, plastic.transforms.data(), i + p, square_sum);
            const Quad& at_rest = body.rest.rest[i + p];
            const PositionPowers powers = powers_of(at_rest.xyz());
            Vec3 goal;
            each_number_of_a_row([&](bool is_linear, int at, std::size_t power, int c) {
                const auto* const row = is_linear ? sum : square_sum;
                goal[c] += from_row[degree(power)] * row[at / 4].a[at % 4] * powers[power];
            });
            goals[p] = to_quad(double{at_rest.w} * goal);
        }
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            const F4 x = load4(&body.x[p]);
            const F mass = load(&asset.mass[p]);
            const F3 pull = only(mass > hn::Zero(Floats()), load4(&goals[at]).xyz - x.xyz);
            store(all(weight_stiffness) * norm(pull), &body.change[p]);
            to_goals.move(body, part, p, x, mass, pull);
        }
    }
    to_goals.add_to(out);
}

}  // namespace

void PlasticTerms(const RegionCpuView& b, const PlasticCpuView& p, const RegionScales& s,
                  std::uint32_t block) {
    const BlockRange r(b.asset, block);
    b.summation == Summation::fast ? plastic_terms_of<Summation::fast>(b, p, s, r)
                                   : plastic_terms_of<Summation::naive>(b, p, s, r);
}
void FitPlasticRegions(const RegionCpuView& b, const PlasticCpuView& p, const RegionScales& s,
                       std::uint32_t block) {
    b.summation == Summation::fast ? fit_plastic_regions_of<Summation::fast>(b, p, s, block)
                                   : fit_plastic_regions_of<Summation::naive>(b, p, s, block);
}
void MoveToPlasticGoals(const RegionCpuView& b, const PlasticCpuView& p, const RegionScales& s,
                        float stiffness, float h, float weight_stiffness, Quad centre,
                        std::uint32_t block, GoalSums& sums) {
    const BlockRange r(b.asset, block);
    b.summation == Summation::fast ? move_to_plastic_goals_of<Summation::fast>(
                                         b, p, s, stiffness, h, weight_stiffness, centre, r, sums)
                                   : move_to_plastic_goals_of<Summation::naive>(
                                         b, p, s, stiffness, h, weight_stiffness, centre, r, sums);
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(PlasticTerms);
HWY_EXPORT(FitPlasticRegions);
HWY_EXPORT(MoveToPlasticGoals);

void plastic_terms(const RegionCpuView& body, const PlasticCpuView& plastic,
                   const RegionScales& scales, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(PlasticTerms)(body, plastic, scales, block);
}
void fit_plastic_regions(const RegionCpuView& body, const PlasticCpuView& plastic,
                         const RegionScales& scales, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(FitPlasticRegions)(body, plastic, scales, block);
}
void move_to_plastic_goals(const RegionCpuView& body, const PlasticCpuView& plastic,
                           const RegionScales& scales, float s, float h, float weight_stiffness,
                           Quad centre, std::uint32_t block, GoalSums& sums) {
    HWY_DYNAMIC_DISPATCH(MoveToPlasticGoals)
    (body, plastic, scales, s, h, weight_stiffness, centre, block, sums);
}

std::shared_ptr<const PlasticCpuRest> make_plastic_cpu_rest(const BodyAsset& asset,
                                                            const SurfaceRest& rest,
                                                            const RegionCpuRest& cpu,
                                                            std::span<const RegionPlane> planes) {
    auto made = std::make_shared<PlasticCpuRest>();
    PlasticCpuRest& r = *made;
    r.squares.resize(2 * cpu.fit.size());
    for (std::size_t i = 0; i < asset.rest.size(); ++i) {
        const Vec3 p = asset.rest[i];
        const double w = cpu.fit[i].w;
        r.squares[2 * i] = to_quad(w * Vec3{p.x * p.x, p.y * p.y, p.z * p.z}, w * p.x * p.y);
        r.squares[2 * i + 1] = to_quad(w * Vec3{p.y * p.z, p.z * p.x, 0});
    }
    // A stretch in a plane by the largest cap, and a little for its rotation.
    constexpr double largest_stretch = 2 * 4.4816890703380648;  // 2 e^1.5
    r.linear_range = largest_stretch;
    for (std::size_t j = 0; j < planes.size(); ++j) {
        const RegionPlane& plane = planes[j];
        const Vec3 centre = rest.region_centre[j];
        const double from[2] = {-dot(plane.along[0], centre), -dot(plane.along[1], centre)};
        const auto multiply = [](std::array<double, 4> a, std::array<double, 4> b) {
            // (a₀ + a·x)(b₀ + b·x)
            return PositionPowers{a[0] * b[0],
                                  a[0] * b[1] + a[1] * b[0],
                                  a[0] * b[2] + a[2] * b[0],
                                  a[0] * b[3] + a[3] * b[0],
                                  a[1] * b[1],
                                  a[2] * b[2],
                                  a[3] * b[3],
                                  a[1] * b[2] + a[2] * b[1],
                                  a[2] * b[3] + a[3] * b[2],
                                  a[3] * b[1] + a[1] * b[3]};
        };
        const Vec3 e = plane.along[0], f = plane.along[1];
        const std::array<double, 4> unit{1, 0, 0, 0}, u{from[0], e.x, e.y, e.z},
            v{from[1], f.x, f.y, f.z};
        const std::array<PositionPowers, 6> monomials{multiply(unit, unit), multiply(unit, u),
                                                      multiply(unit, v),    multiply(u, u),
                                                      multiply(u, v),       multiply(v, v)};
        auto& functions = r.function.emplace_back();
        double most[3] = {};
        for (std::size_t k = 0; k < static_cast<std::size_t>(plane.bends); ++k)
            for (std::size_t n = 0; n < position_powers; ++n) {
                for (std::size_t m = 0; m < 6; ++m)
                    functions[k][n] += plane.function[k][m] * monomials[m][n];
                double& largest = most[n == 0 ? 0 : n < 4 ? 1 : 2];
                largest = std::max(largest, std::abs(functions[k][n]));
            }
        // All bends together are no longer than this; so is each component of their sum over k,
        // times √3.
        const double bend = 1.75 * most_bend * plane.radius;
        r.shift_range = std::max(r.shift_range, bend * most[0]);
        r.linear_range = std::max(r.linear_range, largest_stretch + bend * most[1]);
        r.square_range = std::max(r.square_range, bend * most[2]);
    }
    return made;
}

std::size_t bytes(const PlasticCpuRest& r) {
    return r.squares.size() * sizeof(Quad) + r.function.size() * sizeof(r.function[0]);
}

}  // namespace turgor
#endif
