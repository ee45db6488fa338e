#include "solid_view.hpp"

#include <algorithm>

#include "base/rotation.hpp"

namespace turgor {
namespace {

Vec3 mean(std::span<const Vec3f> points) {
    Vec3 sum;
    for (const Vec3f& p : points) sum += to_double(p);
    return sum / std::max(1.0, static_cast<double>(points.size()));
}

/// How a body has moved as a whole since it was seen first.
Pose movement(std::span<const Vec3f> from, std::span<const Vec3f> to, Quat guess) {
    const Vec3 a = mean(from), b = mean(to);
    Mat3 sum;
    for (std::size_t i = 0; i < from.size(); ++i)
        sum += outer(to_double(to[i]) - b, to_double(from[i]) - a);
    const Quat turn = nearest_rotation(sum, guess);
    return {b - rotate(turn, a), turn};
}

Mesh mesh_of(const Moment::Thing& thing) {
    Mesh mesh{thing.name, {}, *thing.triangles};
    for (const Vec3f& p : *thing.first) mesh.vertices.push_back(to_double(p));
    return mesh;
}

}  // namespace

void SolidView::set_on(bool on) {
    if (on == this->on()) return;
    preview_ = on ? std::make_unique<SolidPreview>() : nullptr;
    made_ = nullptr;
    of_ = nullptr;
    drawing_ = {};
}

void SolidView::set(const SolidSettings& settings) {
    settings_ = settings;
    if (preview_) preview_->set(settings);
}

void SolidView::refresh(const Moment& moment, std::uint32_t id) {
    if (!preview_) return;
    const auto body = std::ranges::find_if(moment.things, [&](const Moment::Thing& thing) {
        return !thing.rigid && thing.first && (id == 0 || thing.id == id);
    });
    if (body == moment.things.end() || body->first->size() != body->positions.size()) {
        drawing_ = {};
        return;
    }
    place_ = static_cast<std::size_t>(body - moment.things.begin());
    if (body->first != of_) {
        of_ = body->first;
        made_ = nullptr;
        drawing_ = {};
        pose_ = {};
        preview_->set(settings_);
        preview_->take(mesh_of(*body));
    }
    const auto news = preview_->news();
    if (news) made_ = news;
    if (!made_ || made_->solid.cells.empty()) {
        drawing_ = {};
        return;
    }
    const Pose pose = movement(*body->first, body->positions, pose_.rotation);
    if (news || drawing_.empty() || !(pose == pose_)) drawing_ = SolidDrawing(made_->solid, pose);
    pose_ = pose;
}

void SolidView::add_to(Drawing& drawing) const {
    if (drawing_.empty() || place_ >= drawing.meshes.size()) return;
    drawing.meshes.erase(drawing.meshes.begin() + static_cast<std::ptrdiff_t>(place_));
    drawing.line_width = 1.5f;
    drawing_.add_to(drawing);
}

}  // namespace turgor
