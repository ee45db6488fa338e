#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "scene/moment.hpp"

namespace turgor {

/// What a ray meets first in a picture.
struct Picked {
    std::uint32_t id = 0;  ///< of a body, soft or rigid
    bool rigid = false;
    Vec3 point;
    double distance = 0;  ///< [m]
};
/// `direction`: unit.
std::optional<Picked> pick(const Moment& moment, Vec3 origin, Vec3 direction);

/// `positions`: at least one.
std::uint32_t nearest_vertex(std::span<const Vec3f> positions, Vec3 point);

}  // namespace turgor
