#pragma once

#include "contact/collision_surface.hpp"
#include "device/shared/constants.h"

namespace turgor {

/// Narrow phase of two soft bodies: which features (vertices and triangles, pairs of edges) are
/// near each other.

// In units of the smaller mean edge of both.
inline constexpr double contact_thickness =
    TURGOR_CONTACT_THICKNESS;  ///< the gap that surfaces keep
inline constexpr double contact_margin =
    TURGOR_CONTACT_MARGIN;  ///< contacts are kept within so much more

struct NearFeatureQuery {
    double motion = 0;  ///< how far they may move towards each other in the sub-step [m]
    /// The state of the pair in the pair cache: on its own side each, or overlapping too far and
    /// being separated.
    enum class Before { unknown, apart, separating } before = Before::unknown;
    bool separating() const { return before == Before::separating; }
    std::uint32_t number = 0;  ///< of the pair: seeds a direction where the geometry gives none
    bool ask_all = false;      ///< test every triangle, as the reference does
};

struct NearFeatures {
    std::vector<NearVertex> first_in_second, second_in_first;
    std::vector<NearEdgePair> edges;
    /// They overlap so far that nearest points do not tell the way out. Both bodies are then
    /// separated as wholes, the first one in this direction.
    bool deep = false;
    Vec3 separation_direction;
    bool empty() const {
        return first_in_second.empty() && second_in_first.empty() && edges.empty();
    }
};

/// Directions spread evenly over the sphere, for bodies that are at the very same place.
Vec3 some_direction(std::uint32_t number);

/// Finds near features, or the direction in which overlapping bodies are separated. The boxes of
/// both are refitted.
void find_near_features(const CollisionSurface& a, const CollisionSurface& b,
                        const NearFeatureQuery& query, NearFeatures& found);

}  // namespace turgor
