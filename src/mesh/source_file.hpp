#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
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

/// What messages call a file: its name without its folder.
std::string name_in_messages(const std::filesystem::path& path);

/// Room for `size` bytes: at least one and at most 4 GiB, else there is a sentence.
SourceFile make_source_file(const std::filesystem::path& path, std::uintmax_t size);

/// A file that is in memory already.
SourceFile source_file_of(std::span<const std::byte> bytes, const std::string& name);

/// Reads a regular file; refuses anything else with a sentence.
SourceFile read_source_file(const std::filesystem::path& path);

}  // namespace turgor
