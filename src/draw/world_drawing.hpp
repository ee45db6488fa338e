#pragma once

#include <optional>
#include <vector>

#include "draw/camera.hpp"
#include "draw/collider_mesh.hpp"
#include "draw/drawing.hpp"
#include "draw/insight.hpp"
#include "scene/moment.hpp"

namespace turgor {

/// Makes drawings of a world's moments.
class WorldDrawing {
public:
    /// In the order of Moment::colliders.
    explicit WorldDrawing(std::span<const Collider> colliders);

    /// Speaks of the arrays of the moment, the insight and its own: valid as long as all of them,
    /// until the next call.
    Drawing draw(const Moment& moment, const Insight& insight = {});

    /// Sees where things are and where they are going to fall to.
    Camera framing(const Moment& moment, double aspect, const Camera& from = {}) const;

private:
    struct Solid {
        Collider collider;
        MeshToDraw mesh;
        std::optional<Pose> at{};  ///< where the following were made for
        std::vector<Vec3f> positions{}, normals{};
        Bounds box{};
    };
    static void add_thing(const Moment::Thing& thing, const Insight& insight, Drawing& drawing);
    static void pose(Solid& solid, const Pose& at);

    std::vector<Solid> solids_;
};

}  // namespace turgor
