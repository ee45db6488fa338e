#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/file_output.hpp"
#include "output/body_names.hpp"
#include "output/frame_folder.hpp"
#include "output/frame_sink.hpp"

namespace turgor {

namespace {

template <class T>
void append_bytes(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// IEC 61966-2-1; programs that show a PLY take its colours for sRGB.
std::uint8_t to_srgb(float linear) {
    const float c = std::clamp(linear, 0.0f, 1.0f);
    const float encoded = c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
    return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

std::string header(std::span<const FrameBody> bodies) {
    std::string text = "ply\nformat binary_little_endian 1.0\ncomment Turgor\n";
    const std::vector<std::string> names = distinct_names(bodies, NameStyle::line);
    std::size_t vertices = 0, triangles = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        text += fmt::format("comment body {} {}\n", i, names[i]);
        vertices += bodies[i].positions.size();
        triangles += bodies[i].triangles.size();
    }
    text += fmt::format("element vertex {}\n", vertices);
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz"})
        text += fmt::format("property float {}\n", name);
    for (const char* name : {"red", "green", "blue"})
        text += fmt::format("property uchar {}\n", name);
    text += fmt::format(
        "property int body\nelement face {}\nproperty list uchar int vertex_indices\n", triangles);
    return text + "end_header\n";
}

std::string faces(std::span<const FrameBody> bodies) {
    std::string bytes;
    std::uint32_t vertices = 0;
    for (const FrameBody& body : bodies) {
        for (const Triangle& t : body.triangles) {
            bytes += '\3';
            append_bytes(bytes, Triangle{t[0] + vertices, t[1] + vertices, t[2] + vertices});
        }
        vertices += static_cast<std::uint32_t>(body.positions.size());
    }
    return bytes;
}

/// The bytes of a vertex that are the same in every frame.
std::string colour_and_body(Vec3f colour, std::size_t body) {
    std::string bytes;
    for (const float c : {colour.x, colour.y, colour.z}) append_bytes(bytes, to_srgb(c));
    append_bytes(bytes, static_cast<std::int32_t>(body));
    return bytes;
}

class PlySink final : public FrameSink {
public:
    explicit PlySink(FrameFolder folder) : folder_(std::move(folder)) {}

    void begin(std::span<const FrameBody> bodies) override {
        folder_.remove_old_frames();
        change(bodies);
    }

    bool may_change() const override { return true; }
    void change(std::span<const FrameBody> bodies) override {
        tails_.clear();
        header_ = header(bodies);
        faces_ = faces(bodies);
        for (std::size_t i = 0; i < bodies.size(); ++i)
            tails_.push_back(colour_and_body(bodies[i].colour, i));
    }

    void frame(std::span<const FrameBody> bodies) override {
        AtomicFile file(folder_.frame(frames_));
        file.write(header_);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            vertices_.clear();
            for (std::size_t v = 0; v < bodies[i].positions.size(); ++v) {
                append_bytes(vertices_, bodies[i].positions[v]);
                append_bytes(vertices_, bodies[i].normals[v]);
                vertices_ += tails_[i];
            }
            file.write(vertices_);
        }
        file.write(faces_);
        file.commit();
        ++frames_;
    }

    void finish() override {}
    std::vector<std::filesystem::path> files() const override { return {folder_.path()}; }

private:
    FrameFolder folder_;
    std::string header_, faces_, vertices_;
    std::vector<std::string> tails_;
    std::size_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameSink> make_ply_sink(FrameFolder folder) {
    return std::make_unique<PlySink>(std::move(folder));
}

}  // namespace turgor
