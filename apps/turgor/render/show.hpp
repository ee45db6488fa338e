#pragma once

#include <string>

#include "draw/insight.hpp"
#include "draw/picture.hpp"
#include "scene_pictures.hpp"

namespace turgor {

/// A scene that is looked at at ascending times.
class Show {
public:
    /// Without a caption its pictures have none. `quiet`: prints no figures of what is shown.
    Show(const Scene& scene, std::string caption, const PictureOptions& options,
         std::shared_ptr<Offscreen> offscreen, bool quiet = false);

    const LiveScene& scene() const { return live_; }
    /// Simulates until the time [s] is reached.
    void advance(double time);
    /// The camera frames what is there now, not what was there at the start.
    void frame() { pictures_.frame(now_); }
    /// At that time exactly; where the inside is to be seen, at the step that has just been done.
    Captioned paint(double time, const Overlays& overlays, double turned);

private:
    std::string words() const;

    LiveScene live_;
    std::string caption_;
    bool quiet_;
    ScenePictures pictures_;
    MomentTaker taker_;
    Moment before_, now_;
};

}  // namespace turgor
