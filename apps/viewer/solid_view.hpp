#pragma once

#include "draw/solid_drawing.hpp"
#include "scene/moment.hpp"
#include "solid_preview.hpp"

namespace turgor {

/// The cells that a body's mesh would be filled with, drawn in its place and turned with it.
class SolidView {
public:
    /// Called once in a frame: `id` is the body's that is picked, 0 for the first one.
    void refresh(const Moment& moment, std::uint32_t id);
    void set_on(bool on);
    void set(const SolidSettings& settings);

    bool on() const { return preview_ != nullptr; }
    bool busy() const { return preview_ && preview_->busy(); }
    const SolidSettings& settings() const { return settings_; }
    /// What is drawn; null: nothing yet.
    const SolidPreview::Made* made() const { return made_.get(); }
    std::size_t fields() const { return preview_ ? preview_->fields() : 0; }
    /// In place of the body, which is one of the first meshes of the drawing of the moment.
    void add_to(Drawing& drawing) const;

private:
    SolidSettings settings_;
    std::unique_ptr<SolidPreview> preview_;
    std::shared_ptr<const SolidPreview::Made> made_;
    std::shared_ptr<const std::vector<Vec3f>> of_;  ///< whose mesh was taken
    std::size_t place_ = 0;                         ///< of the body among the things
    Pose pose_;
    SolidDrawing drawing_;
};

}  // namespace turgor
