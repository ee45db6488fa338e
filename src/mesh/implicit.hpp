#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// A value that is negative inside a shape, about the distance to its surface, and its gradient.
struct FieldSample {
    double value = 0;
    Vec3 gradient;
};

using Field = std::function<FieldSample(Vec3)>;

struct Ball {
    Vec3 centre;
    double radius;
};

/// About the distance to an ellipsoid with the given half-axes, turned by `turn`.
struct Ellipsoid {
    Vec3 centre, radii;
    Quat turn = {};
    FieldSample operator()(Vec3 p) const;
    Ball bounding_ball() const { return {centre, std::max({radii.x, radii.y, radii.z})}; }
};

/// A rod from `a` to `b` whose radius goes from `radius_a` to `radius_b`, with round ends.
struct RoundCone {
    Vec3 a, b;
    double radius_a, radius_b;
    FieldSample operator()(Vec3 p) const;
    Ball bounding_ball() const {
        return {0.5 * (a + b), 0.5 * norm(b - a) + std::max(radius_a, radius_b)};
    }
};

/// All points below the plane through `point` with the outward `normal`.
struct HalfSpace {
    Vec3 point, normal;
    FieldSample operator()(Vec3 p) const { return {dot(p - point, normal), normal}; }
};

/// The union of two shapes with a fillet where they meet; `blend` is about the fillet's radius.
FieldSample smooth_union(FieldSample a, FieldSample b, double blend);
FieldSample smooth_intersection(FieldSample a, FieldSample b, double blend);

/// The point of the surface near `point`, by Newton's method along the gradient; `point` itself
/// where that leads to a place that does not face along `normal`, as the far wall of a narrow gap.
Vec3 project_to_zero(const Field& field, Vec3 point, Vec3 normal);

/// The surface where the field is zero, by marching tetrahedra on a grid of cubes of side `cell`
/// that covers `box`: closed and manifold. An Error where the shape reaches the border of the box.
Mesh polygonise(const Field& field, const Bounds& box, double cell);

}  // namespace turgor
