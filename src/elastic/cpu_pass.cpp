#include "elastic/cpu_pass.hpp"

#include <algorithm>

namespace turgor {
namespace {

void widen(Quad& low, Quad& high, const Quad& more_low, const Quad& more_high) {
    low = {std::min(low.x, more_low.x), std::min(low.y, more_low.y), std::min(low.z, more_low.z),
           std::min(low.w, more_low.w)};
    high = {std::max(high.x, more_high.x), std::max(high.y, more_high.y),
            std::max(high.z, more_high.z), std::max(high.w, more_high.w)};
}

}  // namespace

void IntegrateSums::add(const IntegrateSums& other) {
    reach = std::max(reach, other.reach);
    linear += other.linear;
    damped += other.damped;
    damped_angular += other.damped_angular;
}

void GoalSums::add(const GoalSums& other) {
    linear += other.linear;
    angular += other.angular;
    widen(low, high, other.low, other.high);
    widen(start_low, start_high, other.start_low, other.start_high);
}

void CpuElasticity::damp_batch(std::span<const CpuBatchMember> batch) {
    for (const CpuBatchMember& member : batch) member.body->damp(*member.pass);
}

void CpuElasticity::deform_batch(std::span<CpuBatchMember> batch) {
    for (CpuBatchMember& member : batch)
        member.goal = member.body->deform(*member.pass, member.centre);
}

void GoalSums::add_point(const Quad& x, const Quad& start) {
    widen(low, high, x, x);
    widen(start_low, start_high, start, start);
}

}  // namespace turgor
