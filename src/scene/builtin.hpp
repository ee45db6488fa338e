#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.hpp"

namespace turgor {

struct BuiltInScene {
    std::string_view name, text;
};

/// What CMake put into the program: scenes/*.json and docs/scene.schema.json.
std::span<const EmbeddedFile> scene_files();
std::span<const EmbeddedFile> schema_files();

/// All built-in scenes, by name.
std::span<const BuiltInScene> built_in_scenes();
/// The text of docs/scene.schema.json.
std::string_view scene_schema();

inline constexpr std::string_view default_scene = "gummy_bears";

/// The text of the built-in scene of that name, or nothing.
std::optional<std::string_view> built_in_scene(std::string_view name);
/// "a, b, c"
std::string built_in_names();

}  // namespace turgor
