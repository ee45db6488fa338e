#pragma once

#include <memory>
#include <span>

#include "turgor/mesh.hpp"

namespace turgor::speed {

/// Bullet's soft bodies, set up like this: links and bending links, one-frame shape matching, a
/// volume constraint, five iterations.
class BulletWorld {
public:
    virtual ~BulletWorld() = default;
    virtual void step(double dt) = 0;
    virtual double volume_error() const = 0;  ///< largest of any body, now
    virtual double bytes() const = 0;         ///< allocated for bodies and world
};

/// Whether this build has Bullet.
bool has_bullet();
/// One body at each place, above the ground.
std::unique_ptr<BulletWorld> make_bullet_world(const Mesh& mesh, std::span<const Vec3> places);

}  // namespace turgor::speed
