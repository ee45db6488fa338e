#pragma once

#include <memory>

#include "draw/camera.hpp"
#include "draw/drawing.hpp"

namespace turgor {

/// Draws with OpenGL 3.3 into whatever framebuffer it is given: a window's or one in memory. Needs
/// its context to be current whenever it is used, when it is destroyed too.
class Painter {
public:
    Painter();
    ~Painter();
    Painter(const Painter&) = delete;
    Painter& operator=(const Painter&) = delete;

    /// Else with fewer shadow samples and half the pixels: many times faster, for a window on a
    /// machine that draws in software.
    void set_fine(bool fine);
    /// The whole of `framebuffer` (OpenGL's number), so many pixels.
    void paint(const Drawing& drawing, const Camera& camera, int whole_width, int whole_height,
               unsigned framebuffer);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace turgor
