#include "draw/painter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "draw/finishes.hpp"
#include "draw/gl.hpp"

namespace turgor {
namespace {

constexpr int shadow_size = 2048;
constexpr int samples = 4;  // for each pixel, at edges
const Vec3 to_light = normalized(Vec3{-0.45, 0.85, 0.42});
constexpr Vec3f floor_colour{0.42f, 0.405f, 0.39f};

struct Vertex {
    Vec3f position, normal, colour;
    float size = 0;
    Vec3f grain{};
};

bool is_points(const DrawnMesh& mesh) {
    return mesh.triangles.empty();
}

bool is_see_through(const DrawnMesh& mesh) {
    return mesh.finish == Finish::glass || mesh.finish == Finish::ghost;
}

/// What one vertex array holds: vertices, and triangles if there are any.
class Geometry {
public:
    Geometry() {
        glBindVertexArray(array_);
        glBindBuffer(GL_ARRAY_BUFFER, vertices_);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles_);
        attribute(0, 3, offsetof(Vertex, position));
        attribute(1, 3, offsetof(Vertex, normal));
        attribute(2, 3, offsetof(Vertex, colour));
        attribute(3, 1, offsetof(Vertex, size));
        attribute(4, 3, offsetof(Vertex, grain));
    }

    void upload(std::span<const Vertex> vertices, std::span<const Triangle> triangles = {}) {
        glBindVertexArray(array_);
        glBindBuffer(GL_ARRAY_BUFFER, vertices_);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size_bytes()),
                     vertices.data(), GL_STREAM_DRAW);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(triangles.size_bytes()),
                     triangles.data(), GL_STREAM_DRAW);
        corners_ = static_cast<GLsizei>(3 * triangles.size());
        count_ = static_cast<GLsizei>(vertices.size());
    }

    void draw() const {
        glBindVertexArray(array_);
        glDrawElements(GL_TRIANGLES, corners_, GL_UNSIGNED_INT, nullptr);
    }
    void draw(GLenum kind) const {
        if (count_ == 0) return;
        glBindVertexArray(array_);
        glDrawArrays(kind, 0, count_);
    }

private:
    static void attribute(GLuint index, GLint count, std::size_t offset) {
        glEnableVertexAttribArray(index);
        glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                              reinterpret_cast<const void*>(offset));
    }
    gl::VertexArray array_;
    gl::Buffer vertices_, triangles_;
    GLsizei corners_ = 0, count_ = 0;
};

std::vector<Vertex> vertices_of(const DrawnMesh& mesh) {
    std::vector<Vertex> vertices(mesh.positions.size());
    for (std::size_t i = 0; i < vertices.size(); ++i)
        vertices[i] = {mesh.positions[i], mesh.normals[i],
                       mesh.colours.empty() ? mesh.colour : mesh.colours[i], 0,
                       mesh.grain.empty() ? mesh.positions[i] : mesh.grain[i]};
    return vertices;
}

/// The lamp: where the shadow map looks from.
struct Lamp {
    Mat4 view{}, matrix{};
    Vec3 eye{};
    double width = 1, reach = 1;  ///< of what it sees [m]
};

Lamp lamp_for(const Bounds& bounds) {
    const double radius = std::max(1e-6, 0.55 * bounds.diagonal());
    const Vec3 centre = bounds.centre();
    const Vec3 eye = centre + 2 * radius * to_light;
    const Mat4 view = look_at(eye, centre, {0, 0, 1});
    return {view, orthographic(radius, radius, 0, 4 * radius) * view, eye, 2 * radius, 4 * radius};
}

/// A picture in memory with depth, as a framebuffer.
struct Canvas {
    gl::Framebuffer framebuffer;
    gl::Surface colour, depth;
    Canvas(GLenum colour_format, GLenum filter)
        : colour(colour_format, filter), depth(GL_DEPTH_COMPONENT24, filter) {}

    void resize(int width, int height) {
        colour.resize(width, height);
        depth.resize(width, height);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               colour.texture(), 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth.texture(),
                               0);
        gl::require_complete("a picture in memory");
    }
};

