#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// What make_frame_writer knows.
inline constexpr const char* frame_endings = ".glb .usda .pc2 .obj/ .ply/";
/// Whether it knows the ending of this one.
bool is_frame_output(const std::filesystem::path& where);

/// One body as it is shown in one frame. The number of bodies, their names and triangles are the
/// same in every frame, but where a writer says that they may change. Names may hold anything; a
/// format that cannot say them gets the nearest it can say.
struct FrameBody {
    std::string name;
    std::span<const Vec3f> positions;  ///< [m], finite
    std::span<const Vec3f> normals;    ///< unit, one per position
    std::span<const Triangle> triangles;
    Vec3f colour{0.8f, 0.8f, 0.8f};  ///< linear, 0…1; that of the first frame counts
};

/// Writes a sequence of frames to one place. Frames are evenly spaced, 1/fps apart.
class FrameWriter {
public:
    virtual ~FrameWriter() = default;
    /// Throws Error(failed) for positions that are not finite, Error(bad_argument) for a frame that
    /// does not fit the first one, Error(io) where the place takes no more. After an error only
    /// finish() is of use.
    virtual void write(std::span<const FrameBody> bodies) = 0;
    /// Closes the output; after it the files are valid. The destructor does the same where it was
    /// not called (an exception, Ctrl-C), but silently: the frames written so far are kept.
    virtual void finish() = 0;
    virtual bool may_change() const = 0;
    /// What was written: files for a person to open.
    virtual std::vector<std::filesystem::path> files() const = 0;
    /// What a person should know about the result, one sentence each.
    virtual std::vector<std::string> warnings() const = 0;
};

/// By the ending: `.obj/` and `.ply/` (a folder of frames; a trailing slash or none), `.pc2`,
/// `.glb`, `.usda`. Creates missing folders. Throws Error(bad_argument) for an ending it does not
/// know and Error(io) where it cannot write. What an earlier run left there stays until the first
/// frame comes.
std::unique_ptr<FrameWriter> make_frame_writer(const std::filesystem::path& where, double fps);

/// What make_still_writer knows.
inline constexpr const char* still_endings = ".obj .ply";
/// For one frame, in one file that appears whole or not at all: an object for each body in an .obj,
/// a vertex property `body` in a .ply.
std::unique_ptr<FrameWriter> make_still_writer(const std::filesystem::path& file);

}  // namespace turgor
