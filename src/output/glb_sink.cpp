#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "output/body_names.hpp"
#include "output/frame_sink.hpp"
#include "output/glb_document.hpp"

namespace turgor {

namespace fs = std::filesystem;

namespace {

/// glTF wants unit normals; a vertex without area around it has none.
Vec3f unit_normal(Vec3f normal) {
    const Vec3 n = normalized(to_double(normal));
    return n == Vec3{} ? Vec3f{0, 1, 0} : to_float(n);
}

Vec3f difference(Vec3f a, Vec3f b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// A file is a header of 12 bytes and chunks of 8 + their padded length.
std::uint64_t padded(std::uint64_t size) {
    return (size + 3) / 4 * 4;
}
std::uint64_t file_size(std::uint64_t json, std::uint64_t binary) {
    return 12 + 8 + padded(json) + 8 + binary;
}

void write_words(FileOutput& out, std::initializer_list<std::uint32_t> words) {
    out.write_array(std::span<const std::uint32_t>(words.begin(), words.size()));
}

/// The binary chunk grows in a spool file in its final order: indices, first frame, then per frame
/// the differences to it; only the animation's numbers and the JSON before it wait for the last
/// frame.
class GlbSink final : public FrameSink {
public:
    GlbSink(const fs::path& file, double fps, std::uint64_t limit) : path_(file), limit_(limit) {
        document_.fps = fps;
        check_can_write_file(path_);
    }

    void begin(std::span<const FrameBody> bodies) override {
        spool_ = std::make_unique<SpoolFile>(path_);
        const std::vector<std::string> names = distinct_names(bodies, NameStyle::line);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            document_.bodies.push_back({names[i], bodies[i].colour, bodies[i].positions.size(),
                                        bodies[i].triangles.size()});
            first_.push_back(shape_of(bodies[i]));
        }
        check_fits(0);
        for (const FrameBody& body : bodies) {
            spool_->write_array(body.triangles);
            if (!body.triangles.empty()) continue;
            std::vector<std::uint32_t> numbers(body.positions.size());
            std::iota(numbers.begin(), numbers.end(), 0u);
            spool_->write_array(std::span<const std::uint32_t>(numbers));
        }
    }

    void frame(std::span<const FrameBody> bodies) override {
        check_fits(document_.frames() + 1);
        std::vector<Box3f> bounds;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            Shape shape = shape_of(bodies[i]);
            if (document_.frames() > 0) subtract(shape, first_[i]);
            bounds.push_back(Box3f::around(shape.positions));
            spool_->write_array(std::span<const Vec3f>(shape.positions));
            spool_->write_array(std::span<const Vec3f>(shape.normals));
        }
        document_.bounds.push_back(std::move(bounds));
    }

    void finish() override {
        std::string json = document_.json();
        json.resize(padded(json.size()), ' ');
        const std::uint64_t binary = document_.binary_bytes();
        AtomicFile out(path_);
        write_words(out,
                    {0x46546c67, 2, static_cast<std::uint32_t>(file_size(json.size(), binary))});
        write_words(out, {static_cast<std::uint32_t>(json.size()), 0x4e4f534a});
        out.write(json);
        write_words(out, {static_cast<std::uint32_t>(binary), 0x004e4942});
        spool_->copy_to(out, 0, document_.spooled_bytes());
        if (document_.is_animated()) write_animation(out);
        out.commit();
        spool_.reset();
    }

    std::vector<fs::path> files() const override { return {path_}; }

    std::vector<std::string> warnings() const override {
        constexpr std::size_t many = 600;
        if (document_.frames() <= many) return {};
        return {
            fmt::format("'{}' holds {} morph targets, and many programs slow down above {}; use "
                        "fewer frames per "
                        "second, or .usda or .pc2",
                        path_.string(), document_.frames() - 1, many)};
    }

private:
    struct Shape {
        std::vector<Vec3f> positions, normals;
    };

    static Shape shape_of(const FrameBody& body) {
        Shape shape{{body.positions.begin(), body.positions.end()}, {}};
        shape.normals.reserve(body.normals.size());
        for (const Vec3f normal : body.normals) shape.normals.push_back(unit_normal(normal));
        return shape;
    }

    static void subtract(Shape& shape, const Shape& first) {
        for (std::size_t v = 0; v < shape.positions.size(); ++v) {
            shape.positions[v] = difference(shape.positions[v], first.positions[v]);
            shape.normals[v] = difference(shape.normals[v], first.normals[v]);
        }
    }

    void check_fits(std::size_t frames) const {
        const GlbSize size = document_.size_with(std::max<std::size_t>(frames, 1));
        if (file_size(size.json_at_most, size.binary) <= limit_) return;
        fail(ErrorCode::io,
             "frame {} does not fit into '{}', for a GLB ends at {} bytes; use .usda or .pc2, or "
             "fewer frames per second",
             document_.frames(), path_.string(), limit_);
    }

    /// One row of weights per key frame: all 0 in the first, then frame k is target k − 1 alone.
    void write_animation(FileOutput& out) const {
        const std::size_t targets = document_.frames() - 1;
        std::vector<float> times, row(targets, 0.0f);
        for (std::size_t k = 0; k <= targets; ++k) times.push_back(document_.time(k));
        out.write_array(std::span<const float>(times));
        out.write_array(std::span<const float>(row));
        for (std::size_t k = 0; k < targets; ++k) {
            row[k] = 1;
            out.write_array(std::span<const float>(row));
            row[k] = 0;
        }
    }

    fs::path path_;
    std::uint64_t limit_;
    std::unique_ptr<SpoolFile> spool_;
    std::vector<Shape> first_;
    GlbDocument document_;
};

}  // namespace

std::unique_ptr<FrameSink> make_glb_sink(const fs::path& file, double fps, std::uint64_t limit) {
    return std::make_unique<GlbSink>(file, fps, limit);
}

}  // namespace turgor
