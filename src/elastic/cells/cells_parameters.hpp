#pragma once

#include <optional>

#include "elastic/cells/cells.hpp"
#include "turgor/material.hpp"

namespace turgor {

/// What a body of cells runs with, derived from a material.
struct CellsParameters {
    CellModuli moduli;
    double frequency = 0;     ///< of the slowest wobble [Hz]
    double longest_step = 0;  ///< [s]
    /// Springs damp like a Kelvin-Voigt material with this time: damping over stiffness [s].
    double viscous_time = 0;
    double global_damping = 0;  ///< what springs cannot damp, of the whole body [1/s]
};

/// Moduli that are asked for [Pa]; what is unset follows from the other one or the material.
struct WantedModuli {
    std::optional<double> young{}, shear{};
};
/// An Error where they need steps that are too short.
CellsParameters derive_parameters(const CellsRest& rest, const Material& material,
                                  const WantedModuli& wanted);

}  // namespace turgor
