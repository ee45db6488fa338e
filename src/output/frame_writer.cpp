#include "output/frame_writer.hpp"

#include <algorithm>
#include <cctype>

#include "base/errors.hpp"
#include "output/frame_check.hpp"
#include "output/frame_sink.hpp"

namespace turgor {

namespace fs = std::filesystem;

namespace {

class CheckedWriter final : public FrameWriter {
public:
    CheckedWriter(std::unique_ptr<FrameSink> sink, const fs::path& where)
        : sink_(std::move(sink)), where_(where.string()), check_(where, sink_->may_change()) {}

    ~CheckedWriter() override {
        if (finished_ || frames_ == 0) return;
        try {
            sink_->finish();
        } catch (...) {
            // Nobody is left to be told, and the sink removes what is not whole.
        }
    }

    void write(std::span<const FrameBody> bodies) override {
        if (closed_)
            fail(ErrorCode::bad_argument,
                 "'{}' takes no more frames, for it was closed or a frame failed; start a new "
                 "output",
                 where_);
        closed_ = true;
        const bool changed = check_.check(bodies);
        if (frames_ == 0) sink_->begin(bodies);
        if (changed) sink_->change(bodies);
        sink_->frame(bodies);
        ++frames_;
        closed_ = false;
    }

    void finish() override {
        if (finished_) return;
        if (frames_ == 0)
            fail(ErrorCode::bad_argument,
                 "'{}' was not written: there was no frame; simulate at least one step", where_);
        finished_ = closed_ = true;
        sink_->finish();
    }

    bool may_change() const override { return sink_->may_change(); }
    std::vector<fs::path> files() const override { return sink_->files(); }
    std::vector<std::string> warnings() const override { return sink_->warnings(); }

private:
    std::unique_ptr<FrameSink> sink_;
    std::string where_;
    FrameCheck check_;
    std::size_t frames_ = 0;
    bool closed_ = false, finished_ = false;
};

fs::path without_trailing_slash(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

/// Not path::extension(), for which a folder called `.obj` has no ending.
std::string lower_case_ending(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::size_t dot = name.rfind('.');
    std::string ending = dot == std::string::npos ? "" : name.substr(dot);
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending;
}

using MakeSink = std::unique_ptr<FrameSink> (*)(const fs::path& where, double fps);

MakeSink sink_for(const fs::path& where) {
    const std::string ending = lower_case_ending(where);
    if (ending == ".obj")
        return [](const fs::path& p, double) { return make_obj_sink({p, ".obj"}); };
    if (ending == ".ply")
        return [](const fs::path& p, double) { return make_ply_sink({p, ".ply"}); };
    if (ending == ".pc2") return make_pc2_sink;
    if (ending == ".glb")
        return [](const fs::path& p, double fps) { return make_glb_sink(p, fps); };
    if (ending == ".usda") return make_usda_sink;
    return nullptr;
}

std::unique_ptr<FrameSink> make_sink(const fs::path& where, double fps) {
    if (const MakeSink make = sink_for(where)) return make(where, fps);
    fail(ErrorCode::bad_argument,
         "the ending of '{}' names no format that frames can be written to; use one of {}",
         where.string(), frame_endings);
}

}  // namespace

bool is_frame_output(const fs::path& where) {
    return sink_for(without_trailing_slash(where)) != nullptr;
}

std::unique_ptr<FrameWriter> make_checked_writer(std::unique_ptr<FrameSink> sink,
                                                 const fs::path& where) {
    return std::make_unique<CheckedWriter>(std::move(sink), where);
}

std::unique_ptr<FrameWriter> make_frame_writer(const fs::path& where, double fps) {
    // Between them every time and its inverse is far from the limits of a float.
    constexpr double lowest = 1e-3, highest = 1e6;
    if (!(fps >= lowest && fps <= highest))
        fail(ErrorCode::bad_argument,
             "{} frames per second are not possible; use a number from {} to {}", fps, lowest,
             highest);
    const fs::path place = without_trailing_slash(where);
    return make_checked_writer(make_sink(place, fps), place);
}

std::unique_ptr<FrameWriter> make_still_writer(const fs::path& file) {
    const std::string ending = lower_case_ending(file);
    if (ending == ".obj")
        return make_checked_writer(make_obj_sink(FrameFolder::of_one(file)), file);
    if (ending == ".ply")
        return make_checked_writer(make_ply_sink(FrameFolder::of_one(file)), file);
    fail(ErrorCode::bad_argument,
         "the ending of '{}' names no format for a shape in one file; use one of {}", file.string(),
         still_endings);
}

}  // namespace turgor
