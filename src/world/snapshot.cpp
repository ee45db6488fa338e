#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "body/check.hpp"
#include "contact/collider_surface.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

constexpr std::uint64_t magic = 0x3150414e53475254;  // "TRGSNAP1"
constexpr std::uint32_t version = 6;

// The writer and the reader of each thing stand side by side; both go through the same list of
// fields.

void put_bool(ByteWriter& out, bool value) {
    out.put<std::uint8_t>(value ? 1 : 0);
}
bool get_bool(ByteReader& in) {
    return in.get<std::uint8_t>() != 0;
}

template <class Enum>
void put_enum(ByteWriter& out, Enum value) {
    out.put(static_cast<std::uint32_t>(value));
}
template <class Enum>
Enum get_enum(ByteReader& in, Enum last) {
    const auto value = in.get<std::uint32_t>();
    if (value > static_cast<std::uint32_t>(last))
        fail(ErrorCode::bad_snapshot, "the snapshot holds an unknown kind {}", value);
    return static_cast<Enum>(value);
}

void put(ByteWriter& out, const WorldSettings& s) {
    const Formulation& f = s.formulation;
    out.put(s.gravity);
    out.put(f.surface.normal_point_weight);
    for (const bool value : {f.surface.share_mass, f.exact_volume, f.momentum_free_volume,
                             f.contact_fade, f.velocities_from_positions, f.settle, f.recover})
        put_bool(out, value);
}
void get(ByteReader& in, WorldSettings& s) {
    Formulation& f = s.formulation;
    s.gravity = in.get<Vec3>();
    f.surface.normal_point_weight = in.get<double>();
    for (bool* value : {&f.surface.share_mass, &f.exact_volume, &f.momentum_free_volume,
                        &f.contact_fade, &f.velocities_from_positions, &f.settle, &f.recover})
        *value = get_bool(in);
}

void put(ByteWriter& out, const Path& path) {
    out.put_array(path.keys);
    put_bool(out, path.loop);
    put_bool(out, path.smooth);
}
void get(ByteReader& in, Path& path) {
    path.keys = in.get_array<Path::Key>();
    path.loop = get_bool(in);
    path.smooth = get_bool(in);
}

template <class T>
void put_optional(ByteWriter& out, const std::optional<T>& value) {
    put_bool(out, value.has_value());
    out.put(value.value_or(T{}));
}
template <class T>
void get_optional(ByteReader& in, std::optional<T>& value) {
    const bool there = get_bool(in);
    const T stored = in.get<T>();
    value = there ? std::optional<T>(stored) : std::nullopt;
}

void put(ByteWriter& out, const Mesh& mesh) {
    out.put_string(mesh.name);
    out.put_array(mesh.vertices);
    out.put_array(mesh.triangles);
}
void get(ByteReader& in, Mesh& mesh) {
    mesh.name = in.get_string();
    mesh.vertices = in.get_array<Vec3>();
    mesh.triangles = in.get_array<Triangle>();
}

void put(ByteWriter& out, const Material& m) {
    for (const double value :
         {m.density, m.frequency, m.damping_ratio, m.alpha, m.beta, m.friction, m.restitution})
        out.put(value);
    put_optional(out, m.omega);
    put_optional(out, m.stiffness);
    put_optional(out, m.damping);
    put_optional(out, m.static_friction);
    out.put_string(m.surface);
}
void get(ByteReader& in, Material& m) {
    for (double* value : {&m.density, &m.frequency, &m.damping_ratio, &m.alpha, &m.beta,
                          &m.friction, &m.restitution})
        *value = in.get<double>();
    get_optional(in, m.omega);
    get_optional(in, m.stiffness);
    get_optional(in, m.damping);
    get_optional(in, m.static_friction);
    m.surface = in.get_string();
}

