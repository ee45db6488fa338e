#include <algorithm>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "body/bake.hpp"
#include "body/check.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "elastic/regions.hpp"
#include "elastic/surface/surface.hpp"
#include "mesh/normals.hpp"

namespace turgor {

std::vector<Link> find_bridges(const Mesh& mesh, const BodyAsset& asset) {
    const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
    std::vector<Link> bridges = make_bridges(mesh.vertices, one_rings(corners, mesh.triangles));
    for (Link& b : bridges) {
        b = {asset.particle_of_vertex[b[0]], asset.particle_of_vertex[b[1]]};
        if (b[0] > b[1]) std::swap(b[0], b[1]);
    }
    std::ranges::sort(bridges);
    return bridges;
}

std::shared_ptr<const Regions> make_surface_regions(const BodyAsset& asset,
                                                    std::span<const Link> bridges, int omega) {
    if (omega < 1 || omega > omega_max)
        fail(ErrorCode::bad_argument, "Omega is {}: a region is 1 to {} edges wide.", omega,
             omega_max);
    return std::make_shared<Regions>(
        bridges.empty() ? make_regions(asset.neighbours, omega)
                        : make_regions(with_links(asset.neighbours, bridges), omega));
}

SurfaceRest make_surface_rest(const BodyAsset& asset, std::shared_ptr<const Regions> given,
                              const SurfaceSettings& settings) {
    const auto& [omega, share_mass, normal_point_weight] = settings;
    const std::size_t n = asset.rest.size();
    SurfaceRest rest;
    rest.omega = omega;
    rest.regions = std::move(given);
    rest.intervals = intervals_per_region(*rest.regions);
    rest.normal_point_weight = normal_point_weight;
    const Regions& regions = *rest.regions;
    rest.weight.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        rest.weight[i] =
            share_mass ? asset.mass[i] / static_cast<double>(regions[i].size()) : asset.mass[i];

    rest.region_weight.resize(n);
    rest.region_centre.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        check_cancelled();
        for (const auto j : regions[i]) {
            rest.region_weight[i] += rest.weight[j];
            rest.region_centre[i] += rest.weight[j] * asset.rest[j];
        }
        rest.region_centre[i] /= rest.region_weight[i];
    }
    if (normal_point_weight <= 0) return rest;

    std::vector<Vec3> normals(n);
    unit_normals(asset.rest, asset.triangles, normals);
    rest.normal_point.resize(n);
    rest.normal_length.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        check_cancelled();
        double length = 0;
        for (const auto j : regions[i])
            length += rest.weight[j] * norm(asset.rest[j] - rest.region_centre[i]);
        rest.normal_length[i] = length / rest.region_weight[i];
        rest.normal_point[i] = asset.rest[i] + rest.normal_length[i] * normals[i];
        const double w = normal_point_weight * rest.weight[i], before = rest.region_weight[i];
        rest.region_weight[i] += w;
        rest.region_centre[i] =
            (before * rest.region_centre[i] + w * rest.normal_point[i]) / rest.region_weight[i];
    }
    return rest;
}

std::size_t bytes(const SurfaceRest& rest) {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return bytes(*rest.regions) + size(rest.bridges) + size(rest.weight) +
           size(rest.region_weight) + size(rest.region_centre) + size(rest.normal_point) +
           size(rest.normal_length);
}

std::shared_ptr<const SurfaceRest> bake_regions(const Mesh& mesh, const BodyAsset& asset,
                                                const SurfaceSettings& settings) {
    std::vector<Link> bridges = find_bridges(mesh, asset);
    auto rest = std::make_shared<SurfaceRest>(
        make_surface_rest(asset, make_surface_regions(asset, bridges, settings.omega), settings));
    rest->bridges = std::move(bridges);
    return rest;
}

SurfaceBake bake_surface(const Mesh& mesh, const SurfaceSettings& settings, const Mesh* display) {
    check_elements(mesh, "mesh");
    check_closed(mesh);
    if (display) check_elements(*display, "display mesh");
    const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
    SurfaceBake baked;
    baked.asset = make_body_asset(mesh, sweep_order(corners, mesh.triangles), display);
    baked.rest = bake_regions(mesh, *baked.asset, settings);
    return baked;
}

}  // namespace turgor
