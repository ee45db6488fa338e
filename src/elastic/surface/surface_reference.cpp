#include "base/cancel.hpp"
#include "base/rigid_system.hpp"
#include "elastic/matching/region_fit.hpp"
#include "elastic/surface/surface.hpp"
#include "mesh/normals.hpp"

namespace turgor {

void match_regions(const BodyAsset& asset, const SurfaceRest& rest, std::span<const Vec3> x,
                   std::span<Quat> rotations, std::span<Vec3> goals) {
    const Regions& regions = *rest.regions;
    const std::size_t n = asset.rest.size();
    std::vector<Vec3> normals;
    if (rest.normal_point_weight > 0) {
        normals.resize(n);
        unit_normals(x, asset.triangles, normals);
    }
    // Positions relative to one particle: sums of x x⁰ᵀ would lose digits far from the origin.
    const Vec3 origin = x[0];
    std::vector<RegionFit> fits(n);
    for (std::size_t j = 0; j < n; ++j) {
        check_cancelled();
        RegionMoments moments;
        for (const auto i : regions[j])
            moments.add(rest.weight[i] * (x[i] - origin), asset.rest[i]);
        if (rest.normal_point_weight > 0) {
            const Vec3 p = x[j] - origin + rest.normal_length[j] * normals[j];
            moments.add(rest.normal_point_weight * rest.weight[j] * p, rest.normal_point[j]);
        }
        fits[j] = fit_region(moments, rest.region_weight[j], rest.region_centre[j], rotations[j]);
    }
    for (std::size_t i = 0; i < n; ++i) {
        check_cancelled();
        RegionFit blended;
        for (const auto j : regions[i]) blended += fits[j];
        goals[i] = origin + blended.at(asset.rest[i]) / static_cast<double>(regions[i].size());
    }
}

double find_wobble_share(const BodyAsset& asset, const SurfaceRest& rest) {
    std::vector<Quat> rotations(asset.rest.size());
    return find_wobble_share(asset, [&](std::span<const Vec3> x, std::span<Vec3> goals) {
        match_regions(asset, rest, x, rotations, goals);
    });
}

void blend_rigid_velocities(const BodyAsset& asset, const SurfaceRest& rest,
                            std::span<const Vec3> x, std::span<const Vec3> v,
                            std::span<Vec3> blended) {
    const Regions& regions = *rest.regions;
    const std::size_t n = asset.rest.size();
    const Vec3 origin = x[0];
    std::vector<RigidField> field(n);
    for (std::size_t j = 0; j < n; ++j) {
        RigidSystem system;
        Vec3 linear, angular;
        for (const auto i : regions[j]) {
            const Vec3 r = x[i] - origin, momentum = rest.weight[i] * v[i];
            system.add(rest.weight[i], r);
            linear += momentum;
            angular += cross(r, momentum);
        }
        field[j] = system.solve(linear, angular);
    }
    for (std::size_t i = 0; i < n; ++i) {
        RigidField sum;
        for (const auto j : regions[i]) {
            sum.a += field[j].a;
            sum.b += field[j].b;
        }
        blended[i] = sum.at(x[i] - origin) / static_cast<double>(regions[i].size());
    }
}

}  // namespace turgor
