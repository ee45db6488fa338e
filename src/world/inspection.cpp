#include "world/inspection.hpp"

#include <algorithm>
#include <limits>

#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "volume/volume.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

using Vertices = Inspection::Vertices;

/// How many edges each particle is from where the sweep of its part began.
std::vector<std::uint32_t> layers(const BodyAsset& asset) {
    constexpr auto unknown = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> layer(asset.rest.size(), unknown);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t first = 0; first < layer.size(); ++first) {
        if (layer[first] != unknown) continue;
        layer[first] = 0;
        queue.assign(1, first);
        for (std::size_t k = 0; k < queue.size(); ++k)
            for (const std::uint32_t next : asset.neighbours[queue[k]])
                if (layer[next] == unknown) {
                    layer[next] = layer[queue[k]] + 1;
                    queue.push_back(next);
                }
    }
    return layer;
}

}  // namespace

Vertices Inspection::region(const Body& body, std::uint32_t vertex) {
    const BodyAsset& asset = body.record().asset();
    Vertices vertices;
    for (const std::uint32_t particle : asset.regions[asset.particle_of_vertex.at(vertex)])
        vertices.push_back(asset.vertex_of_particle[particle]);
    return vertices;
}

std::vector<Vertices> Inspection::paths(const Body& body) {
    const BodyAsset& asset = body.record().asset();
    const std::vector<std::uint32_t> layer = layers(asset);
    std::vector<Vertices> paths;
    for (std::uint32_t i = 0; i < layer.size(); ++i) {
        const bool goes_on = i > 0 && layer[i] == layer[i - 1] &&
                             std::ranges::binary_search(asset.neighbours[i], i - 1);
        if (!goes_on) paths.emplace_back();
        paths.back().push_back(asset.vertex_of_particle[i]);
    }
    return paths;
}

std::vector<Inspection::Strut> Inspection::struts(const Body& body) {
    const BodyAsset& asset = body.record().asset();
    std::vector<Strut> struts;
    for (std::uint32_t i = 0; i < asset.struts.partner.size(); ++i)
        if (asset.struts.partner[i] != i)
            struts.push_back(
                {asset.vertex_of_particle[i], asset.vertex_of_particle[asset.struts.partner[i]]});
    return struts;
}

std::vector<Inspection::Mark> Inspection::contacts(const Body& body) {
    const BodyRecord& record = body.record();
    std::vector<Mark> marks;
    for (const Contact& contact : record.contacts)
        if (contact.touching) marks.push_back({contact.point, contact.normal});
    for (const Touch& touch : record.met.touches) marks.push_back({touch.point, touch.normal});
    return marks;
}

std::vector<double> Inspection::weights(const Body& body) {
    BodyRecord& record = body.record();
    const BodyAsset& asset = record.asset();
    std::vector<double> weights(record.count, 1.0);
    if (record.volume_mode != VolumeMode::local) return weights;
    const BodyView view = body.world_->view(record);
    std::vector<Quat> rotations(view.rotation.begin(), view.rotation.end());
    std::vector<Vec3> goals(record.count);
    match_regions(asset, *record.prepared.rest, view.x, rotations, goals);
    std::vector<double> change(record.count), of_particle(record.count);
    for (std::size_t i = 0; i < change.size(); ++i)
        change[i] = record.parameters.stiffness * norm(goals[i] - view.x[i]);
    const WeightSettings settings{record.material.alpha, record.material.beta};
    local_weights(asset, view.x, change, settings, of_particle);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[asset.vertex_of_particle[i]] = of_particle[i];
    return weights;
}

std::vector<double> Inspection::on_display(const Body& body, std::span<const double> values) {
    const BodyAsset& asset = body.record().asset();
    if (asset.bindings.empty()) return {values.begin(), values.end()};
    std::vector<double> shown;
    for (const DetailBinding& binding : asset.bindings) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k)
            sum += binding.weight[k] *
                   values[asset.vertex_of_particle[asset.triangles[binding.triangle][k]]];
        shown.push_back(sum);
    }
    return shown;
}

DeviceWorld* Inspection::device(const World& world) {
    return world.impl_->device.get();
}

std::optional<Inspection::Pairs> Inspection::pairs_ahead(const World& world, double dt) {
    Pairs pairs;
    if (!device(world) || !device(world)->pairs_ahead(*world.impl_, dt, pairs)) return {};
    return pairs;
}

}  // namespace turgor
