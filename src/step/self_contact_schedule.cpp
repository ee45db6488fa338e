#include "step/self_contact_schedule.hpp"
#include "device/shared/constants.h"

#include <algorithm>
#include <cmath>

#include "base/for_each.hpp"
#include "contact/self_contact.hpp"
#include "step/island_scratch.hpp"

namespace turgor {
namespace {

// In units of the mean edge.
constexpr double near_self = contact_thickness + contact_margin + max_approach;
constexpr double max_self_depth =
    TURGOR_MAX_SELF_DEPTH;  ///< that parts may have gone through each other
constexpr double farthest_query = TURGOR_FARTHEST_QUERY;

constexpr double max_share_inside =
    TURGOR_MAX_SHARE_INSIDE;  ///< of all vertices, before a body counts as self-intersecting

/// What hits something in between may close faster than it did when a step began.
constexpr double speed_allowance = TURGOR_SPEED_ALLOWANCE;

/// How far parts of a body may come towards each other in a step.
double approach_ahead(double deforming, double h) {
    return speed_allowance * 2 * deforming * h;
}

/// Looks at the clusters of a body whose vertices may touch something in a step; afterwards it is
/// known how long each can wait for the next look.
void query_clusters(BodySim& body, const CollisionSurface& surface, double ahead, double depth) {
    SelfContact& self = body.self;
    const double edge = body.asset().contact_length;
    const std::uint32_t clusters = surface.tree->vertices.count;
    if (self.clusters.size() != clusters)
        self.clusters.assign(clusters, {std::max(0.0, self.clearance), self.travelled});
    const auto left = [&](const SelfContact::Cluster& c) {
        return c.gap - 2 * (self.travelled - c.seen);
    };
    std::vector<ClusterQuery>& queries = body.self_search.queries;
    queries.clear();
    for (std::uint32_t k = 0; k < clusters; ++k) {
        const SelfContact::Cluster& c = self.clusters[k];
        if (!self.self_intersecting && ahead < left(c)) continue;
        // Somewhat farther than where it found something, or nothing, the last time. What touches
        // mostly goes on doing so: no need to know what else comes close.
        const bool touches = c.gap < 0 && !self.self_intersecting;
        const double farther = 1.5 * (c.gap + near_self * edge);
        queries.push_back(
            {k, touches ? near_self * edge
                        : std::clamp(farther, apart_at_rest * edge, farthest_query * edge)});
    }
    find_near_self(surface, depth, body.self_search);
    for (const ClusterQuery& l : queries)
        self.clusters[l.cluster] = {l.nearest - near_self * edge, self.travelled};
    self.clearance = farthest_query * edge;
    for (const SelfContact::Cluster& c : self.clusters)
        self.clearance = std::min(self.clearance, left(c));
}

/// How many vertices have gone through the body's own surface.
std::size_t count_inside(const BodySim& body) {
    return static_cast<std::size_t>(std::ranges::count_if(
        body.self_search.found, [](const NearVertex& n) { return n.distance < 0; }));
}

}  // namespace

double self_closing_speed(StepWorld& world, BodySim& body, double deforming, double dt) {
    const double edge = body.asset().contact_length;
    const CollisionSurface surface = world.collision_surface_of(body);
    surface.refit();
    const double depth = (body.self.self_intersecting ? apart_at_rest : max_self_depth) * edge;
    query_clusters(body, surface, approach_ahead(deforming, dt), depth);
    if (body.self.self_intersecting) body.self.self_intersecting = count_inside(body) > 0;
    if (body.self.self_intersecting) return -1;
    body.self_search.found_now = true;
    const auto velocity = [&](std::uint32_t i) {
        return world.cpu_is_current(body) ? body.cpu.world_v(i) : world.mirror(body).v[i];
    };
    double fastest = -1;
    for (const NearVertex& n : body.self_search.found) {
        if (n.distance > near_self * edge + approach_ahead(deforming, dt)) continue;
        Vec3 relative = velocity(n.vertex);
        const Triangle& corner = body.asset().triangles[n.triangle];
        for (std::size_t k = 0; k < 3; ++k) relative -= n.weight[k] * velocity(corner[k]);
        const double speed = std::max(0.0, -dot(relative, n.normal));
        if (n.distance - speed_allowance * speed * dt < near_self * edge)
            fastest = std::max(fastest, speed);
    }
    return fastest;
}

double rest_clearance(const BodyAsset& asset) {
    return (apart_at_rest - near_self) * asset.contact_length;
}

double deforming_speed(StepWorld& world, BodySim& body) {
    if (world.cpu_is_current(body)) return std::sqrt(3.0) * body.cpu.extent.deforming;
    const BodyView all = world.view(body);
    MotionSums sums;
    for (std::size_t i = 0; i < body.count; ++i)
        sums.add(all.mass[i], all.x[i] - all.x[0], all.v[i]);
    const RigidField rigid = sums.rigid();
    double fastest = 0;
    for (std::size_t i = 0; i < body.count; ++i)
        fastest = std::max(fastest, norm(all.v[i] - rigid.at(all.x[i] - all.x[0])));
    return fastest;
}

bool may_touch_itself(const BodySim& body, double deforming, double h) {
    return body.self.wanted && !body.recovering &&
           !(approach_ahead(deforming, h) < body.self.clearance);
}

bool may_soon_touch_itself(StepWorld& world, BodySim& body, double dt) {
    // If it deforms twice as fast from now on: what it uses up in this step, and the way ahead.
    const double deforming = 2 * deforming_speed(world, body);
    return body.self.wanted && !body.recovering &&
           !(2 * deforming * dt + approach_ahead(deforming, dt) < body.self.clearance);
}

void use_clearance(StepWorld& world, BodySim& body, double before, double h) {
    SelfContact& self = body.self;
    const double distance = h * std::max(before, deforming_speed(world, body));
    self.travelled += distance;
    self.clearance -= 2 * distance;
    // A body that overflowed was stopped: nobody knows how far it went before.
    if (!std::isfinite(self.travelled)) {
        self.mark_unknown();
        self.travelled = 0;
    }
    // Whatever recovery does, it says with no velocity.
    if (body.recovering) self.mark_unknown();
}

void find_self(BodySim& body, const CollisionSurface& surface, double deforming, double h,
               std::vector<NearVertex>& near) {
    near.clear();
    if (body.self.self_intersecting) return;
    const double edge = body.asset().contact_length;
    if (!body.self_search.found_now)
        query_clusters(body, surface, approach_ahead(deforming, h), max_self_depth * edge);
    body.self_search.found_now = false;
    // Crushed until its sides have changed places: holding them there would be worse.
    const auto gone = static_cast<double>(count_inside(body));
    if (gone > max_share_inside * static_cast<double>(body.count)) return body.self.mark_unknown();
    for (const NearVertex& n : body.self_search.found)
        if (n.distance <= near_self * edge) near.push_back(n);
}

}  // namespace turgor
