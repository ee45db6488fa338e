#include <algorithm>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "base/rigid_system.hpp"
#include "body/bake.hpp"
#include "step/island_scratch.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
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

Formulation Formulation::paper() {
    Formulation f;
    f.surface.share_mass = false;
    f.surface.normal_point_weight = 1;
    f.meshless.published = true;
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

void WorldImpl::wake_all() {
    for (auto& body : bodies) wake(*body);
    for (auto& rigid : rigids) wake(*rigid);
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
    const bool known =
        CpuStep::supports(settings.formulation) && cpu_forms_know(settings.formulation);
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
    for (const ElasticModel* model : models()) model->check(settings.formulation);
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
            record->parts.source = impl_->make_source(mesh, options);
            record->made_with = options.model;
            record->model = &model_of(options.model);
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
            }
            body.elastic->reset(body.orientation);
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
std::span<const TearEvent> World::tears() const {
    return impl_->tears;
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
    std::set<const void*> counted;
    std::size_t total = 0, largest = 0;
    const auto add = [&](const auto& shared) {
        if (shared && counted.insert(shared.get()).second) total += turgor::bytes(*shared);
    };
    for (const auto& body : impl_->bodies) {
        const BodyParts& parts = body->parts;
        add(parts.asset), add(parts.cpu_asset);
        add(parts.volume.struts), add(parts.cpu_volume.struts);
        add(parts.volume.followers), add(parts.cpu_volume.followers);
        body->elastic->count_bytes(counted, total);
        total += 2 * (body->display.positions.size() + body->display.display_positions.size()) *
                 sizeof(Vec3f);
        total += 2 * body->cpu.x.size() * sizeof(Quad) + body->boxes.bytes() +
                 body->self.clusters.size() * sizeof(SelfContact::Cluster) +
                 body->self_search.bytes();
        if (parts.tree && counted.insert(parts.tree.get()).second) total += parts.tree->bytes();
        largest = std::max(largest, body->count);
    }
    for (const auto& scratch : impl_->cpu_scratch) total += scratch->bytes();
    for (const auto& of_thread : impl_->batch_scratch)
        for (const CpuScratch& scratch : of_thread) total += scratch.bytes();
    if (impl_->island_scratch) total += impl_->island_scratch->bytes();
    for (const auto& scratch : impl_->more_island_scratch) total += scratch->bytes();
    constexpr std::size_t state = 2 * sizeof(Vec3) + 2 * sizeof(double);
    constexpr std::size_t reference = 2 * sizeof(Vec3) + 2 * sizeof(double) + sizeof(Support);
    return total + particles() * state + (impl_->on_cpu() ? 0 : largest * reference);
}

}  // namespace turgor
