#include <algorithm>

#include "base/errors.hpp"
#include "base/rigid_system.hpp"
#include "mesh/measures.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

std::uint32_t particle_of(const BodyRecord& body, std::size_t vertex) {
    if (vertex >= body.asset().surface_count)
        fail(ErrorCode::bad_argument, "body '{}' has no vertex {}: it has {}", body.name, vertex,
             body.asset().surface_count);
    return body.asset().particle_of_vertex[vertex];
}

std::vector<std::uint32_t> particles_of(const BodyRecord& body,
                                        std::span<const std::uint32_t> vertices) {
    if (vertices.empty())
        fail(ErrorCode::bad_argument, "a handle on body '{}' needs at least one vertex", body.name);
    std::vector<std::uint32_t> particles;
    for (const auto v : vertices) particles.push_back(particle_of(body, v));
    std::sort(particles.begin(), particles.end());
    particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
    return particles;
}

void require_all_finite(const BodyRecord& body, std::span<const Vec3> values, const char* what) {
    const std::size_t vertices = body.asset().surface_count;
    if (values.size() != vertices)
        fail(ErrorCode::bad_argument,
             "{} for body '{}' has {} entries, but the body has {} vertices", what, body.name,
             values.size(), vertices);
    if (!std::all_of(values.begin(), values.end(), is_finite))
        fail(ErrorCode::bad_argument, "{} for body '{}' has a number that is not finite", what,
             body.name);
}

/// Inner particles follow the surface where it was put: by the affine map that fits it best.
void place_inner_particles(const BodyAsset& asset, std::span<const Vec3> rest, std::span<Vec3> x) {
    const std::size_t n = asset.surface_count;
    if (n == x.size()) return;
    Vec3 from, to;
    for (std::size_t i = 0; i < n; ++i) from += rest[i], to += x[i];
    from /= static_cast<double>(n), to /= static_cast<double>(n);
    Mat3 across, within;
    for (std::size_t i = 0; i < n; ++i) {
        across += outer(x[i] - to, rest[i] - from);
        within += outer(rest[i] - from, rest[i] - from);
    }
    const SymmetricSolver solver(within);
    for (std::size_t i = n; i < x.size(); ++i) x[i] = to + across * solver.solve(rest[i] - from);
}

Handle& handle_of(BodyRecord& body, HandleId id, Handle::Kind kind) {
    const auto at = std::ranges::find(body.handles, id, &Handle::id);
    if (at == body.handles.end())
        fail(ErrorCode::bad_argument, "body '{}' has no handle {} (it may have been released)",
             body.name, id);
    if (at->kind != kind)
        fail(
            ErrorCode::bad_argument,
            "handle {} of body '{}' does not take this: a drag moves to one point, a follow to one "
            "for each vertex, a pin along the path it was given",
            id, body.name);
    return *at;
}

/// Calls act(body) for the bodies that have a handle: several, where it was torn apart. Where none
/// has it, for the one that was asked.
template <class Act>
void each_with(WorldImpl& world, BodyRecord& asked, HandleId id, Act&& act) {
    const auto has = [&](const auto& body) {
        return std::ranges::find(body->handles, id, &Handle::id) != body->handles.end();
    };
    if (std::ranges::none_of(world.bodies, has)) return act(asked);
    for (auto& body : world.bodies)
        if (has(body)) act(*body);
}

}  // namespace

BodyRecord& Body::record() const {
    return world_->find(id_);
}

bool Body::alive() const {
    return world_->find_or_null(id_) != nullptr;
}
const std::string& Body::name() const {
    return record().name;
}
Vec3f Body::colour() const {
    return record().colour;
}
bool Body::can_tear() const {
    return record().elastic->can_tear();
}
const Model& Body::model() const {
    return record().made_with;
}
std::vector<ModelFigure> Body::figures() const {
    std::vector<ModelFigure> all;
    for (const Figure& f : record().elastic->figures())
        all.push_back({std::string(f.name), f.value, std::string(f.unit)});
    return all;
}
double Body::figure(std::string_view name) const {
    const auto all = record().elastic->figures();
    const auto at = std::ranges::find(all, name, &Figure::name);
    if (at == all.end())
        fail(ErrorCode::bad_argument, "the model '{}' of body '{}' has no figure '{}'",
             record().model->name(), record().name, name);
    return at->value;
}
const Material& Body::material() const {
    return record().material;
}
bool Body::asleep() const {
    return record().asleep;
}
bool Body::recovering() const {
    return record().recovering;
}
double Body::frequency() const {
    return record().elastic->frequency();
}
double Body::size() const {
    return record().asset().size;
}
double Body::rest_volume() const {
    return record().asset().rest_volume;
}
double Body::mass() const {
    return record().mass;
}

