#include "step/device/shown_tables.hpp"

#include <algorithm>

namespace turgor::device {
namespace {

std::vector<BindingGiven> with_corners(const BodyAsset& asset) {
    std::vector<BindingGiven> given;
    given.reserve(asset.bindings.size());
    for (const DetailBinding& b : asset.bindings) {
        BindingGiven& g = given.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            g.particle[k] = asset.triangles[b.triangle][k];
            g.vertex[k] = asset.vertex_of_particle[g.particle[k]];
            g.rest_error[k] = static_cast<float>(b.rest_error[static_cast<int>(k)]);
        }
        g.edge = b.edge;
        g.offset = static_cast<float>(b.offset);
        g.b = static_cast<float>(b.weight[1]);
        g.c = static_cast<float>(b.weight[2]);
    }
    return given;
}

/// The triangles around each vertex, as the two corners that follow it.
struct Fans {
    std::vector<std::uint32_t> starts;
    std::vector<std::array<std::uint32_t, 2>> others;

    Fans(std::span<const Triangle> triangles, std::size_t vertices, std::size_t first)
        : starts(vertices + 1), others(3 * triangles.size()) {
        std::vector<std::uint32_t> next(vertices + 1);
        for (const Triangle& t : triangles)
            for (const std::uint32_t corner : t) ++next[corner + 1];
        for (std::size_t i = 0; i < vertices; ++i) next[i + 1] += next[i];
        std::ranges::transform(next, starts.begin(), [&](std::uint32_t start) {
            return start + static_cast<std::uint32_t>(first);
        });
        for (const Triangle& t : triangles)
            for (std::size_t k = 0; k < 3; ++k)
                others[next[t[k]]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};
    }
};

}  // namespace

const ShownTables::Place& ShownTables::of(Queue& queue,
                                          const std::shared_ptr<const BodyAsset>& asset) {
    const auto known = places_.find(asset.get());
    if (known != places_.end()) return known->second;
    Place place = upload(queue, *asset);
    place.asset = asset;
    return places_.emplace(asset.get(), std::move(place)).first->second;
}

ShownTables::Place ShownTables::upload(Queue& queue, const BodyAsset& asset) {
    Place place;
    const bool has_detail = !asset.bindings.empty();
    place.particles = asset.vertex_of_particle.size();
    place.bindings = has_detail ? asset.bindings.size() + 1 : 0;  // and the end of the last fan
    place.others = has_detail ? 3 * asset.display_triangles.size() : 0;
    place.particle = particle_ranges_.take(place.particles);
    place.binding = binding_ranges_.take(place.bindings);
    place.other = other_ranges_.take(place.others);
    const auto put = [&](auto& array, const Ranges& ranges, std::size_t first, const auto& values) {
        array.resize(queue, ranges.end());
        array.write(queue, first, std::span(values));
    };
    const std::vector<BindingGiven> bound = with_corners(asset);
    const Fans fans(asset.display_triangles, bound.size(), place.other);
    put(vertex_of_particle, particle_ranges_, place.particle, asset.vertex_of_particle);
    if (has_detail) {
        put(bindings, binding_ranges_, place.binding, bound);
        put(triangle_starts, binding_ranges_, place.binding, fans.starts);
        put(others, other_ranges_, place.other, fans.others);
    }
    queue.wait();
    return place;
}

void ShownTables::forget_what_is_gone() {
    std::erase_if(places_, [&](const auto& entry) {
        const Place& place = entry.second;
        if (!place.asset.expired()) return false;
        particle_ranges_.give_back(place.particle, place.particles);
        binding_ranges_.give_back(place.binding, place.bindings);
        other_ranges_.give_back(place.other, place.others);
        return true;
    });
}

std::size_t ShownTables::bytes() const {
    return vertex_of_particle.bytes() + bindings.bytes() + triangle_starts.bytes() + others.bytes();
}

}  // namespace turgor::device
