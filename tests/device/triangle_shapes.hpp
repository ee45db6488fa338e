#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "turgor/turgor.hpp"

namespace turgor {

/// The lower part of a ball, open above.
inline Mesh bowl_mesh(double radius, int subdivisions, double rim) {
    Mesh mesh = shapes::icosphere(radius, subdivisions);
    std::erase_if(mesh.triangles, [&](const Triangle& t) {
        return mesh.vertices[t[0]].y + mesh.vertices[t[1]].y + mesh.vertices[t[2]].y > 3 * rim;
    });
    return mesh;
}

/// Hills with valleys in between.
inline Collider hills(std::size_t columns, std::size_t rows, double spacing_x, double spacing_z,
                      double height) {
    std::vector<double> heights;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const double u = static_cast<double>(c), v = static_cast<double>(r);
            heights.push_back(height * (std::sin(0.9 * u) + std::cos(0.7 * v) * std::sin(0.3 * u)));
        }
    return Collider::height_field(columns, rows, heights, spacing_x, spacing_z);
}

/// Colliders of triangles of every kind, about a metre large, around the origin.
inline std::vector<std::pair<std::string, Collider>> triangle_shapes() {
    // Two walls that meet in a corner, and the floor between them.
    Mesh corner;
    corner.vertices = {{-0.5, 0, -0.5},  {0.5, 0, -0.5},   {-0.5, 0, 0.5}, {-0.5, 0.8, -0.5},
                       {0.5, 0.8, -0.5}, {-0.5, 0.8, 0.5}, {0.5, 0, 0.5}};
    corner.triangles = {{0, 2, 1}, {1, 2, 6}, {0, 1, 3}, {1, 4, 3}, {0, 3, 2}, {2, 3, 5}};
    return {{"torus", Collider::mesh(shapes::torus(0.6, 0.25, 40, 18))},
            {"duck", Collider::mesh(shapes::rubber_duck(1, 1500))},
            {"cube", Collider::mesh(shapes::cube(0.9, 3))},
            {"bowl", Collider::shell(bowl_mesh(0.7, 3, 0.1), 0.02)},
            {"hills", hills(21, 12, 0.1, 0.15, 0.15)},
            {"corner", Collider::shell(corner, 0.01)}};
}

}  // namespace turgor
