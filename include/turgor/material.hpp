#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "turgor/error.hpp"

namespace turgor {

/// How a material keeps a new shape after it was pressed, bent or twisted; without it a body always
/// comes back. Strain is what is between the shape that it has and the one that it would come back
/// to: 0.1 is a stretch by about a tenth, as the logarithm of the stretch.
struct Plasticity {
    /// Up to this strain it springs back, beyond it flows, 0 … 1. Unset: it never flows.
    std::optional<double> yield{};
    /// While it flows, the strain beyond the yield falls to 1/e in this time [s], 1e-4 … 1e4.
    double flow_time = 0.05;
    /// All strain, also below the yield, falls to 1/e in this time [s], 1e-3 … 1e6. Unset: it does
    /// not creep.
    std::optional<double> creep_time{};
    /// What it keeps of a new shape falls to 1/e in this time [s], 1e-3 … 1e6. Unset: it never
    /// heals.
    std::optional<double> healing_time{};
    /// The largest strain that it keeps, 0 … 1.5. 1.4: pulled to four times its length.
    double cap = 1.4;
    /// How much the yield grows with the strain that is kept, 0 … 10.
    double hardening = 0;

    bool operator==(const Plasticity&) const = default;
};

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
    /// Unset: elastic, it always comes back to its first shape.
    std::optional<Plasticity> plasticity{};

    /// Region width ω in edges, 1 … 16. Unset: the smallest that reaches the frequency.
    std::optional<int> omega;
    /// Share s of the way to the goal shape per 5 ms, 0 … 1. Unset: from the frequency.
    std::optional<double> stiffness;
    /// Share k of the non-rigid velocity removed per 5 ms, 0 … 1. Unset: from the damping ratio.
    std::optional<double> damping;

    bool operator==(const Material&) const = default;

    /// Elastic: "jelly", "gummy", "rubber", "flesh". Plastic: "clay", "dough", "metal", "foam".
    /// Each has a surface of its name.
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
