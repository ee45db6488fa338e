#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/frame_writer.hpp"

namespace turgor {

/// How much of a name a format can say.
enum class NameStyle {
    line,        ///< any UTF-8 without control characters
    word,        ///< and without white space, '#' and '\', which end or comment an OBJ line
    identifier,  ///< letters of ASCII, digits and '_', no digit first
};

/// The bodies' names in this style, never empty and all different: repeated ones get _2, _3 …
std::vector<std::string> distinct_names(std::span<const FrameBody> bodies, NameStyle style);

/// Well-formed UTF-8: bytes that are none become U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace turgor
