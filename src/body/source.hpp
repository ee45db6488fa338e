#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// What a body was made of: kept for other region widths and for snapshots, shared by all bodies
/// made of it.
struct BodySource {
    Mesh mesh;
    std::optional<Mesh> display;
    std::uint64_t hash = 0;
    /// Of the mesh's vertices, as in BodyOptions; empty: all alike.
    std::vector<double> relative_masses{}, matching_weights{};
};
/// Whether a body is made of points: its mesh is a cage around them, and they are what is shown.
inline bool is_cloud(const BodySource& source) {
    return source.display && source.display->triangles.empty();
}
/// The longest sub-step that the volume of such a body can be kept in [s], where neighbours differ
/// much in their relative masses.
double longest_step(const BodySource& source);
/// Of its meshes, masses and weights.
std::uint64_t hash_of(const BodySource& source);

}  // namespace turgor
