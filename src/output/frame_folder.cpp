#include "output/frame_folder.hpp"

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "base/file_output.hpp"

namespace turgor {

namespace fs = std::filesystem;

FrameFolder::FrameFolder(const fs::path& folder, std::string ending)
    : folder_(folder), ending_(std::move(ending)) {
    std::error_code ignored;
    if (fs::exists(folder_, ignored) && !fs::is_directory(folder_, ignored))
        fail(ErrorCode::io,
             "'{}' is a file, but its frames need a folder; remove it or choose another name",
             folder_.string());
    check_can_write_folder(folder_);
}

FrameFolder FrameFolder::of_one(const fs::path& file) {
    check_can_write_file(file);
    FrameFolder one;
    one.folder_ = file;
    return one;
}

bool FrameFolder::is_frame(const fs::directory_entry& entry) const {
    std::error_code ignored;
    if (entry.symlink_status(ignored).type() != fs::file_type::regular) return false;
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("frame_") || !name.ends_with(ending_) ||
        name.size() < 11 + ending_.size())
        return false;
    const std::string number = name.substr(6, name.size() - 6 - ending_.size());
    const bool digits = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    return digits && (number.size() == 5 || number[0] != '0');
}

void FrameFolder::remove_old_frames() const {
    if (ending_.empty()) return;
    std::vector<fs::path> frames;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder_, error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
        if (is_frame(*entry)) frames.push_back(entry->path());
    for (const fs::path& frame : frames)
        if (!error) fs::remove(frame, error);
    if (error)
        fail(ErrorCode::io,
             "cannot remove the old frames in '{}': {}; remove them or choose another folder",
             folder_.string(), error.message());
}

fs::path FrameFolder::frame(std::size_t number) const {
    if (ending_.empty()) return folder_;
    return folder_ / fmt::format("frame_{:05}{}", number, ending_);
}

}  // namespace turgor
