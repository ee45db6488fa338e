#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/errors.hpp"
#include "mesh/source_file.hpp"

namespace turgor {
namespace {

/// Pipes and devices would block or never end, so they are refused before they are opened.
void require_regular(const std::filesystem::path& path, const std::string& name) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
        fail(ErrorCode::io, "{}: there is no such file; check the path",
             name.empty() ? "''" : name);
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

std::uintmax_t size_of(const std::filesystem::path& path, const std::string& name) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) fail(ErrorCode::io, "{}: the file cannot be read ({})", name, error.message());
    return size;
}

}  // namespace

SourceFile read_source_file(const std::filesystem::path& path) {
    const std::string name = name_in_messages(path);
    require_regular(path, name);
    SourceFile file = make_source_file(path, size_of(path, name));
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
