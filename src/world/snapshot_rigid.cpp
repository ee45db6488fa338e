#include "world/snapshot_fields.hpp"

namespace turgor {
namespace {

/// Its pose and velocities are those of the state; lengths that a shape does not have are not
/// stored.
template <class A>
void describe(A& a, Of<A, RigidBody>& r) {
    a.kind("shape", r.shape, RigidShape::convex);
    switch (r.shape) {
        case RigidShape::capsule:
            a("height", r.height);
            [[fallthrough]];
        case RigidShape::sphere:
            a("radius", r.radius);
            break;
        case RigidShape::box:
            a("half_extent", r.half_extent);
            break;
        case RigidShape::convex:
            a("mesh", r.mesh);
            break;
    }
    a("density", r.density);
    a("mass", r.mass);
    a("gravity_factor", r.gravity_factor);
    a("friction", r.friction);
    a("restitution", r.restitution);
    a("filter", r.filter);
    a("driven_by_host", r.driven_by_host);
    a("colour", r.colour);
}

template <class A>
void describe(A& a, Of<A, RigidState>& state) {
    a("pose", state.pose);
    a("velocity", state.velocity);
    a("angular_velocity", state.angular_velocity);
}

template <class A>
void describe(A& a, Of<A, RigidRecord>& r) {
    a("id", r.id);
    a("name", r.name);
    describe(a, r.made);
    describe(a, r.state);
    a("force", r.force);
    a("torque", r.torque);
    a("impulse", r.impulse);
    a("angular_impulse", r.angular_impulse);
    describe(a, static_cast<Of<A, ContactLog>&>(r));
    a("sleep_timer", r.sleep_timer, not_negative);
    a("asleep", r.asleep);
    if constexpr (A::reads) {
        r.made.pose = r.state.pose;
        r.made.velocity = r.state.velocity;
        r.made.angular_velocity = r.state.angular_velocity;
        a.naming([&] { check_and_make(r); });
    }
}

}  // namespace

void write_rigids(SnapshotWriter& out, const WorldImpl& world) {
    out.list("rigids", world.rigids, [&](const auto& rigid) { describe(out, *rigid); });
}

void read_rigids(SnapshotReader& in, WorldImpl& world) {
    in.list("rigids", world.rigids, [&](auto& rigid) {
        rigid = std::make_unique<RigidRecord>();
        describe(in, *rigid);
    });
}

}  // namespace turgor
