#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "output/frame_writer.hpp"
#include "scene/live_scene.hpp"

namespace turgor {

using FrameWriters = std::vector<std::unique_ptr<FrameWriter>>;

/// An Error where one cannot be written. What an earlier run left there stays until the first
/// frame.
FrameWriters open_outputs(const std::vector<std::string>& outputs, double fps);

/// Writes a frame every 1/fps to all outputs. Between two steps a frame lies on the straight line
/// from one to the other, so the frame rate and the simulation know nothing of each other.
class Frames {
public:
    Frames(const LiveScene& scene, FrameWriters writers, double fps)
        : scene_(scene), writers_(std::move(writers)), fps_(fps) {}

    void write_first();
    void before_step();
    void after_step();
    /// Makes all files whole. An Error comes after the others are done.
    void finish();

    std::vector<std::filesystem::path> files() const;
    std::vector<std::string> warnings() const;
    std::size_t count() const { return written_; }

private:
    struct Shown {
        std::vector<Vec3f> positions, normals;
    };
    bool frame_ahead() const;
    double share_of_next() const;  ///< where in the current step the next frame lies, 1: at its end
    std::vector<FrameBody> shown_now() const;
    void write(double share);

    const LiveScene& scene_;
    FrameWriters writers_;
    double fps_;
    std::size_t written_ = 0;
    std::vector<Shown> before_, between_;
};

}  // namespace turgor
