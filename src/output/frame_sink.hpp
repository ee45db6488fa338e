#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "output/frame_folder.hpp"
#include "output/frame_writer.hpp"

namespace turgor {

static_assert(sizeof(Vec3f) == 12 && sizeof(Triangle) == 12,
              "arrays are written as they lie in memory");

/// One file format. Its caller has checked the frames (see frame_check.hpp), calls `frame` no more
/// once it has thrown, and `finish` at most once, after at least one whole frame.
class FrameSink {
public:
    virtual ~FrameSink() = default;
    /// Comes before the first `frame`, with the same bodies.
    virtual void begin(std::span<const FrameBody> bodies) = 0;
    /// Whether bodies, their names and triangles may differ from frame to frame.
    virtual bool may_change() const { return false; }
    /// Comes before a frame with other ones than the frame before, where they may.
    virtual void change(std::span<const FrameBody>) {}
    /// Where it throws, the frames before it remain good.
    virtual void frame(std::span<const FrameBody> bodies) = 0;
    virtual void finish() = 0;
    virtual std::vector<std::filesystem::path> files() const = 0;
    virtual std::vector<std::string> warnings() const { return {}; }
};

/// The length fields of a GLB have 32 bits.
inline constexpr std::uint64_t glb_limit = std::numeric_limits<std::uint32_t>::max();

std::unique_ptr<FrameSink> make_obj_sink(FrameFolder folder);
std::unique_ptr<FrameSink> make_ply_sink(FrameFolder folder);
std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& file, double fps);
std::unique_ptr<FrameSink> make_glb_sink(const std::filesystem::path& file, double fps,
                                         std::uint64_t limit = glb_limit);
std::unique_ptr<FrameSink> make_usda_sink(const std::filesystem::path& file, double fps);

/// The sink behind all the checks, as a FrameWriter. `where` is for messages.
std::unique_ptr<FrameWriter> make_checked_writer(std::unique_ptr<FrameSink> sink,
                                                 const std::filesystem::path& where);

}  // namespace turgor