std::span<const Vec3f> Body::positions() const {
    return world_->display_of(record()).positions;
}
std::span<const Vec3f> Body::normals() const {
    return world_->display_of(record()).normals;
}
std::span<const Triangle> Body::triangles() const {
    const BodyAsset& asset = record().asset();
    return asset.has_own_surface ? asset.triangles : record().parts.source->mesh.triangles;
}

std::span<const Vec3f> Body::display_positions() const {
    const DisplayGeometry& shown = world_->display_of(record());
    return record().asset().shows_surface() ? shown.positions : shown.display_positions;
}
std::span<const Vec3f> Body::display_normals() const {
    const DisplayGeometry& shown = world_->display_of(record());
    return record().asset().shows_surface() ? shown.normals : shown.display_normals;
}
std::span<const Triangle> Body::display_triangles() const {
    const BodyAsset& asset = record().asset();
    return asset.shows_surface() ? triangles() : asset.display_triangles();
}

Vec3 Body::position(std::size_t vertex) const {
    BodyRecord& body = record();
    return world_->view(body).x[particle_of(body, vertex)];
}

Vec3 Body::velocity(std::size_t vertex) const {
    BodyRecord& body = record();
    return world_->view(body).v[particle_of(body, vertex)];
}

Bounds Body::bounds() const {
    Bounds box;
    for (const Vec3& p : world_->view(record()).x.first(record().asset().surface_count)) box.add(p);
    return box;
}

double Body::volume() const {
    BodyRecord& body = record();
    return enclosed_volume(world_->view(body).x, body.asset().triangles);
}

Vec3 Body::centre_of_mass() const {
    const BodyView view = world_->view(record());
    return turgor::centre_of_mass(view.mass, view.x);
}

Vec3 Body::momentum() const {
    const BodyView view = world_->view(record());
    Vec3 sum;
    for (std::size_t i = 0; i < view.x.size(); ++i) sum += view.mass[i] * view.v[i];
    return sum;
}

Vec3 Body::angular_momentum() const {
    const BodyView view = world_->view(record());
    const Vec3 centre = centre_of_mass();
    Vec3 sum;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        sum += cross(view.x[i] - centre, view.mass[i] * view.v[i]);
    return sum;
}

double Body::kinetic_energy() const {
    const BodyView view = world_->view(record());
    double sum = 0;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        sum += 0.5 * view.mass[i] * dot(view.v[i], view.v[i]);
    return sum;
}

double Body::max_speed() const {
    double fastest = 0;
    for (const Vec3& v : world_->view(record()).v) fastest = std::max(fastest, norm(v));
    return fastest;
}

double Body::shape_error() const {
    BodyRecord& body = record();
    const BodyView view = world_->view(body);
    std::vector<Vec3> goals(view.x.size());
    Quat orientation = body.orientation;
    match_whole_body(body.elastic->rest_shape(), view.mass, view.x, orientation, goals);
    return rms_distance(body.elastic->rest_shape(), body.asset().mass, view.x, goals);
}

std::vector<Vec3> Body::rest_shape() const {
    const BodyRecord& body = record();
    const std::span<const Vec3> rest = body.elastic->rest_shape();
    std::vector<Vec3> shape;
    for (const std::uint32_t particle : body.asset().particle_of_vertex)
        shape.push_back(rest[particle]);
    return shape;
}

void Body::reset_shape() {
    BodyRecord& body = record();
    wake(body);
    body.elastic->reset_shape();
}

void Body::set_material(const Material& material, Status* status) {
    reporting_to(status, [&] {
        BodyRecord& body = record();
        wake(body);
        world_->apply_material(body, material);
        world_->weigh(body);
    });
}

VolumeMode Body::volume_mode() const {
    return record().volume_mode;
}

void Body::set_volume_mode(VolumeMode mode) {
    wake(record());
    record().volume_mode = mode;
}

