#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "mesh/normals.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

void require_between(const char* what, double value, double low, double high) {
    if (!(value >= low && value <= high))
        fail(ErrorCode::bad_argument, "its {} is {} but must be between {} and {}", what, value,
             low, high);
}

void require_state(const RigidState& state) {
    require_finite(state.pose.position, "its position");
    require_rotation(state.pose.rotation);
    require_finite(state.velocity, "its velocity");
    require_finite(state.angular_velocity, "its angular velocity");
}

/// An Error from `work` gets the name of the body in front.
template <class Work>
auto naming(const std::string& name, Work&& work) {
    try {
        return work();
    } catch (const Error& e) {
        fail(e.code(), "rigid body '{}': {}", name, e.what());
    }
}

double mass_of(const RigidBody& body, const RigidGeometry& geometry) {
    require_between("density", body.density, 1e-6, 1e6);
    if (body.mass) require_between("mass", *body.mass, 1e-9, 1e12);
    return body.mass.value_or(body.density * geometry.volume);
}

}  // namespace

void check_and_make(RigidRecord& record) {
    const RigidBody& body = record.made;
    require_state({body.pose, body.velocity, body.angular_velocity});
    if (!std::isfinite(body.gravity_factor))
        fail(ErrorCode::bad_argument, "its gravity factor is not finite");
    require_finite(to_double(body.colour), "its colour");
    require_between("friction", body.friction, 0, 10);
    require_between("restitution", body.restitution, 0, 1);
    record.geometry = make_geometry(body);
    record.mass = mass_of(body, *record.geometry);
}

RigidRecord* WorldImpl::find_rigid_or_null(RigidId id) {
    const auto at = std::ranges::lower_bound(rigids, id, {}, [](const auto& r) { return r->id; });
    return at != rigids.end() && (*at)->id == id ? at->get() : nullptr;
}

RigidRecord& WorldImpl::find_rigid(RigidId id) {
    if (RigidRecord* rigid = find_rigid_or_null(id)) return *rigid;
    fail(ErrorCode::bad_argument,
         "there is no rigid body {} in this world (it may have been removed)", id);
}

Rigid World::add_rigid(const RigidBody& body, Status* status) {
    return reporting_to(
        status,
        [&] {
            auto record = std::make_unique<RigidRecord>();
            record->made = body;
            naming(body.name, [&] { check_and_make(*record); });
            record->made.pose.rotation = normalized(body.pose.rotation);
            record->state = {record->made.pose, body.velocity, body.angular_velocity};
            record->id = impl_->next_id++;
            record->name = impl_->names.take(body.name.empty() ? "rigid" : body.name);
            impl_->rigids.push_back(std::move(record));
            return Rigid(impl_.get(), impl_->rigids.back()->id);
        },
        Rigid(impl_.get(), 0));
}

void World::remove_rigid(RigidId id) {
    const RigidRecord* rigid = impl_->find_rigid_or_null(id);
    if (!rigid) return;
    impl_->names.release(rigid->name);
    std::erase_if(impl_->rigids, [&](const auto& r) { return r->id == id; });
    impl_->wake_all();
}

Rigid World::rigid(RigidId id) {
    return {impl_.get(), id};
}

std::vector<Rigid> World::rigids() {
    std::vector<Rigid> all;
    for (const auto& rigid : impl_->rigids) all.push_back(Rigid(impl_.get(), rigid->id));
    return all;
}

RigidRecord& Rigid::record() const {
    return world_->find_rigid(id_);
}
bool Rigid::alive() const {
    return world_->find_rigid_or_null(id_) != nullptr;
}
const std::string& Rigid::name() const {
    return record().name;
}
Vec3f Rigid::colour() const {
    return record().made.colour;
}
const Pose& Rigid::pose() const {
    return record().state.pose;
}
Vec3 Rigid::velocity() const {
    return record().state.velocity;
}
Vec3 Rigid::angular_velocity() const {
    return record().state.angular_velocity;
}
double Rigid::mass() const {
    return record().mass;
}
double Rigid::volume() const {
    return record().geometry->volume;
}
Vec3 Rigid::momentum() const {
    return record().mass * record().state.velocity;
}
Vec3 Rigid::angular_momentum() const {
    return record().angular_momentum();
}
double Rigid::kinetic_energy() const {
    const RigidRecord& r = record();
    return 0.5 * (r.mass * dot(r.state.velocity, r.state.velocity) +
                  dot(r.state.angular_velocity, r.angular_momentum()));
}
Bounds Rigid::bounds() const {
    return record().geometry->bounds(record().state.pose);
}
bool Rigid::asleep() const {
    return record().asleep;
}
Vec3 Rigid::impulse() const {
    return record().impulse;
}
Vec3 Rigid::angular_impulse() const {
    return record().angular_impulse;
}

namespace {

RigidRecord& shown(RigidRecord& r) {
    if (r.display == StateCopies::Display::current) return r;
    const Mesh& mesh = r.geometry->drawn;
    std::vector<Vec3> places, normals(mesh.vertices.size());
    for (const Vec3& p : mesh.vertices) places.push_back(r.state.pose.to_world(p));
    unit_normals(places, mesh.triangles, normals);
    r.positions.resize(places.size());
    r.normals.resize(places.size());
    std::ranges::transform(places, r.positions.begin(), to_float);
    std::ranges::transform(normals, r.normals.begin(), to_float);
    r.display = StateCopies::Display::current;
    return r;
}

}  // namespace

std::span<const Vec3f> Rigid::positions() const {
    return shown(record()).positions;
}
std::span<const Vec3f> Rigid::normals() const {
    return shown(record()).normals;
}
std::span<const Triangle> Rigid::triangles() const {
    return record().geometry->drawn.triangles;
}

void Rigid::set_state(const RigidState& state, Status* status) {
    reporting_to(status, [&] {
        RigidRecord& r = record();
        naming(r.name, [&] { require_state(state); });
        r.state = state;
        r.state.pose.rotation = normalized(state.pose.rotation);
        r.display = StateCopies::Display::old;
        wake(r);
    });
}

void Rigid::apply_impulse(Vec3 impulse, Status* status) {
    apply_impulse(impulse, record().state.pose.position, status);
}

void Rigid::apply_impulse(Vec3 impulse, Vec3 point, Status* status) {
    reporting_to(status, [&] {
        RigidRecord& r = record();
        require_finite(impulse, "an impulse");
        require_finite(point, "the point of an impulse");
        const Mat3 per_spread = rotated_tensor(r.state.pose.rotation, r.geometry->per_spread);
        const Vec3 arm = point - r.state.pose.position;
        r.state.velocity += impulse / r.mass;
        r.state.angular_velocity += 1 / r.mass * (per_spread * cross(arm, impulse));
        wake(r);
    });
}

void Rigid::set_force(Vec3 force, Vec3 torque, Status* status) {
    reporting_to(status, [&] {
        RigidRecord& r = record();
        require_finite(force, "a force");
        require_finite(torque, "a torque");
        r.force = force;
        r.torque = torque;
        wake(r);
    });
}

void Rigid::set_gravity_factor(double factor, Status* status) {
    reporting_to(status, [&] {
        if (!std::isfinite(factor))
            fail(ErrorCode::bad_argument, "the gravity factor of rigid body '{}' is not finite",
                 record().name);
        record().made.gravity_factor = factor;
        wake(record());
    });
}

void Rigid::set_filter(const CollisionFilter& filter) {
    record().made.filter = filter;
    wake(record());
}

}  // namespace turgor
