#include "frames.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace turgor {
namespace {

constexpr double same_time = 1e-6;  // as a share of a step

void require_format(const std::filesystem::path& output) {
    const std::string ending = output.extension().string();
    if (ending == ".png" || ending == ".mp4")
        fail(ErrorCode::missing,
             "'{}' cannot be written: this build has no renderer; use .glb, .usda, .pc2, .obj/ or "
             ".ply/",
             output.string());
}

Vec3f between(Vec3f a, Vec3f b, double t) {
    return to_float((1 - t) * to_double(a) + t * to_double(b));
}

}  // namespace

FrameWriters open_outputs(const std::vector<std::string>& outputs, double fps) {
    for (const std::string& output : outputs) require_format(output);
    FrameWriters writers;
    for (const std::string& output : outputs) writers.push_back(make_frame_writer(output, fps));
    return writers;
}

void Frames::write_first() {
    if (!writers_.empty()) write(1);
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
    if (writers_.empty() || !frame_ahead()) return;
    const std::vector<FrameBody> bodies = shown_now();
    before_.resize(bodies.size());
    for (std::size_t i = 0; i < before_.size(); ++i) {
        before_[i].positions.assign(bodies[i].positions.begin(), bodies[i].positions.end());
        before_[i].normals.assign(bodies[i].normals.begin(), bodies[i].normals.end());
    }
}

std::vector<FrameBody> Frames::shown_now() const {
    std::vector<FrameBody> bodies;
    for (const LiveBody& live : scene_.bodies()) {
        const Body& body = live.body;
        bodies.push_back({live.name, body.display_positions(), body.display_normals(),
                          body.display_triangles(), body.colour()});
    }
    for (const Rigid& rigid : scene_.rigids())
        bodies.push_back(
            {rigid.name(), rigid.positions(), rigid.normals(), rigid.triangles(), rigid.colour()});
    return bodies;
}

void Frames::after_step() {
    if (writers_.empty()) return;
    for (double share = share_of_next(); share <= 1 + same_time; share = share_of_next())
        write(share);
}

void Frames::write(double share) {
    const bool exact = share >= 1 - same_time;
    std::vector<FrameBody> bodies = shown_now();
    between_.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        FrameBody& frame = bodies[i];
        if (!exact) {
            Shown& shown = between_[i];
            shown = before_[i];
            for (std::size_t v = 0; v < shown.positions.size(); ++v) {
                shown.positions[v] = between(shown.positions[v], frame.positions[v], share);
                const Vec3f normal = between(shown.normals[v], frame.normals[v], share);
                shown.normals[v] = to_float(normalized(to_double(normal)));
            }
            frame.positions = shown.positions;
            frame.normals = shown.normals;
        }
    }
    for (const auto& writer : writers_) writer->write(bodies);
    ++written_;
}

void Frames::finish() {
    std::optional<Error> first;
    for (const auto& writer : writers_) {
        try {
            writer->finish();
        } catch (const Error& e) {
            if (!first) first = e;
        }
    }
    if (first) throw *first;
}

std::vector<std::filesystem::path> Frames::files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& writer : writers_)
        for (const auto& file : writer->files()) all.push_back(file);
    return all;
}

std::vector<std::string> Frames::warnings() const {
    std::vector<std::string> all;
    for (const auto& writer : writers_)
        for (const auto& warning : writer->warnings()) all.push_back(warning);
    return all;
}

}  // namespace turgor
