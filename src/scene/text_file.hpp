#pragma once

#include <filesystem>
#include <string>

namespace turgor {

bool is_there(const std::filesystem::path& file);

/// The whole file, at most 64 MB.
std::string read_text_file(const std::filesystem::path& file);

}  // namespace turgor
