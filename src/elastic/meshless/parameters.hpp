#pragma once

#include <optional>

#include "turgor/material.hpp"

namespace turgor {

/// How a damped oscillator of a frequency and a damping ratio is stepped with shape matching:
/// velocities lose `damping` of what is not rigid, then positions go `stiffness` of the way to the
/// goals of x_n + look_ahead · h v. Frequency and decay are exact for every step length
/// (docs/methods.md, "Meshless shape matching").
struct MatchingStep {
    double stiffness = 0;   ///< s
    double look_ahead = 0;  ///< η, 0 … 1
    double damping = 0;     ///< k
};

/// What the meshless model runs with, derived from a material.
struct MeshlessParameters {
    double frequency = 0;         ///< of the softest mode [Hz]
    double damping_ratio = 0;     ///< of it
    double wobble_share = 1;      ///< κ of the body's clusters
    double damping_share = 1;     ///< κ_d
    double residual_damping = 0;  ///< [1/s]: what is beyond what the clusters can damp
    double longest_step = 1;      ///< whose stiffness the clusters can follow [s]

    MatchingStep at(double h) const;
};

/// `stiffness`: the share of the way to the goals in the papers' step, instead of the frequency.
MeshlessParameters meshless_parameters(const Material& material, std::optional<double> stiffness,
                                       double size, double wobble_share, double damping_share);

/// The share κ that is needed of the softest mode to reach the asked frequency in the papers' step.
double needed_share(const Material& material, std::optional<double> stiffness, double size);

/// Whether the asked frequency is reached in the papers' step without sub-steps.
bool reaches_frequency(const MeshlessParameters& parameters);

}  // namespace turgor
