#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// Two particles, the lower index first.
using Link = std::array<std::uint32_t, 2>;

/// The triangles around each of `count` vertices, ascending.
ListOfLists triangles_around(std::size_t count, std::span<const Triangle> triangles);

/// The vertices that share an edge with each vertex, ascending.
ListOfLists one_rings(const ListOfLists& corners, std::span<const Triangle> triangles);

}  // namespace turgor
