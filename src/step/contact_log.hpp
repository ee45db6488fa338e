#pragma once

#include <cstdint>
#include <vector>

#include "turgor/world.hpp"

namespace turgor {

/// A contact of a body with a collider or another body, as events report it. Ids of colliders and
/// bodies never coincide.
struct ActiveContact {
    enum class Kind : std::uint32_t { collider, body, rigid };
    std::uint32_t id = 0;
    Kind kind = Kind::collider;
    Vec3 point, normal;
    double impulse = 0;  ///< [N s]
};

/// What a body touched in the last sub-step, all told.
struct ContactSummary {
    std::vector<ActiveContact> contacts;  ///< other bodies it touches
    Vec3 points;                          ///< Σ of where it does
    double count = 0;                     ///< of those points
    bool grounded = false;                ///< the island touches a collider
    void clear() {
        contacts.clear();
        points = {};
        count = 0;
        grounded = false;
    }
};

/// What is kept from step to step of a pair of bodies near each other, by the first of the two.
struct CachedPair {
    std::uint32_t id = 0;
    std::uint32_t separating = 0;  ///< 1: they overlap too far and are being separated as wholes
    Vec3 push;                     ///< Σ of how it was pushed away, fading [kg m]
};

/// What a body, soft or rigid, touches, and the begin and end events of that.
struct ContactLog {
    ContactSummary contact_summary;
    std::vector<CachedPair> pair_cache;
    std::vector<ActiveContact> touching, touching_before;  ///< now and in the last sub-step, by id
    std::vector<ContactEvent> events;                      ///< of the step

    void begin_sub_step();
    bool was_touching(std::uint32_t id) const;
    void add(const ActiveContact& touch);
    /// Adds the events of what began and ended. Of two bodies the one with the lower id reports, of
    /// a soft and a rigid one the soft one.
    void emit_events(std::uint32_t own_id, ActiveContact::Kind own_kind);
};

}  // namespace turgor
