#include "body/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/errors.hpp"
#include "body/graph.hpp"

namespace turgor {
namespace {

/// Beyond this squares of squares of lengths overflow, and nothing is that large [m].
constexpr double coordinate_max = 1e30;

constexpr double relative_mass_max = 1e6;
/// Beyond, what is light is thrown about by the rest that stands on it (docs/limits.md).
constexpr double mass_ratio_max = 100;

bool is_usable(Vec3 p) {
    return std::abs(p.x) <= coordinate_max && std::abs(p.y) <= coordinate_max &&
           std::abs(p.z) <= coordinate_max;
}

/// The ends of the edges that leave `vertex` and the starts of those that arrive, each ascending.
struct DirectedEdges {
    std::vector<std::uint32_t> leaving, arriving;

    void gather(const Mesh& mesh, std::span<const std::uint32_t> around, std::uint32_t vertex) {
        leaving.clear(), arriving.clear();
        for (const std::uint32_t i : around) {
            const Triangle& t = mesh.triangles[i];
            const std::size_t k = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
            leaving.push_back(t[(k + 1) % 3]);
            arriving.push_back(t[(k + 2) % 3]);
        }
        std::sort(leaving.begin(), leaving.end());
        std::sort(arriving.begin(), arriving.end());
    }
};

}  // namespace

namespace {

void check_vertices(const Mesh& mesh, const char* role) {
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!is_usable(mesh.vertices[i]))
            fail(ErrorCode::bad_mesh,
                 "Vertex {} of the {} '{}' is not finite or absurdly far away: correct it.", i,
                 role, mesh.name);
}

}  // namespace

void check_display(const Mesh& mesh, const char* role) {
    if (!mesh.triangles.empty()) return check_elements(mesh, role);
    if (mesh.vertices.empty())
        fail(ErrorCode::bad_mesh, "The {} '{}' is empty: it needs vertices.", role, mesh.name);
    check_vertices(mesh, role);
}

void check_elements(const Mesh& mesh, const char* role) {
    // Three times the triangles must still be counted in 32 bits.
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / 3;
    if (mesh.vertices.empty() || mesh.triangles.empty())
        fail(ErrorCode::bad_mesh, "The {} '{}' is empty: it needs vertices and triangles.", role,
             mesh.name);
    if (mesh.vertices.size() > most || mesh.triangles.size() > most)
        fail(ErrorCode::bad_mesh, "The {} '{}' has {} triangles: at most {} can be baked.", role,
             mesh.name, mesh.triangles.size(), most);
    check_vertices(mesh, role);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        for (const std::uint32_t v : t)
            if (v >= mesh.vertices.size())
                fail(ErrorCode::bad_mesh,
                     "Triangle {} of the {} '{}' names vertex {} of {}: correct its indices.", i,
                     role, mesh.name, v, mesh.vertices.size());
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
            fail(ErrorCode::bad_mesh, "Triangle {} of the {} '{}' has a vertex twice: remove it.",
                 i, role, mesh.name);
    }
}

void check_vertex_values(const BodySource& source) {
    const auto check = [&](std::string_view what, const std::vector<double>& values, double most) {
        if (values.empty()) return;
        const std::size_t vertices = source.mesh.vertices.size();
        if (values.size() != vertices)
            fail(ErrorCode::bad_argument,
                 "there are {} {}, but the mesh '{}' has {} vertices: give one for each",
                 values.size(), what, source.mesh.name, vertices);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!(values[i] >= 0 && values[i] <= most))
                fail(ErrorCode::bad_argument,
                     "number {} of the {} is {} but must be between 0 and {}", i, what, values[i],
                     most);
    };
    check("relative masses", source.relative_masses, relative_mass_max);
    check("matching weights", source.matching_weights, 1);
    if (const auto& masses = source.relative_masses; !masses.empty()) {
        const auto [least, most] = std::ranges::minmax_element(masses);
        if (!(*least > 0) || *most > mass_ratio_max * *least)
            fail(ErrorCode::bad_argument,
                 "the relative masses lie between {} and {}, but they must be above 0, and the "
                 "largest at most {} times the smallest",
                 *least, *most, mass_ratio_max);
    }
    if (const auto& weights = source.matching_weights; !weights.empty())
        if (!(*std::ranges::max_element(weights) > 0))
            fail(ErrorCode::bad_argument,
                 "all matching weights are 0: at least one vertex must count");
}

void check_closed(const Mesh& mesh) {
    const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
    for (std::size_t i = 0; i < corners.size(); ++i)
        if (corners[i].empty())
            fail(ErrorCode::bad_mesh,
                 "Vertex {} of the mesh '{}' belongs to no triangle: remove it (make_mesh does).",
                 i, mesh.name);
    DirectedEdges edges;
    for (std::uint32_t i = 0; i < corners.size(); ++i) {
        edges.gather(mesh, corners[i], i);
        const auto twice = std::adjacent_find(edges.leaving.begin(), edges.leaving.end());
        if (twice != edges.leaving.end())
            fail(ErrorCode::bad_mesh,
                 "Edge {}-{} of the mesh '{}' has more than two triangles, or two of opposite "
                 "orientation: repair it "
                 "(make_mesh does).",
                 i, *twice, mesh.name);
        const auto [leaving, arriving] =
            std::mismatch(edges.leaving.begin(), edges.leaving.end(), edges.arriving.begin());
        if (leaving != edges.leaving.end())
            fail(ErrorCode::bad_mesh,
                 "The mesh '{}' is not closed: edge {}-{} has one triangle only; close the hole.",
                 mesh.name, i, std::min(*leaving, *arriving));
    }
}

}  // namespace turgor
