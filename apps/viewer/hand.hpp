#pragma once

#include <memory>
#include <optional>

#include "draw/camera.hpp"
#include "draw/pick.hpp"
#include "simulation.hpp"

namespace turgor {

/// A hand that takes hold of bodies, pulls, throws and pins them. Soft ones have handles for that;
/// at rigid ones it pulls anew before each step.
class Hand {
public:
    /// Takes hold of what was picked.
    void grab(Simulation& simulation, const Picked& picked, const Camera& camera);
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
        std::uint32_t body = 0;
        bool rigid = false;
        HandleId handle = 0;                  ///< of a soft body
        std::vector<std::uint32_t> vertices;  ///< likewise
    };
    struct Pull {
        std::shared_ptr<const Grip> by;
        Vec3 place;  ///< in the frame of the rigid body
        Vec3 target;
        bool pinned = false;
        double since = 0;  ///< when it was pinned [s]
    };
    struct Made {
        std::vector<std::pair<BodyId, HandleId>> drags, pins;
        std::vector<Pull> pulls;
        void pull_all(LiveScene& live) const;
        Pull* pull_of(const std::shared_ptr<Grip>& grip);
    };
    void grab_rigid(Simulation& simulation);
    static void release(LiveScene& live, const std::vector<std::pair<BodyId, HandleId>>& handles);

    std::shared_ptr<Grip> grip_;
    std::shared_ptr<Made> made_ = std::make_shared<Made>();  ///< in this scene
    Vec3 target_, plane_;
};

}  // namespace turgor
