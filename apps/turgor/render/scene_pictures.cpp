#include "scene_pictures.hpp"

#include <numbers>

namespace turgor {
namespace {

constexpr double degree = std::numbers::pi / 180;

}  // namespace

std::vector<Collider> colliders_of(const World& world) {
    std::vector<Collider> all;
    for (const ColliderId id : world.colliders()) all.push_back(world.collider(id));
    return all;
}

ScenePictures::ScenePictures(LiveScene& scene, const PictureOptions& options,
                             std::shared_ptr<Offscreen> offscreen)
    : options_(options), offscreen_(std::move(offscreen)), drawing_(colliders_of(scene.world())) {
    frame(MomentTaker().take(scene.world()));
}

void ScenePictures::frame(const Moment& moment) {
    Camera from;
    from.yaw = options_.yaw * degree;
    from.pitch = options_.pitch * degree;
    camera_ = drawing_.framing(moment, static_cast<double>(options_.width) / options_.height, from);
    camera_.distance /= options_.zoom;
}

Picture ScenePictures::paint(const Moment& moment, const Insight& insight, double turned) {
    Camera camera = camera_;
    camera.yaw += turned * degree;
    return offscreen_->paint(drawing_.draw(moment, insight), camera, options_.width,
                             options_.height, options_.care);
}

}  // namespace turgor
