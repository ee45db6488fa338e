#include "solid/wrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/progress.hpp"
#include "base/union_find.hpp"
#include "mesh/intersections.hpp"
#include "mesh/measures.hpp"
#include "mesh/point_spacing.hpp"
#include "mesh/primitives_subdivide.hpp"
#include "mesh/triangle_tree.hpp"
#include "solid/polygons.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

constexpr std::size_t fewest_vertices = 20, most_vertices = 100000;
constexpr int fewest_cells = 4;

/// How many cells along the longest extent a cage of so many vertices is worth: what is thin
/// everywhere would take very many for its few corners.
int most_cells(const Mesh& mesh, std::size_t vertices) {
    const double voxels = std::clamp(1.5e4 * static_cast<double>(vertices), 3e7, 2.5e8);
    const Vec3 extent = bounds(mesh).extent();
    const double longest = std::max({extent.x, extent.y, extent.z});
    for (int cells = 200; cells > fewest_cells; --cells) {
        double count = 1;
        for (int k = 0; k < 3; ++k) count *= 4 * cells * extent[k] / longest + 12;
        if (count <= voxels) return cells;
    }
    return fewest_cells;
}

/// Cells so wide that none between points is empty, where those lie thinly too: else a scan would
/// have holes.
int most_cells_of_a_cloud(const Mesh& cloud) {
    constexpr double of_reach = 2, percentile = 0.9;
    const std::vector<double> reaches = reaches_of_some(cloud.vertices);
    const double reach =
        reaches[static_cast<std::size_t>(percentile * static_cast<double>(reaches.size() - 1))];
    const Vec3 extent = bounds(cloud).extent();
    const double cells = std::max({extent.x, extent.y, extent.z}) / (of_reach * reach);
    return static_cast<int>(std::clamp(cells, 1.0 * fewest_cells, 1e6));
}

/// How many cells along the longest extent give a surface of about that many corners.
int cells_for(const SolidField& field, std::size_t corners, int most, Scheduler* threads) {
    int cells = 16;
    for (int round = 0; round < 3; ++round) {
        const auto found =
            static_cast<double>(field.solid({.cells = cells}, threads).surface_count);
        const int better = std::clamp(
            static_cast<int>(std::lround(cells * std::sqrt(static_cast<double>(corners) / found))),
            fewest_cells, most);
        if (std::abs(better - cells) <= cells / 10) return better;
        cells = better;
    }
    return cells;
}

/// Whether a cage encloses what it should, without cutting through itself.
bool is_good(const Mesh& cage, double wanted) {
    return std::abs(volume(cage) - wanted) <= 0.02 * wanted && self_intersections(cage).empty();
}

double rms_distance(const std::vector<Vec3>& points, const TriangleTree& tree) {
    double sum = 0;
    for (const Vec3& p : points) {
        check_cancelled();
        const Vec3 away = tree.nearest(p).point - p;
        sum += dot(away, away);
    }
    return std::sqrt(sum / static_cast<double>(points.size()));
}

/// Whether a simplified surface is still where it was: parts as thin as its edges may have
/// shrunk to less, or be gone.
bool is_near(const Mesh& cage, const Mesh& surface) {
    const double reach = 0.6 * mean_edge(cage.vertices, cage.triangles);
    const TriangleTree of_cage(cage.vertices, cage.triangles),
        of_surface(surface.vertices, surface.triangles);
    return rms_distance(cage.vertices, of_surface) <= reach &&
           rms_distance(surface.vertices, of_cage) <= reach;
}

/// What a cage is to enclose: as much as the mesh where that is closed and does not lie over
/// itself, else as much as the cells.
double wanted_volume(const Mesh& mesh, const Polygons& polygons, const Solid& solid,
                     const Mesh& surface) {
    const double enclosed = std::abs(polygons.volume);
    // How far the voxels along a surface may be off.
    const double grain = 0.1 * solid.cell * area(mesh);
    const bool is_enclosed =
        polygons.closed && std::abs(enclosed - solid.wanted_volume) <= 0.03 * enclosed + grain;
    return is_enclosed ? enclosed : volume(surface);
}

