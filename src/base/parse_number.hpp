#pragma once

#include <charconv>

namespace turgor {

/// std::from_chars for a double, which not every standard library has.
std::from_chars_result parse_number(const char* first, const char* last, double& value);

}  // namespace turgor
