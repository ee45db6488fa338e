#include "mesh/vertex_values.hpp"

#include "base/cancel.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

/// A third of the triangles around each vertex.
std::vector<double> vertex_areas(const Mesh& mesh) {
    std::vector<double> areas(mesh.vertices.size());
    for (const auto& t : mesh.triangles) {
        const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        for (const auto v : t) areas[v] += norm(cross(b - a, c - a)) / 6;
    }
    return areas;
}

}  // namespace

template <class Value>
std::vector<Value> values_on(const Mesh& coarse, const Mesh& fine, std::span<const Value> values) {
    const TriangleTree coarse_tree(coarse.vertices, coarse.triangles);
    const std::vector<double> areas = vertex_areas(fine);
    std::vector<Value> result(coarse.vertices.size());
    std::vector<double> total(coarse.vertices.size());
    for (std::size_t v = 0; v < fine.vertices.size(); ++v) {
        if (v % 1024 == 0) check_cancelled();
        const TriangleTree::Hit hit = coarse_tree.nearest(fine.vertices[v]);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t corner = coarse.triangles[hit.triangle][k];
            result[corner] += areas[v] * hit.weight[k] * values[v];
            total[corner] += areas[v] * hit.weight[k];
        }
    }
    const TriangleTree fine_tree(fine.vertices, fine.triangles);
    for (std::size_t v = 0; v < result.size(); ++v) {
        if (total[v] > 0) {
            result[v] = (1 / total[v]) * result[v];
            continue;
        }
        // Nothing lies around it: where the fine mesh is the coarser one.
        const TriangleTree::Hit hit = fine_tree.nearest(coarse.vertices[v]);
        result[v] = {};
        for (std::size_t k = 0; k < 3; ++k)
            result[v] += hit.weight[k] * values[fine.triangles[hit.triangle][k]];
    }
    return result;
}

template std::vector<double> values_on(const Mesh&, const Mesh&, std::span<const double>);
template std::vector<Vec3> values_on(const Mesh&, const Mesh&, std::span<const Vec3>);

}  // namespace turgor
