#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/edge_table.hpp"
#include "mesh/surface.hpp"

namespace turgor {

/// How the half-edges of a mesh meet. An edge of a closed manifold mesh has exactly two.
struct EdgeScan {
    std::vector<std::uint32_t>
        opposite;  ///< per half-edge; no_index where there are not exactly two
    std::vector<std::uint32_t> borders;  ///< half-edges alone on their edge
    std::size_t crowded = 0;             ///< edges with more than two half-edges
    std::array<std::uint32_t, 2> first_crowded{};

    bool clean() const { return borders.empty() && crowded == 0; }
};
EdgeScan scan_edges(const Surface& surface);

/// The part that each triangle belongs to; parts are connected over `opposite`.
struct SurfaceParts {
    std::vector<std::uint32_t> of_triangle;
    std::size_t count = 0;
};
SurfaceParts find_parts(std::span<const std::uint32_t> opposite);

/// Turns triangles so that neighbours agree; in each part the way of the majority wins. Refuses a
/// surface that has only one side, such as a Klein bottle. Returns the number of turned triangles.
MeshFinding orient_parts(Surface& surface, std::vector<std::uint32_t>& opposite);

/// Turns every triangle for which `turned` is set, and its half-edges in `opposite`.
void turn_triangles(Surface& surface, std::vector<std::uint32_t>& opposite,
                    const std::vector<bool>& turned);

/// Gives each fan of triangles around a vertex a vertex of its own. Needs an oriented surface.
MeshFinding split_fans(Surface& surface, const std::vector<std::uint32_t>& opposite);

}  // namespace turgor
