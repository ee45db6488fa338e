#include "draw/pick.hpp"

#include <algorithm>

namespace turgor {
namespace {

/// How far along the ray a triangle's front is met (Möller and Trumbore 1997).
std::optional<double> met(Vec3 origin, Vec3 direction, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 ab = b - a, ac = c - a, across = cross(direction, ac);
    const double facing = dot(ab, across);
    if (!(facing > 0)) return std::nullopt;
    const Vec3 from_a = origin - a, turned = cross(from_a, ab);
    const double u = dot(from_a, across), v = dot(direction, turned);
    if (u < 0 || v < 0 || u + v > facing) return std::nullopt;
    const double t = dot(ac, turned) / facing;
    return t > 0 ? std::optional(t) : std::nullopt;
}

/// How far along the ray a ball is met.
std::optional<double> met(Vec3 origin, Vec3 direction, Vec3 centre, double radius) {
    const double along = dot(centre - origin, direction) / dot(direction, direction);
    if (!(along > 0) || norm(origin + along * direction - centre) > radius) return std::nullopt;
    return along;
}

}  // namespace

std::optional<Picked> pick(const Moment& moment, Vec3 origin, Vec3 direction) {
    std::optional<Picked> nearest;
    for (const Moment::Thing& thing : moment.things) {
        const auto at = [&](std::uint32_t i) { return to_double(thing.positions[i]); };
        const auto take = [&](std::optional<double> t) {
            if (t && (!nearest || *t < nearest->distance))
                nearest = Picked{thing.id, thing.rigid, origin + *t * direction, *t};
        };
        for (const auto& [a, b, c] : *thing.triangles)
            take(met(origin, direction, at(a), at(b), at(c)));
        for (std::uint32_t i = 0; thing.triangles->empty() && i < thing.positions.size(); ++i)
            take(met(origin, direction, at(i), thing.radius));
    }
    return nearest;
}

std::uint32_t nearest_vertex(std::span<const Vec3f> positions, Vec3 point) {
    const auto nearest = std::ranges::min_element(
        positions, {}, [&](const Vec3f& p) { return norm(to_double(p) - point); });
    return static_cast<std::uint32_t>(nearest - positions.begin());
}

}  // namespace turgor
