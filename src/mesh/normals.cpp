#include "mesh/normals.hpp"

#include <algorithm>

namespace turgor {

void unit_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals) {
    std::fill(normals.begin(), normals.end(), Vec3{});
    for (const Triangle& t : triangles) {
        const Vec3 a = positions[t[0]];
        const Vec3 doubled_area = cross(positions[t[1]] - a, positions[t[2]] - a);
        for (const std::uint32_t v : t) normals[v] += doubled_area;
    }
    for (Vec3& n : normals) n = normalized(n);
}

}  // namespace turgor
