#include "draw/offscreen.hpp"

#include <epoxy/egl.h>

#include "base/errors.hpp"
#include "draw/gl.hpp"
#include "draw/painter.hpp"

namespace turgor {
namespace {

[[noreturn]] void refuse(const char* why) {
    fail(ErrorCode::missing,
         "no OpenGL 3.3 to draw with ({}); install the packages libegl1 and libgl1-mesa-dri", why);
}

}  // namespace

struct Offscreen::Context {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;

    Context() {
        if (!epoxy_has_egl()) refuse("libEGL is missing");
        if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
            display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY,
                                               nullptr);
        else
            display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
        if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr))
            refuse("EGL does not start");
        eglBindAPI(EGL_OPENGL_API);
        const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                 EGL_NONE};
        EGLConfig config = nullptr;
        EGLint found = 0;
        if (!eglChooseConfig(display, wanted, &config, 1, &found) || found == 0) config = nullptr;
        const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
        if (context == EGL_NO_CONTEXT) refuse("there is no driver for it");
        make_current();
    }
    ~Context() {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
    }
    void make_current() const {
        if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
            refuse("it does not work without a window");
    }
};

struct Offscreen::Target {
    Painter painter;
    gl::Framebuffer framebuffer;
    gl::Surface colour{GL_RGBA8, GL_NEAREST};

    void resize(int width, int height) {
        colour.resize(width, height);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               colour.texture(), 0);
        gl::require_complete("a picture in memory");
    }

    Picture read(int width, int height) const {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        return gl::read_pixels(width, height);
    }
};

Offscreen::Offscreen()
    : context_(std::make_unique<Context>()), target_(std::make_unique<Target>()) {}

Offscreen::~Offscreen() {
    context_->make_current();
    target_.reset();
}

Picture Offscreen::paint(const Drawing& drawing, const Camera& camera, int width, int height,
                         Care care) {
    if (width < 1 || height < 1 || width > largest || height > largest)
        fail(ErrorCode::bad_argument,
             "a picture of {} x {} pixels cannot be drawn; each side is 1 to {}", width, height,
             largest);
    context_->make_current();
    const int finer = care == Care::still ? 2 : 1;
    const int w = finer * width, h = finer * height;
    target_->resize(w, h);
    target_->painter.paint(drawing, camera, w, h, target_->framebuffer);
    return care == Care::still ? halved(target_->read(w, h)) : target_->read(w, h);
}

const char* Offscreen::driver() const {
    context_->make_current();
    return reinterpret_cast<const char*>(glGetString(GL_RENDERER));
}

}  // namespace turgor
