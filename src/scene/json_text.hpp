#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace turgor {

using Json = nlohmann::json;

/// JSON text as a value. An Error names the file and the line and column of a syntax error; a key
/// that an object holds twice is one too.
Json parse_json(std::string_view text, const std::string& source);

/// One step further down a JSON pointer (RFC 6901).
std::string below(const std::string& pointer, std::string_view key);
std::string below(const std::string& pointer, std::size_t index);

/// Throws Error(bad_scene, "source: pointer: sentence").
[[noreturn]] void fail_at(const std::string& source, const std::string& pointer,
                          const std::string& sentence);

}  // namespace turgor
