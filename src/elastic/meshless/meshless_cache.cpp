#include "elastic/meshless/meshless_cache.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "body/bake.hpp"
#include "body/check.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"

namespace turgor {
namespace {

std::uint64_t hash_of(const MeshlessSettings& settings) {
    Hash hash;
    hash.add(settings.mode);
    hash.add(settings.beta);
    hash.add(settings.clusters);
    hash.add(settings.placement);
    return hash.value();
}

}  // namespace

std::shared_ptr<const BodyAsset> cached_meshless_asset(const BodySource& source,
                                                       const BakeContext& context) {
    return context.cache.find_or_make<BodyAsset>({source.hash, "meshless asset"}, [&] {
        check_elements(source.mesh, "mesh");
        check_closed(source.mesh);
        if (source.display) check_elements(*source.display, "display mesh");
        const ListOfLists corners =
            triangles_around(source.mesh.vertices.size(), source.mesh.triangles);
        return make_body_asset(source.mesh, sweep_order(corners, source.mesh.triangles),
                               source.display ? &*source.display : nullptr);
    });
}

std::shared_ptr<const int> cached_clusters_wanted(const BodySource& source, const BodyAsset& asset,
                                                  const BakeContext& context) {
    return context.cache.find_or_make<int>({source.hash, "clusters wanted"}, [&] {
        return std::make_shared<int>(clusters_wanted(asset));
    });
}

std::shared_ptr<const MeshlessRest> cached_meshless_rest(const BodySource& source,
                                                         const BodyAsset& asset,
                                                         const MeshlessSettings& settings,
                                                         const BakeContext& context) {
    return context.cache.find_or_make<MeshlessRest>(
        {source.hash, "meshless", hash_of(settings)}, [&] {
            auto rest = std::make_shared<MeshlessRest>(make_meshless_rest(asset, settings));
            measure_shares(asset, *rest);
            return rest;
        });
}

std::shared_ptr<const Regions> cached_rings(const BodySource& source, const BodyAsset& asset,
                                            const BakeContext& context) {
    return context.cache.find_or_make<Regions>({source.hash, "meshless rings"}, [&] {
        auto rings = std::make_shared<Regions>();
        for (std::uint32_t i = 0; i < asset.surface_count; ++i) {
            const auto ring = asset.neighbours[i];
            rings->items.insert(rings->items.end(), ring.begin(), ring.end());
            rings->items.push_back(i);
            std::inplace_merge(rings->items.end() - static_cast<std::ptrdiff_t>(ring.size()) - 1,
                               rings->items.end() - 1, rings->items.end());
            rings->end_row();
        }
        return rings;
    });
}

std::shared_ptr<const MeshlessCpuRest> cached_meshless_cpu_rest(const BodySource& source,
                                                                const BodyAsset& asset,
                                                                const MeshlessRest& rest,
                                                                const BakeContext& context) {
    return context.cache.find_or_make<MeshlessCpuRest>(
        {source.hash, "meshless cpu", hash_of(rest.settings)},
        [&] { return make_meshless_cpu_rest(*make_cpu_asset(asset), rest); });
}

std::shared_ptr<const CpuRegions> cached_cpu_rings(const BodySource& source, const Regions& rings,
                                                   const BakeContext& context) {
    return context.cache.find_or_make<CpuRegions>({source.hash, "meshless cpu rings"}, [&] {
        return make_cpu_regions(rings, context.summation);
    });
}

}  // namespace turgor
