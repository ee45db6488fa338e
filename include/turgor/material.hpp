#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "turgor/error.hpp"

namespace turgor {

/// What a body is made of. Say what you mean with the first group; the second is the papers' own
/// vocabulary and, where it is set, wins.
struct Material {
    /// Mass per volume [kg/m³], > 0. Matters for impulses and forces; falling and wobbling do not
    /// depend on it.
    double density = 1000;
    /// How fast a body of 1 m (diameter of the sphere of equal volume) wobbles [Hz], 0.1 … 1000. A
    /// body half that size wobbles twice as fast, as real things of one material do. Higher:
    /// firmer, sags less.
    double frequency = 6;
    /// Share of critical damping of that wobble, 0 … 2. 0.05 rings on like jelly, 0.7 comes back
    /// without overshooting.
    double damping_ratio = 0.15;
    /// Where the volume goes that is pressed out, 0 … 1. 0: next to where it was squeezed; 1:
    /// evenly everywhere.
    double alpha = 0.3;
    /// How much the thickness counts against the surface's own change when that is decided, 0 … 1.
    /// Higher: thin parts bulge along with what presses them from the other side.
    double beta = 0.1;
    /// Coulomb's coefficient against colliders that do not set their own, 0 … 10: of what slides.
    double friction = 0.7;
    /// The same of what does not slide yet, `friction` … 10. Unset: as `friction`.
    std::optional<double> static_friction{};
    /// Share of the approach speed that a particle keeps when it hits, 0 … 1; the elastic rebound
    /// comes on top.
    double restitution = 0;
    /// What its surface is called where World::set_friction speaks of it; may be empty.
    std::string surface{};

    /// Region width ω in edges, 1 … 16. Unset: the smallest that reaches the frequency.
    std::optional<int> omega;
    /// Share s of the way to the goal shape per 5 ms, 0 … 1. Unset: from the frequency.
    std::optional<double> stiffness;
    /// Share k of the non-rigid velocity removed per 5 ms, 0 … 1. Unset: from the damping ratio.
    std::optional<double> damping;

    bool operator==(const Material&) const = default;

    /// "jelly", "gummy", "rubber", "flesh" or "dough", with a surface of that name.
    static Material named(std::string_view name, Status* status = nullptr);
    static std::span<const std::string_view> names();  ///< valid for ever
};

/// How two surfaces rub on each other, whatever each does otherwise.
struct PairFriction {
    double friction = 0.7;                    ///< of what slides, 0 … 10
    std::optional<double> static_friction{};  ///< `friction` … 10; unset: as `friction`
    std::optional<double> restitution{};      ///< 0 … 1; unset: as without this
    bool operator==(const PairFriction&) const = default;
};

/// The sentence that says what is wrong with it, or nothing.
std::optional<std::string> problem_with(const Material& material);
std::optional<std::string> problem_with(const PairFriction& pair);

}  // namespace turgor
