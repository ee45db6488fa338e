#pragma once

#include <functional>
#include <optional>

#include "body/papers_step.hpp"
#include "turgor/material.hpp"

namespace turgor {

/// What matching over regions runs with, derived from a material (docs/methods.md, "Materials in
/// hertz"). s and k are per reference step; any other step maps them with ρ = h / reference_step.
struct RegionParameters {
    int width = 2;              ///< of regions: ω edges of a surface, w cells of a lattice
    double stiffness = 0;       ///< s
    double damping = 0;         ///< k
    double global_damping = 0;  ///< c_g [1/s]: what region damping cannot reach
    double reference_step = papers_step;  ///< [s]
    double frequency = 0;                 ///< of the slowest wobble [Hz]

    /// The longest step that keeps the map valid: beyond it the damping per step would turn
    /// negative.
    double longest_step() const;
    double stiffness_at(double h) const;
    double damping_at(double h) const;
};

/// What of a body's shape matters for it.
struct BodyScale {
    double size = 1;       ///< diameter of the sphere of equal volume [m]
    double mean_edge = 0;  ///< [m]
    /// How much of s the body's lowest wobble feels with regions of a given width; costs
    /// a bake.
    std::function<double(int width)> share;
    /// Where the search for the smallest width begins; unset: at a guess for regions of a surface.
    std::optional<int> first_width{};
};

RegionParameters derive_parameters(const Material& material, const BodyScale& scale);

}  // namespace turgor
