#pragma once

#include <span>
#include <string_view>

namespace turgor {

/// A file that CMake put into the program.
struct EmbeddedFile {
    std::string_view name, text;
};

/// The text of the file of that name, empty where there is none.
inline std::string_view text_of(std::span<const EmbeddedFile> files, std::string_view name) {
    for (const EmbeddedFile& file : files)
        if (file.name == name) return file.text;
    return {};
}

}  // namespace turgor
