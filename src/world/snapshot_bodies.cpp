#include <algorithm>

#include "world/snapshot_fields.hpp"

namespace turgor {

template <class A>
void describe(A& a, Of<A, Plasticity>& p) {
    a("yield", p.yield);
    a("flow_time", p.flow_time);
    a("creep_time", p.creep_time);
    a("healing_time", p.healing_time);
    a("cap", p.cap);
    a("hardening", p.hardening);
}

template <class A>
void describe(A& a, Of<A, Material>& m) {
    a("density", m.density);
    a("frequency", m.frequency);
    a("damping_ratio", m.damping_ratio);
    a("alpha", m.alpha);
    a("beta", m.beta);
    a("friction", m.friction);
    a("restitution", m.restitution);
    a("omega", m.omega);
    a("stiffness", m.stiffness);
    a("damping", m.damping);
    a("static_friction", m.static_friction);
    a("surface", m.surface);
    a("plasticity", m.plasticity);
    if constexpr (A::reads) a.require(problem_with(m));
}

struct NamedSetting {
    std::string name;
    double value = 0;
};

template <class A>
void describe(A& a, Of<A, NamedSetting>& setting) {
    a("name", setting.name);
    a("value", setting.value);
}

/// What the elastic model owns: its name and settings, a version of its own, and bytes that only it
/// understands.
template <class A>
void describe(A& a, Of<A, ModelState>& model) {
    auto& [made_with, version, bytes] = model;
    a("name", made_with.name);
    std::vector<NamedSetting> settings;
    if constexpr (!A::reads)
        for (const auto& [name, value] : made_with.settings) settings.push_back({name, value});
    a.list("settings", settings, [&](Of<A, NamedSetting>& setting) {
        describe(a, setting);
        if constexpr (A::reads) made_with.settings[setting.name] = setting.value;
    });
    a("version", version);
    if constexpr (A::reads) {
        const ElasticModel& known = *a.naming([&] { return &model_of(made_with); });
        if (version != known.snapshot_version())
            a.refuse("is of version {}, and this build reads version {} of '{}'", version,
                     known.snapshot_version(), made_with.name);
    }
    a.array("state", bytes);
}

template <class A>
void describe_closing(A& a, Of<A, SelfClosing>& closing) {
    double speed = closing.speed();
    bool is_ahead = closing.is_ahead();
    a("closing", speed);
    a("looked_ahead", is_ahead);
    if constexpr (A::reads) closing = SelfClosing(speed, is_ahead);
}

template <class A>
void describe(A& a, Of<A, SelfContact>& self) {
    a("wanted", self.wanted);
    a("self_intersecting", self.self_intersecting);
    a("clearance", self.clearance);
    a("travelled", self.travelled, not_negative);
    describe_closing(a, self.closing);
    a.list("clusters", self.clusters, [&](Of<A, SelfContact::Cluster>& cluster) {
        a("gap", cluster.gap);
        a("seen", cluster.seen, not_negative);
    });
}

template <class A>
void describe(A& a, Of<A, Extent>& extent) {
    const Between range{0, std::numeric_limits<float>::max()};
    a("reach", extent.reach, range);
    a("speed", extent.speed, range);
    a("deforming", extent.deforming, range);
}

namespace {

/// `count`: of the body's particles.
template <class A>
void describe_handle(A& a, Of<A, Handle>& h, std::size_t count, double time) {
    a.kind("kind", h.kind, Handle::Kind::follow);
    a("id", h.id);
    a.array("particles", h.particles, {1, count}, Below{count});
    const std::size_t n = h.particles.size();
    if (h.kind == Handle::Kind::pin) {
        a("pivot", h.pivot);
        a.array("offsets", h.offsets, Size::exactly(n));
        a("path", h.path);
        a("start_time", h.start_time, Between{0, time});
    } else {
        const Size targets = Size::exactly(h.kind == Handle::Kind::drag ? 1 : n);
        a.array("targets", h.targets, targets);
        a.array("previous_targets", h.previous_targets, targets);
        if (h.kind == Handle::Kind::drag)
            a("frequency", h.frequency, Positive{1000});
        else
            a.array("strength", h.strength, Size::exactly(n), Between{0, 1});
    }
    if constexpr (A::reads)
        a.require(std::ranges::is_sorted(h.particles, std::ranges::less_equal{}),
                  "has particles that do not ascend");
}

struct VertexForce {
    std::uint32_t particle = 0;
    Vec3 force;
};

template <class A>
void describe_forces(A& a, Of<A, std::map<std::uint32_t, Vec3>>& forces, std::size_t count) {
    std::vector<VertexForce> all;
    if constexpr (!A::reads)
        for (const auto& [particle, force] : forces) all.push_back({particle, force});
    a.list("forces", all, [&](Of<A, VertexForce>& f) {
        a("particle", f.particle, Below{count});
        a("force", f.force);
        if constexpr (A::reads)
            a.require(forces.emplace(f.particle, f.force).second, "is on the same particle again");
    });
}

/// Particles: corners of the surface, and those that the model adds inside.
Size at_least(std::size_t count) {
    return {count, std::numeric_limits<std::uint64_t>::max()};
}

/// What every body has, whatever it is made of.
template <class A>
void describe_common(A& a, BodyState<A>& state, double time, const SnapshotTables& tables) {
    auto& body = *state.record;
    a("id", body.id);
    a("name", body.name);
    a("source", state.source, Below{tables.sources.size()});
    a("corners", state.corners, Between{1, std::numeric_limits<std::uint32_t>::max()});
    const std::size_t count = state.corners;
    a("material", body.material);
    a.kind("volume_mode", body.volume_mode, VolumeMode::off);
    a("gravity_factor", body.gravity_factor);
    a("filter", body.filter);
    a("colour", body.colour);
    a("force", body.force);
    describe_forces(a, body.forces, count);
    a.list("handles", body.handles,
           [&](Of<A, Handle>& handle) { describe_handle(a, handle, count, time); });
    describe(a, static_cast<Of<A, ContactLog>&>(body));
    a("self", body.self);
    if constexpr (A::reads)
        a.require(body.self.clusters.size() <= count, "has more clusters than particles");
    a("sleep_timer", body.sleep_timer, not_negative);
    a("asleep", body.asleep);
    a("recovering", body.recovering);
    a("orientation", body.orientation);
    // As the back end keeps them, so that continuing from it gives the same bits.
    a("single", state.single);
    if (state.single) {
        auto& cpu = body.cpu;
        a("origin", cpu.origin);
        a("drift", cpu.drift);
        a("mean_x", cpu.mean_x);
        a("mean_v", cpu.mean_v);
        a("extent", cpu.extent);
        a.array("x", state.single_x, at_least(count));
        a.array("v", state.single_v, Size::exactly(state.single_x.size()));
    } else {
        a.array("x", state.x, at_least(count));
        a.array("v", state.v, Size::exactly(state.x.size()));
        a.array("pressed", state.pressed, Size::exactly(state.x.size()));
    }
}

template <class A>
void describe_body(A& a, BodyState<A>& state, double time, const SnapshotTables& tables) {
    a.chunk("common", "body", 1, [&] { describe_common(a, state, time, tables); });
    a("model", state.model);
}

float largest_component(const Quad& q) {
    return std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)});
}

