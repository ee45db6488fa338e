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

/// Whether a simplified surface still encloses what it did, without cutting through itself.
bool is_good(const Mesh& cage, const Mesh& surface) {
    const double wanted = volume(surface);
    return std::abs(volume(cage) - wanted) <= 0.02 * wanted && self_intersections(cage).empty();
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
                const Mesh surface = fine.solid({.cells = cells}, threads.get()).surface();
                cage = simplify(surface, vertices);
                if (is_good(cage, surface)) break;
                cage = surface;
            }
            return cage;
        },
        Mesh{});
}

}  // namespace turgor
