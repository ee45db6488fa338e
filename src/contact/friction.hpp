#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "turgor/collider.hpp"
#include "turgor/material.hpp"
#include "turgor/rigid.hpp"

namespace turgor {

/// Friction and restitution between two bodies, or the share of one of them.
struct ContactCoefficients {
    double friction = 0;         ///< of what slides
    double static_friction = 0;  ///< of what sticks
    double restitution = 0;

    bool sticks() const { return static_friction > friction; }
    /// The coefficient at this tangential speed: static up to `sticking`, kinetic from twice that
    /// on, linear in between. Without such a range the first vertex that slips, at the lightly
    /// pressed rim of a soft body, would load the next one beyond what it can hold, and so on.
    double at(double speed, double sticking) const {
        if (speed <= sticking) return static_friction;
        if (speed >= 2 * sticking) return friction;
        return friction + (2 - speed / sticking) * (static_friction - friction);
    }
};

ContactCoefficients coefficients_of(const Material& material);
ContactCoefficients coefficients_of(const RigidBody& body);
/// Between two bodies: geometric means of the frictions, the greater restitution.
ContactCoefficients combined(const ContactCoefficients& a, const ContactCoefficients& b);
/// Of a body on a collider, whose own values win.
ContactCoefficients on_collider(const ContactCoefficients& body, const Collider& collider);
ContactCoefficients of_pair(const PairFriction& pair, const ContactCoefficients& without);

/// The pairs of surfaces that have a friction of their own. Names become numbers once in a step,
/// and numbers find their pair.
class FrictionPairs {
public:
    static constexpr std::uint32_t no_surface_id = 0xffffffff;
    using Names = std::pair<std::string, std::string>;  ///< in the order of the alphabet
    static Names names(std::string a, std::string b);

    void set(const Names& names, const PairFriction& pair);
    void set_all(std::map<Names, PairFriction> pairs);  ///< instead of what was there
    void remove(const Names& names);
    const std::map<Names, PairFriction>& all() const { return pairs_; }

    /// no_surface_id where no pair knows the name.
    std::uint32_t surface_id(const std::string& name) const;
    /// By their numbers, whatever their order; null where they have no friction of their own.
    const PairFriction* find(std::uint32_t a, std::uint32_t b) const;

private:
    void number();
    struct Numbered {
        std::uint64_t key;
        PairFriction pair;
    };
    std::map<Names, PairFriction> pairs_;
    std::vector<std::string> names_;  ///< sorted; the index is the number
    std::vector<Numbered> numbered_;  ///< sorted
};

}  // namespace turgor
