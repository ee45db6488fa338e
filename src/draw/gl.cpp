#include "draw/gl.hpp"

#include <vector>

#include "base/errors.hpp"
#include "draw_shaders.hpp"

namespace turgor::gl {
namespace {

GLenum kind_of(std::string_view name) {
    if (name.ends_with(".vert")) return GL_VERTEX_SHADER;
    if (name.ends_with(".geom")) return GL_GEOMETRY_SHADER;
    return GL_FRAGMENT_SHADER;
}

template <class GetLog>
std::string log_of(GLint length, GetLog&& get) {
    std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
    get(length, log.data());
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
}

GLuint compiled(std::string_view name, bool lit) {
    const GLuint shader = glCreateShader(kind_of(name));
    const bool with_light = lit && kind_of(name) == GL_FRAGMENT_SHADER;
    const std::string text = "#version 330 core\n" +
                             std::string(with_light ? text_of(draw_shaders(), "light.glsl") : "") +
                             std::string(text_of(draw_shaders(), name));
    const char* start = text.c_str();
    glShaderSource(shader, 1, &start, nullptr);
    glCompileShader(shader);
    GLint done = 0, length = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
    fail(ErrorCode::failed, "the shader '{}' does not compile with this OpenGL driver: {}", name,
         log_of(length, [&](GLint n, char* to) { glGetShaderInfoLog(shader, n, nullptr, to); }));
}

}  // namespace

Program::Program(std::initializer_list<const char*> shaders, Lit lit)
    : program_(glCreateProgram()) {
    for (const char* name : shaders) {
        const GLuint shader = compiled(name, lit == Lit::yes);
        glAttachShader(program_, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program_);
    GLint done = 0, length = 0;
    glGetProgramiv(program_, GL_LINK_STATUS, &done);
    if (done) return;
    glGetProgramiv(program_, GL_INFO_LOG_LENGTH, &length);
    fail(ErrorCode::failed, "the shaders with '{}' do not link with this OpenGL driver: {}",
         *shaders.begin(),
         log_of(length, [&](GLint n, char* to) { glGetProgramInfoLog(program_, n, nullptr, to); }));
}

Program::~Program() {
    glDeleteProgram(program_);
}

void Program::set(const char* name, Vec3 v) const {
    const Vec3f f = to_float(v);
    glUniform3f(at(name), f.x, f.y, f.z);
}

void Program::set_texture(const char* name, int unit, GLuint texture) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, texture);
    glUniform1i(at(name), unit);
}

void Surface::resize(int width, int height) {
    if (width == width_ && height == height_) return;
    width_ = width;
    height_ = height;
    const bool depth = format_ == GL_DEPTH_COMPONENT24;
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format_), width, height, 0,
                 depth ? GL_DEPTH_COMPONENT : GL_RGBA, depth ? GL_UNSIGNED_INT : GL_UNSIGNED_BYTE,
                 nullptr);
    for (const GLenum which : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        glTexParameteri(GL_TEXTURE_2D, which, static_cast<GLint>(filter_));
    for (const GLenum which : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        glTexParameteri(GL_TEXTURE_2D, which, GL_CLAMP_TO_EDGE);
}

Picture read_pixels(int width, int height) {
    Picture picture(width, height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
    picture.turn_upside_down();
    for (Pixel& pixel : picture.pixels) pixel[3] = 255;
    return picture;
}

void require_complete(const char* what) {
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        fail(ErrorCode::failed, "this OpenGL driver cannot draw into {} (status {:#x})", what,
             status);
}

}  // namespace turgor::gl
