#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "turgor/math.hpp"

namespace turgor {

/// The fewest digits that read back as the same number.
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void append_number(std::string& text, Number value) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

inline void append_vector(std::string& text, Vec3f v, std::string_view separator) {
    append_number(text, v.x);
    text += separator;
    append_number(text, v.y);
    text += separator;
    append_number(text, v.z);
}

}  // namespace turgor
