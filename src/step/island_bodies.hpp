#pragma once

#include <algorithm>

#include "base/for_each.hpp"
#include "step/island_scratch.hpp"

namespace turgor {

/// The bodies of an island during a sub-step, by index: soft bodies first, then rigid ones.
class IslandBodies {
public:
    IslandBodies(StepWorld& world, const Island& island, IslandScratch& scratch, Scheduler* threads,
                 const StepContext& context)
        : world_(world), island_(island), s_(scratch), threads_(threads), context_(context) {}

protected:
    template <class Work>
    void each(std::size_t count, Work&& work) {
        for_each(threads_, static_cast<std::uint32_t>(count), work);
    }
    /// Large bodies one after the other, each with all threads; then the others side by side.
    template <class Work>
    void each_soft(Work&& work) {
        for (std::uint32_t i = 0; i < count(); ++i)
            if (is_large(i)) work(i);
        each(count(), [&](std::uint32_t i) {
            if (!is_large(i)) work(i);
        });
    }
    template <class Work>
    void each_body(Work&& work) {
        each_soft([&](std::uint32_t i) {
            if (step(i).in_stages()) work(step(i));
        });
    }
    bool is_large(std::uint32_t i) const { return world_.is_large(*island_.bodies[i]); }
    std::size_t count() const { return island_.bodies.size(); }
    std::size_t body_count() const { return count() + island_.rigids.size(); }
    bool is_rigid(std::uint32_t i) const { return i >= count(); }
    RigidStep& rigid(std::uint32_t i) const { return s_.rigids[i - count()]; }
    ContactLog& log(std::uint32_t i) const {
        return is_rigid(i) ? static_cast<ContactLog&>(rigid(i).record()) : *island_.bodies[i];
    }
    std::uint32_t id(std::uint32_t i) const {
        return is_rigid(i) ? rigid(i).record().id : island_.bodies[i]->id;
    }
    /// For sharing a displacement. A body that the host drives counts as immovable.
    double mass(std::uint32_t i) const {
        if (!is_rigid(i)) return island_.bodies[i]->mass;
        return rigid(i).record().made.driven_by_host ? 1e30 : rigid(i).record().mass;
    }
    bool in_stages(std::uint32_t i) const {
        return is_rigid(i) ? rigid(i).fine() : step(i).in_stages();
    }
    /// The smaller mean edge of two bodies; of rigid ones, what stands for it.
    double edge(std::uint32_t a, std::uint32_t b) const {
        const auto own = [&](std::uint32_t i) {
            return is_rigid(i) ? rigid(i).record().geometry->extent
                               : island_.bodies[i]->asset().contact_length;
        };
        return (is_rigid(a) && is_rigid(b) ? rigid_edge : 1) * std::min(own(a), own(b));
    }
    BodyStep& step(std::uint32_t i) const { return *s_.slots[i]->step; }
    bool has_constraints(std::uint32_t i) const {
        return in_stages(i) && (is_rigid(i) || s_.slots[i]->has_constraints);
    }
    bool takes_part(std::size_t pair) const {
        const auto& [a, b, speed] = island_.pairs[pair];
        return in_stages(a) && in_stages(b);
    }
    bool with_rigid(std::size_t pair) const { return is_rigid(island_.pairs[pair].second); }
    bool is_deep(std::size_t pair) const {
        return with_rigid(pair) ? s_.rigid_found[pair].deep : s_.found[pair].deep;
    }
    bool nothing_near(std::size_t pair) const {
        return with_rigid(pair) ? s_.rigid_found[pair].empty() : s_.found[pair].empty();
    }

    double edge_of(const ContactConstraint& m) const { return edge(m.body[0], m.body[1]); }

    StepWorld& world_;
    const Island& island_;
    IslandScratch& s_;
    Scheduler* threads_;
    const StepContext& context_;
};

/// 1 at no distance, fading to 0 at `fade`.
inline double nearness(double distance, double fade) {
    const double u = std::clamp(distance / fade, 0.0, 1.0);
    return 1 - u * u * (3 - 2 * u);
}

/// From what was found near each other: constraints between bodies, of bodies with themselves and,
/// of those that have any, with colliders too: a body may be caught between both.
void gather_constraints(const IslandBodies& bodies);

}  // namespace turgor
