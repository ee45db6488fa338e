#pragma once

#include <vector>

#include "mesh/surface.hpp"
#include "mesh/topology.hpp"

namespace turgor {

/// The steps of `make_mesh` that change a surface. Each returns what it did; count 0: nothing.

/// Makes vertices one that lie within `distance` [m] of each other, but only in parts that are not
/// closed as they are: what the file connects properly is left alone.
MeshFinding weld_open_parts(Surface& surface, const EdgeScan& scan, double distance);

/// Shrinks edges of at most `distance` [m] to a vertex. A clean mesh stays clean: edges that cannot
/// go without tearing it are left.
MeshFinding collapse_short_edges(Surface& surface, EdgeScan& scan, double distance);

/// Drops repeated triangles. Of two that differ in direction one goes where the surface was listed
/// twice; both stay where two bodies touch there.
MeshFinding drop_duplicate_triangles(Surface& surface);

/// Drops pairs of triangles that share all edges and so enclose nothing.
MeshFinding drop_flat_pairs(Surface& surface, const EdgeScan& scan);

/// Splits border edges where other border vertices lie on them, up to `distance` [m].
MeshFinding close_t_junctions(Surface& surface, EdgeScan& scan, double distance);

/// Pairs the half-edges of each edge that has more than two, so that bodies which touch there
/// become separate sheets. Refuses where the triangles around the edge do not alternate.
MeshFinding separate_sheets(const Surface& surface, EdgeScan& scan);

/// Closes borders of few edges or in one plane; refuses the mesh where others are left.
MeshFinding close_holes(Surface& surface, const EdgeScan& scan);

/// Flips the long edge of triangles without area into the neighbour, which leaves the shape as it
/// is. Needs a closed, oriented surface. The second finding holds those that could not go.
struct FlatTriangles {
    MeshFinding flipped, left;
};
FlatTriangles flip_flat_triangles(Surface& surface, std::vector<std::uint32_t>& opposite);

}  // namespace turgor
