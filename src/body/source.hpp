#pragma once

#include <cstdint>
#include <optional>

#include "turgor/mesh.hpp"

namespace turgor {

/// What a body was made of: kept for other region widths and for snapshots, shared by all bodies
/// made of it.
struct BodySource {
    Mesh mesh;
    std::optional<Mesh> display;
    std::uint64_t hash = 0;
};
/// Of its meshes.
std::uint64_t hash_of(const BodySource& source);

}  // namespace turgor
