#include <cstring>
#include <limits>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "output/body_names.hpp"
#include "output/frame_sink.hpp"
#include "output/obj_text.hpp"

namespace turgor {

namespace fs = std::filesystem;

namespace {

struct Header {
    char signature[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
    std::int32_t version = 1;
    std::int32_t points = 0;
    float start_frame = 0;
    float frames_per_sample = 1;
    std::int32_t samples = 0;
};
static_assert(sizeof(Header) == 32);

std::string_view bytes_of(const Header& header) {
    return {reinterpret_cast<const char*>(&header), sizeof header};
}

/// Not NAME.obj: that is often the very mesh the simulation started from, or the folder of an .obj/
/// output.
fs::path base_mesh_path(fs::path cache) {
    return cache.replace_extension(".base.obj");
}

/// A point cache moves the points of one object, so all bodies are one object here, each a group of
/// it. An `o` per body would make importers split the mesh, and the cache would fit none of the
/// parts.
std::string base_mesh(std::span<const FrameBody> bodies, const fs::path& cache, double fps) {
    const std::vector<std::string> names = distinct_names(bodies, NameStyle::word);
    const FrameBody whole{cache.stem().string(), {}, {}, {}};
    std::string text = fmt::format(
        "# Turgor: the mesh that the point cache beside it moves, {} frames per second\no {}\n",
        fps, distinct_names({&whole, 1}, NameStyle::word)[0]);
    for (const FrameBody& body : bodies) append_obj_vertices(text, body.positions);
    std::size_t vertices = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        text += fmt::format("g {}\n", names[i]);
        append_obj_triangles(text, bodies[i].triangles, vertices);
        vertices += bodies[i].positions.size();
    }
    return text;
}

class Pc2Sink final : public FrameSink {
public:
    Pc2Sink(const fs::path& file, double fps)
        : path_(file), base_path_(base_mesh_path(file)), fps_(fps) {
        check_can_write_file(path_);
        check_can_write_file(base_path_);
    }

    void begin(std::span<const FrameBody> bodies) override {
        std::size_t points = 0;
        for (const FrameBody& body : bodies) points += body.positions.size();
        if (points > std::numeric_limits<std::int32_t>::max())
            fail(ErrorCode::bad_argument, "'{}' cannot hold {} points; use .ply/ for so many",
                 path_.string(), points);
        header_.points = static_cast<std::int32_t>(points);

        base_ = std::make_unique<AtomicFile>(base_path_);
        base_->write(base_mesh(bodies, path_, fps_));
        base_->flush();
        file_ = std::make_unique<AtomicFile>(path_);
        file_->write(bytes_of(header_));
    }

    void frame(std::span<const FrameBody> bodies) override {
        const std::uint64_t whole = file_->size();
        try {
            for (const FrameBody& body : bodies) file_->write_array(body.positions);
            file_->flush();
            ++header_.samples;
            file_->write_at(0, bytes_of(header_));
            publish();
        } catch (...) {
            file_->abandon(whole);
            throw;
        }
    }

    void finish() override { file_->close(); }
    std::vector<fs::path> files() const override { return {path_, base_path_}; }

private:
    /// The two files appear together, once all of the first frame is on the disk.
    void publish() {
        file_->flush();
        if (base_) base_->commit();
        base_.reset();
        file_->publish();
    }

    fs::path path_, base_path_;
    double fps_;
    Header header_;
    std::unique_ptr<AtomicFile> base_, file_;
};

}  // namespace

std::unique_ptr<FrameSink> make_pc2_sink(const fs::path& file, double fps) {
    return std::make_unique<Pc2Sink>(file, fps);
}

}  // namespace turgor
