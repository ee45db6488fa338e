#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cancel.hpp"
#include "elastic/surface/surface.hpp"

namespace turgor {
namespace {

/// The smallest radius of gyration of a region about an axis through its centre.
double least_gyration(const BodyAsset& asset, const SurfaceRest& rest, std::size_t j) {
    const std::span<const double> weight = rest.weight;
    const auto region = (*rest.regions)[j];
    Vec3 centre;
    double total = 0;
    for (const auto i : region) {
        centre += weight[i] * asset.rest[i];
        total += weight[i];
    }
    centre /= total;
    double sum = 0;
    for (const auto i : region) {
        const Vec3 r = asset.rest[i] - centre;
        sum += weight[i] * dot(r, r);
    }
    // A flat round region has half of its second moment about an axis in its plane; a quarter
    // leaves room for long ones.
    return std::sqrt(sum / total / 4);
}

}  // namespace

std::shared_ptr<const RegionCpuRest> make_surface_cpu_rest(
    const BodyAsset& asset, const SurfaceRest& rest, std::shared_ptr<const CpuRegions> regions) {
    const std::size_t count = asset.rest.size();
    std::vector<double> region_weight(count);
    std::vector<Vec3> region_centre(count);
    std::vector<std::uint32_t> size(count);
    double gyration = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j) {
        check_cancelled();
        const auto region = (*rest.regions)[j];
        for (const auto i : region) {
            region_weight[j] += rest.weight[i];
            region_centre[j] += rest.weight[i] * asset.rest[i];
        }
        region_centre[j] /= region_weight[j];
        size[j] = static_cast<std::uint32_t>(region.size());
        gyration = std::min(gyration,
                            std::max(least_gyration(asset, rest, j), 0.25 * asset.contact_length));
    }
    auto made = std::make_shared<RegionCpuRest>(
        make_region_cpu_rest(asset, {rest.weight, region_weight, region_centre, size,
                                     *std::ranges::max_element(size), gyration}));
    made->regions = std::move(regions);
    return made;
}

}  // namespace turgor
