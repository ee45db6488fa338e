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

/// A pin or a fully followed target holds the particle: it is where it was told to be, and no stage
/// may move it. Contacts hold too, but along a normal.
inline bool is_held(const Support& support) {
    return support.hold == 1 && support.normal == Vec3{};
}

}  // namespace turgor
