#pragma once

#include "scene/read_values.hpp"
#include "scene/scene.hpp"

namespace turgor {

/// Notes the layers that colliders, bodies and copies say they are in: a layer is there once
/// something is in it.
void collect_layers(const Node& root, Scene& scene);

/// What a collider, a body or a copy says about whom it collides with.
void read_filter(const Node& node, const Scene& scene, CollisionFilter& filter);

/// Needs the scene's materials, colliders and bodies.
SceneFriction read_friction_pair(const Node& node, const Scene& scene);

}  // namespace turgor
