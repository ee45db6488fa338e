#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cancel.hpp"
#include "elastic/surface/surface_cpu.hpp"

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

std::shared_ptr<const SurfaceCpuRest> make_surface_cpu_rest(
    const BodyAsset& asset, const SurfaceRest& rest, std::shared_ptr<const CpuRegions> regions) {
    auto made = std::make_shared<SurfaceCpuRest>();
    SurfaceCpuRest& r = *made;
    const std::size_t count = asset.rest.size(), padded = CpuLayout::padded(count);
    r.rest.resize(padded);
    r.fit.resize(padded);
    r.centre.resize(padded);
    r.exact_centre.resize(padded);
    r.regions = std::move(regions);

    std::vector<double> region_weight(count);
    std::vector<Vec3> region_centre(count);
    double heaviest = 0, gyration = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j) {
        check_cancelled();
        for (const auto i : (*rest.regions)[j]) {
            region_weight[j] += rest.weight[i];
            region_centre[j] += rest.weight[i] * asset.rest[i];
        }
        region_centre[j] /= region_weight[j];
        heaviest = std::max(heaviest, region_weight[j]);
        gyration = std::min(gyration,
                            std::max(least_gyration(asset, rest, j), 0.25 * asset.contact_length));
    }
    r.spin_limit = static_cast<float>(4 / gyration);
    for (std::size_t i = 0; i < count; ++i) {
        const double w = rest.weight[i] / heaviest;
        r.rest[i] = to_quad(asset.rest[i], 1.0 / static_cast<double>((*rest.regions)[i].size()));
        r.fit[i] = to_quad(w * asset.rest[i], w);
        r.centre[i] = to_quad(region_centre[i], heaviest / region_weight[i]);
        r.exact_centre[i] = {region_centre[i].x, region_centre[i].y, region_centre[i].z, 0};
    }
    return made;
}

std::size_t bytes(const SurfaceCpuRest& r) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(r.rest) + size(r.fit) + size(r.centre) + size(r.exact_centre) + bytes(*r.regions);
}

}  // namespace turgor
