#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speed/speed.hpp"

namespace turgor::speed {

int cube_edge(double n) {
    return static_cast<int>(std::lround(std::sqrt((n - 2) / 6))) + 1;
}

namespace {

Contestant contestant(const char* suite, std::string name, std::string what, int threads,
                      const FreeBodies& bodies) {
    auto world = std::make_shared<World>(free_world(bodies, settings_for(Backend::cpu, threads)));
    Contestant c{{suite, std::move(name), std::move(what), threads, world->particles()},
                 [world] { world->step(); }};
    c.step();
    double error = 0;
    for (const Body& body : world->bodies())
        error = std::max(error, std::abs(body.volume() / body.rest_volume() - 1));
    c.row.more = {{"bytes_per_particle",
                   static_cast<double>(world->bytes()) / static_cast<double>(world->particles())},
                  {"volume_error", error}};
    return c;
}

}  // namespace

void scaling(const Settings& settings, Report& report) {
    const double seconds = settings.quick ? 0.05 : 1.5;
    Table table{"Growing worlds, omega 3, with damping",
                {"particles", "one body", "ns/particle", "many bodies", "ns/particle", "bytes",
                 "volume error"},
                {},
                {"ms per step on one thread; many bodies: cubes of 1016; bytes: per particle, one "
                 "body, asset and state; volume error: relative, after the first step of either"}};
    for (const double n :
         settings.quick ? std::vector{1e3, 3e3} : std::vector{1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6}) {
        settings.progress(fmt::format("scaling: {:.0f} particles", n));
        std::vector<Contestant> contestants;
        contestants.push_back(contestant("scaling", "one body", fmt::format("particles={:.0f}", n),
                                         1, {shapes::cube(1, cube_edge(n)), 1, plain_material(3)}));
        contestants.push_back(
            contestant("scaling", "many bodies", fmt::format("particles={:.0f}", n), 1,
                       {shapes::cube(1, 14), static_cast<int>(n / 1016 + 0.5), plain_material(3)}));
        compete(contestants, seconds);
        const Row &one = contestants[0].row, &many = contestants[1].row;
        table.lines.push_back(
            {fmt::format("{}", one.particles), fmt::format("{:.3f}", one.ms_median),
             fmt::format("{:.0f}", one.ns_per_particle()), fmt::format("{:.3f}", many.ms_median),
             fmt::format("{:.0f}", many.ns_per_particle()),
             fmt::format("{:.0f}", *one.find("bytes_per_particle")),
             fmt::format("{:.0e}",
                         std::max(*one.find("volume_error"), *many.find("volume_error")))});
        report.rows.push_back(one);
        report.rows.push_back(many);
    }
    report.tables.push_back(std::move(table));
}

void threads(const Settings& settings, Report& report) {
    Table table{
        "Threads, omega 3, with damping", {"scene", "threads", "ms", "times faster"}, {}, {}};
    const int edge = settings.quick ? 20 : 72;
    const std::vector<std::pair<std::string, FreeBodies>> scenes{
        {"40 bodies", {shapes::cube(1, settings.quick ? 8 : 12), 40, plain_material(3)}},
        {"one body", {shapes::cube(1, edge), 1, plain_material(3)}}};
    for (const auto& [name, bodies] : scenes) {
        settings.progress(fmt::format("threads: {}", name));
        std::vector<Contestant> contestants;
        for (int n = 1; n <= settings.most_threads(); ++n)
            contestants.push_back(
                contestant("threads", name, fmt::format("threads={}", n), n, bodies));
        compete(contestants, settings.quick ? 0.05 : 2);
        for (const Contestant& c : contestants) {
            table.lines.push_back(
                {fmt::format("{} ({})", name, c.row.particles), fmt::format("{}", c.row.threads),
                 fmt::format("{:.3f}", c.row.ms_median),
                 fmt::format("{:.2f}", contestants[0].row.ms_median / c.row.ms_median)});
            report.rows.push_back(c.row);
        }
    }
    if (settings.most_threads() == 1) table.notes.push_back("this machine has one core");
    report.tables.push_back(std::move(table));
}

}  // namespace turgor::speed
