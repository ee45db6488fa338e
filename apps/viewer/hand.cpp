#include "hand.hpp"

#include <algorithm>
#include <cmath>

namespace turgor {
namespace {

constexpr double reach = 0.14;  // of a hand, as a share of the body's size
constexpr double firmness = 7;  // of its pull [Hz]

bool is_alive(LiveScene& live, BodyId id) {
    return std::ranges::any_of(live.world().bodies(), [&](const Body& b) { return b.id() == id; });
}

/// What a hand holds: all around the point, or at least what is nearest.
std::vector<std::uint32_t> vertices_at(const Body& body, Vec3 point) {
    std::vector<std::uint32_t> near = body.vertices_near(point, reach * body.size());
    if (!near.empty()) return near;
    const auto positions = body.positions();
    const auto nearest = std::ranges::min_element(
        positions, {}, [&](const Vec3f& p) { return norm(to_double(p) - point); });
    return {static_cast<std::uint32_t>(nearest - positions.begin())};
}

}  // namespace

bool Hand::grab(Simulation& simulation, const Picked& picked, const Camera& camera) {
    if (picked.rigid) return false;
    let_go(simulation);
    grip_ = std::make_shared<Grip>();
    grip_->body = picked.id;
    target_ = picked.point;
    plane_ = normalized(camera.target - camera.position());
    simulation.post([grip = grip_, made = made_, point = picked.point](LiveScene& live) {
        if (!is_alive(live, grip->body)) return;
        Body body = live.world().body(grip->body);
        grip->vertices = vertices_at(body, point);
        grip->handle = body.drag(grip->vertices, point, firmness);
        made->drags.emplace_back(grip->body, grip->handle);
    });
    return true;
}

void Hand::move(Simulation& simulation, const Camera& camera, Vec3 direction) {
    if (!grip_) return;
    const double along = dot(direction, plane_);
    if (along < 1e-3) return;
    target_ = camera.position() + dot(target_ - camera.position(), plane_) / along * direction;
    simulation.post([grip = grip_, target = target_](LiveScene& live) {
        if (grip->handle != 0 && is_alive(live, grip->body))
            live.world().body(grip->body).move_handle(grip->handle, target);
    });
}

void Hand::let_go(Simulation& simulation) {
    if (!grip_) return;
    simulation.post([grip = grip_](LiveScene& live) {
        if (grip->handle != 0 && is_alive(live, grip->body))
            live.world().body(grip->body).release(grip->handle);
    });
    grip_.reset();
}

void Hand::pin(Simulation& simulation) {
    if (!grip_) return;
    simulation.post([grip = grip_, made = made_](LiveScene& live) {
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
    simulation.post([made = made_](LiveScene& live) { release(live, made->pins); });
}

void Hand::let_go_of_the_past(Simulation& simulation) {
    grip_.reset();
    simulation.post([made = made_](LiveScene& live) { release(live, made->drags); });
}

}  // namespace turgor
