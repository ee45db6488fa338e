#pragma once

#include <vector>

#include "contact/contact.hpp"
#include "step/handles.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// The state of all particles of all bodies, body after body. The reference works on it; for the
/// cpu back end it is a mirror of each CpuBody, brought up to date when somebody asks.
struct Particles {
    std::vector<Vec3> x, v;
    std::vector<double> pressed;  ///< how hard the last volume correction pressed it on a collider
                                  ///< [m]
    std::vector<double> mass;     ///< [kg]

    void resize(std::size_t n);
    void insert(std::size_t at, std::size_t count);
    void erase(std::size_t first, std::size_t count);
};

/// What the reference needs besides, for one body at a time.
struct ReferenceScratch {
    std::vector<Vec3> x_start;   ///< xₙ, where the (sub-)step began
    std::vector<Vec3> goal;      ///< of shape matching; blended velocities after it
    std::vector<double> change;  ///< |cᵢ|: how far shape matching would move a particle
    std::vector<double> weight;  ///< of the volume correction
    std::vector<Support> support;
    HandledParticles handled;
    std::vector<Pin> pins;
    std::vector<const Contact*> nearest;
};

}  // namespace turgor
