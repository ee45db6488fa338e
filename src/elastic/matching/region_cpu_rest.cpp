#include <algorithm>
#include <cmath>

#include "elastic/matching/matching_cpu.hpp"

namespace turgor {

RegionCpuRest make_region_cpu_rest(const BodyAsset& asset, const RegionFacts& facts) {
    RegionCpuRest r;
    const std::size_t count = asset.rest.size(), padded = CpuLayout::padded(count);
    r.rest.resize(padded);
    r.fit.resize(padded);
    r.centre.resize(padded);
    r.exact_centre.resize(padded);
    r.largest = static_cast<float>(facts.largest);
    r.spin_limit = static_cast<float>(4 / facts.least_gyration);
    const double heaviest = *std::ranges::max_element(facts.region_weight);
    for (std::size_t row = 0; row < count; ++row) {
        const std::size_t i = facts.particle_of_row.empty() ? row : facts.particle_of_row[row];
        const double w = facts.weight[i] / heaviest;
        const Vec3 centre = facts.region_centre[i];
        r.rest[i] = to_quad(asset.rest[i], 1.0 / static_cast<double>(facts.regions_with[i]));
        r.fit[row] = to_quad(w * asset.rest[i], w);
        r.centre[row] = to_quad(centre, heaviest / facts.region_weight[i]);
        r.exact_centre[row] = {centre.x, centre.y, centre.z, 0};
    }
    return r;
}

float power_of_two_above(float value) {
    int exponent = 0;
    std::frexp(std::max(value, 1e-12f), &exponent);
    return std::ldexp(1.0f, exponent);
}

std::size_t bytes(const RegionCpuRest& r) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(r.rest) + size(r.fit) + size(r.centre) + size(r.exact_centre) +
           (r.regions ? bytes(*r.regions) : 0);
}

}  // namespace turgor
