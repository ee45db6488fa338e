#pragma once

#include <vector>

#include "turgor/math.hpp"

namespace turgor {

/// What is shown of a body, in the order of its mesh's vertices and of those of its display mesh.
struct DisplayGeometry {
    std::vector<Vec3f> positions, normals;
    std::vector<Vec3f> display_positions, display_normals;  ///< empty without a display mesh
};

}  // namespace turgor
