#pragma once

#include <fmt/format.h>

#include <string>

namespace turgor {

/// "1 hole", "2 holes".
inline std::string counted(std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace turgor
