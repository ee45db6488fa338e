#pragma once

#include <cstdint>
#include <vector>

#include "base/nearest_point.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// What of a mesh tells where its surface is and which side is inside.
struct Polygons {
    std::vector<Corners> all;      ///< each triangle once; points where there are no triangles
    std::vector<Corners> crossed;  ///< without those that are there from both sides, and flat ones
    /// Of the crossed ones, which edges are a border: bit k for the one opposite corner k. Passed
    /// as often one way as the other, an edge is none; where not `oriented`, passed an even number
    /// of times.
    std::vector<std::uint8_t> borders;
    bool have_area = false;
    bool oriented = false;  ///< neighbours agree nearly everywhere which side is out
    bool closed = false;    ///< every edge is passed as often one way as the other
    double volume = 0;      ///< if it is closed [m³]; negative inside out
};

/// Vertices at the same place count as one.
Polygons polygons_of(const Mesh& mesh);

}  // namespace turgor
