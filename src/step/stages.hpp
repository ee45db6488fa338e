#pragma once

#include "device/shared/constants.h"
#include "step/body_sim.hpp"
#include "step/context.hpp"

namespace turgor {

/// Far below the largest float, which positions are published as.
inline constexpr double farthest_position = TURGOR_FARTHEST_POSITION;
bool is_sane(const BodyView& view);
bool is_finite_rotation(Quat q);
void stop(BodyView& view);  ///< where it was, after its numbers overflowed
/// After the numbers of its CpuBody overflowed: it stands where it was.
void stop_body(BodySim& body, std::span<const Quad> x_start, Vec3 origin_start);

// The stages, in their order (reference_stages.cpp); each works on one body.
void damp_regions(BodyView& view, const StepContext& context);
void integrate(BodyView& view, const StepContext& context);
void deform(BodyView& view, const StepContext& context);
void collide(BodyView& view, const StepContext& context);
void restore_volume(BodyView& view, const StepContext& context);
void remove_divergence(BodyView& view, const StepContext& context);
void settle(BodyView& view, const StepContext& context);

void stop_at_contacts(BodyView& view, const StepContext& context);
/// Inner particles go along with the corners that contact has moved since they were `before`.
void lead_followers(BodyView& view, std::span<const Vec3> before, double h);

}  // namespace turgor