void put(ByteWriter& out, const FrictionPairs& pairs) {
    out.put<std::uint64_t>(pairs.all().size());
    for (const auto& [names, pair] : pairs.all()) {
        out.put_string(names.first);
        out.put_string(names.second);
        out.put(pair.friction);
        put_optional(out, pair.static_friction);
        put_optional(out, pair.restitution);
    }
}
void get(ByteReader& in, FrictionPairs& pairs) {
    const auto count = in.get<std::uint64_t>();
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::string first = in.get_string(), second = in.get_string();
        PairFriction pair;
        pair.friction = in.get<double>();
        get_optional(in, pair.static_friction);
        get_optional(in, pair.restitution);
        if (const auto problem = problem_with(pair))
            fail(ErrorCode::bad_snapshot, "friction of a pair: {}", *problem);
        pairs.set(FrictionPairs::names(first, second), pair);
    }
}

void put(ByteWriter& out, const Collider& c) {
    put_enum(out, c.shape);
    out.put_string(c.name);
    out.put(c.pose);
    put(out, c.path);
    out.put(c.radius);
    out.put(c.height);
    out.put(c.half_extent);
    out.put(c.wall);
    out.put(c.thickness);
    out.put(c.filter);
    put_bool(out, c.sensor);
    put_optional(out, c.friction);
    put_optional(out, c.restitution);
    put_optional(out, c.static_friction);
    out.put_string(c.surface);
}
void get(ByteReader& in, Collider& c) {
    c.shape = get_enum(in, ColliderShape::height_field);
    c.name = in.get_string();
    c.pose = in.get<Pose>();
    get(in, c.path);
    c.radius = in.get<double>();
    c.height = in.get<double>();
    c.half_extent = in.get<Vec3>();
    c.wall = in.get<double>();
    c.thickness = in.get<double>();
    c.filter = in.get<CollisionFilter>();
    c.sensor = get_bool(in);
    get_optional(in, c.friction);
    get_optional(in, c.restitution);
    get_optional(in, c.static_friction);
    c.surface = in.get_string();
}

void put(ByteWriter& out, const ColliderSurface& surface) {
    put_bool(out, surface.mesh() != nullptr);
    if (const MeshSurface* mesh = surface.mesh()) {
        put(out, mesh->mesh());
        put_bool(out, mesh->closed());
    } else {
        const HeightGrid& grid = surface.heights()->grid();
        out.put(grid.columns());
        out.put(grid.rows());
        out.put_array(grid.heights());
        out.put(grid.spacing_x());
        out.put(grid.spacing_z());
    }
}
/// One of those that are `there` already if it is the same.
std::shared_ptr<const ColliderSurface> get_surface(ByteReader& in,
                                                   std::span<const ColliderRecord> there) {
    const auto known = [&](auto&& same) -> std::shared_ptr<const ColliderSurface> {
        for (const ColliderRecord& c : there)
            if (c.collider.geometry && same(*c.collider.geometry)) return c.collider.geometry;
        return nullptr;
    };
    std::shared_ptr<const ColliderSurface> surface;
    if (get_bool(in)) {
        Mesh mesh;
        get(in, mesh);
        const bool closed = get_bool(in);
        surface = known([&](const ColliderSurface& s) {
            const MeshSurface* m = s.mesh();
            return m && m->closed() == closed && m->mesh().vertices == mesh.vertices &&
                   m->mesh().triangles == mesh.triangles;
        });
        if (!surface) surface = surface_again(std::move(mesh), closed);
    } else {
        const auto columns = in.get<std::uint32_t>(), rows = in.get<std::uint32_t>();
        auto heights = in.get_array<double>();
        const double x = in.get<double>(), z = in.get<double>();
        surface = known([&](const ColliderSurface& s) {
            const HeightSurface* h = s.heights();
            return h && h->grid().columns() == columns && h->grid().rows() == rows &&
                   h->grid().spacing_x() == x && h->grid().spacing_z() == z &&
                   h->grid().heights() == heights;
        });
        if (!surface) surface = height_surface(columns, rows, std::move(heights), x, z);
    }
    return surface;
}

