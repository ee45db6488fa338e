#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// What a reader finds in a file, before anything is triangulated, welded or repaired: vertices,
/// and polygon i with the corners starts[i] … starts[i+1].
struct PolygonSoup {
    std::vector<Vec3> vertices;
    std::vector<Vec3f> colours;  ///< of the vertices; empty: none
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> starts{0};
    std::vector<std::array<std::uint32_t, 2>> lines;  ///< two vertices each
    std::vector<MeshFinding> warnings;

    std::size_t size() const { return starts.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {corners.data() + starts[i], corners.data() + starts[i + 1]};
    }
    /// What comes before the first colour and what has none is white.
    void add_colour(Vec3f colour) {
        colours.resize(vertices.size(), white);
        colours.push_back(colour);
    }
    static constexpr Vec3f white{1, 1, 1};
    void end_polygon() { starts.push_back(static_cast<std::uint32_t>(corners.size())); }
};

/// Indices are 32 bits wide, and three half-edges per triangle must be countable as well.
inline constexpr std::size_t most_elements = (std::uint64_t{1} << 32) / 3 - 1;

/// The largest vertex index that a text file uses and where: checked once all vertices are known.
struct IndexWatch {
    std::uint64_t largest = 0;
    std::size_t line = 0;

    void see(std::uint64_t index, std::size_t at_line) {
        if (line != 0 && index <= largest) return;
        largest = index;
        line = at_line;
    }
    /// `first` is what the format calls the first vertex, 0 or 1.
    void check(std::string_view file, std::size_t vertices, int first) const;
};

/// Refuses a soup with more elements than 32-bit indices can name.
void check_size(std::string_view file, const PolygonSoup& soup);

/// Makes colours one for each vertex, once all are read. Those that are not within 0 … 1 are left
/// out, with a warning.
void finish_colours(PolygonSoup& soup);

}  // namespace turgor
