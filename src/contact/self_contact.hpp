#pragma once

#include "contact/collision_surface.hpp"

namespace turgor {

/// A body that touches itself: parts of its surface that lie apart at rest.

// In units of the mean edge.
inline constexpr double apart_at_rest = 2;  ///< what is nearer at rest never meets: a crease may
                                            ///< fold without fighting itself

/// A cluster of vertices (a leaf of the tree) that is to be looked at.
struct SelfLook {
    std::uint32_t cluster = 0;
    double margin = 0;   ///< how far [m]
    double nearest = 0;  ///< found: of its vertices, at most the margin [m]; negative inside
};
/// All vertices of the clusters that face a triangle apart from them and are nearer to it than the
/// margin, or have gone through it by no more than `depth` [m]: each with the nearest such point.
/// None where the surface is crumpled beyond telling. The boxes fit.
void find_near_self(const CollisionSurface& surface, std::span<SelfLook> looks, double depth,
                    std::vector<VertexNear>& found);
/// Lets lists of a thread have room for the largest surface that any thread has looked at, so that
/// nothing is allocated any more once all have worked for a while.
std::size_t room_for_looks(const CollisionSurface& surface);

/// The same for all vertices by asking every triangle: for reading, and for tests.
void find_near_self_reference(const CollisionSurface& surface, double margin, double depth,
                              std::vector<VertexNear>& found);

}  // namespace turgor
