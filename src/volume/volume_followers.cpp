#include "volume/volume_followers.hpp"

#include "body/cpu_asset.hpp"
#include "mesh/normals.hpp"

namespace turgor {

Vec3 VolumeFollowers::centre(std::uint32_t corner, std::span<const Vec3> x,
                             std::span<const double> mass) const {
    Vec3 sum = mass[corner] * x[corner];
    for (std::uint32_t k = of_corner.starts[corner]; k < of_corner.starts[corner + 1]; ++k)
        sum += share[k] * mass[of_corner.items[k]] * x[of_corner.items[k]];
    return sum / (mass_factor[corner] * mass[corner]);
}

std::shared_ptr<const VolumeFollowers> make_volume_followers(const BodyAsset& asset, int layers) {
    if (asset.followers.size() == 0 || layers < 1) return nullptr;
    auto made = std::make_shared<VolumeFollowers>();
    std::vector<Vec3> normals(asset.rest.size());
    area_normals(asset.rest, asset.triangles, normals);
    for (std::uint32_t c = 0; c < asset.surface_count; ++c) {
        double mass = asset.mass[c];
        asset.each_follower(c, [&](std::uint32_t i, double share) {
            if (asset.layer[i] > layers) return;
            const double felt = share * (1 - asset.layer[i] / (layers + 1.0));
            made->of_corner.items.push_back(i);
            made->share.push_back(felt);
            mass += felt * asset.mass[i];
        });
        made->of_corner.end_row();
        made->rest_area.push_back(norm(normals[c]));
        made->mass_factor.push_back(mass / asset.mass[c]);
    }
    made->of_corner.shrink();
    made->share.shrink_to_fit();
    return made;
}

std::shared_ptr<const CpuVolumeFollowers> make_cpu_volume_followers(
    const BodyAsset& asset, const VolumeFollowers& followers) {
    auto made = std::make_shared<CpuVolumeFollowers>();
    const std::size_t surface = asset.surface_count, padded = CpuLayout::padded(surface);
    const auto& [starts, items] = followers.of_corner;
    made->starts = starts;
    made->mass_factor.resize(padded);
    made->own.resize(padded);
    made->rest_area.assign(followers.rest_area.begin(), followers.rest_area.end());
    made->rest_area.resize(padded);
    std::vector<std::uint32_t>& first = made->corner_starts;
    first.assign(asset.rest.size() - surface + 1, 0);
    for (const std::uint32_t i : items) ++first[i - surface + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    made->corners.resize(items.size());
    for (std::uint32_t c = 0; c < surface; ++c) {
        const double factor = followers.mass_factor[c], mass = factor * asset.mass[c];
        made->mass_factor[c] = static_cast<float>(factor);
        made->own[c] = static_cast<float>(1 / factor);
        for (std::uint32_t k = starts[c]; k < starts[c + 1]; ++k) {
            const double share = followers.share[k];
            made->parts.push_back(
                {items[k], static_cast<float>(share * asset.mass[items[k]] / mass)});
            made->corners[next[items[k] - surface]++] = {c, static_cast<float>(share)};
        }
    }
    return made;
}

namespace {

template <class List>
std::size_t size_of(const List& list) {
    return list.size() * sizeof(list[0]);
}

}  // namespace

std::size_t bytes(const VolumeFollowers& f) {
    return size_of(f.of_corner.starts) + size_of(f.of_corner.items) + size_of(f.share) +
           size_of(f.mass_factor) + size_of(f.rest_area);
}

std::size_t bytes(const CpuVolumeFollowers& f) {
    return size_of(f.own) + size_of(f.starts) + size_of(f.parts) + size_of(f.mass_factor) +
           size_of(f.rest_area) + size_of(f.corner_starts) + size_of(f.corners);
}

}  // namespace turgor
