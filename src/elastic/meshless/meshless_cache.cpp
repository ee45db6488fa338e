#include "elastic/meshless/meshless_cache.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "body/bake.hpp"
#include "body/cloud.hpp"

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

/// The matching weights of a source's particles, the largest 1; empty where it has none.
std::vector<double> importance_of(const BodySource& source, const BodyAsset& asset) {
    // What counts less is held by so much still: else nothing but the volume would hold it.
    constexpr double least = 0.01;
    const std::vector<double>& weights = source.matching_weights;
    std::vector<double> importance(weights.empty() ? 0 : asset.rest.size());
    if (weights.empty()) return importance;
    const double most = *std::ranges::max_element(weights);
    for (std::uint32_t i = 0; i < asset.surface_count; ++i) {
        importance[i] = std::max(least, weights[asset.vertex_of_particle[i]] / most);
        asset.each_follower(i, [&](std::uint32_t inner, double share) {
            importance[inner] += share * importance[i];
        });
    }
    return importance;
}

}  // namespace

std::shared_ptr<const BodyAsset> cached_meshless_asset(const BodySource& source,
                                                       const BakeContext& context) {
    if (!is_cloud(source)) return cached_swept_asset(source, "meshless", context.cache);
    return context.cache.find_or_make<BodyAsset>({source.hash, "meshless cloud"}, [&] {
        BodySource cage{source.mesh, {}, 0, source.relative_masses, {}};
        cage.hash = turgor::hash_of(cage);
        const auto around = cached_swept_asset(cage, "meshless", context.cache);
        auto asset = std::make_shared<BodyAsset>(*around);
        put_points_inside(*asset, source.display->vertices);
        return asset;
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
            auto rest = std::make_shared<MeshlessRest>(
                make_meshless_rest(asset, settings, importance_of(source, asset)));
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
