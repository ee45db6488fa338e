#pragma once

#include "contact/collision_surface.hpp"

namespace turgor {

/// The near features of two surfaces.

// In units of the smaller mean edge of both.
inline constexpr double contact_thickness = 0.1;  ///< the gap that surfaces keep
inline constexpr double contact_margin = 0.25;    ///< contacts are kept within so much more

struct NearFeatureQuery {
    double motion = 0;  ///< how far they may move towards each other in the sub-step [m]
    /// What the two were when they were last near each other: each on its own side, or overlapping
    /// and on their way apart.
    enum class Before { unknown, apart, separating } before = Before::unknown;
    bool separating() const { return before == Before::separating; }
    std::uint32_t number = 0;  ///< of the pair, for a direction where nothing else gives one
    bool ask_all = false;      ///< every triangle, as the reference does
};

struct NearFeatures {
    std::vector<NearVertex> first_in_second, second_in_first;
    std::vector<NearEdgePair> edges;
    /// They overlap so far that no surface tells the way out: they are to be moved apart as a
    /// whole, in this direction (of the first).
    bool deep = false;
    Vec3 separation_direction;
    bool empty() const {
        return first_in_second.empty() && second_in_first.empty() && edges.empty();
    }
};

/// Directions spread evenly over the sphere, for bodies that are at the very same place.
Vec3 some_direction(std::uint32_t number);

/// Finds what is near, or in which direction overlapping ones part. The boxes of both fit.
void find_near_features(const CollisionSurface& a, const CollisionSurface& b,
                        const NearFeatureQuery& query, NearFeatures& found);

}  // namespace turgor
