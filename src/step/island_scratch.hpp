#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/bounds.hpp"
#include "contact/near_features.hpp"
#include "device/shared/constants.h"
#include "step/cpu_step.hpp"
#include "step/rigid_step.hpp"

namespace turgor {

/// How far two surfaces may approach each other in a sub-step, in units of the smaller mean edge.
inline constexpr double max_approach = TURGOR_MAX_APPROACH;

/// Where a body is and how fast.
struct BodyMotion {
    Bounds box;
    Vec3 mean;          ///< velocity [m/s]
    double spread = 0;  ///< no particle is faster, relative to that
    Bounds swept;       ///< where it may come during the step
};

/// Memory for finding islands, and for one of them at a time; kept from step to step.
struct IslandScratch {
    std::vector<BodyMotion> motions;
    std::vector<std::uint32_t> order, group, index_in_island, size;
    std::vector<Island*> island_of;
    std::vector<char> awake;
    std::vector<double> self_closing_speeds;  ///< speed at which parts of a body that may touch
                                              ///< close [m/s]; negative: none may
    std::vector<Island::Pair> pairs;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ahead;  ///< as a device found them

    struct Slot {
        CpuScratch cpu;
        ReferenceScratch reference;
        std::optional<CpuStep> cpu_step;
        std::optional<ReferenceStep> reference_step;
        BodyStep* step = nullptr;
        StepReport report;
        CollisionSurface surface;
        double deforming = 0;          ///< its speed, when the sub-step began [m/s]
        std::vector<NearVertex> self;  ///< what touches the body's own surface
        bool has_constraints = false;
        double near_bodies = 0, near_colliders = 0;  ///< vertices
    };
    std::vector<std::unique_ptr<Slot>> slots;  ///< one for each body
    std::vector<RigidStep> rigids;
    std::vector<NearFeatures> found;             ///< of each pair
    std::vector<RigidNearFeatures> rigid_found;  ///< of each pair with a rigid body
    SolverParticles particles;
    std::vector<SolverBody> bodies;
    ContactConstraints constraints;
    std::vector<Contact*> contacts;             ///< of constraints with colliders, which come last
    std::size_t between_bodies = 0;             ///< how many come first
    std::vector<RigidContact*> rigid_contacts;  ///< of constraints of rigid bodies with colliders,
                                                ///< which come after those
    std::vector<std::uint64_t> colours_of;      ///< of each body's pairs so far, as bits
    std::vector<std::uint32_t> colour_of;       ///< of each pair
    struct Part {
        std::uint32_t who = 0;  ///< a pair, or a body
        std::size_t first = 0;  ///< of its constraints
    };
    std::vector<Part> parts;               ///< that are being gathered
    std::vector<CachedPair> cached_pairs;  ///< of each pair, for the next step

    std::size_t bytes() const;
};

}  // namespace turgor
