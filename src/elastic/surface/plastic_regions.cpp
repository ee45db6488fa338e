#include "elastic/surface/plastic_regions.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/eigen.hpp"
#include "base/rotation.hpp"
#include "elastic/surface/plastic_regions_cpu.hpp"

namespace turgor {
namespace {

/// A direction in which a region extends by less than this, in squares and relative to the longest,
/// is not one of its plane.
constexpr double least_extent = 0.1;
/// What is left of a function after what others explain was taken out of it, in squares and in
/// units of the region's radius; less is not worth a function.
constexpr double least_function = 1e-3;

std::array<double, 6> monomials(double u, double v) {
    return {1, u, v, u * u, u * v, v * v};
}

double value(const std::array<double, 6>& function, const std::array<double, 6>& at) {
    double sum = 0;
    for (std::size_t n = 0; n < 6; ++n) sum += function[n] * at[n];
    return sum;
}

struct PlanePoint {
    double weight;
    Vec3 q;
    std::array<double, 6> at;  ///< monomials of u/r, v/r
};

/// Gram–Schmidt of u², uv, v² (in units of the radius) after 1, u and v.
void set_functions(RegionPlane& plane, std::span<const PlanePoint> points) {
    using Function = std::array<double, 6>;
    const auto product = [&](const Function& a, const Function& b) {
        double sum = 0;
        for (const PlanePoint& p : points) sum += p.weight * value(a, p.at) * value(b, p.at);
        return sum;
    };
    std::vector<Function> kept;
    const auto add = [&](std::size_t monomial) {
        Function f{};
        f[monomial] = 1;
        for (int twice = 0; twice < 2; ++twice)
            for (const Function& other : kept) {
                const double along = product(f, other);
                for (std::size_t n = 0; n < 6; ++n) f[n] -= along * other[n];
            }
        const double square = product(f, f);
        if (!(square > least_function)) return false;
        for (double& c : f) c /= std::sqrt(square);
        kept.push_back(f);
        return true;
    };
    add(0);
    for (const std::size_t linear : {1, 2})
        if (static_cast<int>(linear) <= plane.rank && !add(linear)) return;
    const auto last = plane.rank == 2 ? std::size_t{5} : std::size_t{3};
    for (std::size_t quadratic = 3; quadratic <= last; ++quadratic) {
        if (!add(quadratic)) continue;
        // From units of the radius to metres.
        const double r = 1 / plane.radius;
        const std::array<double, 6> unit = monomials(r, r);
        Function f = kept.back();
        for (std::size_t n = 0; n < 6; ++n) f[n] *= unit[n];
        plane.function[static_cast<std::size_t>(plane.bends++)] = f;
    }
}

RegionPlane make_plane(std::span<PlanePoint> points) {
    RegionPlane plane;
    Mat3 moment;
    for (const PlanePoint& p : points) moment += outer(p.weight * p.q, p.q);
    plane.radius = std::sqrt(trace(moment));
    if (!(plane.radius > 0)) return plane;
    Mat3 vectors;
    const Vec3 extent = eigen_symmetric(moment, vectors);
    std::array<int, 3> order{0, 1, 2};
    std::ranges::stable_sort(order, [&](int a, int b) { return extent[a] > extent[b]; });
    for (int k = 0; k < 2; ++k) {
        const double square = extent[order[static_cast<std::size_t>(k)]];
        plane.along[k] = vectors.column(order[static_cast<std::size_t>(k)]);
        if (plane.rank < k || !(square > least_extent * extent[order[0]])) continue;
        plane.inverse_moment[k] = 1 / square;
        ++plane.rank;
    }
    for (PlanePoint& p : points)
        p.at = monomials(dot(plane.along[0], p.q) / plane.radius,
                         dot(plane.along[1], p.q) / plane.radius);
    set_functions(plane, points);
    for (const PlanePoint& p : points) {
        const auto phi = bend_functions(plane, p.q);
        for (std::size_t k = 0; k < most_plane_bends; ++k)
            plane.rest_bend[k] += p.weight * phi[k] * p.q;
    }
    return plane;
}

/// S of a region, and the plane's part of it that a step turned out of it.
Mat3 in_space(const RegionPlane& plane, const Plane2& a, const Mat3& otherwise) {
    const Vec3 e = plane.along[0], f = plane.along[1];
    return otherwise + outer((a.xx - 1) * e + a.xy * f, e) + outer(a.xy * e + (a.yy - 1) * f, f);
}

Mat3 turn_in_plane(const RegionPlane& plane, double cosine, double sine) {
    const Vec3 e = plane.along[0], f = plane.along[1];
    return Mat3::identity() + outer((cosine - 1) * e + sine * f, e) +
           outer((cosine - 1) * f - sine * e, f);
}

}  // namespace

std::array<double, most_plane_bends> bend_functions(const RegionPlane& plane, Vec3 q) {
    const std::array<double, 6> at = monomials(dot(plane.along[0], q), dot(plane.along[1], q));
    std::array<double, most_plane_bends> phi{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(plane.bends); ++k)
        phi[k] = value(plane.function[k], at);
    return phi;
}

std::shared_ptr<const PlasticRest> make_plastic_rest(const BodyAsset& asset,
                                                     const SurfaceRest& rest,
                                                     const RegionCpuRest* cpu) {
    auto plastic = std::make_shared<PlasticRest>();
    std::vector<PlanePoint> points;
    for (std::size_t j = 0; j < asset.rest.size(); ++j) {
        check_cancelled();
        points.clear();
        for (const auto i : (*rest.regions)[j])
            points.push_back({rest.weight[i] / rest.region_weight[j],
                              asset.rest[i] - rest.region_centre[j],
                              {}});
        plastic->planes.push_back(make_plane(points));
    }
    if (cpu) plastic->cpu = make_plastic_cpu_rest(asset, rest, *cpu, plastic->planes);
    return plastic;
}

std::size_t bytes(const PlasticRest& rest) {
    return rest.planes.size() * sizeof(RegionPlane) + (rest.cpu ? bytes(*rest.cpu) : 0);
}

Mat3 kept_stretch(const RegionPlane& plane, const RegionShape& shape) {
    Plane2 s = exp_symmetric(shape.log_stretch);
    if (plane.rank < 2) s.xy = 0, s.yy = 1;
    return in_space(plane, s, Mat3::identity());
}

Mat3 matrix_to_fit(const RegionMoments& moments, const Mat3& stretch, const RegionShape& shape) {
    Mat3 a = moments.linear * stretch;
    for (std::size_t k = 0; k < most_plane_bends; ++k) a += outer(moments.bend[k], shape.bend[k]);
    return a;
}

RegionGoals goals_at(const RegionMoments& moments, const Mat3& stretch, const RegionShape& shape,
                     const Mat3& rotation) {
    RegionGoals goals{moments.mean, rotation * stretch, {}};
    for (std::size_t k = 0; k < most_plane_bends; ++k) goals.bend[k] = rotation * shape.bend[k];
    return goals;
}

double flow_region(const RegionPlane& plane, const RegionMoments& moments, const PlasticStep& step,
                   const Mat3& rotation, RegionShape& shape) {
    if (plane.rank == 0) return 0;
    const Vec3 f0 = plane.inverse_moment[0] * (moments.linear * plane.along[0]),
               f1 = plane.inverse_moment[1] * (moments.linear * plane.along[1]);
    const PlaneFlow flown =
        flow_in_plane(step, {dot(f0, f0), dot(f0, f1), dot(f1, f1)}, plane.rank, shape.log_stretch);
    if (plane.bends == 0) return flown.change;
    const auto bends = std::span(shape.bend).first(static_cast<std::size_t>(plane.bends));
    Mat3 back = transpose(rotation);
    if (flown.sine != 0) {
        const Mat3 turned_back = turn_in_plane(plane, flown.cosine, -flown.sine);
        for (Vec3& b : bends) b = turned_back * b;
        back = turned_back * back;
    }
    std::array<Vec3, most_plane_bends> bent{};
    for (std::size_t k = 0; k < bends.size(); ++k)
        bent[k] = back * moments.bend[k] - plane.rest_bend[k];
    return flown.change +
           flow_quadratic(step, std::span(bent).first(bends.size()), plane.radius, bends);
}

double match_plastic_regions(const BodyAsset& asset, const SurfaceRest& rest,
                             const PlasticRest& plastic, std::span<const Vec3> x,
                             const PlasticStep* step, std::span<RegionShape> shapes,
                             std::span<Quat> rotations, std::span<Vec3> goals) {
    const Regions& regions = *rest.regions;
    std::ranges::fill(goals, Vec3{});
    double flowed = 0;
    for (std::size_t j = 0; j < asset.rest.size(); ++j) {
        check_cancelled();
        const RegionPlane& plane = plastic.planes[j];
        // About one of the particles: sums of x qᵀ would lose digits far from the origin.
        const Vec3 origin = x[j], centre = rest.region_centre[j];
        RegionMoments moments;
        for (const auto i : regions[j]) {
            const Vec3 weighted = rest.weight[i] / rest.region_weight[j] * (x[i] - origin);
            const Vec3 q = asset.rest[i] - centre;
            const auto phi = bend_functions(plane, q);
            moments.mean += weighted;
            moments.linear += outer(weighted, q);  // Σ w q = 0: the mean need not be taken off
            for (std::size_t k = 0; k < most_plane_bends; ++k) moments.bend[k] += phi[k] * weighted;
        }
        moments.mean += origin;
        Mat3 stretch = kept_stretch(plane, shapes[j]);
        const auto fit = [&] {
            rotations[j] =
                nearest_rotation(matrix_to_fit(moments, stretch, shapes[j]), rotations[j]);
        };
        fit();
        if (step) {
            const double change =
                flow_region(plane, moments, *step, to_matrix(rotations[j]), shapes[j]);
            flowed = std::max(flowed, change);
            if (change > 0) {
                stretch = kept_stretch(plane, shapes[j]);
                fit();
            }
        }
        const RegionGoals drawn = goals_at(moments, stretch, shapes[j], to_matrix(rotations[j]));
        for (const auto i : regions[j]) {
            const Vec3 q = asset.rest[i] - centre;
            const auto phi = bend_functions(plane, q);
            Vec3 goal = drawn.mean + drawn.linear * q;
            for (std::size_t k = 0; k < most_plane_bends; ++k) goal += phi[k] * drawn.bend[k];
            goals[i] += goal / static_cast<double>(regions[i].size());
        }
    }
    return flowed;
}

void plastic_rest_goals(const BodyAsset& asset, const SurfaceRest& rest, const PlasticRest& plastic,
                        std::span<const Vec3> x, std::span<const RegionShape> shapes,
                        std::span<const Quat> rotations, std::span<Vec3> goals) {
    const Regions& regions = *rest.regions;
    std::ranges::fill(goals, Vec3{});
    for (std::size_t j = 0; j < asset.rest.size(); ++j) {
        const RegionPlane& plane = plastic.planes[j];
        const Vec3 centre = rest.region_centre[j];
        const Mat3 r = to_matrix(rotations[j]), linear = r * kept_stretch(plane, shapes[j]);
        Vec3 mean;
        for (const auto i : regions[j]) mean += rest.weight[i] / rest.region_weight[j] * x[i];
        for (const auto i : regions[j]) {
            const Vec3 q = asset.rest[i] - centre;
            const auto phi = bend_functions(plane, q);
            Vec3 bent;
            for (std::size_t k = 0; k < most_plane_bends; ++k) bent += phi[k] * shapes[j].bend[k];
            goals[i] += (mean + linear * q + r * bent) / static_cast<double>(regions[i].size());
        }
    }
}

RegionShape carried_over(const RegionPlane& from, const RegionPlane& to, const RegionShape& shape) {
    RegionShape carried;
    if (to.rank < 2 || from.rank < 2) return carried;
    const double a = dot(from.along[0], to.along[0]), b = dot(from.along[0], to.along[1]),
                 c = dot(from.along[1], to.along[0]), d = dot(from.along[1], to.along[1]);
    const Plane2& l = shape.log_stretch;
    carried.log_stretch = {a * a * l.xx + 2 * a * c * l.xy + c * c * l.yy,
                           a * b * l.xx + (a * d + b * c) * l.xy + c * d * l.yy,
                           b * b * l.xx + 2 * b * d * l.xy + d * d * l.yy};
    if (to.bends < 3) return carried;
    Vec3 uu, uv, vv;
    for (std::size_t k = 0; k < most_plane_bends; ++k) {
        uu += from.function[k][3] * shape.bend[k];
        uv += from.function[k][4] * shape.bend[k];
        vv += from.function[k][5] * shape.bend[k];
    }
    // The same second derivatives; functions were made of u², uv and v² one after the other.
    const auto& f = to.function;
    const Vec3 in_vv = b * b * uu + b * d * uv + d * d * vv;
    const Vec3 in_uv = 2 * a * b * uu + (a * d + b * c) * uv + 2 * c * d * vv;
    const Vec3 in_uu = a * a * uu + a * c * uv + c * c * vv;
    carried.bend[2] = in_vv / f[2][5];
    carried.bend[1] = (in_uv - f[2][4] * carried.bend[2]) / f[1][4];
    carried.bend[0] = (in_uu - f[2][3] * carried.bend[2] - f[1][3] * carried.bend[1]) / f[0][3];
    double square = 0;
    for (const Vec3& bend : carried.bend) square += dot(bend, bend);
    const double most = most_bend * to.radius;
    if (square > most * most)
        for (Vec3& bend : carried.bend) bend *= most / std::sqrt(square);
    return carried;
}

bool is_legal(const RegionShape& shape) {
    const Plane2& l = shape.log_stretch;
    return std::abs(l.xx) < 4 && std::abs(l.xy) < 4 && std::abs(l.yy) < 4 &&
           std::ranges::all_of(shape.bend, [](const Vec3& b) { return norm(b) < 1e9; });
}

}  // namespace turgor