/// The same with several samples for each pixel.
struct SampledCanvas {
    gl::Framebuffer framebuffer;
    gl::Renderbuffer colour, depth;

    void resize(int width, int height) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        attach(colour, GL_RGBA16F, GL_COLOR_ATTACHMENT0, width, height);
        attach(depth, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, width, height);
        gl::require_complete("a picture with several samples for each pixel");
    }

private:
    static void attach(GLuint buffer, GLenum format, GLenum where, int width, int height) {
        glBindRenderbuffer(GL_RENDERBUFFER, buffer);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, where, GL_RENDERBUFFER, buffer);
    }
};

}  // namespace

struct Painter::Parts {
    using Lit = gl::Program::Lit;
    gl::Program shadow{{"mesh.vert", "depth.frag"}};
    gl::Program mesh{{"mesh.vert", "mesh.frag"}, Lit::yes};
    gl::Program ball_shadow{{"ball.vert", "ball.geom", "depth.frag"}};
    gl::Program ball{{"ball.vert", "ball.geom", "mesh.frag"}, Lit::yes};
    gl::Program plane{{"mesh.vert", "plane.frag"}, Lit::yes};
    gl::Program backdrop{{"screen.vert", "backdrop.frag"}, Lit::yes};
    gl::Program occlusion{{"screen.vert", "occlusion.frag"}};
    gl::Program blur{{"screen.vert", "blur.frag"}};
    gl::Program finish{{"screen.vert", "finish.frag"}};
    gl::Program wire{{"mesh.vert", "wire.frag"}};
    gl::Program line{{"mark.vert", "line.geom", "line.frag"}};
    gl::Program point{{"mark.vert", "point.frag"}};
    Canvas shadows{GL_RGBA8, GL_LINEAR};
    Canvas first_look{GL_RGBA8, GL_NEAREST};  ///< depth and normals of what the camera sees
    Canvas occluded{GL_RGBA8, GL_LINEAR}, blurred{GL_RGBA8, GL_LINEAR};
    Canvas light{GL_RGBA16F, GL_LINEAR};
    SampledCanvas sampled;
    gl::VertexArray nothing;
    std::vector<Geometry> meshes;
    Geometry floor, lines, points;
    int width = 0, height = 0;
    bool fine = true;

    // Of the picture at hand.
    const Drawing* drawing = nullptr;
    Camera camera;
    Lamp lamp;
    Mat4 view{}, projection{}, view_projection{};

    void resize(int new_width, int new_height);
    void upload();
    void upload_floor();
    void upload_marks();
    void draw_shadows();
    void look_first();
    void find_occlusion();
    void draw_lit();
    void draw_planes();
    void draw_depths(const Mat4& matrix, Vec3 eye) const;
    void draw_mesh(const gl::Program& program, std::size_t i) const;
    void draw_see_through();
    void draw_wireframes();
    void draw_marks();
    void cover() const;
    void set_light(const gl::Program& program) const;
    double unit() const { return height / 1000.0; }
};

void Painter::Parts::resize(int new_width, int new_height) {
    if (new_width == width && new_height == height) return;
    width = new_width;
    height = new_height;
    for (Canvas* canvas : {&first_look, &occluded, &blurred, &light}) canvas->resize(width, height);
    sampled.resize(width, height);
    shadows.resize(shadow_size, shadow_size);
}

void Painter::Parts::upload() {
    meshes.resize(drawing->meshes.size());
    for (std::size_t i = 0; i < meshes.size(); ++i)
        meshes[i].upload(vertices_of(drawing->meshes[i]), drawing->meshes[i].triangles);
    upload_floor();
    upload_marks();
}

void Painter::Parts::upload_floor() {
    const double far = 30 * std::max(drawing->bounds.diagonal(), camera.distance);
    std::vector<Vertex> corners;
    std::vector<Triangle> triangles;
    for (const auto& [pose] : drawing->planes) {
        Vec3 middle = pose.to_local(drawing->bounds.centre());
        middle.y = 0;
        const Vec3f up = to_float(rotate(pose.rotation, {0, 1, 0}));
        const auto first = static_cast<std::uint32_t>(corners.size());
        for (const Vec3 side : {Vec3{-far, 0, -far}, {-far, 0, far}, {far, 0, far}, {far, 0, -far}})
            corners.push_back({to_float(pose.to_world(middle + side)), up, floor_colour});
        triangles.push_back({first, first + 1, first + 2});
        triangles.push_back({first, first + 2, first + 3});
    }
    floor.upload(corners, triangles);
}

