#pragma once

#include <filesystem>
#include <string>

namespace turgor {

/// What the viewer remembers from one time to the next.
struct ViewerSettings {
    int width = 1280, height = 800;  ///< of the window
    bool panel = true, help = false;
    bool fine = true;   ///< drawn with all soft shadows
    std::string scene;  ///< the last built-in one
};

/// Where they are kept: below $XDG_CONFIG_HOME, or ~/.config. Empty where there is neither.
std::filesystem::path settings_file();
/// What is missing, broken or out of range has its usual value.
ViewerSettings load_settings(const std::filesystem::path& file);
/// Silent where it cannot be written: nothing is lost but a habit.
void save_settings(const ViewerSettings& settings, const std::filesystem::path& file) noexcept;

}  // namespace turgor
