#include "mesh/gltf_buffers.hpp"

#include <cstdint>

#include "base/errors.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                             hex_value(text[i + 2]) >= 0;
        if (!escaped) {
            result += text[i];
            continue;
        }
        result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
        i += 2;
    }
    return result;
}

}  // namespace

bool decode_base64(std::string_view text, std::string& bytes) {
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    bytes.clear();
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const int value = base64_value(c);
        if (value < 0) return false;
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>((bits >> held) & 0xff);
    }
    return held != 6;
}

std::filesystem::path resolve_uri(const std::filesystem::path& file, std::string_view uri) {
    const std::string name = percent_decoded(uri);
    const std::filesystem::path relative(name);
    bool safe = !name.empty() && !relative.is_absolute() &&
                name.find_first_of(std::string_view(":\\\0", 3)) == name.npos;
    for (const auto& part : relative) safe = safe && part != "..";
    if (!safe)
        fail(ErrorCode::bad_file,
             "{}: the buffer \"{}\" is not a file in the same folder; put it beside the glTF file",
             file.filename().string(), shown(uri));
    return file.parent_path() / relative;
}

}  // namespace turgor
