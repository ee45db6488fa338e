#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turgor {

/// The word most like `wrong`, or nothing where none is near: at most a third of its letters may
/// differ.
std::string nearest_word(std::string_view wrong, std::span<const std::string> words);
/// `; did you mean "word"?`, or nothing.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> words);
/// `"a", "b" or "c"`
std::string listed(std::span<const std::string> words);

}  // namespace turgor
