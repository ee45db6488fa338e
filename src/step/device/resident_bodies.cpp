#include "step/device/resident_bodies.hpp"

#include <algorithm>

#include "device/convert.hpp"

namespace turgor::device {

void ResidentBodies::arrive(BodySim& body) {
    const DeviceRest rest = device_rest(body);
    auto& at = body.device.slot;
    if (at != BodySim::no_slot && slots_[at].rest == rest) return;
    if (at != BodySim::no_slot) {
        fetch(body);
        leave(at);
    }
    const auto empty =
        std::ranges::find_if(slots_, [](const BodySlot& p) { return !p.rest.asset; });
    at = static_cast<std::uint32_t>(empty - slots_.begin());
    if (empty == slots_.end()) slots_.emplace_back();
    BodySlot& slot = slots_[at];
    slot.model = step_.number_of(queue_, *body.model);
    slot.asset_particle = assets.take(queue_, rest, [&](std::size_t first, std::size_t end) {
        step_.models[slot.model].form->upload(queue_, *body.elastic, first, end);
    });
    slot.rest = rest;
    slot.particle = particle_ranges_.take(rest.asset->padded);
    slot.row = row_ranges_.take(rest.asset->rows());
    particles.resize(queue_, particle_ranges_.end(), row_ranges_.end());
    for (auto& model : step_.models)
        model.form->resize(queue_, particle_ranges_.end(), row_ranges_.end());
    body.copies.device_is_left();
}

void ResidentBodies::arrive_surface(BodySim& body) {
    CollisionSurfaceSlot& surface = slots_[body.device.slot].surface;
    if (surface.tree) return;
    step_.islands.arrive(queue_, body.asset(), body.parts.tree, surface);
    load_clusters(body);
}

void ResidentBodies::release(BodySim& body) {
    if (body.device.slot == BodySim::no_slot) return;
    leave(body.device.slot);
    body.device.slot = BodySim::no_slot;
}

void ResidentBodies::leave(std::uint32_t at) {
    BodySlot& slot = slots_[at];
    particle_ranges_.give_back(slot.particle, slot.rest.asset->padded);
    row_ranges_.give_back(slot.row, slot.rest.asset->rows());
    step_.islands.leave(slot.surface);
    assets.give_back(slot.rest);
    slot = {};
}

bool ResidentBodies::holds(const BodySim& body) const {
    const auto at = body.device.slot;
    return at != BodySim::no_slot && body.copies.device_is_current() &&
           slots_[at].rest == device_rest(body);
}

void ResidentBodies::load(BodySim& body) {
    if (body.copies.device_is_current()) return;
    const BodySlot& slot = slots_[body.device.slot];
    const CpuBody& from = body.cpu;
    particles.x.write(queue_, slot.particle, from.x);
    particles.v.write(queue_, slot.particle, from.v);
    particles.elastic_state.write(queue_, slot.particle, body.elastic->cpu()->state());
    BodyState state{};
    state.origin = to_device(from.origin);
    state.drift = to_device(from.drift);
    state.mean_x = to_device(from.mean_x);
    state.mean_v = to_device(from.mean_v);
    state.reach = from.extent.reach;
    state.speed = from.extent.speed;
    state.deforming = from.extent.deforming;
    state.clearance = body.self.clearance;
    state.travelled = body.self.travelled;
    state.self_intersecting = body.self.self_intersecting;
    state.closing = static_cast<float>(body.self.closing.speed());
    step_.bodies.states.resize(queue_, slots_.size());
    step_.bodies.states.write(queue_, body.device.slot, std::span(&state, 1));
    queue_.wait();
    body.copies.uploaded();
    if (slot.surface.tree) load_clusters(body);
}

/// When its clusters were last looked at (self_contact_schedule.cpp).
void ResidentBodies::load_clusters(BodySim& body) {
    const CollisionSurfaceInput& given = slots_[body.device.slot].surface.given;
    const SelfContact& self = body.self;
    std::vector<ClusterState> states(given.vertices.leaves,
                                     {std::max(0.0, self.clearance), self.travelled});
    if (self.clusters.size() == states.size())
        std::ranges::transform(self.clusters, states.begin(), [](const SelfContact::Cluster& c) {
            return ClusterState{c.gap, c.seen};
        });
    step_.islands.clusters.write(queue_, given.cluster, std::span<const ClusterState>(states));
    queue_.wait();
}

void ResidentBodies::fetch_clusters(BodySim& body) {
    const CollisionSurfaceSlot& surface = slots_[body.device.slot].surface;
    if (!surface.tree) return;
    std::vector<ClusterState> states(surface.given.vertices.leaves);
    step_.islands.clusters.read(queue_, surface.given.cluster, std::span(states));
    queue_.wait();
    body.self.clusters.clear();
    for (const ClusterState& c : states) body.self.clusters.push_back({c.gap, c.seen});
}

void ResidentBodies::fetch(BodySim& body) {
    if (!body.copies.device_is_ahead()) return;
    ++fetches_;
    const BodySlot& slot = slots_[body.device.slot];
    particles.x.read(queue_, slot.particle, body.cpu.x);
    particles.v.read(queue_, slot.particle, body.cpu.v);
    particles.elastic_state.read(queue_, slot.particle, body.elastic->cpu()->state());
    queue_.wait();
    fetch_clusters(body);
    body.copies.fetched();
}

AlignedVector<Quad> ResidentBodies::read_start(const BodySim& body) {
    AlignedVector<Quad> start(slot(body).rest.asset->padded);
    particles.x_start.read(queue_, slot(body).particle, start);
    queue_.wait();
    return start;
}

void ResidentBodies::keep() {
    kept_.x.copy(queue_, particles.x);
    kept_.v.copy(queue_, particles.v);
    kept_.elastic_state.copy(queue_, particles.elastic_state);
    kept_.states.copy(queue_, step_.bodies.states);
    kept_.clusters.copy(queue_, step_.islands.clusters);
}

void ResidentBodies::bring_back() {
    particles.x.copy(queue_, kept_.x);
    particles.v.copy(queue_, kept_.v);
    particles.elastic_state.copy(queue_, kept_.elastic_state);
    step_.bodies.states.copy(queue_, kept_.states);
    step_.islands.clusters.copy(queue_, kept_.clusters);
}

}  // namespace turgor::device
