#include "elastic/lattice/lattice_cache.hpp"

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "body/bake.hpp"

namespace turgor {
namespace {

BakeKey key_of(const BodySource& source, std::string_view what, std::uint64_t asset_settings,
               int half_width) {
    Hash hash;
    hash.add(asset_settings);
    hash.add(half_width);
    return {source.hash, "lattice " + std::string(what), hash.value()};
}

double wobble_share_of(const LatticeCells& lattice, const LatticeRest& rest) {
    const std::string what = fmt::format("lattice of {}, regions of {} cells", lattice.asset->name,
                                         rest.sums.half_width());
    constexpr std::size_t most = 21;  // positions that the search may try
    std::size_t tried = 0;
    std::vector<Quat> rotations(lattice.asset->rest.size());
    const double share =
        find_wobble_share(*lattice.asset, [&](std::span<const Vec3> x, std::span<Vec3> goals) {
            check_cancelled();
            if (tried < most) tell_progress(what, tried++, most);
            match_lattice(lattice, rest, x, rotations, goals);
        });
    tell_progress(what, most, most);
    return share;
}

/// From a file where there is one: of many cells nothing else takes as long.
double kept_wobble_share(const BodySource& source, const LatticeCells& lattice,
                         const LatticeRest& rest, const BakeCache& cache) {
    const BakeKey key = key_of(source, "share", lattice.asset->settings, rest.sums.half_width());
    if (!cache.folder.empty())
        if (const auto content = read_bake(cache.folder, key);
            content && content->size() == sizeof(double))
            if (const auto share = ByteReader(*content).get<double>(); share > 0 && share <= 1)
                return share;
    const double share = wobble_share_of(lattice, rest);
    if (!cache.folder.empty()) {
        Status status;
        reporting_to(&status, [&] {
            ByteWriter out;
            out.put(share);
            keep_bake(cache.folder, key, out.bytes);
        });
    }
    return share;
}

}  // namespace

std::shared_ptr<const LatticeCells> cached_lattice_cells(const BodySource& source, int cells,
                                                         const BakeContext& context) {
    Hash hash;
    hash.add(cells);
    const std::uint64_t settings = hash.value();
    return context.cache.find_or_make<LatticeCells>({source.hash, "lattice cells", settings}, [&] {
        const SolidSource made = make_solid_source(source, cells);
        return std::make_shared<LatticeCells>(make_lattice_cells(
            made.solid, make_solid_asset(made.solid, made.shown, settings,
                                         {.relative_masses = made.relative_masses})));
    });
}

std::shared_ptr<const TearingLattice> cached_tearing_lattice(const BodySource& source, int cells,
                                                             const BakeContext& context) {
    Hash hash;
    hash.add(cells);
    hash.add(std::string_view("tearing"));
    const std::uint64_t settings = hash.value();
    return context.cache.find_or_make<TearingLattice>(
        {source.hash, "tearing lattice", settings}, [&] {
            SolidSource made = make_solid_source(source, cells);
            return make_tearing_lattice(std::move(made.solid), made.shown, settings,
                                        std::move(made.relative_masses));
        });
}

std::shared_ptr<const LatticeRest> cached_lattice_rest(const BodySource& source,
                                                       const LatticeCells& lattice, int half_width,
                                                       const BakeContext& context) {
    return context.cache.find_or_make<LatticeRest>(
        key_of(source, context.summation == Summation::naive ? "naive rest" : "rest",
               lattice.asset->settings, half_width),
        [&] {
            auto rest = std::make_shared<LatticeRest>(
                make_lattice_rest(lattice, half_width, context.summation));
            rest->wobble_share = kept_wobble_share(source, lattice, *rest, context.cache);
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
