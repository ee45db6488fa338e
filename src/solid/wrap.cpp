#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "mesh/intersections.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/scheduler.hpp"
#include "turgor/solid.hpp"

namespace turgor {
namespace {

constexpr std::size_t fewest = 20, most = 100000;
constexpr int fewest_cells = 4, most_cells = 200;

/// How many cells along the longest extent give a surface of about that many corners.
int cells_for(const SolidField& field, std::size_t corners, Scheduler* threads) {
    int cells = 16;
    for (int round = 0; round < 3; ++round) {
        const auto found =
            static_cast<double>(field.solid({.cells = cells}, threads).surface_count);
        const int better = std::clamp(
            static_cast<int>(std::lround(cells * std::sqrt(static_cast<double>(corners) / found))),
            fewest_cells, most_cells);
        if (std::abs(better - cells) <= cells / 10) return better;
        cells = better;
    }
    return cells;
}

/// Whether a simplified surface still encloses what it did, without cutting through itself.
bool is_good(const Mesh& cage, const Mesh& surface) {
    const double wanted = volume(surface);
    return std::abs(volume(cage) - wanted) <= 0.02 * wanted && self_intersections(cage).empty();
}

/// Moves the vertices of a cage onto the surface of the mesh where that is within `reach` and faces
/// as they do, as far as no triangle turns much.
Mesh drawn_onto(const Mesh& mesh, Mesh cage, double reach) {
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    const std::vector<Vec3> start = cage.vertices, normals = vertex_normals(cage);
    std::vector<Vec3> moves(start.size());
    for (std::size_t v = 0; v < start.size(); ++v) {
        check_cancelled();
        const TriangleTree::Hit hit = tree.nearest(start[v], {}, reach);
        if (hit.triangle == TriangleTree::none) continue;
        const auto& [a, b, c] = mesh.triangles[hit.triangle];
        const Vec3 facing = normalized(
            cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]));
        if (dot(facing, normals[v]) > 0.5) moves[v] = hit.point - start[v];
    }
    const auto facing_of = [](const std::vector<Vec3>& x, const Triangle& t) {
        return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
    };
    std::vector<double> share(start.size(), 1);
    for (int round = 0; round < 12; ++round) {
        for (std::size_t v = 0; v < start.size(); ++v)
            cage.vertices[v] = start[v] + share[v] * moves[v];
        std::vector<std::uint8_t> halve(start.size());
        bool any = false;
        for (const Triangle& t : cage.triangles) {
            const Vec3 before = facing_of(start, t), after = facing_of(cage.vertices, t);
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

/// Vertices on a curved surface span less than it encloses: all are moved out alike.
void restore_volume(Mesh& cage, double wanted) {
    for (int round = 0; round < 4; ++round) {
        const double out = (wanted - volume(cage)) / area(cage);
        const std::vector<Vec3> normals = vertex_normals(cage);
        for (std::size_t v = 0; v < normals.size(); ++v) cage.vertices[v] += out * normals[v];
    }
}

}  // namespace

Mesh wrap(const Mesh& mesh, std::size_t vertices, Status* status) {
    return reporting_to(
        status,
        [&] {
            if (vertices < fewest || vertices > most)
                fail(ErrorCode::bad_argument, "A cage of {} vertices: {} to {} are possible.",
                     vertices, fewest, most);
            const auto threads = make_thread_pool();
            constexpr int coarse = 64;
            SolidField field(mesh, coarse, threads.get());
            // From finer cells few vertices follow the mesh more closely, but thin parts stay thin,
            // and may fold.
            Mesh cage;
            for (const std::size_t corners :
                 {std::max<std::size_t>(2 * vertices, 3000), 2 * vertices, vertices}) {
                const int cells = cells_for(field, corners, threads.get());
                const SolidField fine = 4 * cells > coarse
                                            ? SolidField(mesh, 4 * cells, threads.get())
                                            : SolidField(mesh, coarse, threads.get());
                const Solid solid = fine.solid({.cells = cells}, threads.get());
                const Mesh surface = solid.surface();
                const double cell = solid.cell;
                cage = simplify(surface, vertices);
                if (!is_good(cage, surface)) {
                    cage = surface;
                    continue;
                }
                Mesh drawn = drawn_onto(mesh, cage, cell);
                restore_volume(drawn, volume(surface));
                if (is_good(drawn, surface)) cage = drawn;
                break;
            }
            return cage;
        },
        Mesh{});
}

}  // namespace turgor