bool Body::self_contact() const {
    return record().self.wanted;
}

void Body::set_self_contact(bool on) {
    BodyRecord& body = record();
    world_->particles_of(body);
    body.copies.device_is_left();
    body.self.wanted = on;
    body.self.mark_unknown();
    wake(body);
}

const CollisionFilter& Body::filter() const {
    return record().filter;
}

void Body::set_filter(const CollisionFilter& filter) {
    wake(record());
    record().filter = filter;
}

void Body::set_gravity_factor(double factor, Status* status) {
    reporting_to(status, [&] {
        if (!std::isfinite(factor))
            fail(ErrorCode::bad_argument, "the gravity factor is not finite");
        wake(record());
        record().gravity_factor = factor;
    });
}

void Body::set_force(Vec3 force, Status* status) {
    reporting_to(status, [&] {
        require_finite(force, "the force");
        if (record().force == force) return;
        wake(record());
        record().force = force;
    });
}

void Body::set_force(std::size_t vertex, Vec3 force, Status* status) {
    reporting_to(status, [&] {
        require_finite(force, "the force");
        BodyRecord& body = record();
        const auto i = particle_of(body, vertex);
        const auto acting = body.forces.find(i);
        if (force == (acting == body.forces.end() ? Vec3{} : acting->second)) return;
        wake(body);
        if (force == Vec3{})
            body.forces.erase(i);
        else
            body.forces[i] = force;
    });
}

void Body::apply_impulse(Vec3 impulse, Status* status) {
    reporting_to(status, [&] {
        require_finite(impulse, "the impulse");
        BodyRecord& body = record();
        for (Vec3& v : world_->edit(body).v) v += impulse / body.mass;
    });
}

void Body::apply_impulse(std::size_t vertex, Vec3 impulse, Status* status) {
    reporting_to(status, [&] {
        require_finite(impulse, "the impulse");
        BodyRecord& body = record();
        const auto i = particle_of(body, vertex);
        const BodyView view = world_->edit(body);
        view.v[i] += impulse / view.mass[i];
    });
}

void Body::teleport(Vec3 position, Quat rotation, bool keep_velocity, Status* status) {
    reporting_to(status, [&] {
        require_finite(position, "the position");
        require_rotation(rotation);
        const Quat turn = normalized(rotation);
        BodyRecord& body = record();
        const BodyView view = world_->edit(body);
        const Vec3 centre = centre_of_mass();
        for (std::size_t i = 0; i < view.x.size(); ++i) {
            view.x[i] = position + rotate(turn, view.x[i] - centre);
            view.v[i] = keep_velocity ? rotate(turn, view.v[i]) : Vec3{};
        }
        body.elastic->turn(turn);
        body.orientation = normalized(turn * body.orientation);
        for (Handle& handle : body.handles) {
            if (handle.kind != Handle::Kind::pin) continue;
            handle.pivot = position + rotate(turn, handle.pivot - centre);
            for (Vec3& offset : handle.offsets) offset = rotate(turn, offset);
        }
        std::fill(view.pressed.begin(), view.pressed.end(), 0.0);
    });
}

void Body::set_positions(std::span<const Vec3> positions, Status* status) {
    reporting_to(status, [&] {
        BodyRecord& body = record();
        require_all_finite(body, positions, "the list of positions");
        const BodyView view = world_->edit(body);
        for (std::size_t i = 0; i < body.asset().surface_count; ++i)
            view.x[i] = positions[body.asset().vertex_of_particle[i]];
        place_inner_particles(body.asset(), body.elastic->rest_shape(), view.x);
        std::fill(view.pressed.begin(), view.pressed.end(), 0.0);
        body.self.mark_unknown();
    });
}

void Body::set_velocities(std::span<const Vec3> velocities, Status* status) {
    reporting_to(status, [&] {
        BodyRecord& body = record();
        require_all_finite(body, velocities, "the list of velocities");
        const BodyView view = world_->edit(body);
        for (std::size_t i = 0; i < body.asset().surface_count; ++i)
            view.v[i] = velocities[body.asset().vertex_of_particle[i]];
    });
}

