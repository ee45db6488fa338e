#include "step/device_world.hpp"

#include <cmath>

#include "contact/float_box.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/step_world.hpp"

namespace turgor {
namespace {

/// What the device would know of a body that it has not advanced last.
void measure(BodySim& body) {
    const CpuBody& state = body.cpu;
    FloatBox box;
    double fastest = 0;
    for (std::size_t i = 0; i < body.count; ++i) {
        box.add(state.x[i]);
        const Vec3 v = state.v[i].xyz() - state.mean_v;
        fastest = std::max(fastest, dot(v, v));
    }
    body.device.low = box.lower.xyz();
    body.device.high = box.upper.xyz();
    body.device.spread = std::sqrt(fastest);
}

}  // namespace

bool StepWorld::may_collide(const BodySim& body, const MovingCollider& collider, double dt) const {
    if (!collider.collider->filter.meets(body.filter)) return false;
    // What pulls at it may pull it anywhere.
    if (!body.handles.empty() || !body.forces.empty()) return true;
    const Vec3 low = body.cpu.origin + body.device.low, high = body.cpu.origin + body.device.high;
    const Vec3 fall = body.gravity_factor * settings.gravity + body.force / body.mass;
    const double speed = norm(body.cpu.drift + body.cpu.mean_v) + body.device.spread;
    const double way = dt * (speed + dt * norm(fall)) + 0.5 * body.asset().size;
    return in_reach(collider, 0.5 * (low + high),
                    0.5 * norm(high - low) + collider_margin(body) + way);
}

bool StepWorld::goes_to_device(BodySim& body) {
    if (!device || body.recovering || !body.model->has_device_form(settings.formulation) ||
        !body.elastic->has_device_form())
        return false;
    if (!body.copies.device_is_current()) measure(body);
    return true;
}

}  // namespace turgor
