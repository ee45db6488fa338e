#include "mesh/source_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/errors.hpp"

namespace turgor {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{4} << 30;

/// Pipes and devices would block or never end, so they are refused before they are opened.
void require_regular(const std::filesystem::path& path, const std::string& name) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
        fail(ErrorCode::io, "{}: there is no such file; check the path", name);
    if (error)
        fail(ErrorCode::io,
             "{}: the file cannot be opened ({}); check the path and its permissions", name,
             error.message());
    if (std::filesystem::is_directory(status))
        fail(ErrorCode::io, "{}: this is a directory; name a mesh file in it", name);
    if (!std::filesystem::is_regular_file(status))
        fail(ErrorCode::io, "{}: this is a pipe or device, not a regular file; save the mesh first",
             name);
}

std::size_t checked_size(const std::filesystem::path& path, const std::string& name) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) fail(ErrorCode::io, "{}: the file cannot be read ({})", name, error.message());
    if (size == 0)
        fail(ErrorCode::bad_file,
             "{}: the file is empty, it holds no vertices and no faces; export the mesh again",
             name);
    if (size > largest_file)
        fail(ErrorCode::bad_file, "{}: the file has {} bytes, the limit is {}; simplify the mesh",
             name, size, largest_file);
    return static_cast<std::size_t>(size);
}

}  // namespace

SourceFile read_source_file(const std::filesystem::path& path) {
    SourceFile file{path, path.filename().string(), nullptr, 0};
    if (file.name.empty()) file.name = path.string();
    require_regular(path, file.name);
    file.size = checked_size(path, file.name);
    file.data = std::make_unique_for_overwrite<char[]>(file.size);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(
        std::fopen(path.string().c_str(), "rb"), [](std::FILE* f) { return std::fclose(f); });
    if (!stream)
        fail(ErrorCode::io, "{}: the file cannot be opened ({}); check its permissions", file.name,
             std::strerror(errno));
    if (std::fread(file.data.get(), 1, file.size, stream.get()) != file.size)
        fail(ErrorCode::io, "{}: reading stopped before the end of the file; try again", file.name);
    return file;
}

}  // namespace turgor
