#include "world/folding.hpp"

#include <algorithm>
#include <cmath>

#include "base/for_each.hpp"
#include "contact/self_contact.hpp"
#include "world/island.hpp"

namespace turgor {
namespace {

// In units of the mean edge.
constexpr double near_self = contact_thickness + contact_margin + longest_way;
constexpr double deepest_self = 1;   ///< that parts may have gone through each other
constexpr double farthest_look = 4;  ///< ahead of what is near
/// A body is tangled where more of its vertices than this share have gone through its surface.
constexpr double most_gone_through = 0.1;

/// No particle is faster, relative to the body's rigid motion.
double deforming_speed(const BodyView& view) {
    MotionSums sums;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        sums.add(view.mass[i], view.x[i] - view.x[0], view.v[i]);
    const RigidField rigid = sums.rigid();
    double fastest = 0;
    for (std::size_t i = 0; i < view.x.size(); ++i)
        fastest = std::max(fastest, norm(view.v[i] - rigid.at(view.x[i] - view.x[0])));
    return fastest;
}

double closing_speed(const BodyView& view, const VertexNear& n) {
    Vec3 relative = view.v[n.vertex];
    const Triangle& corner = view.body.asset().triangles[n.triangle];
    for (std::size_t k = 0; k < 3; ++k) relative -= n.weight[k] * view.v[corner[k]];
    return std::max(0.0, -dot(relative, n.normal));
}

double gone_through(std::span<const VertexNear> near) {
    return static_cast<double>(
        std::ranges::count_if(near, [](const VertexNear& n) { return n.distance < 0; }));
}

void note_nearest(BodyRecord& body, std::span<const VertexNear> near, double margin) {
    double nearest = margin;
    for (const VertexNear& n : near) nearest = std::min(nearest, n.distance);
    body.self.clearance = nearest - near_self * body.asset().mean_edge;
}

/// How fast parts of a body that are near each other close [m/s], negative where none are.
double folding_speed(const BodyView& view, const CollisionSurface& surface, double spread,
                     double dt) {
    BodyRecord& body = view.body;
    const double edge = body.asset().mean_edge;
    const double ahead = std::min(2 * deforming_speed(view) * dt, farthest_look * edge);
    const double margin = std::max(near_self * edge + ahead, apart_at_rest * edge);
    thread_local std::vector<VertexNear> near;
    near.clear();
    find_near_self(surface, margin, (body.self.tangled ? apart_at_rest : deepest_self) * edge,
                   near);
    if (body.self.tangled) body.self.tangled = gone_through(near) > 0;
    note_nearest(body, near, margin);
    if (body.self.tangled || 2 * spread * dt < body.self.clearance) return -1;
    double fastest = -1;
    for (const VertexNear& n : near) {
        const double speed = closing_speed(view, n);
        // What hits something in between may close faster than it does now.
        if (n.distance - 1.5 * speed * dt < near_self * edge) fastest = std::max(fastest, speed);
    }
    return fastest;
}

}  // namespace

double rest_clearance(const BodyAsset& asset) {
    return (apart_at_rest - near_self) * asset.mean_edge;
}

double spread_of(WorldImpl& world, BodyRecord& body) {
    if (world.on_cpu() && !body.cpu_is_old) return std::sqrt(3.0) * body.cpu.extent.speed;
    const BodyView all = world.view(body);
    Vec3 mean;
    for (std::size_t i = 0; i < body.count; ++i) mean += all.mass[i] / body.mass * all.v[i];
    double spread = 0;
    for (const Vec3& v : all.v) spread = std::max(spread, norm(v - mean));
    return spread;
}

bool may_touch_itself(const BodyRecord& body, double spread, double h) {
    return body.self.wanted && !body.recovering && !(2 * spread * h < body.self.clearance);
}

void use_clearance(WorldImpl& world, BodyRecord& body, double before, double h) {
    SelfContact& self = body.self;
    self.clearance -= 2 * h * std::max(before, spread_of(world, body));
    // Whatever recovery does, it says with no velocity.
    if (body.recovering) self = {self.wanted, 0, true};
}

void find_self(BodyRecord& body, const CollisionSurface& surface, std::vector<VertexNear>& near) {
    const double edge = body.asset().mean_edge;
    near.clear();
    if (body.self.tangled) return;
    // A body that touches itself mostly goes on doing so: no need to know what else comes close.
    const double margin = (body.self.clearance < 0 ? near_self : apart_at_rest) * edge;
    find_near_self(surface, margin, deepest_self * edge, near);
    note_nearest(body, near, margin);
    std::erase_if(near, [&](auto& n) { return n.distance > near_self * edge; });
}

/// Bodies that may touch themselves in this step.
void WorldImpl::find_folding(double dt) {
    IslandScratch& s = *island_scratch;
    s.folding.assign(bodies.size(), -1);
    s.order.clear();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        BodyRecord& body = *bodies[i];
        if (body.asleep || !may_touch_itself(body, spread_of(*this, body), dt)) continue;
        s.order.push_back(i);
        need_tree(body);
        view(body);
    }
    for_each(on_cpu() ? scheduler.get() : nullptr, static_cast<std::uint32_t>(s.order.size()),
             [&](std::uint32_t k) {
                 BodyRecord& body = *bodies[s.order[k]];
                 const CollisionSurface surface = surface_of(body);
                 surface.refit();
                 s.folding[s.order[k]] =
                     folding_speed(view(body), surface, spread_of(*this, body), dt);
             });
}

}  // namespace turgor
