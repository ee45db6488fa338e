#pragma once

#include <vector>

#include "contact/contact.hpp"
#include "contact/near_features.hpp"
#include "contact/rigid_shape.hpp"

namespace turgor {

/// Features near each other: of a rigid body and a soft one, of two rigid ones, of a rigid one and
/// colliders.

/// Stands for the mean edge between two rigid bodies, as a share of the smaller extent.
inline constexpr double rigid_edge = 0.1;

struct PosedGeometry {
    const RigidGeometry* shape = nullptr;
    Pose pose;  ///< where the sub-step began
};

struct RigidNearFeatures {
    /// A vertex of the soft body near the rigid one.
    struct Vertex {
        std::uint32_t vertex = 0;
        Vec3 point;   ///< of the rigid surface
        Vec3 normal;  ///< of it, outwards
        double distance = 0;
    };
    /// A triangle of the soft body that a round part of the rigid one may bulge through.
    struct InTriangle {
        std::uint32_t triangle = 0;
        double weight[3] = {};  ///< barycentric
        Vec3 point;             ///< of the rigid surface
        Vec3 normal;            ///< of it, outwards
        double distance = 0;
    };
    /// A probe of the rigid body near a triangle of the soft one.
    struct AtTriangle {
        NearVertex near;
        Vec3 point;  ///< of the rigid surface
    };
    /// Two rigid bodies: the nearest points of both.
    struct Points {
        Vec3 of_first, of_second;
        Vec3 normal;  ///< towards the first
        double distance = 0;
    };
    std::vector<Vertex> vertices;
    std::vector<InTriangle> triangles;
    std::vector<AtTriangle> probes;
    std::vector<Points> points;
    /// They overlap so far that they are separated as wholes, the first one (the soft one, if any)
    /// in this direction.
    bool deep = false;
    Vec3 separation_direction;
    bool empty() const {
        return vertices.empty() && triangles.empty() && probes.empty() && points.empty();
    }
    void clear();
};

/// The boxes of the soft surface fit.
void find_near_features(const CollisionSurface& soft, const PosedGeometry& rigid,
                        const NearFeatureQuery& query, RigidNearFeatures& found);
void find_near_features(const PosedGeometry& a, const PosedGeometry& b,
                        const NearFeatureQuery& query, RigidNearFeatures& found);

/// A place of a rigid body at or near a collider.
struct RigidContact {
    std::uint32_t collider = 0;  ///< its index in the list given
    Vec3 point;                  ///< of the rigid surface, where the step began
    Vec3 stop, normal;           ///< the plane that stops it
    Vec3 surface_motion;         ///< of the collider there, during the step [m]
    bool sensor = false, inside = false;
};

/// All places that come within the margin of a collider on their way from the pose where the step
/// began to `end`.
void find_contacts(std::span<const MovingCollider> colliders, const CollisionFilter& filter,
                   const PosedGeometry& rigid, const Pose& end, double margin,
                   std::vector<RigidContact>& contacts);

}  // namespace turgor