/// Without the surfaces of hollows: the part that has the first corner in x is outside.
Mesh without_hollows(const Mesh& surface) {
    std::vector<std::uint32_t> parent(surface.vertices.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (const Triangle& t : surface.triangles) {
        unite(parent, t[0], t[1]);
        unite(parent, t[0], t[2]);
    }
    const auto first = std::ranges::min_element(surface.vertices, {}, &Vec3::x);
    const std::uint32_t outside =
        find_root(parent, static_cast<std::uint32_t>(first - surface.vertices.begin()));
    Mesh kept{surface.name, {}, {}};
    std::vector<std::uint32_t> number(parent.size());
    for (std::uint32_t v = 0; v < parent.size(); ++v) {
        if (find_root(parent, v) != outside) continue;
        number[v] = static_cast<std::uint32_t>(kept.vertices.size());
        kept.vertices.push_back(surface.vertices[v]);
    }
    for (const auto& [a, b, c] : surface.triangles)
        if (find_root(parent, a) == outside)
            kept.triangles.push_back({number[a], number[b], number[c]});
    return kept;
}

Vec3 area_vector(const std::vector<Vec3>& x, const Triangle& t) {
    return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

/// Where the vertices of a cage would be on the surface of the mesh, where that is within `reach`
/// and faces as they do. Most of a mesh may be inside out.
std::vector<Vec3> moves_onto(const Mesh& mesh, const Mesh& cage, double reach) {
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    const std::vector<Vec3> normals = vertex_normals(cage);
    std::vector<Vec3> moves(normals.size());
    std::vector<double> facing(normals.size());
    long outward = 0;
    for (std::size_t v = 0; v < moves.size(); ++v) {
        check_cancelled();
        const TriangleTree::Hit hit = tree.nearest(cage.vertices[v], {}, reach);
        if (hit.triangle == TriangleTree::none) continue;
        moves[v] = hit.point - cage.vertices[v];
        facing[v] =
            dot(normalized(area_vector(mesh.vertices, mesh.triangles[hit.triangle])), normals[v]);
        outward += facing[v] > 0.5 ? 1 : facing[v] < -0.5 ? -1 : 0;
    }
    const double side = outward < 0 ? -1 : 1;
    for (std::size_t v = 0; v < moves.size(); ++v)
        if (!(side * facing[v] > 0.5)) moves[v] = {};
    return moves;
}

/// Moves the vertices of a cage onto the surface of the mesh as far as no triangle turns much.
Mesh drawn_onto(const Mesh& mesh, Mesh cage, double reach) {
    const std::vector<Vec3> start = cage.vertices, moves = moves_onto(mesh, cage, reach);
    std::vector<double> share(start.size(), 1);
    for (int round = 0; round < 12; ++round) {
        for (std::size_t v = 0; v < start.size(); ++v)
            cage.vertices[v] = start[v] + share[v] * moves[v];
        std::vector<std::uint8_t> halve(start.size());
        bool any = false;
        for (const Triangle& t : cage.triangles) {
            const Vec3 before = area_vector(start, t), after = area_vector(cage.vertices, t);
            const double shrunk = dot(before, after) / dot(before, before);
            if (shrunk > 0.3 && dot(before, after) > 0.7 * norm(before) * norm(after)) continue;
            for (const std::uint32_t v : t) halve[v] = 1;
            any = true;
        }
        if (!any) return cage;
        for (std::size_t v = 0; v < start.size(); ++v)
            if (halve[v]) share[v] = round < 8 ? 0.5 * share[v] : 0;
    }
    cage.vertices = start;
    return cage;
}

/// Each value half-way to the mean of those around it.
template <class T>
void smooth(const std::vector<Triangle>& triangles, std::vector<T>& values) {
    std::vector<T> sum(values.size());
    std::vector<double> count(values.size());
    for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) sum[t[k]] += values[t[(k + 1) % 3]], count[t[k]] += 1;
    for (std::size_t v = 0; v < values.size(); ++v)
        values[v] = 0.5 * values[v] + 0.5 / count[v] * sum[v];
}

/// A cage of cells stands off from the points by half a cell and more, with corners: it is shrunk
/// onto them, each vertex as far as those around it, for points are anywhere. Around sheets, which
/// have nothing inside, it stays.
Mesh shrunk_onto_points(const Mesh& cloud, const Mesh& cage, double reach) {
    constexpr int rounds = 8;
    constexpr double least_left = 0.4;
    std::vector<Triangle> points;
    for (std::uint32_t i = 0; i < cloud.vertices.size(); ++i) points.push_back({i, i, i});
    const TriangleTree tree(cloud.vertices, points);
    Mesh shrunk = cage, good = cage;
    for (int round = 0; round < rounds; ++round) {
        check_cancelled();
        smooth(shrunk.triangles, shrunk.vertices);
        const std::vector<Vec3> normals = vertex_normals(shrunk);
        std::vector<double> out(normals.size());
        for (std::size_t v = 0; v < out.size(); ++v) {
            const TriangleTree::Hit hit = tree.nearest(shrunk.vertices[v], {}, reach);
            if (hit.triangle != TriangleTree::none)
                out[v] = dot(hit.point - shrunk.vertices[v], normals[v]);
        }
        smooth(shrunk.triangles, out);
        for (std::size_t v = 0; v < out.size(); ++v)
            shrunk.vertices[v] += 0.5 * out[v] * normals[v];
        if (volume(shrunk) < least_left * volume(cage)) return cage;
        if (!self_intersections(shrunk).empty()) break;
        good = shrunk;
    }
    return good;
}

/// Vertices on a curved surface span less than it encloses: all are moved out alike.
void restore_volume(Mesh& cage, double wanted) {
    for (int round = 0; round < 4; ++round) {
        const double out = (wanted - volume(cage)) / area(cage);
        const std::vector<Vec3> normals = vertex_normals(cage);
        for (std::size_t v = 0; v < normals.size(); ++v) cage.vertices[v] += out * normals[v];
    }
}

}  // namespace

