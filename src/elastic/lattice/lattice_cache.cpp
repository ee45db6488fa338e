#include "elastic/lattice/lattice_cache.hpp"

#include "base/hash.hpp"

namespace turgor {
namespace {

BakeKey key_of(const BodySource& source, std::string_view what, std::uint64_t asset_settings,
               int half_width) {
    Hash hash;
    hash.add(asset_settings);
    hash.add(half_width);
    return {source.hash, "lattice " + std::string(what), hash.value()};
}

}  // namespace

std::shared_ptr<const LatticeCells> cached_lattice_cells(const BodySource& source, int cells,
                                                         const BakeContext& context) {
    Hash hash;
    hash.add(cells);
    const std::uint64_t settings = hash.value();
    return context.cache.find_or_make<LatticeCells>({source.hash, "lattice cells", settings}, [&] {
        SolidBody body = make_solid_body(source, cells, settings);
        return std::make_shared<LatticeCells>(make_lattice_cells(body.solid, std::move(body.made)));
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