/// The bounds that a body keeps must hold for its particles: fixed-point sums rely on them.
bool holds(const Extent& extent, const SavedBody& saved) {
    Extent actual;
    for (std::size_t i = 0; i < saved.single_x.size(); ++i)
        actual.add({largest_component(saved.single_x[i]), largest_component(saved.single_v[i])});
    return extent.reach >= actual.reach && extent.speed >= actual.speed;
}

void load_single(BodyRecord& body, const SavedBody& saved) {
    const auto load = [&](const std::vector<Quad>& from, AlignedVector<Quad>& to, Quad unused) {
        to.assign(from.begin(), from.end());
        to.resize(CpuLayout::padded(from.size()), unused);
    };
    load(saved.single_x, body.cpu.x, {});
    load(saved.single_v, body.cpu.v, {});
    for (Quad& x : std::span(body.cpu.x).first(saved.single_x.size())) unpin(x);
    body.copies.loaded();
}

}  // namespace

void write_bodies(SnapshotWriter& out, WorldImpl& world, const SnapshotTables& tables) {
    out.list("bodies", world.bodies, [&](const auto& body) {
        world.particles_of(*body);
        BodyState<SnapshotWriter> state;
        state.record = body.get();
        state.source = static_cast<std::uint32_t>(
            std::ranges::find(tables.sources, body->parts.source) - tables.sources.begin());
        state.corners = static_cast<std::uint32_t>(body->asset().surface_count);
        // What was changed from outside is still in the mirror, and is loaded in the next step.
        state.single = world.cpu_is_current(*body);
        if (state.single) {
            const auto used = [&](const auto& all) { return std::span(all).first(body->count); };
            state.single_x = used(body->cpu.x);
            state.single_v = used(body->cpu.v);
            if (!body->copies.mirror_is_current()) body->elastic->to_reference();
        } else {
            const BodyView mirror = world.mirror(*body);
            state.x = mirror.x;
            state.v = mirror.v;
            state.pressed = mirror.pressed;
        }
        state.model.made_with = body->made_with;
        state.model.version = body->model->snapshot_version();
        ByteWriter model;
        body->elastic->write(model);
        for (const std::byte b : model.bytes)
            state.model.bytes.push_back(std::to_integer<std::uint8_t>(b));
        describe_body(out, state, world.time, tables);
    });
}

