#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

/// A mesh under repair, which remembers where its elements came from: messages name vertices and
/// faces by their numbers in the file.
struct Surface {
    std::string label;              ///< what messages call the mesh: the name of its file
    const char* face = "triangle";  ///< what messages call a face of the file
    std::vector<Vec3> vertices;
    std::vector<Vec3f> colours;  ///< of the vertices; empty: none
    std::vector<Triangle> triangles;
    std::vector<std::uint32_t> vertex_source;  ///< the vertex in the file
    std::vector<std::uint32_t>
        triangle_source;  ///< the face in the file; no_index: made by a repair

    std::string vertex_name(std::uint32_t v) const;
    std::string edge_name(std::uint32_t a, std::uint32_t b) const;
    std::string triangle_name(std::size_t t) const;

    /// Adds a vertex that comes from vertex v and has its colour; returns its number.
    std::uint32_t add_vertex(Vec3 position, std::uint32_t v);
    /// Replaces vertex v by target[v] in all triangles.
    void redirect(std::span<const std::uint32_t> target);
    /// Keeps the triangles that are marked.
    void keep_triangles(const std::vector<bool>& keep);
    /// Drops triangles that use a vertex twice; returns how many.
    std::size_t drop_collapsed_triangles();
    /// Drops the vertices that no triangle uses; returns how many.
    std::size_t drop_unused_vertices();
    double diagonal() const;
};

/// Counts one more element of a finding and names it if it is among the first few.
template <class Name>
void add_element(MeshFinding& finding, Name&& name) {
    if (finding.count++ < 8) finding.elements.push_back(name());
}

}  // namespace turgor
