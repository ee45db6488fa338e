#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "turgor/world.hpp"

namespace turgor {

/// What of a world is shown at one moment. It owns what it holds: it can be drawn or written while
/// the world goes on.
struct Moment {
    struct Thing {
        std::uint32_t id = 0;
        bool rigid = false;
        std::string name;
        std::vector<Vec3f> positions, normals;
        std::shared_ptr<const std::vector<Triangle>> triangles;
        Vec3f colour;
        std::string surface{};  ///< of a soft body's material: what it is called
        /// Where its vertices were when it was seen first.
        std::shared_ptr<const std::vector<Vec3f>> first{};
        /// Of balls that its vertices are drawn as where there are no triangles [m].
        double radius = 0;
    };
    double time = 0;            ///< [s]
    std::vector<Thing> things;  ///< soft bodies, then rigid ones
    std::vector<Pose> colliders;

    Bounds bounds() const;  ///< of all things
};

/// Takes moments of one world.
class MomentTaker {
public:
    Moment take(World& world);

private:
    /// What stays the same from moment to moment.
    struct Kept {
        std::shared_ptr<const std::vector<Triangle>> triangles;
        std::shared_ptr<const std::vector<Vec3f>> first;
        double radius = 0;
    };
    void keep(Moment::Thing& thing, std::span<const Triangle> triangles);
    std::map<std::uint32_t, Kept> kept_;
};

/// On the straight line from one to the other, as far as both have the same things; what only the
/// later one has is where it is there.
Moment between(const Moment& earlier, const Moment& later, double share);

}  // namespace turgor
