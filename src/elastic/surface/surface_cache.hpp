#pragma once

#include "elastic/matching/matching_cpu.hpp"
#include "elastic/model.hpp"
#include "elastic/surface/plastic_regions.hpp"

namespace turgor {

/// The bake of a source with regions of width ω, from memory, from a file or made anew. `asset` is
/// that of the body where it has one already.
SurfaceBake cached_surface_bake(const BodySource& source, std::shared_ptr<const BodyAsset> asset,
                                int omega, const BakeContext& context);
std::shared_ptr<const RegionCpuRest> surface_cpu_rest(const BodySource& source,
                                                      const BodyAsset& asset,
                                                      const SurfaceRest& rest,
                                                      const BakeContext& context);
/// `cpu` may be null.
std::shared_ptr<const PlasticRest> cached_plastic_rest(const BodySource& source,
                                                       const BodyAsset& asset,
                                                       const SurfaceRest& rest,
                                                       const RegionCpuRest* cpu,
                                                       const BakeContext& context);

}  // namespace turgor
