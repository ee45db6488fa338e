#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/parse_number.hpp"

namespace turgor {

/// For options: a number from `lowest` to `highest`.
inline CLI::Validator number_in(double lowest, double highest) {
    const auto problem = [lowest, highest](const std::string& text) -> std::string {
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto [last, error] = parse_number(text.data(), end, value);
        if (error == std::errc::invalid_argument || last != end)
            return fmt::format("'{}' is not a number", text);
        if (error == std::errc{} && value >= lowest && value <= highest) return {};
        return fmt::format("{} is not from {} to {}", text, lowest, highest);
    };
    return {problem, fmt::format("{} to {}", lowest, highest)};
}

}  // namespace turgor
