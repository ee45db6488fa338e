#include "scene/moment.hpp"

#include <algorithm>

#include "mesh/point_spacing.hpp"

namespace turgor {
namespace {

Vec3f between(Vec3f a, Vec3f b, double t) {
    return to_float((1 - t) * to_double(a) + t * to_double(b));
}

Pose between(const Pose& a, const Pose& b, double t) {
    if (a == b) return a;  // to the bit, for whoever keeps what was made for it
    return Path{{{0, a}, {1, b}}}.at(t);
}

void move_back(Moment::Thing& thing, const Moment::Thing& earlier, double share) {
    for (std::size_t i = 0; i < thing.positions.size(); ++i) {
        thing.positions[i] = between(earlier.positions[i], thing.positions[i], share);
        const Vec3f normal = between(earlier.normals[i], thing.normals[i], share);
        thing.normals[i] = to_float(normalized(to_double(normal)));
    }
}

/// Of balls at the points of a cloud that nearly hide what is behind them.
double ball_radius(std::span<const Vec3f> points) {
    constexpr double of_reach = 0.4;
    std::vector<Vec3> at;
    for (const Vec3f& p : points) at.push_back(to_double(p));
    const std::vector<double> reaches = reaches_of_some(at);
    return reaches.empty() ? 0 : of_reach * reaches[reaches.size() / 2];
}

template <class Shown>
Moment::Thing copied(const Shown& shown, std::span<const Vec3f> positions,
                     std::span<const Vec3f> normals) {
    return {shown.id(),
            false,
            shown.name(),
            {positions.begin(), positions.end()},
            {normals.begin(), normals.end()},
            nullptr,
            shown.colour()};
}

}  // namespace

Bounds Moment::bounds() const {
    Bounds box;
    for (const Thing& thing : things)
        for (const Vec3f& p : thing.positions) box.add(to_double(p));
    return box;
}

void MomentTaker::keep(Moment::Thing& thing, std::span<const Triangle> triangles) {
    Kept& own = kept_[thing.id];
    // After a restore an id may come again with another body.
    if (!own.triangles || !std::ranges::equal(*own.triangles, triangles))
        own = {std::make_shared<std::vector<Triangle>>(triangles.begin(), triangles.end()),
               std::make_shared<std::vector<Vec3f>>(thing.positions),
               triangles.empty() ? ball_radius(thing.positions) : 0};
    thing.triangles = own.triangles;
    thing.first = own.first;
    thing.radius = own.radius;
}

Moment MomentTaker::take(World& world) {
    Moment moment;
    moment.time = world.time();
    for (const Body& body : world.bodies()) {
        moment.things.push_back(copied(body, body.display_positions(), body.display_normals()));
        moment.things.back().surface = body.material().surface;
        keep(moment.things.back(), body.display_triangles());
    }
    for (const Rigid& rigid : world.rigids()) {
        moment.things.push_back(copied(rigid, rigid.positions(), rigid.normals()));
        keep(moment.things.back(), rigid.triangles());
        moment.things.back().rigid = true;
    }
    for (const ColliderId id : world.colliders())
        moment.colliders.push_back(world.collider_pose(id));
    return moment;
}

Moment between(const Moment& earlier, const Moment& later, double share) {
    Moment moment = later;
    moment.time = (1 - share) * earlier.time + share * later.time;
    for (Moment::Thing& thing : moment.things) {
        const auto before = std::ranges::find(earlier.things, thing.id, &Moment::Thing::id);
        if (before != earlier.things.end() && before->positions.size() == thing.positions.size())
            move_back(thing, *before, share);
    }
    if (earlier.colliders.size() == later.colliders.size())
        for (std::size_t i = 0; i < later.colliders.size(); ++i)
            moment.colliders[i] = between(earlier.colliders[i], later.colliders[i], share);
    return moment;
}

}  // namespace turgor
