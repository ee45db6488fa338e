#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "body/asset.hpp"
#include "turgor/mesh.hpp"

/// Meshes for tests, beyond those of shapes::.
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

/// One vertex and all around it in one place, so that triangles have no area.
inline Mesh with_collapsed_ring(Mesh mesh) {
    const std::uint32_t v = 0;
    std::set<std::uint32_t> ring;
    for (const Triangle& t : mesh.triangles)
        if (std::find(t.begin(), t.end(), v) != t.end()) ring.insert(t.begin(), t.end());
    for (const std::uint32_t i : ring) mesh.vertices[i] = mesh.vertices[v];
    return mesh;
}

inline double enclosed_volume(const Mesh& mesh) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles)
        sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
    return sum;
}

/// Every kind of mesh that can be a body: parts, cavities, few vertices and many.
inline std::vector<std::pair<std::string, Mesh>> all_shapes() {
    return {{"tetrahedron", tetrahedron()},
            {"icosphere", shapes::icosphere(0.5, 2)},
            {"uv_sphere", shapes::uv_sphere(1, 12, 11)},
            {"torus", shapes::torus(1, 0.3, 20, 9)},
            {"cube", shapes::cube(1, 6)},
            {"hollow", hollow_sphere(0.6, 2, 1)},
            {"hollow_with_finer_cavity", hollow_sphere(0.8, 1, 2)},
            {"three_parts",
             joined({shapes::icosphere(1, 2), moved(shapes::icosphere(0.2, 1), {0.9, 0, 0}),
                     moved(tetrahedron(), {0, 2, 0})})}};
}

/// A fixture for what holds for bodies of all these meshes.
class EveryShape : public testing::TestWithParam<int> {
public:
    static std::string name_of(const testing::TestParamInfo<int>& shape) {
        return all_shapes()[static_cast<std::size_t>(shape.param)].first;
    }

protected:
    Mesh mesh() const {
        return shuffled(all_shapes()[static_cast<std::size_t>(GetParam())].second, 42);
    }
};

/// A way to make a mesh that can be no body.
struct BadMesh {
    std::string name;
    std::function<void(Mesh&)> spoil;
    std::string word;  ///< that the sentence must contain
};

inline std::vector<BadMesh> bad_meshes() {
    return {
        BadMesh{"no_triangles", [](Mesh& m) { m.triangles.clear(); }, "empty"},
        BadMesh{"nothing", [](Mesh& m) { m.vertices.clear(), m.triangles.clear(); }, "empty"},
        BadMesh{"hole", [](Mesh& m) { m.triangles.pop_back(); }, "not closed"},
        BadMesh{"flipped", [](Mesh& m) { std::swap(m.triangles[3][0], m.triangles[3][1]); },
                "orientation"},
        BadMesh{"doubled", [](Mesh& m) { m.triangles.push_back(m.triangles[0]); }, "more than two"},
        BadMesh{"index", [](Mesh& m) { m.triangles[5][1] = 1000; }, "1000"},
        BadMesh{"repeated", [](Mesh& m) { m.triangles[5][1] = m.triangles[5][0]; }, "twice"},
        BadMesh{"loose", [](Mesh& m) { m.vertices.push_back({}); }, "no triangle"},
        BadMesh{"nan", [](Mesh& m) { m.vertices[7].y = std::numeric_limits<double>::quiet_NaN(); },
                "finite"},
        BadMesh{"infinite",
                [](Mesh& m) { m.vertices[7].x = -std::numeric_limits<double>::infinity(); },
                "finite"},
        BadMesh{"huge", [](Mesh& m) { m.vertices[7].x = 1e200; }, "far away"},
        BadMesh{"flat",
                [](Mesh& m) {
                    for (Vec3& v : m.vertices) v.y = 0;
                },
                "volume"},
        BadMesh{"a_point",
                [](Mesh& m) {
                    for (Vec3& v : m.vertices) v = {1, 2, 3};
                },
                "volume"},
        BadMesh{"inside_out", [](Mesh& m) { m.triangles = inside_out(m).triangles; }, "volume"}};
}

}  // namespace turgor::test
