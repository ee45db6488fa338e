#include "scene/text_file.hpp"

#include <fstream>
#include <vector>

#include "base/errors.hpp"

namespace turgor {

bool is_there(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::exists(file, error);
}

std::string read_text_file(const std::filesystem::path& file) {
    constexpr std::uintmax_t limit = 64 << 20;
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        fail(ErrorCode::io, "{} is a folder, not a scene file", file.string());
    if (!std::filesystem::exists(file, error))
        fail(ErrorCode::io, "{}: there is no such file; check the path", file.string());
    if (!std::filesystem::is_regular_file(file, error))  // a pipe may never end
        fail(ErrorCode::io, "{} is a pipe or device, not a scene file", file.string());
    std::ifstream in(file, std::ios::binary);
    if (!in) fail(ErrorCode::io, "{} cannot be read; check its permissions", file.string());
    std::string text;
    std::vector<char> block(1 << 16);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > limit)
            fail(ErrorCode::bad_scene, "{} is larger than 64 MB: that is no scene file",
                 file.string());
    }
    if (in.bad()) fail(ErrorCode::io, "{} cannot be read to its end", file.string());
    return text;
}

}  // namespace turgor
