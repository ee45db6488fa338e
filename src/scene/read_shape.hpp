#pragma once

#include "scene/read_values.hpp"
#include "scene/scene.hpp"

namespace turgor {

Shape read_shape(const Node& node);

}  // namespace turgor