void read_bodies(SnapshotReader& in, double time, const SnapshotTables& tables,
                 std::vector<SavedBody>& bodies) {
    in.list("bodies", bodies, [&](SavedBody& saved) {
        saved.record = saved.owned.get();
        describe_body<SnapshotReader>(in, saved, time, tables);
        in.require(!saved.single || holds(saved.record->cpu.extent, saved),
                   "has particles beyond its extent");
    });
}

void add_saved(WorldImpl& world, SavedBody& saved, const SnapshotTables& tables) {
    BodyRecord& body = *saved.owned;
    body.parts.source = tables.sources[saved.source];
    body.made_with = saved.model.made_with;
    body.model = &model_of(body.made_with);
    const Material material = body.material;
    try {
        world.apply_material(body, material);
    } catch (const Error& e) {
        if (e.code() != ErrorCode::bad_mesh && e.code() != ErrorCode::bad_argument) throw;
        fail(ErrorCode::bad_snapshot, "the snapshot's body '{}': {}", body.name, e.what());
    }
    ByteReader model(std::as_bytes(std::span(saved.model.bytes)));
    body.elastic->read(model);
    if (model.left() != 0)
        fail(ErrorCode::bad_snapshot, "the snapshot's body '{}' has more state than its model",
             body.name);
    // One that was torn has another surface now.
    if (body.parts.asset != body.elastic->asset()) world.join_parts(body);
    const std::size_t count = saved.single ? saved.single_x.size() : saved.x.size();
    if (body.asset().rest.size() != count || body.asset().surface_count != saved.corners)
        fail(ErrorCode::bad_snapshot, "the snapshot's body '{}' does not fit its mesh", body.name);
    world.insert(std::move(saved.owned));
    if (saved.single) {
        load_single(body, saved);
        body.elastic->to_cpu();
    } else {
        const BodyView mirror = world.mirror(body);
        std::ranges::copy(saved.x, mirror.x.begin());
        std::ranges::copy(saved.v, mirror.v.begin());
        std::ranges::copy(saved.pressed, mirror.pressed.begin());
    }
    world.view(body);
}

}  // namespace turgor
