#include <algorithm>

#include "base/cancel.hpp"
#include "volume/volume.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

/// Where there are as many nothing tears any more.
constexpr std::size_t most_bodies = 4096;

/// What of a body's particles a piece takes over, in its own order.
struct Taken {
    std::vector<Vec3> x, v;
    std::vector<double> pressed;
    std::map<std::uint32_t, Vec3> forces;
    std::vector<Handle> handles;
};

/// The same handle for those of its particles that a piece has.
Handle handle_of_piece(const Handle& whole, std::span<const std::uint32_t> before) {
    Handle part = whole;
    part.particles.clear();
    part.offsets.clear();
    part.strength.clear();
    const bool each_has_target = whole.kind == Handle::Kind::follow;
    if (each_has_target) part.targets.clear(), part.previous_targets.clear();
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        const auto at = std::ranges::lower_bound(whole.particles, before[i]);
        if (at == whole.particles.end() || *at != before[i]) continue;
        const auto k = static_cast<std::size_t>(at - whole.particles.begin());
        part.particles.push_back(i);
        if (whole.kind == Handle::Kind::pin) part.offsets.push_back(whole.offsets[k]);
        if (!each_has_target) continue;
        part.strength.push_back(whole.strength[k]);
        part.targets.push_back(whole.targets[k]);
        part.previous_targets.push_back(whole.previous_targets[k]);
    }
    return part;
}

/// `asset`: the piece's. A force on a particle is shared out by mass among those that it becomes.
Taken take(const BodyView& view, const BodyAsset& asset, std::span<const std::uint32_t> before) {
    Taken taken;
    const BodySim& body = view.body;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        taken.x.push_back(view.x[before[i]]);
        taken.v.push_back(view.v[before[i]]);
        taken.pressed.push_back(view.pressed[before[i]]);
        if (const auto at = body.forces.find(before[i]); at != body.forces.end())
            taken.forces[i] = asset.mass[i] / body.asset().mass[before[i]] * at->second;
    }
    for (const Handle& handle : body.handles) {
        Handle part = handle_of_piece(handle, before);
        if (!part.particles.empty()) taken.handles.push_back(std::move(part));
    }
    return taken;
}

/// A piece that came off, with everything that its body was told.
std::unique_ptr<BodyRecord> made_like(const BodyRecord& body) {
    auto piece = std::make_unique<BodyRecord>();
    piece->name = body.name;
    piece->colour = body.colour;
    piece->parts.source = body.parts.source;
    piece->model = body.model;
    piece->made_with = body.made_with;
    piece->form = body.form;
    piece->material = body.material;
    piece->volume_mode = body.volume_mode;
    piece->gravity_factor = body.gravity_factor;
    piece->filter = body.filter;
    piece->orientation = body.orientation;
    piece->self.wanted = body.self.wanted;
    return piece;
}

/// The volume was that of the whole: each piece has its own at once, without velocity.
void restore_volume(const BodyView& view) {
    const BodyAsset& asset = view.body.asset();
    if (view.body.volume_mode == VolumeMode::off) return;
    std::vector<double> weight(view.x.size());
    set_uniform_weights(asset, weight);
    const std::vector<Support> free(view.x.size());
    correct_positions({asset, asset.rest_volume, view.mass, weight, free, asset.size, true, true,
                       view.body.parts.volume.followers.get()},
                      view.x, view.x);
}

}  // namespace

void WorldImpl::resize_particles(BodyRecord& body, std::size_t count) {
    const std::size_t end = body.first + body.count;
    if (count < body.count) particles.erase(body.first + count, body.count - count);
    if (count > body.count) particles.insert(end, count - body.count);
    for (auto& other : bodies)
        if (other->first >= end) other->first = other->first + count - body.count;
    body.count = count;
}

void WorldImpl::tear(BodyRecord& body, std::vector<ElasticBody::Piece>& pieces) {
    const BodyView whole = edit(body);
    std::vector<Taken> taken;
    for (const auto& piece : pieces)
        taken.push_back(take(whole, *piece.elastic->asset(), piece.particle_before));
    const Vec3 force_per_mass = body.force / body.mass;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        BodyRecord* record = &body;
        if (k == 0) {
            body.elastic = std::move(pieces[0].elastic);
            body.parts.tree = nullptr;
            join_parts(body);
            resize_particles(body, body.asset().rest.size());
            weigh(body);
        } else {
            auto made = made_like(body);
            made->elastic = std::move(pieces[k].elastic);
            join_parts(*made);
            made->id = next_id++;
            made->name = names.take(made->name);
            record = &insert(std::move(made));
        }
        const BodyView view = edit(*record);
        std::ranges::copy(taken[k].x, view.x.begin());
        std::ranges::copy(taken[k].v, view.v.begin());
        std::ranges::copy(taken[k].pressed, view.pressed.begin());
        restore_volume(view);
        record->forces = std::move(taken[k].forces);
        record->handles = std::move(taken[k].handles);
        record->force = record->mass * force_per_mass;
        record->contacts.clear();
        record->boxes = {};
        record->self_search = {};
        record->self.mark_unknown();
        record->recovering = false;
        tears.push_back({body.id, record->id});
    }
}

void WorldImpl::tear_bodies() {
    // Those that come off wait for the next step.
    const std::size_t count = bodies.size();
    for (std::size_t i = 0; i < count && bodies.size() < most_bodies; ++i) {
        BodyRecord& body = *bodies[i];
        if (body.asleep || body.recovering || body.overflowed || !body.elastic->can_tear())
            continue;
        check_cancelled();
        auto pieces = body.elastic->tear(view(body).x);
        if (!pieces.empty()) tear(body, pieces);
    }
}

}  // namespace turgor
