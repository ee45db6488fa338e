#pragma once

#include <memory>

#include "draw/camera.hpp"
#include "draw/drawing.hpp"
#include "draw/picture.hpp"

namespace turgor {

/// Pictures without a window or a screen: EGL on whatever draws here, a graphics card or Mesa's
/// own software. One thread at a time.
class Offscreen {
public:
    /// Error(missing) says which package is lacking where there is no such OpenGL.
    Offscreen();
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    static constexpr int largest = 4096;  ///< side of a picture [pixels]
    /// Stills are drawn with four times the pixels, films only with several samples at edges.
    enum class Care { still, film };
    Picture paint(const Drawing& drawing, const Camera& camera, int width, int height,
                  Care care = Care::still);
    /// Who draws, in the driver's own words.
    const char* driver() const;

private:
    struct Context;
    struct Target;
    std::unique_ptr<Context> context_;
    std::unique_ptr<Target> target_;
};

}  // namespace turgor
