#include <algorithm>

#include "bake/bake.hpp"
#include "bake/check.hpp"
#include "bake/detail.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "mesh/measures.hpp"
#include "world/world_impl.hpp"

namespace turgor {
namespace {

std::shared_ptr<const BodySource> make_source(const Mesh& mesh, const BodyOptions& options) {
    if (!(options.scale > 0) || !std::isfinite(options.scale))
        fail(ErrorCode::bad_argument, "the scale of a body must be greater than 0, not {}",
             options.scale);
    check_elements(mesh, "the mesh");
    if (options.display) check_elements(*options.display, "the display mesh");
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

double size_of(const Mesh& mesh) {
    const double v = volume(mesh);
    if (!(v > 0))
        fail(ErrorCode::bad_mesh, "mesh '{}' encloses no volume; run it through make_mesh first",
             mesh.name);
    return sphere_diameter(v);
}

}  // namespace

void require_finite(Vec3 value, const char* what) {
    if (!is_finite(value)) fail(ErrorCode::bad_argument, "{} is not finite", what);
}

void require_rotation(Quat q) {
    const double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(squared > 0) || !std::isfinite(squared))
        fail(ErrorCode::bad_argument, "a rotation is zero or not finite");
}

std::string BodyNames::take(const std::string& wanted) {
    const std::string base = wanted.empty() ? "body" : wanted;
    std::string name = base;
    while (!taken_.insert(name).second) {
        int& number = next_[base];
        number = std::max(2, number + 1);
        name = fmt::format("{}.{}", base, number);
    }
    return name;
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

BodyRecord* WorldImpl::find_or_null(BodyId id) {
    const auto at = std::ranges::lower_bound(bodies, id, {}, [](const auto& b) { return b->id; });
    return at != bodies.end() && (*at)->id == id ? at->get() : nullptr;
}

BodyRecord& WorldImpl::find(BodyId id) {
    if (BodyRecord* body = find_or_null(id)) return *body;
    fail(ErrorCode::bad_argument, "there is no body {} in this world (it may have been removed)",
         id);
}

ColliderRecord& WorldImpl::find_collider(ColliderId id) {
    for (auto& c : colliders)
        if (c.id == id) return c;
    fail(ErrorCode::bad_argument,
         "there is no collider {} in this world (it may have been removed)", id);
}

BodyView WorldImpl::view(BodyRecord& body) {
    Particles& p = particles;
    const auto part = [&](auto& array) { return std::span(array).subspan(body.first, body.count); };
    return {body,           part(p.x),        part(p.v),       part(p.x_start),
            part(p.goal),   part(p.rotation), part(p.mass),    part(p.pressed),
            part(p.change), part(p.weight),   part(p.support), {}};
}

Prepared WorldImpl::prepare(std::shared_ptr<const BodySource> source, int omega) {
    Prepared result{source, nullptr, nullptr, 0};
    std::shared_ptr<const BodyAsset> other_omega;
    for (auto at = prepared.lower_bound({source->hash, 0});
         at != prepared.end() && at->first.first == source->hash; ++at) {
        const Prepared candidate{at->second.source.lock(), at->second.asset.lock(),
                                 at->second.rest.lock(), at->second.wobble_share};
        if (!candidate.source || !candidate.asset) continue;
        result.source = candidate.source;
        other_omega = candidate.asset;
        if (candidate.asset->omega != omega) continue;
        if (candidate.rest) return candidate;
        result.asset = candidate.asset;
        break;
    }
    BakeSettings bake_settings;
    bake_settings.omega = omega;
    if (!result.asset)
        result.asset = other_omega ? with_omega(*other_omega, omega)
                                   : bake(source->mesh, bake_settings,
                                          source->display ? &*source->display : nullptr);
    result.rest = std::make_shared<SurfaceRest>(make_surface_rest(
        *result.asset, settings.formulation.share_mass, settings.formulation.normal_point_weight));
    result.wobble_share = wobble_share(*result.asset, *result.rest);
    prepared[{source->hash, omega}] = {result.source, result.asset, result.rest,
                                       result.wobble_share};
    return result;
}

void WorldImpl::apply_material(BodyRecord& body, const Material& material) {
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
    const BodyScale scale{size_of(mesh), mean_edge(mesh.vertices, mesh.triangles),
                          [&](int omega) { return prepared_for(omega).wobble_share; }};
    body.parameters = derive_parameters(material, scale);
    body.prepared = prepared_for(body.parameters.omega);
    body.material = material;
}

BodyRecord& WorldImpl::insert(std::unique_ptr<BodyRecord> body) {
    body->first = particles.x.size();
    body->count = body->asset().rest.size();
    particles.resize(body->first + body->count);
    weigh(*body);
    bodies.push_back(std::move(body));
    return *bodies.back();
}

void WorldImpl::weigh(BodyRecord& body) {
    body.mass = 0;
    for (std::size_t i = 0; i < body.count; ++i) {
        particles.mass[body.first + i] = body.material.density * body.asset().mass[i];
        body.mass += particles.mass[body.first + i];
    }
}

HandleId WorldImpl::add_handle(BodyRecord& body, Handle handle) {
    handle.id = next_id++;
    body.handles.push_back(std::move(handle));
    return body.handles.back().id;
}

void WorldImpl::publish(BodyRecord& body) {
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

std::vector<MovingCollider> WorldImpl::moving_colliders(double dt, int sub_step,
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

void WorldImpl::note_contacts(BodyRecord& body, std::span<const MovingCollider> moving) {
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

World::World(const WorldSettings& settings) : impl_(std::make_unique<WorldImpl>()) {
    require_finite(settings.gravity, "gravity");
    if (!(settings.formulation.normal_point_weight >= 0 &&
          settings.formulation.normal_point_weight <= 1e6))
        fail(ErrorCode::bad_argument, "the weight of the normal point is {} but must be 0 … 1e6",
             settings.formulation.normal_point_weight);
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
            require_rotation(options.rotation);
            if (!std::isfinite(options.gravity_factor))
                fail(ErrorCode::bad_argument, "the gravity factor of a body is not finite");
            auto record = std::make_unique<BodyRecord>();
            record->name = options.name.empty() ? mesh.name : options.name;
            record->prepared.source = make_source(mesh, options);
            impl_->apply_material(*record, material);
            record->volume_mode = options.volume;
            record->gravity_factor = options.gravity_factor;
            record->colour = options.colour;
            record->orientation = normalized(options.rotation);
            record->id = impl_->next_id++;
            record->name = impl_->names.take(record->name);
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
            return Body(impl_.get(), body.id);
        },
        Body(impl_.get(), 0));
}

void World::remove_body(BodyId id) {
    auto& bodies = impl_->bodies;
    const auto at =
        std::find_if(bodies.begin(), bodies.end(), [&](const auto& b) { return b->id == id; });
    if (at == bodies.end()) return;
    impl_->particles.erase((*at)->first, (*at)->count);
    impl_->names.release((*at)->name);
    for (auto later = at + 1; later != bodies.end(); ++later) (*later)->first -= (*at)->count;
    bodies.erase(at);
}

Body World::body(BodyId id) {
    return {impl_.get(), id};
}

std::vector<Body> World::bodies() {
    std::vector<Body> all;
    for (const auto& body : impl_->bodies) all.push_back(Body(impl_.get(), body->id));
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
        // Shorter, and velocities from positions would be made of rounding.
        if (!(dt >= 1e-6 && dt <= 0.25))
            fail(ErrorCode::bad_argument, "a step must be between 1e-6 and 0.25 s, not {} s", dt);
        impl_->step(dt);
    });
}

double World::time() const {
    return impl_->time;
}
Vec3 World::gravity() const {
    return impl_->settings.gravity;
}
void World::set_gravity(Vec3 gravity, Status* status) {
    reporting_to(status, [&] {
        require_finite(gravity, "gravity");
        impl_->settings.gravity = gravity;
    });
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
    for (const auto& body : impl_->bodies) {
        const SurfaceRest& rest = *body->prepared.rest;
        if (assets.insert(&body->asset()).second)
            total += turgor::bytes(body->asset()) +
                     (rest.weight.size() + rest.region_weight.size() + rest.normal_length.size()) *
                         sizeof(double) +
                     (rest.region_centre.size() + rest.normal_point.size()) * sizeof(Vec3);
        total += 2 * (body->published.positions.size() + body->published.display_positions.size()) *
                 sizeof(Vec3f);
    }
    constexpr std::size_t per_particle =
        4 * sizeof(Vec3) + sizeof(Quat) + 4 * sizeof(double) + sizeof(Support);
    return total + particles() * per_particle;
}

double World::intervals_per_region() const {
    double sum = 0;
    for (const auto& body : impl_->bodies)
        sum += turgor::intervals_per_region(body->asset()) * static_cast<double>(body->count);
    return particles() > 0 ? sum / static_cast<double>(particles()) : 0;
}

}  // namespace turgor
