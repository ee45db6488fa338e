#pragma once

#include "scene/read_values.hpp"
#include "scene/scene.hpp"

namespace turgor {

Material read_material(const Node& node, const Scene& scene);
/// Appends the body that the node says, as often as it says.
void read_body(const Node& node, Scene& scene);

}  // namespace turgor
