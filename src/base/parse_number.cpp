#include "base/parse_number.hpp"

namespace turgor {

std::from_chars_result parse_number(const char* first, const char* last, double& value) {
    return std::from_chars(first, last, value);
}

}  // namespace turgor
