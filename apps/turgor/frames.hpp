#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "output/frame_writer.hpp"
#include "pictures.hpp"
#include "scene/live_scene.hpp"
#include "scene/moment.hpp"

namespace turgor {

struct Outputs {
    std::vector<std::unique_ptr<FrameWriter>> writers;
    std::vector<std::filesystem::path> pictures;  ///< that are going to be made
    std::unique_ptr<FrameWriter> rest_shape;      ///< where the last rest shapes go; may be null
};

/// Every ending of an output, with what it means.
std::string output_endings();

/// An Error where one cannot be written. What an earlier run left there stays until the first
/// frame.
Outputs open_outputs(const std::vector<std::string>& outputs, double fps);

/// Writes a frame every 1/fps to all outputs. Between two steps a frame lies on the straight line
/// from one to the other, so the frame rate and the simulation know nothing of each other.
class Frames {
public:
    Frames(LiveScene& scene, Outputs outputs, double fps);

    void write_first();
    void before_step();
    /// Starts what after_step and before_step will need, so that a device is done by then.
    void begin_after_step();
    void after_step();
    /// The shapes that the soft bodies come back to now, where they are.
    void write_rest_shape();
    /// Makes all files whole. An Error comes after the others are done.
    void finish();

    std::vector<std::filesystem::path> files() const;
    std::vector<std::string> warnings() const;
    std::size_t count() const { return written_; }

private:
    bool wanted() const { return !writers_.empty() || !pictures_.empty(); }
    bool frame_ahead() const;
    double share_of_next() const;  ///< where in the current step the next frame lies, 1: at its end
    void write(double share);

    LiveScene& scene_;
    std::vector<std::unique_ptr<FrameWriter>> writers_;
    std::vector<std::unique_ptr<PictureOutput>> pictures_;
    std::unique_ptr<FrameWriter> rest_shape_;
    bool has_rest_shape_ = false;
    double fps_;
    std::size_t written_ = 0;
    MomentTaker taker_;
    Moment before_;
};

}  // namespace turgor
