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

}  // namespace

Vertices Inspection::region(const Body& body, std::uint32_t vertex) {
    const BodyRecord& record = body.record();
    const BodyAsset& asset = record.asset();
    Vertices vertices = record.elastic->region_around(asset.particle_of_vertex.at(vertex));
    for (std::uint32_t& v : vertices) v = asset.vertex_of_particle[v];
    return vertices;
}

std::vector<Vertices> Inspection::paths(const Body& body) {
    const BodyRecord& record = body.record();
    std::vector<Vertices> paths = record.elastic->paths();
    for (Vertices& path : paths)
        for (std::uint32_t& v : path) v = record.asset().vertex_of_particle[v];
    return paths;
}

std::vector<Inspection::Strut> Inspection::struts(const Body& body) {
    const BodyAsset& asset = body.record().asset();
    const std::vector<std::uint32_t>& partner = body.record().parts.volume.struts->partner;
    std::vector<Strut> struts;
    for (std::uint32_t i = 0; i < partner.size(); ++i)
        if (partner[i] != i)
            struts.push_back({asset.vertex_of_particle[i], asset.vertex_of_particle[partner[i]]});
    return struts;
}

std::vector<std::array<Vec3f, 2>> Inspection::cells(const Body& body) {
    BodyRecord& record = body.record();
    const auto bonds = record.elastic->bonds();
    if (bonds.empty()) return {};
    const BodyView view = body.world_->view(record);
    std::vector<std::array<Vec3f, 2>> edges;
    for (const auto& [a, b] : bonds) edges.push_back({to_float(view.x[a]), to_float(view.x[b])});
    return edges;
}

std::vector<Inspection::CellVolume> Inspection::cell_volumes(const Body& body) {
    BodyRecord& record = body.record();
    const BodyView view = body.world_->view(record);
    std::vector<CellVolume> volumes;
    for (const ElasticBody::CellVolume& cell : record.elastic->cell_volumes(view.x)) {
        CellVolume& made = volumes.emplace_back();
        made.error = cell.error;
        for (std::size_t k = 0; k < 8; ++k) made.corners[k] = view.x[cell.corners[k]];
    }
    return volumes;
}

std::vector<Inspection::Share> Inspection::clusters(const Body& body) {
    const BodyAsset& asset = body.record().asset();
    std::vector<Share> shares;
    for (const auto& m : body.record().elastic->clusters())
        if (m.particle < asset.surface_count)
            shares.push_back({asset.vertex_of_particle[m.particle], m.cluster, m.share});
    return shares;
}

std::vector<Vec3> Inspection::goals(const Body& body) {
    BodyRecord& record = body.record();
    const BodyAsset& asset = record.asset();
    const BodyView view = body.world_->view(record);
    std::vector<Vec3> of_particle(record.count), goals(asset.surface_count);
    if (!record.elastic->find_goals(view.x, of_particle)) return {};
    for (std::size_t i = 0; i < goals.size(); ++i)
        goals[asset.vertex_of_particle[i]] = of_particle[i];
    return goals;
}

Inspection::Shown Inspection::rest_shape(const Body& body) {
    BodyRecord& record = body.record();
    const BodyView view = body.world_->view(record);
    std::vector<Vec3> at(view.x.size());
    Quat orientation = record.orientation;
    match_whole_body(record.elastic->rest_shape(), view.mass, view.x, orientation, at);
    DisplayGeometry shown;
    show(record.asset(), at, shown);
    if (record.asset().shows_surface()) return {shown.positions, shown.normals};
    return {shown.display_positions, shown.display_normals};
}

std::vector<Inspection::Mark> Inspection::contacts(const Body& body) {
    const BodyRecord& record = body.record();
    std::vector<Mark> marks;
    for (const Contact& contact : record.contacts)
        if (contact.touching) marks.push_back({contact.point, contact.normal});
    for (const ActiveContact& touch : record.contact_summary.contacts)
        marks.push_back({touch.point, touch.normal});
    return marks;
}

std::vector<double> Inspection::weights(const Body& body) {
    BodyRecord& record = body.record();
    const BodyAsset& asset = record.asset();
    std::vector<double> weights(asset.surface_count, 1.0);
    if (record.volume_mode != VolumeMode::local) return weights;
    const BodyView view = body.world_->view(record);
    std::vector<double> change(record.count), of_particle(record.count);
    record.elastic->find_change(view.x, change);
    const WeightSettings settings{.alpha = record.material.alpha,
                                  .beta = record.material.beta,
                                  .noise = weight_noise(record)};
    local_weights(asset, record.parts.volume, view.x, change, settings, of_particle);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[asset.vertex_of_particle[i]] = of_particle[i];
    return weights;
}

std::vector<double> Inspection::on_display(const Body& body, std::span<const double> values) {
    const BodyAsset& asset = body.record().asset();
    if (asset.shows_surface()) return {values.begin(), values.end()};
    std::vector<double> shown;
    if (const EmbeddedDisplay* const embedded = asset.embedded()) {
        // Only corners of the surface have values; what is bound to none of them has those of the
        // corners that its particles are behind.
        std::vector<double> inside(asset.rest.size());
        for (std::uint32_t c = 0; c < asset.followers.size(); ++c)
            asset.each_follower(c, [&](std::uint32_t i, double share) {
                inside[i] += share * values[asset.vertex_of_particle[c]];
            });
        for (const CellBinding& binding : embedded->bindings) {
            double sum = 0, total = 0, behind = 0;
            for (std::size_t k = 0; k < 8; ++k) {
                behind += binding.weights[k] * inside[binding.corners[k]];
                if (binding.corners[k] >= asset.surface_count) continue;
                const double weight = std::max(binding.weights[k], 1e-6);
                sum += weight * values[asset.vertex_of_particle[binding.corners[k]]];
                total += weight;
            }
            shown.push_back(total > 0 ? sum / total : behind);
        }
        return shown;
    }
    for (const DetailBinding& binding : asset.detail()->bindings) {
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
