#include <algorithm>
#include <numbers>

#include "bake/bake.hpp"
#include "bake/detail.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "world/world_impl.hpp"

namespace turgor {
namespace {

std::shared_ptr<const BodySource> make_source(const Mesh& mesh, const BodyOptions& options) {
    if (!(options.scale > 0) || !std::isfinite(options.scale))
        fail(ErrorCode::bad_argument, "the scale of a body must be greater than 0, not {}",
             options.scale);
    auto source = std::make_shared<BodySource>();
    source->mesh = transformed(mesh, {}, options.scale);
    if (options.display) source->display = transformed(*options.display, {}, options.scale);
    Hash hash;
    const auto add = [&](const Mesh& m) {
        hash.add_array(std::span<const Vec3>(m.vertices));
        hash.add_array(std::span<const Triangle>(m.triangles));
        hash.add(m.vertices.size());
    };
    add(source->mesh);
    if (source->display) add(*source->display);
    source->hash = hash.value();
    return source;
}

double mean_edge(const Mesh& mesh) {
    double sum = 0;
    for (const auto& t : mesh.triangles)
        for (int k = 0; k < 3; ++k)
            sum += norm(mesh.vertices[t[k]] - mesh.vertices[t[(k + 1) % 3]]);
    return sum / static_cast<double>(std::max<std::size_t>(1, 3 * mesh.triangles.size()));
}

/// The diameter of the sphere of equal volume.
double size_of(const Mesh& mesh) {
    const double v = volume(mesh);
    if (!(v > 0))
        fail(ErrorCode::bad_mesh, "mesh '{}' encloses no volume; run it through make_mesh first",
             mesh.name);
    return std::cbrt(6 * v / std::numbers::pi);
}

}  // namespace

void require_finite(Vec3 value, const char* what) {
    if (!is_finite(value)) fail(ErrorCode::bad_argument, "{} is not finite", what);
}

void Particles::resize(std::size_t n) {
    x.resize(n);
    v.resize(n);
    rotation.resize(n);
    pressed.resize(n);
    mass.resize(n);
    x_start.resize(n);
    goal.resize(n);
    change.resize(n);
    weight.resize(n, 1.0);
    support.resize(n);
}

void Particles::erase(std::size_t first, std::size_t count) {
    const auto cut = [&](auto& array) {
        const auto begin = array.begin() + static_cast<std::ptrdiff_t>(first);
        array.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    cut(x), cut(v), cut(rotation), cut(pressed), cut(mass), cut(x_start), cut(goal), cut(change),
        cut(weight), cut(support);
}

Formulation Formulation::paper() {
    Formulation f;
    f.share_mass = false;
    f.normal_point_weight = 1;
    f.exact_volume = false;
    f.momentum_free_volume = false;
    f.contact_fade = false;
    f.velocities_from_positions = false;
    f.settle = false;
    f.recover = false;
    return f;
}

BodyRecord* World::Impl::find_or_null(BodyId id) {
    for (auto& body : bodies)
        if (body->id == id) return body.get();
    return nullptr;
}

BodyRecord& World::Impl::find(BodyId id) {
    if (BodyRecord* body = find_or_null(id)) return *body;
    fail(ErrorCode::bad_argument, "there is no body {} in this world (it may have been removed)",
         id);
}

ColliderRecord& World::Impl::find_collider(ColliderId id) {
    for (auto& c : colliders)
        if (c.id == id) return c;
    fail(ErrorCode::bad_argument,
         "there is no collider {} in this world (it may have been removed)", id);
}

BodyView World::Impl::view(BodyRecord& body) {
    Particles& p = particles;
    const auto part = [&](auto& array) { return std::span(array).subspan(body.first, body.count); };
    return {body,           part(p.x),        part(p.v),       part(p.x_start),
            part(p.goal),   part(p.rotation), part(p.mass),    part(p.pressed),
            part(p.change), part(p.weight),   part(p.support), {}};
}

Prepared World::Impl::prepare(std::shared_ptr<const BodySource> source, int omega) {
    std::vector<Prepared> candidates = known;
    for (const auto& body : bodies) candidates.push_back(body->prepared);
    std::shared_ptr<const BodyAsset> other_omega;
    for (const Prepared& candidate : candidates) {
        if (!candidate.asset || candidate.source->hash != source->hash) continue;
        if (candidate.asset->omega == omega) return candidate;
        source = candidate.source;
        other_omega = candidate.asset;
    }
    Prepared result{source, nullptr, nullptr, 0};
    BakeSettings bake_settings;
    bake_settings.omega = omega;
    result.asset = other_omega ? with_omega(*other_omega, omega)
                               : bake(source->mesh, bake_settings,
                                      source->display ? &*source->display : nullptr);
    result.rest = std::make_shared<SurfaceRest>(make_surface_rest(
        *result.asset, settings.formulation.share_mass, settings.formulation.normal_point_weight));
    result.wobble_share = wobble_share(*result.asset, *result.rest);
    return result;
}

void World::Impl::apply_material(BodyRecord& body, const Material& material) {
    if (const auto problem = problem_with(material))
        fail(ErrorCode::bad_argument, "the material of body '{}': {}", body.name, *problem);
    // A material may try several ω before it finds its own: each is prepared once.
    std::map<int, Prepared> tried;
    if (body.prepared.asset) tried[body.asset().omega] = body.prepared;
    const auto prepared_for = [&](int omega) -> const Prepared& {
        const auto at = tried.find(omega);
        return at != tried.end() ? at->second : tried[omega] = prepare(body.prepared.source, omega);
    };
    const Mesh& mesh = body.prepared.source->mesh;
    const BodyScale scale{size_of(mesh), mean_edge(mesh),
                          [&](int omega) { return prepared_for(omega).wobble_share; }};
    body.parameters = derive_parameters(material, scale);
    body.prepared = prepared_for(body.parameters.omega);
    body.material = material;
}

std::string World::Impl::unique_name(const std::string& wanted) const {
    const auto taken = [&](const std::string& name) {
        return std::any_of(bodies.begin(), bodies.end(),
                           [&](const auto& b) { return b->name == name; });
    };
    const std::string base = wanted.empty() ? "body" : wanted;
    std::string name = base;
    for (int k = 2; taken(name); ++k) name = fmt::format("{}.{}", base, k);
    return name;
}

BodyRecord& World::Impl::insert(std::unique_ptr<BodyRecord> body) {
    body->first = particles.x.size();
    body->count = body->asset().rest.size();
    particles.resize(body->first + body->count);
    weigh(*body);
    bodies.push_back(std::move(body));
    return *bodies.back();
}

void World::Impl::weigh(BodyRecord& body) {
    body.mass = 0;
    for (std::size_t i = 0; i < body.count; ++i) {
        particles.mass[body.first + i] = body.material.density * body.asset().mass[i];
        body.mass += particles.mass[body.first + i];
    }
}

HandleId World::Impl::add_handle(BodyRecord& body, Handle handle) {
    handle.id = next_id++;
    body.handles.push_back(std::move(handle));
    return body.handles.back().id;
}

void World::Impl::publish(BodyRecord& body) {
    const BodyAsset& asset = body.asset();
    const std::span<const Vec3> x = std::span(particles.x).subspan(body.first, body.count);
    std::vector<Vec3> normals(body.count);
    unit_normals(x, asset.triangles, normals);
    Published& out = body.published;
    out.positions.resize(body.count);
    out.normals.resize(body.count);
    for (std::size_t i = 0; i < body.count; ++i) {
        out.positions[asset.vertex_of_particle[i]] = to_float(x[i]);
        out.normals[asset.vertex_of_particle[i]] = to_float(normals[i]);
    }
    if (asset.bindings.empty()) return;
    std::vector<Vec3> points(asset.bindings.size()), point_normals(points.size());
    place_detail(asset.bindings, x, normals, asset.triangles, points);
    unit_normals(points, asset.display_triangles, point_normals);
    out.display_positions.resize(points.size());
    out.display_normals.resize(points.size());
    std::transform(points.begin(), points.end(), out.display_positions.begin(), to_float);
    std::transform(point_normals.begin(), point_normals.end(), out.display_normals.begin(),
                   to_float);
}

Pose ColliderRecord::pose_at(double time) const {
    const Pose moved = collider.path.at(time);
    return {collider.pose.position + moved.position,
            normalized(moved.rotation * collider.pose.rotation)};
}

std::vector<MovingCollider> World::Impl::moving_colliders(double dt, int sub_step,
                                                          int sub_steps) const {
    std::vector<MovingCollider> moving;
    for (const auto& c : colliders) {
        const auto pose = [&](double share) -> Pose {
            if (!c.commanded) return c.pose_at(time + share * dt);
            const Path way{{{0, c.now}, {1, *c.commanded}}, false, false};
            return way.at(share);
        };
        const double n = sub_steps;
        moving.push_back({&c.collider, c.id, pose(sub_step / n), pose((sub_step + 1) / n)});
    }
    return moving;
}

void World::Impl::note_contacts(BodyRecord& body, std::span<const MovingCollider> moving) {
    const auto x = std::span(particles.x).subspan(body.first, body.count);
    report.max_penetration =
        std::max(report.max_penetration, deepest(moving, x) / body.asset().size);
    std::map<ColliderId, std::pair<Vec3, Vec3>> near;
    for (const Contact& c : body.contacts) {
        const ColliderId id = moving[c.collider].id;
        const double gap = dot(x[c.particle] - c.point, c.normal);
        // A contact lasts until every particle has clearly left, so that a resting body does not
        // flicker.
        if (c.touching || (body.touching.contains(id) && gap < 0.1 * body.asset().mean_edge))
            near.try_emplace(id, c.point, c.normal);
    }
    for (const auto& [id, where] : near)
        if (!body.touching.contains(id))
            events.push_back({ContactEvent::Kind::began, body.id, id, where.first, where.second});
    for (const auto& [id, where] : body.touching)
        if (!near.contains(id))
            events.push_back({ContactEvent::Kind::ended, body.id, id, where.first, where.second});
    body.touching = std::move(near);
}

World::World(const WorldSettings& settings) : impl_(std::make_unique<Impl>()) {
    require_finite(settings.gravity, "gravity");
    impl_->settings = settings;
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Body World::add_body(const Mesh& mesh, const Material& material, const BodyOptions& options,
                     Status* status) {
    return reporting_to(
        status,
        [&] {
            require_finite(options.position, "the position of a body");
            require_finite(options.velocity, "the velocity of a body");
            require_finite(options.angular_velocity, "the angular velocity of a body");
            auto record = std::make_unique<BodyRecord>();
            record->name = impl_->unique_name(options.name.empty() ? mesh.name : options.name);
            record->prepared.source = make_source(mesh, options);
            impl_->apply_material(*record, material);
            record->volume_mode = options.volume;
            record->gravity_factor = options.gravity_factor;
            record->colour = options.colour;
            record->orientation = normalized(options.rotation);
            record->id = impl_->next_id++;
            BodyRecord& body = impl_->insert(std::move(record));
            const BodyAsset& asset = body.asset();
            BodyView view = impl_->view(body);
            for (std::size_t i = 0; i < body.count; ++i) {
                const Vec3 r = rotate(body.orientation, asset.rest[i]);
                view.x[i] = options.position + rotate(body.orientation, asset.rest_centre) + r;
                view.v[i] = options.velocity + cross(options.angular_velocity, r);
                view.rotation[i] = body.orientation;
            }
            impl_->publish(body);
            return Body(this, body.id);
        },
        Body(this, 0));
}

void World::remove_body(BodyId id) {
    auto& bodies = impl_->bodies;
    const auto at =
        std::find_if(bodies.begin(), bodies.end(), [&](const auto& b) { return b->id == id; });
    if (at == bodies.end()) return;
    impl_->particles.erase((*at)->first, (*at)->count);
    for (auto later = at + 1; later != bodies.end(); ++later) (*later)->first -= (*at)->count;
    bodies.erase(at);
}

Body World::body(BodyId id) {
    return {this, id};
}

std::vector<Body> World::bodies() {
    std::vector<Body> all;
    for (const auto& body : impl_->bodies) all.push_back(Body(this, body->id));
    return all;
}

ColliderId World::add_collider(const Collider& collider, Status* status) {
    return reporting_to(
        status,
        [&] {
            if (const auto problem = problem_with(collider))
                fail(ErrorCode::bad_argument, "collider '{}': {}", collider.name, *problem);
            ColliderRecord record;
            record.id = impl_->next_id++;
            record.collider = collider;
            record.now = record.pose_at(impl_->time);
            impl_->colliders.push_back(record);
            return record.id;
        },
        ColliderId{0});
}

void World::remove_collider(ColliderId id) {
    std::erase_if(impl_->colliders, [&](const auto& c) { return c.id == id; });
}

void World::move_collider(ColliderId id, const Pose& pose, Status* status) {
    reporting_to(status, [&] {
        ColliderRecord& record = impl_->find_collider(id);
        Collider moved = record.collider;
        moved.pose = pose;
        if (const auto problem = problem_with(moved))
            fail(ErrorCode::bad_argument, "collider {}: {}", id, *problem);
        record.collider.pose = record.now;
        record.collider.path = {};
        record.commanded = pose;
    });
}

Pose World::collider_pose(ColliderId id) const {
    return impl_->find_collider(id).now;
}

void World::step(double dt, Status* status) {
    reporting_to(status, [&] {
        if (!(dt > 0 && dt <= 0.25))
            fail(ErrorCode::bad_argument,
                 "a step must be longer than 0 and at most 0.25 s, not {} s", dt);
        impl_->step(dt);
    });
}

double World::time() const {
    return impl_->time;
}
Vec3 World::gravity() const {
    return impl_->settings.gravity;
}
void World::set_gravity(Vec3 gravity) {
    require_finite(gravity, "gravity");
    impl_->settings.gravity = gravity;
}
const Formulation& World::formulation() const {
    return impl_->settings.formulation;
}
const StepReport& World::report() const {
    return impl_->report;
}
std::span<const ContactEvent> World::events() const {
    return impl_->events;
}
std::size_t World::particles() const {
    return impl_->particles.x.size();
}

std::uint64_t World::state_hash() const {
    Hash hash;
    hash.add_array(std::span<const Vec3>(impl_->particles.x));
    hash.add_array(std::span<const Vec3>(impl_->particles.v));
    hash.add(impl_->time);
    return hash.value();
}

bool World::finite() const {
    const Particles& p = impl_->particles;
    return std::all_of(p.x.begin(), p.x.end(), is_finite) &&
           std::all_of(p.v.begin(), p.v.end(), is_finite);
}

std::size_t World::bytes() const {
    std::set<const BodyAsset*> assets;
    std::size_t total = 0;
    for (const auto& body : impl_->bodies)
        if (assets.insert(&body->asset()).second) total += turgor::bytes(body->asset());
    constexpr std::size_t per_particle =
        4 * sizeof(Vec3) + sizeof(Quat) + 4 * sizeof(double) + sizeof(Support);
    constexpr std::size_t published = 2 * sizeof(Vec3f);
    return total + particles() * (per_particle + published);
}

double World::intervals_per_region() const {
    double sum = 0;
    for (const auto& body : impl_->bodies)
        sum += turgor::intervals_per_region(body->asset()) * static_cast<double>(body->count);
    return particles() > 0 ? sum / static_cast<double>(particles()) : 0;
}

}  // namespace turgor
