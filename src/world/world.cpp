#include <algorithm>

#include "bake/bake.hpp"
#include "bake/bake_cache.hpp"
#include "bake/check.hpp"
#include "bake/detail.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "base/rigid_system.hpp"
#include "mesh/measures.hpp"
#include "world/folding.hpp"
#include "world/island.hpp"
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
    source->hash = hash_of(*source);
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

std::uint64_t hash_of(const BodySource& source) {
    Hash hash;
    const auto add = [&](const Mesh& m) {
        hash.add_array(std::span<const Vec3>(m.vertices));
        hash.add_array(std::span<const Triangle>(m.triangles));
        hash.add<std::uint64_t>(m.vertices.size());
    };
    add(source.mesh);
    if (source.display) add(*source.display);
    return hash.value();
}

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
}

void Particles::erase(std::size_t first, std::size_t count) {
    const auto cut = [&](auto& array) {
        const auto begin = array.begin() + static_cast<std::ptrdiff_t>(first);
        array.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    cut(x), cut(v), cut(rotation), cut(pressed), cut(mass);
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

void wake(BodyRecord& body) {
    body.asleep = false;
    body.quiet = 0;
}

BodyView WorldImpl::mirror(BodyRecord& body) {
    Particles& p = particles;
    const auto part = [&](auto& array) { return std::span(array).subspan(body.first, body.count); };
    return {body, part(p.x), part(p.v), part(p.rotation), part(p.mass), part(p.pressed)};
}

BodyView WorldImpl::view(BodyRecord& body) {
    BodyView slice = mirror(body);
    if (!body.mirror_is_old) return slice;
    const CpuBody& state = particles_of(body);
    for (std::size_t i = 0; i < body.count; ++i) {
        slice.x[i] = state.world_x(i);
        slice.v[i] = state.world_v(i);
        const Quad& q = state.rotation[i];
        slice.rotation[i] = {q.w, q.x, q.y, q.z};
        slice.pressed[i] = state.v[i].w;
    }
    body.mirror_is_old = false;
    return slice;
}

BodyView WorldImpl::edit(BodyRecord& body) {
    const BodyView slice = view(body);
    body.cpu_is_old = true;
    body.shown_is_old = true;
    body.self.looked_ahead = false;
    wake(body);
    return slice;
}

const CpuBody& WorldImpl::particles_of(BodyRecord& body) {
    if (body.device.is_ahead) device->fetch(body);
    return body.cpu;
}

void WorldImpl::load_cpu(BodyRecord& body) {
    if (!body.cpu_is_old) return;
    const FastAsset& asset = *body.prepared.fast;
    const BodyView slice = view(body);
    CpuBody& state = body.cpu;
    state.x.assign(asset.padded, {});
    state.v.assign(asset.padded, {});
    state.rotation.assign(asset.padded, {0, 0, 0, 1});
    state.origin = centre_of_mass(slice.mass, slice.x);
    state.drift = {};
    for (std::size_t i = 0; i < body.count; ++i)
        state.drift += slice.mass[i] / body.mass * slice.v[i];
    for (std::size_t i = 0; i < body.count; ++i) {
        state.x[i] = to_quad(slice.x[i] - state.origin, 1);
        state.v[i] = to_quad(slice.v[i] - state.drift, slice.pressed[i]);
        const Quat& q = slice.rotation[i];
        state.rotation[i] = to_quad({q.x, q.y, q.z}, q.w);
    }
    state.measure(asset);
    body.cpu_is_old = false;
    body.device.is_old = true;
    // What was rounded is the state from now on.
    body.mirror_is_old = true;
}

BodyView WorldImpl::reference_view(BodyRecord& body, ReferenceScratch& scratch) {
    BodyView slice = view(body);
    scratch.x_start.resize(body.count);
    scratch.goal.resize(body.count);
    scratch.change.resize(body.count);
    scratch.weight.resize(body.count, 1.0);
    scratch.support.resize(body.count);
    slice.x_start = scratch.x_start;
    slice.goal = scratch.goal;
    slice.change = scratch.change;
    slice.weight = scratch.weight;
    slice.support = scratch.support;
    slice.scratch = &scratch;
    return slice;
}

void WorldImpl::wake_all() {
    for (auto& body : bodies) wake(*body);
    for (auto& rigid : rigids) wake(*rigid);
}

Prepared WorldImpl::prepare(std::shared_ptr<const BodySource> source, int omega) {
    Prepared result{source, nullptr, nullptr, nullptr, 0};
    std::shared_ptr<const BodyAsset> other_omega;
    for (auto at = prepared.lower_bound({source->hash, 0});
         at != prepared.end() && at->first.first == source->hash; ++at) {
        const Prepared candidate{at->second.source.lock(), at->second.asset.lock(),
                                 at->second.rest.lock(),   at->second.fast.lock(),
                                 at->second.wobble_share,  at->second.tree.lock()};
        if (!candidate.source || !candidate.asset) continue;
        result.source = candidate.source;
        other_omega = candidate.asset;
        if (candidate.asset->omega != omega) continue;
        if (candidate.rest && (candidate.fast || !on_cpu())) return candidate;
        result.asset = candidate.asset;
        break;
    }
    const Formulation& f = settings.formulation;
    const BakeKey key{source->hash, omega, f.share_mass, f.normal_point_weight};
    const std::filesystem::path& folder = settings.bake_folder;
    if (const auto kept =
            folder.empty() ? std::nullopt : read_bake(folder, key, source->mesh.vertices.size())) {
        result.asset = kept->asset;
        result.wobble_share = kept->wobble_share;
    }
    const bool fresh = result.wobble_share == 0;
    BakeSettings bake_settings;
    bake_settings.omega = omega;
    if (!result.asset)
        result.asset = other_omega ? with_omega(*other_omega, omega)
                                   : bake(source->mesh, bake_settings,
                                          source->display ? &*source->display : nullptr);
    result.rest = std::make_shared<SurfaceRest>(
        make_surface_rest(*result.asset, f.share_mass, f.normal_point_weight));
    if (fresh) result.wobble_share = wobble_share(*result.asset, *result.rest);
    if (fresh && !folder.empty()) {
        // Without the file the next world just bakes again.
        Status status;
        reporting_to(&status, [&] { keep_bake(folder, key, {result.asset, result.wobble_share}); });
    }
    if (on_cpu())
        result.fast = make_fast_asset(*result.asset, result.rest->weight, settings.summation);
    prepared[{source->hash, omega}] = {result.source, result.asset, result.rest, result.fast,
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
    wake(body);
    handle.id = next_id++;
    body.handles.push_back(std::move(handle));
    return body.handles.back().id;
}

Pose ColliderRecord::pose_at(double time) const {
    const Pose moved = collider.path.at(time);
    return {collider.pose.position + moved.position,
            normalized(moved.rotation * collider.pose.rotation)};
}

Pose ColliderRecord::pose_during(double time, double dt, double share) const {
    if (!commanded) return pose_at(time + share * dt);
    const Path way{{{0, now}, {1, *commanded}}, false, false};
    return way.at(share);
}

void WorldImpl::choose_backend() {
    const bool known = CpuStep::supports(settings.formulation);
    const bool on_device = wanted_backend == Backend::opencl;
    if ((wanted_backend == Backend::cpu || on_device) && !known)
        fail(ErrorCode::bad_argument,
             "the {} back end does not know this formulation; the reference does",
             on_device ? "opencl" : "cpu");
    settings.backend = wanted_backend == Backend::reference || !known ? Backend::reference
                       : on_device                                    ? Backend::opencl
                                                                      : Backend::cpu;
    if (on_device && !device) device = make_device_world(settings.device);
    if (!on_cpu()) return;
    if (!scheduler) scheduler = make_thread_pool(settings.threads);
    if (cpu_scratch.empty()) cpu_scratch.push_back(std::make_unique<CpuScratch>());
}

World::World(const WorldSettings& settings) : impl_(std::make_unique<WorldImpl>()) {
    require_finite(settings.gravity, "gravity");
    if (!(settings.formulation.normal_point_weight >= 0 &&
          settings.formulation.normal_point_weight <= 1e6))
        fail(ErrorCode::bad_argument, "the weight of the normal point is {} but must be 0 … 1e6",
             settings.formulation.normal_point_weight);
    if (settings.threads < 0)
        fail(ErrorCode::bad_argument, "the number of threads is {} but must be 0 (all) or more",
             settings.threads);
    impl_->wanted_backend = settings.backend;
    impl_->scheduler = settings.scheduler;
    impl_->settings = settings;
    impl_->choose_backend();
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
            require_finite(to_double(options.colour), "the colour of a body");
            auto record = std::make_unique<BodyRecord>();
            record->name = options.name.empty() ? mesh.name : options.name;
            record->prepared.source = make_source(mesh, options);
            impl_->apply_material(*record, material);
            record->volume_mode = options.volume;
            record->gravity_factor = options.gravity_factor;
            record->filter = options.filter;
            record->self.wanted = options.self_contact;
            record->colour = options.colour;
            record->orientation = normalized(options.rotation);
            record->id = impl_->next_id++;
            record->name = impl_->names.take(record->name);
            BodyRecord& body = impl_->insert(std::move(record));
            const BodyAsset& asset = body.asset();
            body.self.clearance = rest_clearance(asset);
            BodyView view = impl_->edit(body);
            for (std::size_t i = 0; i < body.count; ++i) {
                const Vec3 r = rotate(body.orientation, asset.rest[i]);
                view.x[i] = options.position + rotate(body.orientation, asset.rest_centre) + r;
                view.v[i] = options.velocity + cross(options.angular_velocity, r);
                view.rotation[i] = body.orientation;
            }
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
    if (impl_->device) impl_->device->release(**at);
    for (auto later = at + 1; later != bodies.end(); ++later) (*later)->first -= (*at)->count;
    bodies.erase(at);
    impl_->wake_all();
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
            impl_->wake_all();
            return record.id;
        },
        ColliderId{0});
}

void World::remove_collider(ColliderId id) {
    std::erase_if(impl_->colliders, [&](const auto& c) { return c.id == id; });
    impl_->wake_all();
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

std::vector<ColliderId> World::colliders() const {
    std::vector<ColliderId> ids;
    for (const ColliderRecord& collider : impl_->colliders) ids.push_back(collider.id);
    return ids;
}

const Collider& World::collider(ColliderId id) const {
    return impl_->find_collider(id).collider;
}

void World::set_friction(const std::string& surface, const std::string& other,
                         const PairFriction& friction, Status* status) {
    reporting_to(status, [&] {
        if (surface.empty() || other.empty())
            fail(ErrorCode::bad_argument, "a surface that has a friction of its own needs a name");
        if (const auto problem = problem_with(friction))
            fail(ErrorCode::bad_argument, "the friction of '{}' and '{}': {}", surface, other,
                 *problem);
        impl_->friction_pairs.set(FrictionPairs::names(surface, other), friction);
        impl_->wake_all();
    });
}

void World::remove_friction(const std::string& surface, const std::string& other) {
    impl_->friction_pairs.remove(FrictionPairs::names(surface, other));
    impl_->wake_all();
}

std::optional<PairFriction> World::friction(const std::string& surface,
                                            const std::string& other) const {
    const auto& all = impl_->friction_pairs.all();
    const auto at = all.find(FrictionPairs::names(surface, other));
    return at != all.end() ? std::optional(at->second) : std::nullopt;
}

void World::step(double dt, Status* status) {
    reporting_to(status, [&] {
        // Shorter, and velocities from positions would be made of rounding.
        if (!(dt >= 1e-6 && dt <= 0.25))
            fail(ErrorCode::bad_argument, "a step must be between 1e-6 and 0.25 s, not {} s", dt);
        impl_->step(dt);
    });
}

void World::begin_reading(Status* status) {
    reporting_to(status, [&] { impl_->begin_reading(); });
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
        impl_->wake_all();
    });
}
const Formulation& World::formulation() const {
    return impl_->settings.formulation;
}
Backend World::backend() const {
    return impl_->settings.backend;
}
int World::threads() const {
    return impl_->on_cpu() ? impl_->scheduler->threads() : 1;
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
    for (const auto& body : impl_->bodies) {
        const BodyView slice = impl_->view(*body);
        hash.add_array(std::span<const Vec3>(slice.x));
        hash.add_array(std::span<const Vec3>(slice.v));
    }
    for (const auto& rigid : impl_->rigids) {
        const auto& [pose, velocity, angular_velocity] = rigid->state;
        hash.add(pose);
        hash.add(velocity);
        hash.add(angular_velocity);
    }
    hash.add(impl_->time);
    return hash.value();
}

