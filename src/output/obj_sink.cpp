#include "base/file_output.hpp"
#include "output/body_names.hpp"
#include "output/frame_folder.hpp"
#include "output/frame_sink.hpp"
#include "output/obj_text.hpp"

namespace turgor {

namespace {

class ObjSink final : public FrameSink {
public:
    explicit ObjSink(FrameFolder folder) : folder_(std::move(folder)) {}

    void begin(std::span<const FrameBody> bodies) override {
        folder_.remove_old_frames();
        change(bodies);
    }

    bool may_change() const override { return true; }
    void change(std::span<const FrameBody> bodies) override {
        parts_.clear();
        const std::vector<std::string> names = distinct_names(bodies, NameStyle::word);
        std::size_t vertices = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            std::string faces;
            append_obj_triangles(faces, bodies[i].triangles, vertices);
            parts_.push_back({"o " + names[i] + '\n', std::move(faces)});
            vertices += bodies[i].positions.size();
        }
    }

    void frame(std::span<const FrameBody> bodies) override {
        AtomicFile file(folder_.frame(frames_));
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            text_ = parts_[i].heading;
            append_obj_vertices(text_, bodies[i].positions);
            file.write(text_);
            file.write(parts_[i].faces);
        }
        file.commit();
        ++frames_;
    }

    void finish() override {}
    std::vector<std::filesystem::path> files() const override { return {folder_.path()}; }

private:
    struct Part {
        std::string heading, faces;  ///< the same until they change
    };
    FrameFolder folder_;
    std::vector<Part> parts_;
    std::string text_;
    std::size_t frames_ = 0;
};

}  // namespace

std::unique_ptr<FrameSink> make_obj_sink(FrameFolder folder) {
    return std::make_unique<ObjSink>(std::move(folder));
}

}  // namespace turgor
