#pragma once

#include "turgor/math.hpp"

namespace turgor {

/// What holds a particle: contacts and pins do not follow the volume correction, and take its push.
struct Support {
    double hold = 0;  ///< 0 free … 1 held; in between near a collider
    Vec3 normal;      ///< of the collider, pointing at the particle; zero for a pin
    bool shared =
        false;  ///< by another body, which does not push back: both have found their place
};

}  // namespace turgor
