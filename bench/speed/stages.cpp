#include <fmt/format.h>

#include <array>

#include "elastic/matching/matching_cpu.hpp"
#include "measure/model_figures.hpp"
#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

/// What a stage reads and writes per particle if nothing stays in a cache from pass to pass, but
/// every row that sums over regions use is fetched once [bytes].
std::array<double, stage_names.size()> bytes_per_stage(double intervals) {
    constexpr double quad = sizeof(Quad), row = row_quads * sizeof(FixedQuad), word = 4;
    const double runs = intervals * sizeof(Run) + word;
    const double ring = 8 * word;
    std::array<double, stage_names.size()> bytes{};
    const auto of = [&](Stage stage) -> double& { return bytes[static_cast<std::size_t>(stage)]; };
    // x, v, fit → terms; terms → fields of half a row; the same once more for the goals.
    of(Stage::elasticity) = (3 * quad + row) + (row + runs + quad + row / 2) + (2 * quad + row) +
                            (row + runs + 2 * quad + 32 + 2 * quad + row) +
                            (row + runs + 4 * quad + 2 * quad + 2 * word);
    of(Stage::integrate) = row / 2 + runs + 3 * quad + word + 3 * quad;
    // Normals and weights, their sum over regions, the direction, the move, normals again.
    of(Stage::volume_positions) = (ring + quad + quad + 5 * word + word) + 2 * word +
                                  (runs + 2 * word + 2 * quad + 2 * word) + (2 * quad + 4 * word) +
                                  (2 * quad + 3 * word + quad) + 5 * quad +
                                  (ring + 5 * quad + 4 * word);
    of(Stage::volume_velocities) = 2 * quad + 3 * word;
    of(Stage::contact) = (4 * quad + 3 * word + 2 * quad) + 3 * quad;  // settling only
    return bytes;
}

}  // namespace

void stages(const Settings& settings, Report& report) {
    for (const int n : {1, settings.most_threads()}) {
        settings.progress(fmt::format("stages: {} threads", n));
        const double bandwidth = stream_bandwidth(n);
        World world = free_world({shapes::cube(1, settings.quick ? 20 : 72), 1, plain_material(3)},
                                 settings_for(Backend::cpu, n));
        std::array<Samples, stage_names.size()> times;
        for (int k = 0; k < (settings.quick ? 10 : 400); ++k) {
            world.step();
            for (std::size_t s = 0; s < times.size(); ++s)
                times[s].add(world.report().milliseconds[s]);
        }
        const auto bytes =
            bytes_per_stage(measure::mean_figure(world.bodies(), "intervals_per_region"));
        const auto particles = static_cast<double>(world.particles());
        Table table{
            fmt::format("Stages of a cube of {} at omega 3 on {} thread{}", particles, n,
                        n == 1 ? "" : "s"),
            {"stage", "ms", "ns/particle", "bytes", "GB/s", "of the memory's"},
            {},
            {fmt::format("bytes: per particle, if nothing stayed in a cache between passes; "
                         "this memory moves {:.1f} GB/s (triad, {} thread{})",
                         bandwidth, n, n == 1 ? "" : "s")}};
        for (std::size_t s = 0; s < times.size(); ++s) {
            if (bytes[s] == 0) continue;
            Row row{"stages",
                    std::string(stage_names[s]),
                    fmt::format("threads={}", n),
                    n,
                    world.particles(),
                    times[s].median(),
                    times[s].min()};
            const double rate = bytes[s] * particles / row.ms_median / 1e6;
            row.more = {{"bytes_per_particle", bytes[s]},
                        {"gb_per_s", rate},
                        {"stream_gb_per_s", bandwidth}};
            table.lines.push_back({row.name, fmt::format("{:.3f}", row.ms_median),
                                   fmt::format("{:.1f}", row.ns_per_particle()),
                                   fmt::format("{:.0f}", bytes[s]), fmt::format("{:.1f}", rate),
                                   fmt::format("{:.0f} %", 100 * rate / bandwidth)});
            report.rows.push_back(std::move(row));
        }
        report.tables.push_back(std::move(table));
        if (settings.most_threads() == 1) break;
    }
}

}  // namespace turgor::speed