void put(ByteWriter& out, const Handle& h) {
    put_enum(out, h.kind);
    out.put(h.id);
    out.put_array(h.particles);
    out.put(h.pivot);
    out.put_array(h.offsets);
    put(out, h.path);
    out.put(h.start_time);
    out.put_array(h.targets);
    out.put_array(h.previous_targets);
    out.put(h.frequency);
    out.put_array(h.strength);
}
void get(ByteReader& in, Handle& h) {
    h.kind = get_enum(in, Handle::Kind::follow);
    h.id = in.get<std::uint32_t>();
    h.particles = in.get_array<std::uint32_t>();
    h.pivot = in.get<Vec3>();
    h.offsets = in.get_array<Vec3>();
    get(in, h.path);
    h.start_time = in.get<double>();
    h.targets = in.get_array<Vec3>();
    h.previous_targets = in.get_array<Vec3>();
    h.frequency = in.get<double>();
    h.strength = in.get_array<double>();
}

void put(ByteWriter& out, const RigidBody& r) {
    put_enum(out, r.shape);
    out.put(r.radius);
    out.put(r.height);
    out.put(r.half_extent);
    put(out, r.mesh);
    out.put(r.density);
    put_optional(out, r.mass);
    for (const double value : {r.gravity_factor, r.friction, r.restitution}) out.put(value);
    out.put(r.filter);
    put_bool(out, r.driven_by_host);
    out.put(r.colour);
}
void get(ByteReader& in, RigidBody& r) {
    r.shape = get_enum(in, RigidShape::convex);
    r.radius = in.get<double>();
    r.height = in.get<double>();
    r.half_extent = in.get<Vec3>();
    get(in, r.mesh);
    r.density = in.get<double>();
    get_optional(in, r.mass);
    for (double* value : {&r.gravity_factor, &r.friction, &r.restitution})
        *value = in.get<double>();
    r.filter = in.get<CollisionFilter>();
    r.driven_by_host = get_bool(in);
    r.colour = in.get<Vec3f>();
}

void put(ByteWriter& out, const RigidRecord& r) {
    out.put(r.id);
    out.put_string(r.name);
    put(out, r.made);
    for (const Vec3& value : {r.state.velocity, r.state.angular_velocity, r.force, r.torque,
                              r.impulse, r.angular_impulse})
        out.put(value);
    out.put(r.state.pose);
    out.put_array(r.touching);
    out.put_array(r.neighbours);
    out.put(r.quiet);
    put_bool(out, r.asleep);
}

std::vector<Neighbour> get_neighbours(ByteReader& in) {
    auto all = in.get_array<Neighbour>();
    if (!std::ranges::all_of(all, [](const Neighbour& n) { return is_finite(n.push); }))
        fail(ErrorCode::bad_snapshot, "the snapshot has a push between bodies that is not finite");
    return all;
}

struct VertexForce {
    std::uint64_t particle;
    Vec3 force;
};

/// The state as the back end keeps it, so that continuing from it gives the same bits.
void put(ByteWriter& out, const CpuBody& state, std::size_t count) {
    for (const Vec3& value : {state.origin, state.drift, state.mean_x, state.mean_v})
        out.put(value);
    out.put(state.extent);
    out.put_array(std::span(state.x).first(count));
    out.put_array(std::span(state.v).first(count));
}
float largest_component(const Quad& q) {
    return std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)});
}
void get(ByteReader& in, CpuBody& state, std::size_t count) {
    for (Vec3* value : {&state.origin, &state.drift, &state.mean_x, &state.mean_v})
        *value = in.get<Vec3>();
    state.extent = in.get<Extent>();
    for (AlignedVector<Quad>* array : {&state.x, &state.v}) {
        const auto values = in.get_array<Quad>();
        if (values.size() != count)
            fail(ErrorCode::bad_snapshot, "the snapshot's arrays do not fit its meshes");
        array->assign(values.begin(), values.end());
        array->resize(CpuLayout::padded(count));
    }
    Extent actual;
    for (std::size_t i = 0; i < count; ++i) {
        state.x[i].w = 1;
        actual.add({largest_component(state.x[i]), largest_component(state.v[i])});
    }
    const bool sound = is_finite(state.origin) && is_finite(state.drift) &&
                       is_finite(state.mean_x) && is_finite(state.mean_v) &&
                       state.extent.reach >= actual.reach && state.extent.speed >= actual.speed;
    if (!sound) fail(ErrorCode::bad_snapshot, "the snapshot holds a body that cannot be");
}

