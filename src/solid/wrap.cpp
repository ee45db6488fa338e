#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "mesh/intersections.hpp"
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

}  // namespace

Mesh wrap(const Mesh& mesh, std::size_t vertices, Status* status) {
    return reporting_to(
        status,
        [&] {
            if (vertices < fewest || vertices > most)
                fail(ErrorCode::bad_argument, "A cage of {} vertices: {} to {} are possible.",
                     vertices, fewest, most);
            const auto threads = make_thread_pool();
            // Of the surface's corners the cage keeps half: it is as smooth as its triangles allow.
            const std::size_t corners = 2 * vertices;
            const int coarse = 64;
            SolidField field(mesh, coarse, threads.get());
            const int cells = cells_for(field, corners, threads.get());
            if (4 * cells > coarse) field = SolidField(mesh, 4 * cells, threads.get());
            const Mesh surface = field.solid({.cells = cells}, threads.get()).surface();
            Mesh cage = simplify(surface, vertices);
            // What simplifying folded stays as fine as it was.
            if (!self_intersections(cage).empty()) cage = surface;
            return cage;
        },
        Mesh{});
}

}  // namespace turgor
