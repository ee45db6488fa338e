#pragma once

#include "contact/collision_surface.hpp"
#include "device/shared/constants.h"

namespace turgor {

/// A body that touches itself: parts of its surface that lie apart at rest.

// In units of the mean edge.
inline constexpr double apart_at_rest =
    TURGOR_APART_AT_REST;  ///< what is nearer at rest never meets: a crease may
                           ///< fold without fighting itself

/// A cluster of vertices (a leaf of the tree) whose nearest triangles are asked for.
struct ClusterQuery {
    std::uint32_t cluster = 0;
    double margin = 0;   ///< how far [m]
    double nearest = 0;  ///< found: of its vertices, at most the margin [m]; negative inside
};
/// What a search works with, kept from look to look.
struct SelfSearch {
    std::vector<ClusterQuery> queries;   ///< given
    std::vector<NearVertex> found;       ///< found
    bool found_now = false;              ///< and nothing has moved since
    std::vector<Quad> triangle_normals;  ///< unit, and the doubled area
    std::vector<Quad> vertex_normals;    ///< unit, as far as they were asked for
    LeafCandidates candidates;
    std::vector<FacingLane> facing;

    void measure_triangles(const CollisionSurface& surface);
    void measure_vertex(const BodyAsset& asset, std::uint32_t vertex);
    std::size_t bytes() const;
};
/// All vertices of the clusters in `queries` that are nearer than the margin to a triangle apart
/// from them whose normal points against theirs, or have gone through it by no more than `depth`
/// [m]: each with the nearest such point across the air and, where the body is thin, across the
/// body: turned inside out, it would have gone through that one from within. None where the surface
/// is crumpled beyond telling. Boxes and leaves fit.
void find_near_self(const CollisionSurface& surface, double depth, SelfSearch& search);
/// The same for all vertices by asking every triangle: for reading, and for tests.
void find_near_self_reference(const CollisionSurface& surface, double margin, double depth,
                              std::vector<NearVertex>& found);

}  // namespace turgor
