#pragma once

#include <algorithm>
#include <cmath>

namespace turgor {

/// arccos to 7e-5 (Abramowitz and Stegun 4.4.45), with the same bits everywhere.
inline double angle_of(double cosine) {
    const double c = std::min(1.0, std::abs(cosine));
    const double angle =
        std::sqrt(1 - c) * (1.5707288 + c * (-0.2121144 + c * (0.0742610 - c * 0.0187293)));
    return cosine < 0 ? 3.14159265358979 - angle : angle;
}

}  // namespace turgor
