#pragma once

#include "contact/collision_surface.hpp"
#include "step/step_world.hpp"

namespace turgor {

/// When bodies are searched for self contact. Most never have any, so they are searched only when
/// their parts may have come near each other since the last search.

/// No particle is faster, relative to the body's rigid motion [m/s].
double deforming_speed(StepWorld& world, BodySim& body);
bool may_touch_itself(const BodySim& body, double deforming, double h);
/// Whether that may be so in the step after one of `dt`: a device looks ahead then.
bool may_soon_touch_itself(StepWorld& world, BodySim& body, double dt);
/// Reduces the clearance by what a sub-step may have used up. `before`: the deforming speed when it
/// began.
void use_clearance(StepWorld& world, BodySim& body, double before, double h);
/// The near features of a body with its own surface in a sub-step of `h`. The boxes are refitted.
void find_self(BodySim& body, const CollisionSurface& surface, double deforming, double h,
               std::vector<NearVertex>& near);
/// How fast parts of a body that may touch in a step of `dt` close [m/s], negative where none do.
double self_closing_speed(StepWorld& world, BodySim& body, double deforming, double dt);
/// The clearance of a body that has the shape it has at rest.
double rest_clearance(const BodyAsset& asset);

}  // namespace turgor
