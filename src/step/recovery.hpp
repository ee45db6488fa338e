#pragma once

#include <span>

#include "step/body_sim.hpp"
#include "step/context.hpp"

namespace turgor {

// Recovery (recovery.cpp; docs/methods.md, "Recovery").
/// `held`: how many particles are held by something.
bool lost_its_shape(const BodySim& body, double volume, std::size_t held);
void recover(BodyView& view, const StepContext& context);

/// The best rigid fit of the whole rest shape, as goal positions.
void match_whole_body(std::span<const Vec3> rest, std::span<const double> mass,
                      std::span<const Vec3> x, Quat& orientation, std::span<Vec3> goals);
/// rms |x − goal| weighted by mass, relative to the rms radius of the rest shape.
double rms_distance(std::span<const Vec3> rest, std::span<const double> mass,
                    std::span<const Vec3> x, std::span<const Vec3> goals);

}  // namespace turgor