void put_body(ByteWriter& out, const BodyRecord& body, std::uint32_t source, const Particles& p,
              bool on_cpu) {
    // What was changed from outside is still in the mirror, and is loaded in the next step.
    on_cpu = on_cpu && !body.cpu_is_old;
    out.put(body.id);
    out.put_string(body.name);
    out.put(source);
    put(out, body.material);
    put_enum(out, body.volume_mode);
    out.put(body.gravity_factor);
    out.put(body.filter);
    put_bool(out, body.self.wanted);
    put_bool(out, body.self.tangled);
    out.put(body.self.clearance);
    out.put(body.self.travelled);
    out.put(body.self.closing);
    put_bool(out, body.self.looked_ahead);
    out.put_array(std::span<const SelfContact::Cluster>(body.self.clusters));
    out.put(body.colour);
    out.put(body.force);
    put_bool(out, body.recovering);
    out.put(body.orientation);
    std::vector<VertexForce> forces;
    for (const auto& [i, force] : body.forces) forces.push_back({i, force});
    out.put_array(forces);
    out.put_array(body.touching);
    out.put_array(body.neighbours);
    out.put(body.quiet);
    put_bool(out, body.asleep);
    out.put<std::uint64_t>(body.handles.size());
    for (const Handle& handle : body.handles) put(out, handle);
    if (on_cpu && body.mirror_is_old) body.elastic->to_reference();
    body.elastic->write(out);
    put_bool(out, on_cpu);
    if (on_cpu) return put(out, body.cpu, body.count);
    const auto slice = [&](const auto& array) {
        out.put_array(std::span(array).subspan(body.first, body.count));
    };
    slice(p.x);
    slice(p.v);
    slice(p.pressed);
}

void check_handle(const Handle& h, std::size_t particles) {
    const std::size_t n = h.particles.size();
    const bool in_range =
        std::all_of(h.particles.begin(), h.particles.end(), [&](auto i) { return i < particles; });
    if (const auto problem = problem_with(h.path))
        fail(ErrorCode::bad_snapshot, "a handle of the snapshot: {}", *problem);
    const bool complete =
        h.kind == Handle::Kind::pin ? h.offsets.size() == n
        : h.kind == Handle::Kind::drag
            ? h.targets.size() == 1 && h.previous_targets.size() == 1
            : h.targets.size() == n && h.previous_targets.size() == n && h.strength.size() == n;
    if (n == 0 || !in_range || !complete)
        fail(ErrorCode::bad_snapshot, "the snapshot holds a handle that fits no body");
}

}  // namespace

void WorldImpl::read_body(ByteReader& in,
                          std::span<const std::shared_ptr<const BodySource>> sources) {
    auto body = std::make_unique<BodyRecord>();
    body->id = in.get<BodyId>();
    if (!bodies.empty() && body->id <= bodies.back()->id)
        fail(ErrorCode::bad_snapshot, "the ids of the snapshot's bodies do not ascend");
    body->name = names.take(in.get_string());
    const auto source = in.get<std::uint32_t>();
    if (source >= sources.size())
        fail(ErrorCode::bad_snapshot, "the snapshot names a mesh that it does not hold");
    body->prepared.source = sources[source];
    Material material;
    get(in, material);
    body->model = &model_named(default_model);
    apply_material(*body, material);
    body->volume_mode = get_enum(in, VolumeMode::off);
    body->gravity_factor = in.get<double>();
    body->filter = in.get<CollisionFilter>();
    body->self.wanted = get_bool(in);
    body->self.tangled = get_bool(in);
    body->self.clearance = in.get<double>();
    body->self.travelled = in.get<double>();
    body->self.closing = in.get<double>();
    body->self.looked_ahead = get_bool(in);
    body->self.clusters = in.get_array<SelfContact::Cluster>();
    body->colour = in.get<Vec3f>();
    body->force = in.get<Vec3>();
    body->recovering = get_bool(in);
    body->orientation = in.get<Quat>();
    const auto forces = in.get_array<VertexForce>();
    body->touching = in.get_array<Touch>();
    body->neighbours = get_neighbours(in);
    body->quiet = in.get<double>();
    body->asleep = get_bool(in);
    const std::size_t count = body->asset().rest.size();
    for (const auto& [i, force] : forces) {
        if (i >= count)
            fail(ErrorCode::bad_snapshot,
                 "the snapshot holds a force on a vertex that does not exist");
        body->forces[static_cast<std::uint32_t>(i)] = force;
    }
    const auto handles = in.get<std::uint64_t>();
    for (std::uint64_t k = 0; k < handles; ++k) {
        get(in, body->handles.emplace_back());
        check_handle(body->handles.back(), count);
    }
    BodyRecord& added = insert(std::move(body));
    added.elastic->read(in);
    if (get_bool(in)) {
        added.elastic->to_cpu();
        get(in, added.cpu, count);
        added.cpu_is_old = false;
        added.mirror_is_old = true;
    } else {
        const auto slice = [&](auto& array) {
            using T = typename std::remove_reference_t<decltype(array)>::value_type;
            const auto values = in.get_array<T>();
            if (values.size() != added.count)
                fail(ErrorCode::bad_snapshot, "the snapshot's arrays do not fit its meshes");
            std::copy(values.begin(), values.end(),
                      array.begin() + static_cast<std::ptrdiff_t>(added.first));
        };
        slice(particles.x);
        slice(particles.v);
        slice(particles.pressed);
    }
    const BodyView state = view(added);
    if (!std::ranges::all_of(state.x, is_finite) || !std::ranges::all_of(state.v, is_finite))
        fail(ErrorCode::bad_snapshot, "the snapshot's body '{}' is not finite", added.name);
}

