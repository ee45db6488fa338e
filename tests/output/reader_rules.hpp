#pragma once

#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

/// What the readers of this folder read with.
namespace readers {

inline void require(bool condition, const std::string& rule) {
    if (!condition) throw std::runtime_error("broken rule: " + rule);
}

inline float to_float(std::string_view text) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size(),
            "a number: '" + std::string(text) + "'");
    return value;
}

template <class T>
T take(std::string_view& bytes) {
    require(bytes.size() >= sizeof(T), "no bytes are missing");
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes.remove_prefix(sizeof(T));
    return value;
}

}  // namespace readers
