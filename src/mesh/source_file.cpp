#include "mesh/source_file.hpp"

#include <cstring>

#include "base/errors.hpp"

namespace turgor {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{4} << 30;

}  // namespace

std::string name_in_messages(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.empty() ? path.string() : name;
}

SourceFile make_source_file(const std::filesystem::path& path, std::uintmax_t size) {
    SourceFile file{path, name_in_messages(path), nullptr, static_cast<std::size_t>(size)};
    if (size == 0)
        fail(ErrorCode::bad_file,
             "{}: the file is empty, it holds no vertices and no faces; export the mesh again",
             file.name);
    if (size > largest_file)
        fail(ErrorCode::bad_file, "{}: the file has {} bytes, the limit is {}; simplify the mesh",
             file.name, size, largest_file);
    file.data = std::make_unique_for_overwrite<char[]>(file.size);
    return file;
}

SourceFile source_file_of(std::span<const std::byte> bytes, const std::string& name) {
    SourceFile file = make_source_file(name, bytes.size());
    std::memcpy(file.data.get(), bytes.data(), bytes.size());
    return file;
}

}  // namespace turgor
