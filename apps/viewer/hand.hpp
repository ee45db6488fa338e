#pragma once

#include <memory>
#include <optional>

#include "draw/camera.hpp"
#include "draw/pick.hpp"
#include "simulation.hpp"

namespace turgor {

/// A hand that takes hold of soft bodies, pulls, throws and pins them.
class Hand {
public:
    /// Takes hold of what was picked; false where that is no soft body.
    bool grab(Simulation& simulation, const Picked& picked, const Camera& camera);
    /// Pulls to where the ray crosses the plane of the hand, which faces the camera.
    void move(Simulation& simulation, const Camera& camera, Vec3 direction);
    void let_go(Simulation& simulation);
    /// Lets go, but the place stays where it is.
    void pin(Simulation& simulation);
    void unpin_all(Simulation& simulation);
    /// After a rewind what was being pulled then is not pulled any more.
    void let_go_of_the_past(Simulation& simulation);

    bool holds() const { return grip_ != nullptr; }
    Vec3 target() const { return target_; }

private:
    /// Shared with what is posted: only the simulation's thread looks at the ids.
    struct Grip {
        BodyId body = 0;
        HandleId handle = 0;
        std::vector<std::uint32_t> vertices;
    };
    struct Made {
        std::vector<std::pair<BodyId, HandleId>> drags, pins;
    };
    static void release(LiveScene& live, const std::vector<std::pair<BodyId, HandleId>>& handles);

    std::shared_ptr<Grip> grip_;
    std::shared_ptr<Made> made_ = std::make_shared<Made>();  ///< in this scene, ever
    Vec3 target_, plane_;
};

}  // namespace turgor
