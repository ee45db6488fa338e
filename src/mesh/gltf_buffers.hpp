#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace turgor {

/// The bytes of standard base64 text; false where it is damaged.
bool decode_base64(std::string_view text, std::string& bytes);

/// The file that a relative URI of a glTF file names. Refuses what leads out of the folder of
/// `file`: absolute paths, "..", other schemes.
std::filesystem::path resolve_uri(const std::filesystem::path& file, std::string_view uri);

}  // namespace turgor
