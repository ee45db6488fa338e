#include "body/cpu_asset.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"

namespace turgor {
namespace {

/// The smallest power of two that is not below x.
double power_of_two_above(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(1, mantissa > 0.5 ? exponent : exponent - 1);
}

/// The neighbours of a particle in the order of the triangles around it. Where several fans meet in
/// one point the walk goes from the first to each other fan and back, which cancels in a sum of
/// cross products.
void append_walk(const BodyAsset& asset, std::uint32_t i, std::vector<std::uint32_t>& walk) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> spokes;
    for (const auto t : asset.corners[i]) {
        const Triangle& corner = asset.triangles[t];
        const std::size_t k = corner[0] == i ? 0 : corner[1] == i ? 1 : 2;
        spokes.emplace_back(corner[(k + 1) % 3], corner[(k + 2) % 3]);
    }
    const std::size_t begin = walk.size();
    while (!spokes.empty()) {
        auto at = std::min_element(spokes.begin(), spokes.end());
        const std::uint32_t first = at->first;
        walk.push_back(first);
        while (at != spokes.end()) {
            const std::uint32_t next = at->second;
            spokes.erase(at);
            walk.push_back(next);
            at = std::find_if(spokes.begin(), spokes.end(),
                              [&](const auto& s) { return s.first == next; });
        }
        if (walk[begin] != first) walk.push_back(walk[begin]);
    }
}

/// The walks of particles i and i + 1; what is padding stays where it is.
void append_walks(const BodyAsset& asset, std::uint32_t i,
                  std::vector<std::array<std::uint32_t, 2>>& walks) {
    std::array<std::vector<std::uint32_t>, 2> walk;
    for (std::uint32_t k = 0; k < 2; ++k) {
        if (i + k < asset.surface_count) append_walk(asset, i + k, walk[k]);
        if (walk[k].empty()) walk[k].push_back(i + k);
    }
    const std::size_t steps = std::max(walk[0].size(), walk[1].size());
    for (auto& w : walk) w.resize(steps, w.back());
    for (std::size_t k = 0; k < steps; ++k) walks.push_back({walk[0][k], walk[1][k]});
}

}  // namespace

std::shared_ptr<const CpuAsset> make_cpu_asset(const BodyAsset& asset) {
    auto made = std::make_shared<CpuAsset>();
    CpuAsset& a = *made;
    a.count = static_cast<std::uint32_t>(asset.rest.size());
    a.padded = static_cast<std::uint32_t>(CpuLayout::padded(a.count));
    a.surface = static_cast<std::uint32_t>(asset.surface_count);
    a.blocks = (a.padded + CpuLayout::block - 1) / CpuLayout::block;
    a.mass.resize(a.padded);
    a.per_mass.resize(a.padded);
    double reach = 0;
    for (std::uint32_t i = 0; i < a.count; ++i) {
        for (int k = 0; k < 3; ++k) reach = std::max(reach, std::abs(asset.rest[i][k]));
        a.mass[i] = static_cast<float>(asset.mass[i]);
        a.per_mass[i] = static_cast<float>(1 / asset.mass[i]);
        a.whole_mass += static_cast<float>(asset.mass[i]);
    }
    a.reach = static_cast<float>(power_of_two_above(std::max(reach, 1e-30)));
    a.volume_share.assign(asset.volume_share.begin(), asset.volume_share.end());
    if (!a.volume_share.empty()) a.volume_share.resize(CpuLayout::padded(a.surface));
    a.ring_starts.push_back(0);
    for (std::uint32_t i = 0; i < CpuLayout::padded(a.surface); i += 2) {
        check_cancelled();
        append_walks(asset, i, a.ring);
        a.ring_starts.push_back(static_cast<std::uint32_t>(a.ring.size()));
    }
    a.ring.shrink_to_fit();
    return made;
}

std::size_t bytes(const CpuAsset& a) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(a.mass) + size(a.per_mass) + size(a.volume_share) + size(a.ring_starts) +
           size(a.ring);
}

}  // namespace turgor