void Painter::Parts::upload_marks() {
    std::vector<Vertex> ends, dots;
    for (const auto& [from, to, colour] : drawing->lines) {
        ends.push_back({from, {}, colour});
        ends.push_back({to, {}, colour});
    }
    for (const auto& [at, colour, size] : drawing->points) dots.push_back({at, {}, colour, size});
    lines.upload(ends);
    points.upload(dots);
}

void Painter::Parts::cover() const {
    glBindVertexArray(nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void Painter::Parts::draw_shadows() {
    lamp = lamp_for(drawing->bounds);
    glBindFramebuffer(GL_FRAMEBUFFER, shadows.framebuffer);
    glViewport(0, 0, shadow_size, shadow_size);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_depths(lamp.matrix, lamp.eye);
}

/// Of all that is not seen through, as seen from `eye`.
void Painter::Parts::draw_depths(const Mat4& matrix, Vec3 eye) const {
    for (const bool balls : {true, false}) {
        const gl::Program& program = balls ? ball_shadow : shadow;
        program.use();
        program.set("view_projection", matrix);
        program.set("view", view);
        program.set("eye", eye);
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            const DrawnMesh& drawn = drawing->meshes[i];
            if (is_see_through(drawn) || is_points(drawn) != balls) continue;
            program.set("radius", drawn.radius);
            balls ? meshes[i].draw(GL_POINTS) : meshes[i].draw();
        }
    }
}

void Painter::Parts::look_first() {
    glBindFramebuffer(GL_FRAMEBUFFER, first_look.framebuffer);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_depths(view_projection, camera.position());
    glEnable(GL_CULL_FACE);
    floor.draw();
    glDisable(GL_CULL_FACE);
}

void Painter::Parts::find_occlusion() {
    if (!fine) {
        glBindFramebuffer(GL_FRAMEBUFFER, blurred.framebuffer);
        glClearColor(1, 1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        return;
    }
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, occluded.framebuffer);
    occlusion.use();
    occlusion.set_texture("depth_map", 0, first_look.depth.texture());
    occlusion.set_texture("normal_map", 1, first_look.colour.texture());
    occlusion.set("projection", projection);
    occlusion.set("radius", 1.2 * drawing->nearness);
    cover();
    glBindFramebuffer(GL_FRAMEBUFFER, blurred.framebuffer);
    blur.use();
    blur.set_texture("depth_map", 0, first_look.depth.texture());
    blur.set_texture("occlusion_map", 1, occluded.colour.texture());
    blur.set("projection", projection);
    blur.set("radius", 1.2 * drawing->nearness);
    cover();
    glEnable(GL_DEPTH_TEST);
}

void Painter::Parts::set_light(const gl::Program& program) const {
    program.use();
    program.set("view_projection", view_projection);
    program.set("eye", camera.position());
    program.set("to_light", to_light);
    program.set("light_matrix", lamp.matrix);
    program.set("light_view", lamp.view);
    program.set("light_reach", lamp.reach);
    program.set("light_width", lamp.width);
    program.set("nearness", drawing->nearness);
    program.set_count("taps", fine ? 28 : 5);
    program.set_texture("shadow_map", 0, shadows.depth.texture());
    program.set_texture("occlusion_map", 1, blurred.colour.texture());
}

void Painter::Parts::draw_planes() {
    set_light(backdrop);
    const double tangent = std::tan(camera.fov / 2);
    backdrop.set("ahead", normalized(camera.target - camera.position()));
    backdrop.set("rightwards", tangent * width / height * camera.right());
    backdrop.set("upwards", tangent * camera.up());
    glDisable(GL_DEPTH_TEST);
    cover();
    glEnable(GL_DEPTH_TEST);
    set_light(plane);
    plane.set("middle", drawing->bounds.centre());
    plane.set("extent", std::max(drawing->bounds.diagonal(), camera.distance));
    glEnable(GL_CULL_FACE);
    floor.draw();
    glDisable(GL_CULL_FACE);
}

/// `program` is in use.
void Painter::Parts::draw_mesh(const gl::Program& program, std::size_t i) const {
    const DrawnMesh& drawn = drawing->meshes[i];
    const FinishValues look = values_of(drawn.finish);
    program.set("wrap", look.wrap);
    program.set("translucency", look.translucency);
    program.set("gloss", look.gloss);
    program.set("shine", look.shine);
    program.set("opacity", look.opacity);
    program.set("rim", look.rim);
    program.set("metal", look.metal);
    program.set("grain", look.grain);
    program.set("grain_width", look.grain_width * drawing->nearness);
    program.set("speckle", look.speckle);
    program.set("see_through", is_see_through(drawn));
    if (!is_points(drawn)) return meshes[i].draw();
    program.set("radius", drawn.radius);
    meshes[i].draw(GL_POINTS);
}

/// What is behind comes first: far sides, then near sides.
void Painter::Parts::draw_see_through() {
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glEnable(GL_CULL_FACE);
    for (const GLenum side : {GL_FRONT, GL_BACK}) {
        glCullFace(side);
        for (std::size_t i = 0; i < meshes.size(); ++i)
            if (is_see_through(drawing->meshes[i])) draw_mesh(mesh, i);
    }
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void Painter::Parts::draw_wireframes() {
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glPolygonOffset(-1, -1);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    wire.use();
    wire.set("view_projection", view_projection);
    for (std::size_t i = 0; i < meshes.size(); ++i)
        if (drawing->meshes[i].wireframe) meshes[i].draw();
    glDisable(GL_BLEND);
    glDisable(GL_POLYGON_OFFSET_LINE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

void Painter::Parts::draw_marks() {
    line.use();
    line.set("view_projection", view_projection);
    const auto half = static_cast<float>(drawing->line_width * unit());
    line.set("half_width", half / static_cast<float>(width), half / static_cast<float>(height));
    lines.draw(GL_LINES);
    point.use();
    point.set("view_projection", view_projection);
    point.set("pixels", unit());
    glEnable(GL_PROGRAM_POINT_SIZE);
    points.draw(GL_POINTS);
    glDisable(GL_PROGRAM_POINT_SIZE);
}

void Painter::Parts::draw_lit() {
    glBindFramebuffer(GL_FRAMEBUFFER, fine ? sampled.framebuffer : light.framebuffer);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_planes();
    for (const bool balls : {true, false}) {
        const gl::Program& program = balls ? ball : mesh;
        set_light(program);
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            const DrawnMesh& drawn = drawing->meshes[i];
            if (!is_see_through(drawn) && is_points(drawn) == balls) draw_mesh(program, i);
        }
    }
    draw_wireframes();
    draw_marks();
    set_light(mesh);
    draw_see_through();
}

Painter::Painter() : parts_(std::make_unique<Parts>()) {}
Painter::~Painter() = default;

void Painter::set_fine(bool fine) {
    parts_->fine = fine;
}

void Painter::paint(const Drawing& drawing, const Camera& camera, int whole_width, int whole_height,
                    unsigned framebuffer) {
    Parts& p = *parts_;
    const int width = p.fine ? whole_width : (whole_width + 1) / 2;
    const int height = p.fine ? whole_height : (whole_height + 1) / 2;
    p.drawing = &drawing;
    p.camera = camera;
    p.view = camera.view();
    p.projection = camera.projection(static_cast<double>(width) / height);
    p.view_projection = p.projection * p.view;
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    p.resize(width, height);
    p.upload();
    p.draw_shadows();
    if (p.fine) p.look_first();
    p.find_occlusion();
    p.draw_lit();
    if (p.fine) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, p.sampled.framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, p.light.framebuffer);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, whole_width, whole_height);
    glDisable(GL_DEPTH_TEST);
    p.finish.use();
    p.finish.set_texture("light", 0, p.light.colour.texture());
    p.cover();
}

}  // namespace turgor
