#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace turgor {

/// A whole file in memory.
struct SourceFile {
    std::filesystem::path path;
    std::string name;  ///< what messages call it
    std::unique_ptr<char[]> data;
    std::size_t size = 0;

    std::string_view bytes() const { return {data.get(), size}; }
};

/// Reads a regular, non-empty file of at most 4 GiB; refuses anything else with a sentence.
SourceFile read_source_file(const std::filesystem::path& path);

}  // namespace turgor