std::vector<std::uint32_t> Body::vertices_near(Vec3 point, double radius) const {
    BodyRecord& body = record();
    const BodyView view = world_->view(body);
    std::vector<std::uint32_t> near;
    for (std::uint32_t vertex = 0; vertex < body.asset().surface_count; ++vertex)
        if (norm(view.x[body.asset().particle_of_vertex[vertex]] - point) <= radius)
            near.push_back(vertex);
    return near;
}

HandleId Body::pin(std::span<const std::uint32_t> vertices, const Path& path, Status* status) {
    return reporting_to(
        status,
        [&] {
            BodyRecord& body = record();
            if (const auto problem = problem_with(path))
                fail(ErrorCode::bad_argument, "a pin of body '{}': {}", body.name, *problem);
            Handle handle;
            handle.kind = Handle::Kind::pin;
            handle.particles = particles_of(body, vertices);
            const BodyView view = world_->view(body);
            for (const auto i : handle.particles) handle.pivot += view.x[i];
            handle.pivot /= static_cast<double>(handle.particles.size());
            for (const auto i : handle.particles)
                handle.offsets.push_back(view.x[i] - handle.pivot);
            handle.path = path;
            handle.start_time = world_->time;
            return world_->add_handle(body, std::move(handle));
        },
        HandleId{0});
}

HandleId Body::drag(std::span<const std::uint32_t> vertices, Vec3 target, double frequency,
                    Status* status) {
    return reporting_to(
        status,
        [&] {
            BodyRecord& body = record();
            require_finite(target, "the target");
            if (!(frequency > 0 && frequency <= 1000))
                fail(ErrorCode::bad_argument,
                     "the frequency of a drag must be above 0 and at most 1000 Hz, not {}",
                     frequency);
            Handle handle;
            handle.kind = Handle::Kind::drag;
            handle.particles = particles_of(body, vertices);
            handle.targets = handle.previous_targets = {target};
            handle.frequency = frequency;
            return world_->add_handle(body, std::move(handle));
        },
        HandleId{0});
}

HandleId Body::follow(std::span<const Vec3> targets, std::span<const double> strength,
                      Status* status) {
    return reporting_to(
        status,
        [&] {
            BodyRecord& body = record();
            require_all_finite(body, targets, "the list of targets");
            const std::size_t vertices = body.asset().surface_count;
            if (strength.size() != vertices)
                fail(ErrorCode::bad_argument,
                     "body '{}' has {} vertices, but {} strengths were given", body.name, vertices,
                     strength.size());
            if (!std::all_of(strength.begin(), strength.end(),
                             [](double s) { return s >= 0 && s <= 1; }))
                fail(ErrorCode::bad_argument, "a strength for body '{}' is not between 0 and 1",
                     body.name);
            Handle handle;
            handle.kind = Handle::Kind::follow;
            for (std::uint32_t i = 0; i < vertices; ++i) {
                const auto vertex = body.asset().vertex_of_particle[i];
                handle.particles.push_back(i);
                handle.targets.push_back(targets[vertex]);
                handle.strength.push_back(strength[vertex]);
            }
            handle.previous_targets = handle.targets;
            return world_->add_handle(body, std::move(handle));
        },
        HandleId{0});
}

void Body::move_handle(HandleId id, Vec3 target, Status* status) {
    reporting_to(status, [&] {
        require_finite(target, "the target");
        each_with(*world_, record(), id, [&](BodyRecord& body) {
            handle_of(body, id, Handle::Kind::drag).targets = {target};
        });
    });
}

void Body::move_handle(HandleId id, std::span<const Vec3> targets, Status* status) {
    reporting_to(status, [&] {
        BodyRecord& body = record();
        require_all_finite(body, targets, "the list of targets");
        Handle& handle = handle_of(body, id, Handle::Kind::follow);
        // Of a torn body not all corners were there when it began to follow.
        for (std::size_t k = 0; k < handle.particles.size(); ++k)
            handle.targets[k] = targets[body.asset().vertex_of_particle[handle.particles[k]]];
    });
}

std::vector<HandleId> Body::handles() const {
    std::vector<HandleId> ids;
    for (const Handle& handle : record().handles) ids.push_back(handle.id);
    return ids;
}

void Body::release(HandleId id) {
    wake(record());
    each_with(*world_, record(), id, [&](BodyRecord& body) {
        wake(body);
        std::erase_if(body.handles, [&](const Handle& h) { return h.id == id; });
    });
}

}  // namespace turgor
