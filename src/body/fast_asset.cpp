#include "body/fast_asset.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/rigid_system.hpp"

namespace turgor {
namespace {

constexpr std::uint32_t block = FastLayout::block;

/// The smallest power of two that is not below x.
double power_of_two_above(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(1, mantissa > 0.5 ? exponent : exponent - 1);
}

void append_runs(std::span<const std::uint32_t> region, std::vector<Run>& runs) {
    for (std::size_t k = 0; k < region.size();) {
        const std::uint32_t first = region[k];
        std::uint32_t last = first;
        while (++k < region.size() && region[k] == last + 1 && region[k] % block != 0) ++last;
        const std::uint32_t shift = first / block;
        runs.push_back({first + shift, last + 1 + shift});
    }
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
        if (i + k < asset.rest.size()) append_walk(asset, i + k, walk[k]);
        if (walk[k].empty()) walk[k].push_back(i + k);
    }
    const std::size_t steps = std::max(walk[0].size(), walk[1].size());
    for (auto& w : walk) w.resize(steps, w.back());
    for (std::size_t k = 0; k < steps; ++k) walks.push_back({walk[0][k], walk[1][k]});
}

/// The smallest radius of gyration of a region about an axis through its centre.
double least_gyration(const BodyAsset& asset, std::span<const double> weight, std::size_t j) {
    Vec3 centre;
    double total = 0;
    for (const auto i : asset.regions[j]) {
        centre += weight[i] * asset.rest[i];
        total += weight[i];
    }
    centre /= total;
    double sum = 0;
    for (const auto i : asset.regions[j]) {
        const Vec3 r = asset.rest[i] - centre;
        sum += weight[i] * dot(r, r);
    }
    // A flat round region has half of its second moment about an axis in its plane; a quarter
    // leaves room for long ones.
    return std::sqrt(sum / total / 4);
}

}  // namespace

std::shared_ptr<const FastAsset> make_fast_asset(const BodyAsset& asset,
                                                 std::span<const double> fit_weight,
                                                 Summation summation) {
    auto fast = std::make_shared<FastAsset>();
    FastAsset& f = *fast;
    f.count = static_cast<std::uint32_t>(asset.rest.size());
    f.padded = static_cast<std::uint32_t>(FastLayout::padded(f.count));
    f.blocks = (f.padded + block - 1) / block;
    f.rest.resize(f.padded);
    f.fit.resize(f.padded);
    f.centre.resize(f.padded);
    f.exact_centre.resize(f.padded);
    f.mass.resize(f.padded);
    f.per_mass.resize(f.padded);
    f.strut.resize(f.padded);
    f.strut_partner.resize(f.padded);

    std::vector<double> region_weight(f.count);
    std::vector<Vec3> region_centre(f.count);
    double heaviest = 0, reach = 0, gyration = std::numeric_limits<double>::infinity();
    for (std::uint32_t j = 0; j < f.count; ++j) {
        check_cancelled();
        for (const auto i : asset.regions[j]) {
            region_weight[j] += fit_weight[i];
            region_centre[j] += fit_weight[i] * asset.rest[i];
        }
        region_centre[j] /= region_weight[j];
        heaviest = std::max(heaviest, region_weight[j]);
        for (int k = 0; k < 3; ++k) reach = std::max(reach, std::abs(asset.rest[j][k]));
        gyration = std::min(gyration,
                            std::max(least_gyration(asset, fit_weight, j), 0.25 * asset.mean_edge));
        f.largest_region = std::max(f.largest_region, static_cast<float>(asset.regions[j].size()));
    }
    f.reach = static_cast<float>(power_of_two_above(std::max(reach, 1e-30)));
    f.spin_limit = static_cast<float>(4 / gyration);

    for (std::uint32_t i = 0; i < f.count; ++i) f.whole_mass += static_cast<float>(asset.mass[i]);

    f.run_starts.push_back(0);
    f.member_starts.push_back(0);
    f.ring_starts.push_back(0);
    for (std::uint32_t i = 0; i < f.count; ++i) {
        check_cancelled();
        const double w = fit_weight[i] / heaviest;
        f.rest[i] = to_quad(asset.rest[i], 1.0 / static_cast<double>(asset.regions[i].size()));
        f.fit[i] = to_quad(w * asset.rest[i], w);
        f.centre[i] = to_quad(region_centre[i], heaviest / region_weight[i]);
        f.exact_centre[i] = {region_centre[i].x, region_centre[i].y, region_centre[i].z, 0};
        f.mass[i] = static_cast<float>(asset.mass[i]);
        f.per_mass[i] = static_cast<float>(1 / asset.mass[i]);
        f.strut[i] = {static_cast<float>(asset.struts.rest_length[i]),
                      static_cast<float>(asset.struts.stiffness[i])};
        f.strut_partner[i] = asset.struts.partner[i];
        if (summation == Summation::fast)
            append_runs(asset.regions[i], f.runs);
        else
            for (const auto j : asset.regions[i]) f.members.push_back(row_of(j));
        f.run_starts.push_back(static_cast<std::uint32_t>(f.runs.size()));
        f.member_starts.push_back(static_cast<std::uint32_t>(f.members.size()));
    }
    for (std::uint32_t i = 0; i < f.padded; i += 2) {
        check_cancelled();
        append_walks(asset, i, f.ring);
        f.ring_starts.push_back(static_cast<std::uint32_t>(f.ring.size()));
    }
    f.run_starts.resize(f.padded + 1, f.run_starts.back());
    f.member_starts.resize(f.padded + 1, f.member_starts.back());
    for (std::uint32_t i = f.count; i < f.padded; ++i) f.strut_partner[i] = i;
    f.runs.shrink_to_fit();
    f.members.shrink_to_fit();
    f.ring.shrink_to_fit();
    return fast;
}

std::size_t bytes(const FastAsset& f) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(f.rest) + size(f.fit) + size(f.centre) + size(f.exact_centre) + size(f.mass) +
           size(f.per_mass) + size(f.run_starts) + size(f.runs) + size(f.member_starts) +
           size(f.members) + size(f.ring_starts) + size(f.ring) + size(f.strut) +
           size(f.strut_partner);
}

}  // namespace turgor
