#include "frames.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/errors.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

constexpr double same_time = 1e-6;  // as a share of a step

}  // namespace

std::string output_endings() {
    return fmt::format(
        "{} (frames), .png/ .jpg/ (pictures),\n.png .jpg (of the last frame), .mp4 (a film)",
        frame_endings);
}

Outputs open_outputs(const std::vector<std::string>& outputs, double fps) {
    Outputs opened;
    for (const std::string& output : outputs)
        if (!is_picture(output) && !is_frame_output(output))
            fail(ErrorCode::bad_argument, "the ending of '{}' names no format; use one of {}",
                 output, output_endings());
    for (const std::string& output : outputs)
        if (is_picture(output)) {
            check_can_make_pictures(output);
            opened.pictures.emplace_back(output);
        }
    for (const std::string& output : outputs)
        if (!is_picture(output)) opened.writers.push_back(make_frame_writer(output, fps));
    return opened;
}

Frames::Frames(LiveScene& scene, Outputs outputs, double fps)
    : scene_(scene),
      writers_(std::move(outputs.writers)),
      rest_shape_(std::move(outputs.rest_shape)),
      fps_(fps) {
    for (const LiveBody& live : scene.bodies())
        for (std::size_t i = 0; i < writers_.size(); ++i)
            if (live.body.can_tear() && !writers_[i]->may_change())
                fail(ErrorCode::bad_argument,
                     "body '{}' can tear, and '{}' keeps the triangles of its first frame; use "
                     ".obj/ "
                     "or .ply/, or pictures",
                     live.body.name(), writers_[i]->files().front().string());
    for (const auto& picture : outputs.pictures)
        pictures_.push_back(make_picture_output(picture, scene, fps));
}

void Frames::write_first() {
    if (wanted()) write(1);
}

double Frames::share_of_next() const {
    const double dt = scene_.scene().dt;
    return (static_cast<double>(written_) / fps_ - scene_.time()) / dt + 1;
}

/// Called at the end of a step, `share_of_next` counts from that step's start; called before it,
/// one step less.
bool Frames::frame_ahead() const {
    return share_of_next() - 1 < 1 - same_time;
}

void Frames::before_step() {
    if (wanted() && frame_ahead()) before_ = taker_.take(scene_.world());
}

void Frames::begin_after_step() {
    if (wanted() && frame_ahead()) scene_.world().begin_reading();
}

void Frames::after_step() {
    if (!wanted()) return;
    for (double share = share_of_next(); share <= 1 + same_time; share = share_of_next())
        write(share);
}

void Frames::write(double share) {
    Moment moment = taker_.take(scene_.world());
    if (share < 1 - same_time) moment = between(before_, moment, share);
    std::vector<FrameBody> bodies;
    for (const Moment::Thing& thing : moment.things)
        bodies.push_back(
            {thing.name, thing.positions, thing.normals, *thing.triangles, thing.colour});
    for (const auto& writer : writers_) writer->write(bodies);
    for (const auto& picture : pictures_) picture->take(moment);
    ++written_;
}

void Frames::write_rest_shape() {
    if (!rest_shape_) return;
    std::vector<Inspection::Shown> shapes;
    std::vector<FrameBody> bodies;
    const std::vector<Body> all = scene_.world().bodies();
    for (const Body& body : all) shapes.push_back(Inspection::rest_shape(body));
    for (std::size_t i = 0; i < shapes.size(); ++i)
        bodies.push_back({all[i].name(), shapes[i].positions, shapes[i].normals,
                          all[i].display_triangles(), all[i].colour()});
    rest_shape_->write(bodies);
    rest_shape_->finish();
    has_rest_shape_ = true;
}

void Frames::finish() {
    std::optional<Error> first;
    const auto finish_all = [&](const auto& outputs) {
        for (const auto& output : outputs) {
            try {
                output->finish();
            } catch (const Error& e) {
                if (!first) first = e;
            }
        }
    };
    finish_all(writers_);
    finish_all(pictures_);
    if (first) throw *first;
}

std::vector<std::filesystem::path> Frames::files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& writer : writers_)
        for (const auto& file : writer->files()) all.push_back(file);
    for (const auto& picture : pictures_) all.push_back(picture->file());
    if (has_rest_shape_) all.push_back(rest_shape_->files().front());
    return all;
}

std::vector<std::string> Frames::warnings() const {
    std::vector<std::string> all;
    for (const auto& writer : writers_)
        for (const auto& warning : writer->warnings()) all.push_back(warning);
    return all;
}

}  // namespace turgor
