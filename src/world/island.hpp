#pragma once

#include <deque>

#include "world/cpu_step.hpp"

namespace turgor {

/// What one pair of bodies has of each other in a sub-step.
struct PairFound {
    std::vector<VertexNear> first_in_second, second_in_first;
    std::vector<EdgeNear> edges;
    /// They overlap so far that no surface tells the way out: they are moved apart as a whole, in
    /// this direction (of the first).
    bool deep = false;
    Vec3 apart;
};

/// Memory for one island at a time.
struct IslandScratch {
    std::vector<std::unique_ptr<CpuScratch>> cpu;
    std::vector<std::unique_ptr<ReferenceScratch>> reference;
    std::deque<CpuStep> cpu_steps;
    std::deque<ReferenceStep> reference_steps;
    std::vector<BodyStep*> steps;
    std::vector<StepReport> reports;  ///< one for each body
    std::vector<CollisionSurface> surfaces;
    std::vector<PairFound> found;
    std::vector<MeetingBody> bodies;
    std::vector<Meeting> meetings;
    /// Of a meeting with a collider, its body's contact.
    std::vector<Contact*> contacts;
    std::vector<char> meets;  ///< whether a body has meetings
};

}  // namespace turgor