void WorldImpl::read_rigid(ByteReader& in) {
    auto r = std::make_unique<RigidRecord>();
    r->id = in.get<RigidId>();
    if (!rigids.empty() && r->id <= rigids.back()->id)
        fail(ErrorCode::bad_snapshot, "the ids of the snapshot's rigid bodies do not ascend");
    r->name = names.take(in.get_string());
    get(in, r->made);
    for (Vec3* value : {&r->state.velocity, &r->state.angular_velocity, &r->force, &r->torque,
                        &r->impulse, &r->angular_impulse})
        *value = in.get<Vec3>();
    r->state.pose = in.get<Pose>();
    r->touching = in.get_array<Touch>();
    r->neighbours = get_neighbours(in);
    r->quiet = in.get<double>();
    r->asleep = get_bool(in);
    r->made.pose = r->state.pose;
    r->made.velocity = r->state.velocity;
    r->made.angular_velocity = r->state.angular_velocity;
    try {
        check_and_make(*r);
        require_finite(r->force, "its force");
        require_finite(r->torque, "its torque");
    } catch (const Error& e) {
        fail(ErrorCode::bad_snapshot, "the snapshot's rigid body '{}': {}", r->name, e.what());
    }
    rigids.push_back(std::move(r));
}

std::vector<std::byte> World::snapshot() const {
    impl_->require_whole();
    ByteWriter out;
    out.put(magic);
    out.put(version);
    put(out, impl_->settings);
    out.put(impl_->time);
    out.put(impl_->next_id);
    std::vector<std::shared_ptr<const BodySource>> sources;
    std::vector<std::uint32_t> source_of;
    for (const auto& body : impl_->bodies) {
        const auto at = std::find(sources.begin(), sources.end(), body->prepared.source);
        source_of.push_back(static_cast<std::uint32_t>(at - sources.begin()));
        if (at == sources.end()) sources.push_back(body->prepared.source);
    }
    out.put<std::uint64_t>(sources.size());
    for (const auto& source : sources) {
        put(out, source->mesh);
        put_bool(out, source->display.has_value());
        if (source->display) put(out, *source->display);
        out.put(source->hash);
    }
    std::vector<std::shared_ptr<const ColliderSurface>> surfaces;
    for (const auto& c : impl_->colliders)
        if (c.collider.geometry &&
            std::ranges::find(surfaces, c.collider.geometry) == surfaces.end())
            surfaces.push_back(c.collider.geometry);
    out.put<std::uint64_t>(surfaces.size());
    for (const auto& surface : surfaces) put(out, *surface);
    out.put<std::uint64_t>(impl_->colliders.size());
    for (const auto& c : impl_->colliders) {
        out.put(c.id);
        put(out, c.collider);
        const auto at = std::ranges::find(surfaces, c.collider.geometry);
        out.put(static_cast<std::uint32_t>(at - surfaces.begin()));
        out.put(c.now);
        put_optional(out, c.commanded);
    }
    put(out, impl_->friction_pairs);
    out.put<std::uint64_t>(impl_->bodies.size());
    for (std::size_t i = 0; i < impl_->bodies.size(); ++i) {
        BodyRecord& body = *impl_->bodies[i];
        impl_->particles_of(body);
        put_body(out, body, source_of[i], impl_->particles, impl_->on_cpu());
    }
    out.put<std::uint64_t>(impl_->rigids.size());
    for (const auto& rigid : impl_->rigids) put(out, *rigid);
    out.put(hash_of(out.bytes));
    return std::move(out.bytes);
}

