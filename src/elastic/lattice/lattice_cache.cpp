#include "elastic/lattice/lattice_cache.hpp"

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

constexpr std::size_t particles_max = 2'000'000;

BakeKey key_of(const BodySource& source, std::string_view what, std::uint64_t asset_settings,
               int half_width) {
    Hash hash;
    hash.add(asset_settings);
    hash.add(half_width);
    return {source.hash, "lattice " + std::string(what), hash.value()};
}

/// What the source's relative masses are at the corners of cells: those of the nearest vertices.
std::vector<double> masses_at_corners(const BodySource& source, const Solid& solid) {
    if (source.relative_masses.empty()) return {};
    const TriangleTree tree(source.mesh.vertices, source.mesh.triangles);
    std::vector<double> masses;
    for (const Vec3 corner : solid.corners) {
        const TriangleTree::Hit hit = tree.nearest(corner);
        std::uint32_t nearest = source.mesh.triangles[hit.triangle][0];
        for (const std::uint32_t v : source.mesh.triangles[hit.triangle])
            if (norm(source.mesh.vertices[v] - hit.point) <
                norm(source.mesh.vertices[nearest] - hit.point))
                nearest = v;
        masses.push_back(source.relative_masses[nearest]);
    }
    return masses;
}

}  // namespace

std::shared_ptr<const LatticeCells> cached_lattice_cells(const BodySource& source, int cells,
                                                         const BakeContext& context) {
    Hash hash;
    hash.add(cells);
    const std::uint64_t settings = hash.value();
    return context.cache.find_or_make<LatticeCells>({source.hash, "lattice cells", settings}, [&] {
        // What is shown is what the cells follow, but that points have nothing inside.
        const Mesh& shown = source.display ? *source.display : source.mesh;
        Solid solid = make_solid(is_cloud(source) ? source.mesh : shown, {.cells = cells});
        solid.name = source.mesh.name;
        if (solid.corners.size() > particles_max)
            fail(ErrorCode::bad_argument,
                 "A lattice of {} cells along '{}' has {} particles, more than {}: take fewer "
                 "cells.",
                 cells, solid.name, solid.corners.size(), particles_max);
        return std::make_shared<LatticeCells>(make_lattice_cells(
            solid, make_solid_asset(solid, shown, settings, masses_at_corners(source, solid))));
    });
}

std::shared_ptr<const LatticeRest> cached_lattice_rest(const BodySource& source,
                                                       const LatticeCells& lattice, int half_width,
                                                       const BakeContext& context) {
    return context.cache.find_or_make<LatticeRest>(
        key_of(source, "rest", lattice.asset->settings, half_width), [&] {
            auto rest = std::make_shared<LatticeRest>(make_lattice_rest(lattice, half_width));
            std::vector<Quat> rotations(lattice.asset->rest.size());
            rest->wobble_share = find_wobble_share(
                *lattice.asset, [&](std::span<const Vec3> x, std::span<Vec3> goals) {
                    match_lattice(lattice, *rest, x, rotations, goals);
                });
            return rest;
        });
}

std::shared_ptr<const LatticeCpuRest> cached_lattice_cpu_rest(const BodySource& source,
                                                              const LatticeCells& lattice,
                                                              const LatticeRest& rest,
                                                              const BakeContext& context) {
    return context.cache.find_or_make<LatticeCpuRest>(
        key_of(source, "cpu rest", lattice.asset->settings, rest.sums.half_width()),
        [&] { return make_lattice_cpu_rest(lattice, rest); });
}

std::shared_ptr<const Regions> cached_lattice_smoothing(const BodySource& source,
                                                        const BodyAsset& asset, int half_width,
                                                        const BakeContext& context) {
    return context.cache.find_or_make<Regions>(
        key_of(source, "smoothing", asset.settings, half_width),
        [&] { return std::make_shared<Regions>(make_regions(asset.neighbours, half_width)); });
}

std::shared_ptr<const CpuRegions> cached_lattice_cpu_smoothing(const BodySource& source,
                                                               const BodyAsset& asset,
                                                               const Regions& smoothing,
                                                               int half_width,
                                                               const BakeContext& context) {
    return context.cache.find_or_make<CpuRegions>(
        key_of(source, "cpu smoothing", asset.settings, half_width),
        [&] { return make_cpu_regions(smoothing, context.summation); });
}

}  // namespace turgor
