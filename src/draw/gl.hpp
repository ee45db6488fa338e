#pragma once

#include <epoxy/gl.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "draw/mat4.hpp"
#include "draw/picture.hpp"

/// OpenGL's objects, each gone with its C++ object. All need a current context.
namespace turgor::gl {

/// `Make` and `Drop` are OpenGL's functions for any number of names.
template <auto& Make, auto& Drop>
class Name {
public:
    Name() { Make(1, &name_); }
    ~Name() {
        if (name_ != 0) Drop(1, &name_);
    }
    Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    Name& operator=(Name&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    operator GLuint() const { return name_; }

private:
    GLuint name_ = 0;
};

using Buffer = Name<glGenBuffers, glDeleteBuffers>;
using VertexArray = Name<glGenVertexArrays, glDeleteVertexArrays>;
using Texture = Name<glGenTextures, glDeleteTextures>;
using Framebuffer = Name<glGenFramebuffers, glDeleteFramebuffers>;
using Renderbuffer = Name<glGenRenderbuffers, glDeleteRenderbuffers>;

/// A program of shaders by their names in draw/shaders. Where light.glsl is wanted it comes first.
class Program {
public:
    enum class Lit { no, yes };
    Program(std::initializer_list<const char*> shaders, Lit lit = Lit::no);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void use() const { glUseProgram(program_); }
    // Of the program in use. A name that the shaders do not use is no error.
    void set(const char* name, const Mat4& m) const {
        glUniformMatrix4fv(at(name), 1, GL_FALSE, m.data());
    }
    void set(const char* name, Vec3 v) const;
    void set(const char* name, float x, float y) const { glUniform2f(at(name), x, y); }
    void set(const char* name, double x) const { glUniform1f(at(name), static_cast<float>(x)); }
    void set(const char* name, bool on) const { glUniform1i(at(name), on ? 1 : 0); }
    void set_count(const char* name, int n) const { glUniform1i(at(name), n); }
    /// Binds the texture to a unit and says so.
    void set_texture(const char* name, int unit, GLuint texture) const;

private:
    GLint at(const char* name) const { return glGetUniformLocation(program_, name); }
    GLuint program_ = 0;
};

/// A texture for a whole picture, to draw into and to read from.
class Surface {
public:
    Surface(GLenum format, GLenum filter) : format_(format), filter_(filter) {}
    void resize(int width, int height);
    GLuint texture() const { return texture_; }

private:
    Texture texture_;
    GLenum format_, filter_;
    int width_ = 0, height_ = 0;
};

/// What is in the framebuffer that is bound, without any opacity of its own.
Picture read_pixels(int width, int height);

/// Error(failed) where the parts do not fit together.
void require_complete(const char* what);

}  // namespace turgor::gl
