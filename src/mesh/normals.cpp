#include "mesh/normals.hpp"

#include <algorithm>

namespace turgor {

void area_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals) {
    std::fill(normals.begin(), normals.end(), Vec3{});
    for (const auto& [a, b, c] : triangles) {
        const Vec3 area = 0.5 * cross(positions[b] - positions[a], positions[c] - positions[a]);
        normals[a] += area;
        normals[b] += area;
        normals[c] += area;
    }
}

void unit_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                  std::span<Vec3> normals) {
    area_normals(positions, triangles, normals);
    for (Vec3& n : normals) n = normalized(n);
}

}  // namespace turgor
