#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// The distance constraints through the inside of a body (Diziol et al. 2011, section 5 "Inner
/// structures"): they move nothing, they only measure how much a particle is squeezed against what
/// lies behind it.
struct Struts {
    std::vector<std::uint32_t> partner;  ///< the other end; the particle itself where there is none
    std::vector<double> rest_length;     ///< [m]
    std::vector<double> stiffness;  ///< linear in the length, by default 0.1 … 0.01 (longest)
};

/// The inner struts of Diziol et al. 2011, section 5: from each particle along −n⁰ᵢ to the first
/// triangle that it is no corner of, and there to the nearest corner. Stiffness is linear in the
/// rest length, `stiffness_max` for the shortest, `stiffness_min` for the longest, their mean where
/// all are alike. Where a ray meets nothing (a sharp tip) the partner is the particle itself, with
/// length and stiffness 0.
Struts make_struts(std::span<const Vec3> rest, std::span<const Triangle> triangles,
                   double stiffness_min, double stiffness_max);

/// The same struts of a body whose rest shape has become another.
Struts measured_anew(const Struts& struts, std::span<const Vec3> rest);

}  // namespace turgor
