#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/mat3.hpp"
#include "contact/colliders.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/rigid.hpp"

namespace turgor {

/// A sample of a shape: a ball, or a point where the radius is 0. Probes are tested against what
/// has only a signed distance.
struct Probe {
    Vec3 at;
    double radius = 0;
};

/// What never changes about a rigid body, in its own frame: centre of mass at the origin.
struct RigidGeometry {
    Collider shape;                       ///< but for convex ones
    std::unique_ptr<TriangleTree> faces;  ///< of convex ones
    std::vector<Vec3> normals;            ///< of their faces, unit
    std::vector<double> heights;          ///< of their faces above the centre of mass [m]
    std::vector<Probe> probes;
    bool probes_are_all =
        false;         ///< the probes are the whole shape, so its distance need not be asked for
    double core = -1;  ///< round ones: half the length of the middle line, along y [m]
    Mesh drawn;        ///< of a convex one: its own
    Bounds box;
    double radius = 0;    ///< of the ball around it, about the centre of mass [m]
    double extent = 0;    ///< its smallest [m]
    double volume = 0;    ///< [m³]
    Mat3 spread;          ///< inertia tensor for a mass of 1 kg [m²]
    Mat3 per_spread;      ///< its inverse
    double size() const;  ///< diameter of the ball of equal volume [m]

    SignedDistance nearest_surface(Vec3 local) const;
    Bounds bounds(const Pose& pose) const;
    /// Where a ray of unit direction first enters, at most so far away [m].
    std::optional<double> first_on_ray(Vec3 origin, Vec3 direction, double longest) const;
};

/// An Error says what is wrong with the shape.
std::shared_ptr<const RigidGeometry> make_geometry(const RigidBody& body);

/// Probes of a collider's edges and round parts; of a plane none.
std::vector<Probe> probes_of(const Collider& collider);

/// Volume, centre and inertia of a solid of density 1 within a closed mesh.
struct MassProperties {
    double volume = 0;
    Vec3 centre;
    Mat3 inertia;  ///< about the centre, per volume
};
MassProperties mass_properties(const Mesh& mesh);

Mat3 inverse(const Mat3& a);
/// In the world's axes.
Mat3 rotated_tensor(Quat rotation, const Mat3& tensor);

}  // namespace turgor
