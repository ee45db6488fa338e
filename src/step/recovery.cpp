#include <algorithm>

#include "base/functions.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "body/papers_step.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/step_world.hpp"
#include "volume/volume.hpp"

namespace turgor {

void match_whole_body(std::span<const Vec3> rest, std::span<const double> mass,
                      std::span<const Vec3> x, Quat& orientation, std::span<Vec3> goals) {
    const Vec3 centre = centre_of_mass(mass, x);
    Mat3 a;
    for (std::size_t i = 0; i < x.size(); ++i) a += outer(mass[i] * (x[i] - centre), rest[i]);
    orientation = nearest_rotation(a, orientation);
    const Mat3 r = to_matrix(orientation);
    for (std::size_t i = 0; i < x.size(); ++i) goals[i] = centre + r * rest[i];
}

double rms_distance(std::span<const Vec3> rest, std::span<const double> mass,
                    std::span<const Vec3> x, std::span<const Vec3> goals) {
    double off = 0, radius = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        off += mass[i] * dot(x[i] - goals[i], x[i] - goals[i]);
        radius += mass[i] * dot(rest[i], rest[i]);
    }
    return std::sqrt(off / radius);
}

bool lost_its_shape(const BodySim& body, double volume, std::size_t held) {
    const double ratio = volume / body.asset().rest_volume;
    if (body.volume_mode == VolumeMode::off) return !(ratio > 0.05 && ratio < 5);
    if (!(ratio > 0.25 && ratio < 3)) return true;
    if (std::abs(ratio - 1) < 0.3) return false;
    // Off by a third: in a press that is ordinary, in free flight it is not.
    return 10 * held < body.asset().surface_count;
}

/// A body that grows back at a collider must not grow into it: its fit is moved out as a whole, and
/// does not move in. Calls at(point, normal, velocity) for one touching contact of each collider.
template <class At>
void for_each_obstacle(const BodySim& body, const StepContext& context, At&& at) {
    const Contact* last = nullptr;
    for (const Contact& c : body.contacts) {
        if (!c.touching || (last && last->collider == c.collider)) continue;
        at(c.point, c.normal, c.surface_motion / context.h);
        last = &c;
    }
}

void recover(BodyView& view, const StepContext& context) {
    BodySim& body = view.body;
    const BodyAsset& asset = body.asset();
    body.recovering = true;
    const std::span<const Vec3> rest_shape = body.elastic->rest_shape();
    match_whole_body(rest_shape, view.mass, view.x, body.orientation, view.goal);
    for_each_obstacle(body, context, [&](Vec3 point, Vec3 normal, Vec3) {
        double lowest = 0;
        for (const Vec3& goal : view.goal) lowest = std::min(lowest, dot(goal - point, normal));
        for (Vec3& goal : view.goal) goal -= lowest * normal;
    });
    constexpr double log_of_0_8 = -0.22314355131420976;  // 0.8 of the way is left after 5 ms
    const double pull = 1 - portable::exp(log_of_0_8 * context.h / papers_step);
    RigidSystem system;
    Vec3 centre, linear, angular;
    double inertia = 0, inertia_now = 0;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        centre += view.mass[i] / body.mass * view.goal[i];
    // Velocities as they were before contact pushed particles about: growing back against the
    // ground must not throw the body into the air.
    stop_at_contacts(view, context);
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        const Vec3 velocity = view.v[i];
        if (!is_held(view.support[i])) view.x[i] += pull * (view.goal[i] - view.x[i]);
        // The momenta of the body, but at least the inertia of its rest shape: a collapsed body
        // must not whirl, nor one that comes back from far away.
        const Vec3 now = view.x_start[i] - centre, rest = view.goal[i] - centre;
        system.add(view.mass[i], rest);
        inertia += view.mass[i] * dot(rest, rest);
        inertia_now += view.mass[i] * dot(now, now);
        linear += view.mass[i] * velocity;
        angular += cross(view.x_start[i] - centre, view.mass[i] * velocity);
    }
    RigidField field = system.solve(linear, angular);
    for_each_obstacle(body, context, [&](Vec3, Vec3 normal, Vec3 velocity) {
        field.a -= std::min(0.0, dot(field.a - velocity, normal)) * normal;
    });
    if (inertia_now > inertia) field.b *= inertia / inertia_now;
    const double turn = norm(field.b) * context.h, largest_turn = 0.25;  // [rad] per step
    if (turn > largest_turn) field.b *= largest_turn / turn;
    for (std::size_t i = 0; i < view.x.size(); ++i) {
        if (!is_held(view.support[i])) view.v[i] = field.at(view.goal[i] - centre);
    }
    body.elastic->reset(body.orientation);
    push_out(body.contacts, view.x_start, view.x, 0);
    std::fill(view.weight.begin(), view.weight.end(), 1.0);
    const double ratio = enclosed_volume(view.x, asset.triangles) / asset.rest_volume;
    body.recovering = !(rms_distance(rest_shape, asset.mass, view.x, view.goal) < 0.03 &&
                        std::abs(ratio - 1) < 0.2);
    if (body.recovering || body.volume_mode == VolumeMode::off) return;
    // Back in shape: the last of the volume is made up for at once, without turning it into
    // velocity.
    const VolumeProblem problem{asset,        asset.rest_volume, view.mass, view.weight,
                                view.support, asset.size,        true,      true};
    correct_positions(problem, view.x, view.x);
}

}  // namespace turgor
