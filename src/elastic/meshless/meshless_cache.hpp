#pragma once

#include <memory>

#include "elastic/meshless/meshless_cpu.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// What is baked of a source, made once for all bodies that are made alike.
std::shared_ptr<const BodyAsset> cached_meshless_asset(const BodySource& source,
                                                       const BakeContext& context);
/// How many clusters its shape wants.
std::shared_ptr<const int> cached_clusters_wanted(const BodySource& source, const BodyAsset& asset,
                                                  const BakeContext& context);
/// With its measured shares.
std::shared_ptr<const MeshlessRest> cached_meshless_rest(const BodySource& source,
                                                         const BodyAsset& asset,
                                                         const MeshlessSettings& settings,
                                                         const BakeContext& context);
std::shared_ptr<const MeshlessCpuRest> cached_meshless_cpu_rest(const BodySource& source,
                                                                const BodyAsset& asset,
                                                                const MeshlessRest& rest,
                                                                const BakeContext& context);
/// The one-rings: what the volume stage smooths its weights over.
std::shared_ptr<const Regions> cached_rings(const BodySource& source, const BodyAsset& asset,
                                            const BakeContext& context);
std::shared_ptr<const CpuRegions> cached_cpu_rings(const BodySource& source, const Regions& rings,
                                                   const BakeContext& context);

}  // namespace turgor
