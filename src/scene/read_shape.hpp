#pragma once

#include "scene/read_values.hpp"
#include "scene/scene.hpp"

namespace turgor {

Shape read_shape(const Node& node);
/// The name of a file, relative to the scene's own.
std::filesystem::path read_file_name(const Node& node);

}  // namespace turgor
