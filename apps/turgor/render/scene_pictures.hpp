#pragma once

#include <memory>

#include "draw/offscreen.hpp"
#include "draw/world_drawing.hpp"
#include "scene/live_scene.hpp"
#include "scene/moment.hpp"

namespace turgor {

struct PictureOptions {
    int width = 1280, height = 720;
    double yaw = 25, pitch = 17;  ///< of the camera [degrees]
    double zoom = 1;              ///< > 1: nearer
    Offscreen::Care care = Offscreen::Care::still;
};

std::vector<Collider> colliders_of(const World& world);

/// Pictures of one scene, all from the camera that frames it as it is when this is made, until it is
/// framed anew.
class ScenePictures {
public:
    ScenePictures(LiveScene& scene, const PictureOptions& options,
                  std::shared_ptr<Offscreen> offscreen);
    void frame(const Moment& moment);
    /// `turned`: how far the camera went around [degrees].
    Picture paint(const Moment& moment, const Insight& insight = {}, double turned = 0);

private:
    PictureOptions options_;
    std::shared_ptr<Offscreen> offscreen_;
    WorldDrawing drawing_;
    Camera camera_;
};

}  // namespace turgor
