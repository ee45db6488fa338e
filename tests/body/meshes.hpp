#pragma once

#include <algorithm>
#include <random>

#include "body/asset.hpp"
#include "turgor/mesh.hpp"

/// Meshes for the tests of this room, beyond those of shapes::.
namespace turgor::test {

inline Mesh tetrahedron() {
    return {"tetrahedron",
            {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
            {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
}

inline Mesh inside_out(Mesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// Several meshes as parts of one.
inline Mesh joined(const std::vector<Mesh>& parts) {
    Mesh all{"joined", {}, {}};
    for (const Mesh& part : parts) {
        const auto first = static_cast<std::uint32_t>(all.vertices.size());
        all.vertices.insert(all.vertices.end(), part.vertices.begin(), part.vertices.end());
        for (const Triangle& t : part.triangles)
            all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    return all;
}

inline Mesh moved(Mesh mesh, Vec3 offset) {
    for (Vec3& v : mesh.vertices) v += offset;
    return mesh;
}

inline Mesh hollow_sphere(double cavity_radius, int subdivisions_outside = 3,
                          int subdivisions_inside = 2) {
    return joined({shapes::icosphere(1, subdivisions_outside),
                   inside_out(shapes::icosphere(cavity_radius, subdivisions_inside))});
}

/// The same mesh with vertices, triangles and the corners within them in another order.
inline Mesh shuffled(const Mesh& mesh, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint32_t> place(mesh.vertices.size());
    for (std::uint32_t i = 0; i < place.size(); ++i) place[i] = i;
    std::shuffle(place.begin(), place.end(), random);
    Mesh other{mesh.name + " shuffled", mesh.vertices, mesh.triangles};
    for (std::size_t i = 0; i < place.size(); ++i) other.vertices[place[i]] = mesh.vertices[i];
    for (Triangle& t : other.triangles) {
        t = {place[t[0]], place[t[1]], place[t[2]]};
        std::rotate(t.begin(), t.begin() + random() % 3, t.end());
    }
    std::shuffle(other.triangles.begin(), other.triangles.end(), random);
    return other;
}

inline Mesh noisy(Mesh mesh, double depth, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-depth, depth);
    for (Vec3& v : mesh.vertices) v += Vec3{number(random), number(random), number(random)};
    return mesh;
}

inline double enclosed_volume(const Mesh& mesh) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles)
        sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
    return sum;
}

}  // namespace turgor::test
