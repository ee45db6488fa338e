#include <fmt/format.h>

#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

struct Method {
    const char* name;
    Model model;
    Summation summation;
};

/// The cube of table 2 as a lattice, and as the surface that stands for it.
std::vector<Method> methods(int cells, int width) {
    const Model lattice =
        LatticeModel{.cells = cells, .half_width = width, .stiffness = 0.5, .damping = 0.2};
    const Model surface = SurfaceModel{.omega = width, .stiffness = 0.5, .damping = 0.2};
    return {{"lsm", lattice, Summation::naive},
            {"fast lsm", lattice, Summation::fast},
            {"surface naive", surface, Summation::naive},
            {"surface fast", surface, Summation::fast}};
}

Contestant contestant(const Method& method, const Mesh& cube, int width) {
    const FreeBodies bodies{cube, 1, plain_material(width), method.model};
    auto world = std::make_shared<World>(
        free_world(bodies, settings_for(Backend::cpu, 1, method.summation)));
    Contestant c{{"table2", method.name, fmt::format("w={}", width), 1, world->particles()},
                 [world] { world->step(); }};
    c.row.more = {{"bytes", static_cast<double>(world->bytes())}};
    return c;
}

}  // namespace

void lattices(const Settings& settings, Report& report) {
    const int cells = settings.quick ? 8 : 30;
    const Mesh cube = shapes::cube(1, cells + 1);
    Table table{"",
                {"w = omega", "lsm", "fast lsm", "lsm:fast", "ns/particle", "MB", "surface naive",
                 "surface fast", "ns/particle", "MB", "fast lsm:surface"},
                {},
                {"ms per step, medians; without contact, one thread; ns per particle and MB of the "
                 "column before"}};
    for (int width = 1; width <= (settings.quick ? 2 : 5); ++width) {
        settings.progress(fmt::format("table2: a lattice, w {}", width));
        std::vector<Contestant> all;
        for (const Method& method : methods(cells, width))
            all.push_back(contestant(method, cube, width));
        compete(all, settings.quick ? 0.05 : 2);
        const Row &lsm = all[0].row, &fast = all[1].row, &naive = all[2].row, &surface = all[3].row;
        if (width == 1)
            table.title = fmt::format(
                "A cube as a lattice of {}^3 = {} particles, and its surface "
                "of {}, all stages but contact",
                cells + 1, fast.particles, surface.particles);
        const auto megabytes = [](const Row& row) {
            return fmt::format("{:.1f}", row.find("bytes").value_or(0) / 1e6);
        };
        table.lines.push_back({fmt::format("{}", width), fmt::format("{:.2f}", lsm.ms_median),
                               fmt::format("{:.2f}", fast.ms_median),
                               fmt::format("{:.1f}", lsm.ms_median / fast.ms_median),
                               fmt::format("{:.0f}", fast.ns_per_particle()), megabytes(fast),
                               fmt::format("{:.2f}", naive.ms_median),
                               fmt::format("{:.2f}", surface.ms_median),
                               fmt::format("{:.0f}", surface.ns_per_particle()), megabytes(surface),
                               fmt::format("{:.2f}", fast.ms_median / surface.ms_median)});
        for (const Contestant& c : all) report.rows.push_back(c.row);
    }
    report.tables.push_back(std::move(table));
}

}  // namespace turgor::speed
