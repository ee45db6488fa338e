#include <fmt/format.h>

#include <cmath>

#include "base/file_output.hpp"
#include "output/body_names.hpp"
#include "output/box3f.hpp"
#include "output/frame_sink.hpp"
#include "output/text.hpp"

namespace turgor {

namespace fs = std::filesystem;

namespace {

std::string usd_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : valid_utf8(text)) {
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (c == '\n')
            result += "\\n";
        else
            result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
    return result + '"';
}

std::string tuple(Vec3f v) {
    std::string text = "(";
    append_vector(text, v, ", ");
    return text + ')';
}

/// [(x,y,z),(x,y,z),…]; `put` writes one number.
template <class Put>
void append_array(std::string& text, std::span<const Vec3f> values, Put&& put) {
    char separator = '[';
    for (const Vec3f v : values) {
        text += separator;
        text += '(';
        put(text, v.x);
        text += ',';
        put(text, v.y);
        text += ',';
        put(text, v.z);
        text += ')';
        separator = ',';
    }
    text += ']';
}

/// To 1e-5, far below what shading shows, in half of the bytes.
void append_rounded(std::string& text, float value) {
    append_number(text, static_cast<float>(std::round(double{value} * 1e5) / 1e5));
}

std::string indices(std::span<const Triangle> triangles) {
    std::string text;
    for (const Triangle& triangle : triangles)
        for (const std::uint32_t corner : triangle) {
            text += text.empty() ? '[' : ',';
            append_number(text, corner);
        }
    return text + ']';
}

std::string counts(std::size_t triangles) {
    std::string text = "[3";
    for (std::size_t i = 1; i < triangles; ++i) text += ",3";
    return text + ']';
}

/// Of points: what they are as wide as; the mean spacing in their box would be too much inside.
float point_width(const FrameBody& body) {
    const auto [lower, upper] = Box3f::around(body.positions);
    const double n = static_cast<double>(body.positions.size());
    return static_cast<float>(norm(to_double(upper) - to_double(lower)) / std::sqrt(n));
}

std::string points_opening(const FrameBody& body, const std::string& identifier) {
    return fmt::format(R"(
    def Points "{}" (
        customData = {{
            string name = {}
        }}
    )
    {{
        color3f[] primvars:displayColor = [{}] (
            interpolation = "constant"
        )
        float[] widths = [{}] (
            interpolation = "constant"
        )
)",
                       identifier, usd_string(body.name), tuple(body.colour), point_width(body));
}

/// Everything about a mesh that is the same in every frame, up to its time samples.
std::string mesh_opening(const FrameBody& body, const std::string& identifier) {
    return fmt::format(R"(
    def Mesh "{}" (
        customData = {{
            string name = {}
        }}
    )
    {{
        uniform token subdivisionScheme = "none"
        int[] faceVertexCounts = {}
        int[] faceVertexIndices = {}
        color3f[] primvars:displayColor = [{}] (
            interpolation = "constant"
        )
        normal3f[] normals (
            interpolation = "vertex"
        )
)",
                       identifier, usd_string(body.name), counts(body.triangles.size()),
                       indices(body.triangles), tuple(body.colour));
}

/// Points and normals as text wait in a spool file, frame after frame, for the file wants them body
/// by body.
class UsdaSink final : public FrameSink {
public:
    UsdaSink(const fs::path& file, double fps) : path_(file), fps_(fps) {
        check_can_write_file(path_);
    }

    void begin(std::span<const FrameBody> bodies) override {
        spool_ = std::make_unique<SpoolFile>(path_);
        const std::vector<std::string> identifiers = distinct_names(bodies, NameStyle::identifier);
        for (std::size_t i = 0; i < bodies.size(); ++i)
            openings_.push_back(bodies[i].triangles.empty()
                                    ? points_opening(bodies[i], identifiers[i])
                                    : mesh_opening(bodies[i], identifiers[i]));
    }

    void frame(std::span<const FrameBody> bodies) override {
        std::vector<Sample> samples;
        for (const FrameBody& body : bodies) {
            const Chunk points = spool(body.positions, append_number<float>);
            const bool has_normals = !body.triangles.empty();
            const Chunk normals =
                has_normals ? spool(body.normals, append_rounded) : Chunk{spool_->size(), 0};
            samples.push_back({Box3f::around(body.positions), points, normals});
        }
        frames_.push_back(std::move(samples));
    }

    void finish() override {
        AtomicFile out(path_);
        out.write(fmt::format(R"(#usda 1.0
(
    defaultPrim = "World"
    endTimeCode = {}
    framesPerSecond = {}
    metersPerUnit = 1
    startTimeCode = 0
    timeCodesPerSecond = {}
    upAxis = "Y"
)

def Xform "World"
{{)",
                              frames_.size() - 1, fps_, fps_));
        for (std::size_t body = 0; body < openings_.size(); ++body) write_mesh(out, body);
        out.write("}\n");
        out.commit();
        spool_.reset();
    }

    std::vector<fs::path> files() const override { return {path_}; }

private:
    struct Chunk {
        std::uint64_t offset, size;
    };
    struct Sample {
        Box3f bounds;
        Chunk points, normals;
    };

    template <class Put>
    Chunk spool(std::span<const Vec3f> values, Put&& put) {
        text_.clear();
        append_array(text_, values, put);
        const std::uint64_t offset = spool_->size();
        spool_->write(text_);
        return {offset, text_.size()};
    }

    void write_mesh(FileOutput& out, std::size_t body) {
        out.write(openings_[body]);
        write_samples(out, "float3[] extent", [&](std::size_t frame) {
            const Box3f& bounds = frames_[frame][body].bounds;
            out.write(fmt::format("[{}, {}]", tuple(bounds.lower), tuple(bounds.upper)));
        });
        const auto copy = [&](Chunk chunk) { spool_->copy_to(out, chunk.offset, chunk.size); };
        if (frames_[0][body].normals.size > 0)
            write_samples(out, "normal3f[] normals",
                          [&](std::size_t frame) { copy(frames_[frame][body].normals); });
        write_samples(out, "point3f[] points",
                      [&](std::size_t frame) { copy(frames_[frame][body].points); });
        out.write("    }\n");
    }

    template <class WriteValue>
    void write_samples(FileOutput& out, std::string_view attribute, WriteValue&& write_value) {
        out.write(fmt::format("        {}.timeSamples = {{\n", attribute));
        for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
            out.write(fmt::format("            {}: ", frame));
            write_value(frame);
            out.write(",\n");
        }
        out.write("        }\n");
    }

    fs::path path_;
    double fps_;
    std::unique_ptr<SpoolFile> spool_;
    std::vector<std::string> openings_;        ///< per body
    std::vector<std::vector<Sample>> frames_;  ///< per frame and body
    std::string text_;
};

}  // namespace

std::unique_ptr<FrameSink> make_usda_sink(const fs::path& file, double fps) {
    return std::make_unique<UsdaSink>(file, fps);
}

}  // namespace turgor
