#include "hand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace turgor {
namespace {

constexpr double reach = 0.14;    // of a hand, as a share of the body's size
constexpr double firmness = 7;    // of its pull [Hz]
constexpr double strength = 200;  // the most that it accelerates a rigid body by [m/s²]
constexpr double calm = 2;        // how fast a rigid body in it stops to spin [1/s]

bool is_alive(LiveScene& live, BodyId id) {
    return std::ranges::any_of(live.world().bodies(), [&](const Body& b) { return b.id() == id; });
}

/// What a hand holds: all around the point, or at least what is nearest.
std::vector<std::uint32_t> vertices_at(const Body& body, Vec3 point) {
    std::vector<std::uint32_t> near = body.vertices_near(point, reach * body.size());
    if (near.empty()) near.push_back(nearest_vertex(body.positions(), point));
    return near;
}

/// One step of a critically damped spring from `place` (in the body's frame) to `target`.
void pull_at(Rigid rigid, Vec3 place, Vec3 target, double dt) {
    RigidState state{rigid.pose(), rigid.velocity(), rigid.angular_velocity()};
    state.angular_velocity *= std::exp(-calm * dt);
    rigid.set_state(state);
    const Vec3 point = state.pose.to_world(place);
    const auto velocity = [&] {
        return rigid.velocity() + cross(rigid.angular_velocity(), point - state.pose.position);
    };
    const Vec3 before = velocity();
    // The velocity at the end of the step: v' = v + dt (w² (target - point - dt v') - 2 w v').
    const double w = 2 * std::numbers::pi * firmness;
    Vec3 change = (before + dt * w * w * (target - point)) / ((1 + dt * w) * (1 + dt * w)) - before;
    change *= std::min(1.0, strength * dt / std::max(1e-300, norm(change)));
    // How the point answers to kicks, tried out one after the other.
    Vec3 answer[3];
    for (int i = 0; i < 3; ++i) {
        Vec3 kick;
        kick[i] = rigid.mass();
        rigid.apply_impulse(kick, point);
        answer[i] = velocity() - before;
        rigid.set_state(state);
    }
    const auto [a, b, c] = answer;
    const double all = dot(a, cross(b, c));
    rigid.apply_impulse(
        rigid.mass() / all *
            Vec3{dot(change, cross(b, c)), dot(a, cross(change, c)), dot(a, cross(b, change))},
        point);
}

}  // namespace

void Hand::Made::pull_all(LiveScene& live) const {
    for (const Pull& p : pulls) {
        const Rigid rigid = live.world().rigid(p.by->body);
        if (rigid.alive()) pull_at(rigid, p.place, p.target, live.scene().dt);
    }
}

Hand::Pull* Hand::Made::pull_of(const std::shared_ptr<Grip>& grip) {
    const auto found = std::ranges::find(pulls, grip, &Pull::by);
    return found != pulls.end() ? &*found : nullptr;
}

void Hand::grab_rigid(Simulation& simulation) {
    simulation.post([grip = grip_, made = made_, point = target_](LiveScene& live) {
        const Rigid rigid = live.world().rigid(grip->body);
        if (rigid.alive()) made->pulls.push_back({grip, rigid.pose().to_local(point), point});
    });
    simulation.before_steps([made = made_](LiveScene& live) { made->pull_all(live); });
}

void Hand::grab(Simulation& simulation, const Picked& picked, const Camera& camera) {
    let_go(simulation);
    grip_ = std::make_shared<Grip>();
    grip_->body = picked.id;
    grip_->rigid = picked.rigid;
    target_ = picked.point;
    plane_ = normalized(camera.target - camera.position());
    if (picked.rigid) return grab_rigid(simulation);
    simulation.post([grip = grip_, made = made_, point = picked.point](LiveScene& live) {
        if (!is_alive(live, grip->body)) return;
        Body body = live.world().body(grip->body);
        grip->vertices = vertices_at(body, point);
        grip->handle = body.drag(grip->vertices, point, firmness);
        made->drags.emplace_back(grip->body, grip->handle);
    });
}

void Hand::move(Simulation& simulation, const Camera& camera, Vec3 direction) {
    if (!grip_) return;
    const double along = dot(direction, plane_);
    if (along < 1e-3) return;
    target_ = camera.position() + dot(target_ - camera.position(), plane_) / along * direction;
    simulation.post([grip = grip_, made = made_, target = target_](LiveScene& live) {
        if (Pull* pull = made->pull_of(grip)) pull->target = target;
        if (grip->handle != 0 && is_alive(live, grip->body))
            live.world().body(grip->body).move_handle(grip->handle, target);
    });
}

void Hand::let_go(Simulation& simulation) {
    if (!grip_) return;
    simulation.post([grip = grip_, made = made_](LiveScene& live) {
        std::erase_if(made->pulls, [&](const Pull& pull) { return pull.by == grip; });
        if (grip->handle != 0 && is_alive(live, grip->body))
            live.world().body(grip->body).release(grip->handle);
    });
    grip_.reset();
}

void Hand::pin(Simulation& simulation) {
    if (!grip_) return;
    simulation.post([grip = grip_, made = made_](LiveScene& live) {
        const Rigid rigid = live.world().rigid(grip->body);
        if (Pull* pull = made->pull_of(grip); pull && rigid.alive()) {
            pull->target = rigid.pose().to_world(pull->place);
            pull->pinned = true;
            pull->since = live.time();
        }
        if (grip->handle == 0 || !is_alive(live, grip->body)) return;
        Body body = live.world().body(grip->body);
        body.release(grip->handle);
        made->pins.emplace_back(grip->body, body.pin(grip->vertices));
    });
    grip_.reset();
}

void Hand::release(LiveScene& live, const std::vector<std::pair<BodyId, HandleId>>& handles) {
    for (const auto& [body, handle] : handles)
        if (is_alive(live, body)) live.world().body(body).release(handle);
}

void Hand::unpin_all(Simulation& simulation) {
    simulation.post([made = made_](LiveScene& live) {
        release(live, made->pins);
        std::erase_if(made->pulls, &Pull::pinned);
    });
}

void Hand::let_go_of_the_past(Simulation& simulation) {
    grip_.reset();
    simulation.post([made = made_](LiveScene& live) {
        release(live, made->drags);
        std::erase_if(made->pulls,
                      [&](const Pull& pull) { return !pull.pinned || pull.since >= live.time(); });
    });
}

}  // namespace turgor
