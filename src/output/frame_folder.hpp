#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace turgor {

/// A folder of files frame_00000.ENDING, frame_00001.ENDING, …, or one file for a single frame.
class FrameFolder {
public:
    /// Error(io) where the file could not be made.
    static FrameFolder of_one(const std::filesystem::path& file);
    /// Creates the folder; Error(io) where nothing can be written into it. `ending` is e.g. ".obj".
    FrameFolder(const std::filesystem::path& folder, std::string ending);

    /// Removes the frames of an earlier run, so that they do not mix with ours, and no other file.
    void remove_old_frames() const;
    std::filesystem::path frame(std::size_t number) const;
    const std::filesystem::path& path() const { return folder_; }

private:
    FrameFolder() = default;
    bool is_frame(const std::filesystem::directory_entry& entry) const;

    std::filesystem::path folder_;  ///< or the one file
    std::string ending_;            ///< empty where it is one file
};

}  // namespace turgor