bool World::finite() const {
    const auto sound = [](const auto& rigid) {
        const auto& [pose, velocity, angular_velocity] = rigid->state;
        const Quat& q = pose.rotation;
        return is_finite(pose.position) && is_finite(velocity) && is_finite(angular_velocity) &&
               std::isfinite(q.w + q.x + q.y + q.z);
    };
    return std::ranges::all_of(impl_->rigids, sound) &&
           std::ranges::all_of(impl_->bodies, [&](const auto& body) {
               const BodyView slice = impl_->view(*body);
               return std::ranges::all_of(slice.x, is_finite) &&
                      std::ranges::all_of(slice.v, is_finite);
           });
}

std::size_t World::bytes() const {
    std::set<const BodyAsset*> assets;
    std::set<const CollisionTree*> trees;
    std::size_t total = 0, largest = 0;
    for (const auto& body : impl_->bodies) {
        const SurfaceRest& rest = *body->prepared.rest;
        if (assets.insert(&body->asset()).second)
            total += turgor::bytes(body->asset()) +
                     (rest.weight.size() + rest.region_weight.size() + rest.normal_length.size()) *
                         sizeof(double) +
                     (rest.region_centre.size() + rest.normal_point.size()) * sizeof(Vec3) +
                     (body->prepared.fast ? turgor::bytes(*body->prepared.fast) : 0);
        total += 2 * (body->published.positions.size() + body->published.display_positions.size()) *
                 sizeof(Vec3f);
        total += 3 * body->cpu.x.size() * sizeof(Quad) + body->boxes.bytes() +
                 body->self.clusters.size() * sizeof(SelfContact::Cluster) +
                 body->self_search.bytes();
        if (body->prepared.tree && trees.insert(body->prepared.tree.get()).second)
            total += body->prepared.tree->bytes();
        largest = std::max(largest, body->count);
    }
    for (const auto& scratch : impl_->cpu_scratch) total += scratch->bytes();
    if (impl_->island_scratch) total += impl_->island_scratch->bytes();
    constexpr std::size_t state = 2 * sizeof(Vec3) + sizeof(Quat) + 2 * sizeof(double);
    constexpr std::size_t reference = 2 * sizeof(Vec3) + 2 * sizeof(double) + sizeof(Support);
    return total + particles() * state + (impl_->on_cpu() ? 0 : largest * reference);
}

double World::intervals_per_region() const {
    double sum = 0;
    for (const auto& body : impl_->bodies)
        sum += turgor::intervals_per_region(body->asset()) * static_cast<double>(body->count);
    return particles() > 0 ? sum / static_cast<double>(particles()) : 0;
}

}  // namespace turgor
