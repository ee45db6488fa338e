#include "output/body_names.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace turgor {

namespace {

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7f;
}
bool is_continuation_byte(unsigned char c) {
    return (c & 0xc0) == 0x80;
}
bool is_letter_or_digit(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool can_say(unsigned char c, NameStyle style) {
    if (style == NameStyle::identifier) return is_letter_or_digit(c) || c == '_';
    if (is_control(c)) return false;
    return style == NameStyle::line || !(c == ' ' || c == '#' || c == '\\');
}

std::string in_style(std::string_view name, NameStyle style) {
    std::string said;
    for (const char c : valid_utf8(name)) {
        const auto byte = static_cast<unsigned char>(c);
        if (can_say(byte, style))
            said += c;
        else if (!is_continuation_byte(byte))
            said += '_';
    }
    if (said.empty()) return "body";
    const bool digit_first = said[0] >= '0' && said[0] <= '9';
    return style == NameStyle::identifier && digit_first ? '_' + said : said;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
        .get<std::string>();
}

std::vector<std::string> distinct_names(std::span<const FrameBody> bodies, NameStyle style) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const FrameBody& body : bodies) {
        const std::string wanted = in_style(body.name, style);
        std::string name = wanted;
        for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace turgor
