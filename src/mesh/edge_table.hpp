#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// Half-edge h = 3 t + c runs from corner c of triangle t to the next corner.
inline std::uint32_t half_edge_from(std::span<const Triangle> triangles, std::uint32_t h) {
    return triangles[h / 3][h % 3];
}
inline std::uint32_t half_edge_to(std::span<const Triangle> triangles, std::uint32_t h) {
    return triangles[h / 3][(h % 3 + 1) % 3];
}
inline std::uint32_t half_edge_apex(std::span<const Triangle> triangles, std::uint32_t h) {
    return triangles[h / 3][(h % 3 + 2) % 3];
}
inline std::uint32_t next_in_triangle(std::uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
inline std::uint32_t previous_in_triangle(std::uint32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

/// All edges of a mesh with the half-edges that lie on them, in the order of their vertices.
class EdgeTable {
public:
    EdgeTable(std::size_t vertices, std::span<const Triangle> triangles);

    /// Calls visit(a, b, half-edges) with a < b for each edge.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::vector<std::uint32_t> half_edges;
        for (std::uint32_t a = 0; a + 1 < starts_.size(); ++a)
            for (std::size_t i = starts_[a]; i < starts_[a + 1];) {
                const auto b = static_cast<std::uint32_t>(entries_[i] >> 32);
                half_edges.clear();
                for (; i < starts_[a + 1] && entries_[i] >> 32 == b; ++i)
                    half_edges.push_back(static_cast<std::uint32_t>(entries_[i]));
                visit(a, b, std::span<const std::uint32_t>(half_edges));
            }
    }

private:
    std::vector<std::uint32_t> starts_;   ///< by the smaller vertex
    std::vector<std::uint64_t> entries_;  ///< larger vertex, half-edge
};

}  // namespace turgor
