#include "step/device/display_tables.hpp"

#include <algorithm>

namespace turgor::device {
namespace {

std::vector<BindingInput> with_corners(const BodyAsset& asset, const DetailDisplay& detail) {
    std::vector<BindingInput> given;
    given.reserve(detail.bindings.size());
    for (const DetailBinding& b : detail.bindings) {
        BindingInput& g = given.emplace_back();
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

const DisplayTables::TableEntry& DisplayTables::of(Queue& queue,
                                                   const std::shared_ptr<const BodyAsset>& asset) {
    const auto known = known_.find(asset.get());
    if (known != known_.end()) return known->second;
    TableEntry table = upload(queue, *asset);
    table.asset = asset;
    return known_.emplace(asset.get(), std::move(table)).first->second;
}

DisplayTables::TableEntry DisplayTables::upload(Queue& queue, const BodyAsset& asset) {
    TableEntry table;
    const DetailDisplay* const detail = asset.detail();
    table.particles = asset.vertex_of_particle.size();
    table.bindings = detail ? detail->bindings.size() + 1 : 0;  // and the end of the last fan
    table.others = detail ? 3 * detail->triangles.size() : 0;
    table.particle = particle_ranges_.take(table.particles);
    table.binding = binding_ranges_.take(table.bindings);
    table.other = other_ranges_.take(table.others);
    const auto put = [&](auto& array, const Ranges& ranges, std::size_t first, const auto& values) {
        array.resize(queue, ranges.end());
        array.write(queue, first, std::span(values));
    };
    put(vertex_of_particle, particle_ranges_, table.particle, asset.vertex_of_particle);
    std::vector<BindingInput> bound;
    std::optional<Fans> fans;
    if (detail) {
        bound = with_corners(asset, *detail);
        fans.emplace(detail->triangles, bound.size(), table.other);
        put(bindings, binding_ranges_, table.binding, bound);
        put(triangle_starts, binding_ranges_, table.binding, fans->starts);
        put(others, other_ranges_, table.other, fans->others);
    }
    queue.wait();
    return table;
}

void DisplayTables::forget_what_is_gone() {
    std::erase_if(known_, [&](const auto& entry) {
        const TableEntry& table = entry.second;
        if (!table.asset.expired()) return false;
        particle_ranges_.give_back(table.particle, table.particles);
        binding_ranges_.give_back(table.binding, table.bindings);
        other_ranges_.give_back(table.other, table.others);
        return true;
    });
}

std::size_t DisplayTables::bytes() const {
    return vertex_of_particle.bytes() + bindings.bytes() + triangle_starts.bytes() + others.bytes();
}

}  // namespace turgor::device