Mesh wrap_on(Scheduler& threads, const Mesh& mesh, std::size_t vertices) {
    if (vertices < fewest_vertices || vertices > most_vertices)
        fail(ErrorCode::bad_argument, "A cage of {} vertices: {} to {} are possible.", vertices,
             fewest_vertices, most_vertices);
    const Polygons polygons = polygons_of(mesh);
    constexpr int coarse = 64;
    const SolidField field(mesh, coarse, &threads);
    const std::string what = fmt::format("cage of {}", mesh.name.empty() ? "mesh" : mesh.name);
    std::size_t done = 0, all = 0;
    const auto tell = [&] { tell_progress(what, ++done, all); };
    // From finer cells few vertices follow the mesh more closely, but thin parts stay thin, and may
    // fold.
    Mesh cage;
    const bool is_cloud = mesh.triangles.empty();
    const int most = is_cloud ? std::min(most_cells(mesh, vertices), most_cells_of_a_cloud(mesh))
                              : most_cells(mesh, vertices);
    for (const std::size_t corners :
         {std::max<std::size_t>(2 * vertices, 3000), 2 * vertices, vertices}) {
        all += 4;
        const int cells = cells_for(field, corners, most, &threads);
        tell();
        const SolidField fine(mesh, std::max(coarse, 4 * cells), &threads);
        tell();
        const Solid solid = fine.solid({.cells = cells}, &threads);
        tell();
        // What a closed mesh leaves hollow is meant.
        Mesh surface = polygons.closed ? solid.surface() : without_hollows(solid.surface());
        // What is thin everywhere has few corners however fine the cells.
        while (surface.vertices.size() < vertices)
            subdivide(surface, [&](std::uint32_t a, std::uint32_t b) {
                return 0.5 * (surface.vertices[a] + surface.vertices[b]);
            });
        cage = simplify(surface, vertices);
        tell();
        if (!is_good(cage, volume(surface)) || !is_near(cage, surface)) {
            cage = surface;
            continue;
        }
        if (is_cloud) return shrunk_onto_points(mesh, cage, solid.cell);
        Mesh drawn = drawn_onto(mesh, cage, solid.cell);
        const double wanted = wanted_volume(mesh, polygons, solid, surface);
        restore_volume(drawn, wanted);
        if (is_good(drawn, wanted)) cage = drawn;
        break;
    }
    return cage;
}

Mesh wrap(const Mesh& mesh, std::size_t vertices, Status* status) {
    return reporting_to(
        status,
        [&] {
            const auto threads = make_thread_pool();
            return wrap_on(*threads, mesh, vertices);
        },
        Mesh{});
}

}  // namespace turgor