void World::restore(std::span<const std::byte> snapshot, Status* status) {
    reporting_to(status, [&] {
        ByteReader in(snapshot);
        if (in.get<std::uint64_t>() != magic)
            fail(ErrorCode::bad_snapshot, "these bytes are no snapshot of a world");
        if (const auto v = in.get<std::uint32_t>(); v != version)
            fail(ErrorCode::bad_snapshot,
                 "the snapshot is of version {}, this program reads version {}", v, version);
        const auto body_bytes =
            snapshot.first(snapshot.size() - std::min(snapshot.size(), sizeof(std::uint64_t)));
        ByteReader check(snapshot.subspan(body_bytes.size()));
        if (check.get<std::uint64_t>() != hash_of(body_bytes))
            fail(ErrorCode::bad_snapshot, "the snapshot is damaged: its check sum does not fit");

        auto restored = std::make_unique<WorldImpl>();
        restored->settings = impl_->settings;
        restored->wanted_backend = impl_->wanted_backend;
        restored->scheduler = impl_->scheduler;
        get(in, restored->settings);
        restored->choose_backend();
        restored->time = in.get<double>();
        restored->next_id = in.get<std::uint32_t>();
        // What is already baked in this world need not be baked again: a rewind is cheap.
        std::vector<std::shared_ptr<const BodySource>> sources;
        const auto source_count = in.get<std::uint64_t>();
        for (std::uint64_t k = 0; k < source_count; ++k) {
            auto source = std::make_shared<BodySource>();
            get(in, source->mesh);
            check_elements(source->mesh, "the snapshot's mesh");
            if (get_bool(in)) {
                get(in, source->display.emplace());
                check_elements(*source->display, "the snapshot's display mesh");
            }
            source->hash = in.get<std::uint64_t>();
            sources.push_back(source);
        }
        std::vector<std::shared_ptr<const ColliderSurface>> surfaces;
        const auto surface_count = in.get<std::uint64_t>();
        for (std::uint64_t k = 0; k < surface_count; ++k)
            surfaces.push_back(get_surface(in, impl_->colliders));
        const auto collider_count = in.get<std::uint64_t>();
        for (std::uint64_t k = 0; k < collider_count; ++k) {
            ColliderRecord& c = restored->colliders.emplace_back();
            c.id = in.get<ColliderId>();
            get(in, c.collider);
            const auto surface = in.get<std::uint32_t>();
            if (surface < surfaces.size()) c.collider.geometry = surfaces[surface];
            c.now = in.get<Pose>();
            get_optional(in, c.commanded);
            if (const auto problem = problem_with(c.collider))
                fail(ErrorCode::bad_snapshot, "collider: {}", *problem);
        }
        get(in, restored->friction_pairs);
        restored->bakes = impl_->bakes;
        const auto body_count = in.get<std::uint64_t>();
        for (std::uint64_t k = 0; k < body_count; ++k) restored->read_body(in, sources);
        const auto rigid_count = in.get<std::uint64_t>();
        for (std::uint64_t k = 0; k < rigid_count; ++k) restored->read_rigid(in);
        if (in.left() != sizeof(std::uint64_t))
            fail(ErrorCode::bad_snapshot, "the snapshot holds more than it says");
        // Ids given since the snapshot must not name something else.
        restored->next_id = std::max(restored->next_id, impl_->next_id);
        *impl_ = std::move(*restored);
    });
}

}  // namespace turgor
