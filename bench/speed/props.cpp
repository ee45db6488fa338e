#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "scene/live_scene.hpp"
#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

/// Steps of a world of free bodies; the times of its elastic stage alone are in `elasticity`.
struct Props {
    std::shared_ptr<World> world;
    std::shared_ptr<Samples> elasticity = std::make_shared<Samples>();
    Contestant contestant;
};

Props make_props(std::string name, std::string what, int threads, const FreeBodies& bodies) {
    Props props;
    props.world = std::make_shared<World>(free_world(bodies, settings_for(Backend::cpu, threads)));
    props.contestant = {
        {"props", std::move(name), std::move(what), threads, props.world->particles()},
        [world = props.world, elasticity = props.elasticity] {
            world->step();
            elasticity->add(
                world->report().milliseconds[static_cast<std::size_t>(Stage::elasticity)]);
        }};
    return props;
}

void compete(std::vector<Props>& all, double seconds) {
    std::vector<Contestant> contestants;
    for (Props& p : all) contestants.push_back(std::move(p.contestant));
    compete(contestants, seconds);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].contestant = std::move(contestants[i]);
        all[i].contestant.row.more = {{"ms_elasticity", all[i].elasticity->median()},
                                      {"ms_elasticity_min", all[i].elasticity->min()}};
    }
}

void add_line(Table& table, Report& report, const Props& props) {
    const Row& row = props.contestant.row;
    const double elasticity = *row.find("ms_elasticity");
    table.lines.push_back(
        {row.name, row.what, fmt::format("{}", row.particles), fmt::format("{}", row.threads),
         fmt::format("{:.3f}", elasticity), fmt::format("{:.3f}", row.ms_median),
         fmt::format("{:.3f}", *row.find("ms_elasticity_min")), fmt::format("{:.3f}", row.ms_min),
         fmt::format("{:.1f}", 1e6 * elasticity / static_cast<double>(row.particles)),
         fmt::format("{:.1f}", row.ns_per_particle())});
    report.rows.push_back(row);
}

Table new_table(std::string title) {
    return {std::move(title),
            {"bodies", "case", "particles", "threads", "elasticity", "step", "least elasticity",
             "least step", "ns elasticity", "ns step"},
            {},
            {"ms per step, without contacts, medians and least times; ns per particle"}};
}

struct Kind {
    const char* name;
    Model model;
};
std::vector<Kind> kinds() {
    using Mode = MeshlessModel::Mode;
    return {{"rigid", MeshlessModel{.mode = Mode::rigid, .clusters = 1}},
            {"linear", MeshlessModel{.mode = Mode::linear, .clusters = 1}},
            {"quadratic", MeshlessModel{.mode = Mode::quadratic, .clusters = 1}},
            {"rigid, 8 clusters", MeshlessModel{.mode = Mode::rigid, .clusters = 8}},
            {"quadratic, 8 clusters", MeshlessModel{.mode = Mode::quadratic, .clusters = 8}},
            {"surface", SurfaceModel{}}};
}

/// How fast this machine is: what the limits of docs/performance.md are to be scaled by.
double cube_time(const Settings& settings) {
    settings.progress("props: the cube of table 2");
    const auto world = std::make_shared<World>(
        free_world({shapes::cube(1, 72), 1, plain_material(3)}, settings_for(Backend::cpu, 1)));
    std::vector<Contestant> cube{
        {{"props", "cube", "omega=3", 1, world->particles()}, [world] { world->step(); }}};
    compete(cube, settings.quick ? 0.05 : 1);
    return cube.front().row.ms_median;
}

void add_limits(const Settings& settings, Table& table) {
    const double ms = cube_time(settings), scale = ms / 3;
    table.notes.push_back(fmt::format(
        "The cube of table 2, omega 3, one thread, takes {:.2f} ms here. Limits where it takes 3 "
        "ms, and so here, on two threads: elasticity 0.05 and 0.3 ms, here {:.3f} and {:.2f}; step "
        "0.4 and 2 ms, here {:.2f} and {:.2f}",
        ms, 0.05 * scale, 0.3 * scale, 0.4 * scale, 2 * scale));
}

/// The scene `shoes`, with all contacts: as it falls, tumbles, and lies.
void shoes(const Settings& settings, Report& report) {
    struct Part {
        const char* what;
        double until;
    };
    constexpr Part parts[] = {{"falls", 0.25}, {"tumbles", 1.5}, {"settles", 4}, {"lies", 10}};
    Table table{"The scene shoes, with contacts",
                {"it", "until", "ms median", "ms mean", "of real time", "asleep"},
                {},
                {fmt::format("ms per step of 5 ms on {} threads; of real time: by the mean",
                             settings.most_threads())}};
    Scene scene = load_scene("shoes");
    scene.world.threads = settings.most_threads();
    LiveScene live(scene);
    const std::size_t bodies = live.bodies().size();
    for (const Part& part : parts) {
        if (settings.quick && part.until > 0.25) break;
        settings.progress(fmt::format("props: shoes until {} s", part.until));
        Samples times;
        double sum = 0;
        int steps = 0;
        for (; live.time() < part.until - 1e-9; ++steps) {
            const auto start = std::chrono::steady_clock::now();
            live.step();
            const double ms =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count();
            times.add(ms);
            sum += ms;
        }
        const auto asleep =
            std::ranges::count_if(live.bodies(), [](const LiveBody& b) { return b.body.asleep(); });
        Row row{"props", "shoes", part.what, settings.most_threads(), live.world().particles()};
        row.ms_median = times.median();
        row.ms_min = times.min();
        row.more = {{"ms_mean", sum / steps}, {"asleep", static_cast<double>(asleep)}};
        table.lines.push_back({part.what, fmt::format("{} s", part.until),
                               fmt::format("{:.2f}", row.ms_median),
                               fmt::format("{:.2f}", sum / steps),
                               fmt::format("{:.1f}", 1000 * scene.dt * steps / sum),
                               fmt::format("{} of {}", asleep, bodies)});
        report.rows.push_back(row);
    }
    report.tables.push_back(std::move(table));
}

}  // namespace

void props(const Settings& settings, Report& report) {
    const double seconds = settings.quick ? 0.05 : 1;
    const Mesh ball = shapes::uv_sphere(0.5, 14, 7);
    for (const auto& [what, count] : {std::pair{"100 x 100", 100}, std::pair{"550 x 100", 550}}) {
        Table table = new_table(fmt::format("Props, {} particles each", ball.vertices.size()));
        std::vector<Props> all;
        for (const Kind& kind : kinds())
            for (const int threads : {1, settings.most_threads()}) {
                if (threads == settings.most_threads() && threads == 1 && !all.empty()) continue;
                settings.progress(fmt::format("props: {} {}", what, kind.name));
                all.push_back(make_props(kind.name, what, threads,
                                         {ball, settings.quick ? count / 10 : count,
                                          Material::named("gummy"), kind.model}));
            }
        compete(all, seconds);
        for (const Props& p : all) add_line(table, report, p);
        if (count == 100) add_limits(settings, table);
        report.tables.push_back(std::move(table));
    }
    Table table = new_table("Growing worlds of linear props");
    std::map<std::string, std::vector<double>> growths;
    const Model linear = MeshlessModel{.mode = MeshlessModel::Mode::linear, .clusters = 1};
    for (const double n :
         settings.quick ? std::vector{1e3, 3e3} : std::vector{1e3, 1e4, 1e5, 1e6}) {
        settings.progress(fmt::format("props: {:.0f} particles", n));
        const std::string what = fmt::format("particles={:.0f}", n);
        std::vector<Props> all;
        all.push_back(
            make_props("many bodies", what, 1,
                       {ball, static_cast<int>(n / 100), Material::named("gummy"), linear}));
        all.push_back(
            make_props("one body", what, 1,
                       {shapes::cube(1, cube_edge(n)), 1, Material::named("gummy"), linear}));
        compete(all, seconds);
        for (const Props& p : all) {
            add_line(table, report, p);
            std::vector<double>& growth = growths[p.contestant.row.name];
            growth.push_back(*p.contestant.row.find("ms_elasticity_min") /
                             static_cast<double>(p.contestant.row.particles));
        }
    }
    for (const auto& [name, growth] : growths)
        table.notes.push_back(
            fmt::format("elasticity of a particle, last line to first, least times, {}: {:.2f}",
                        name, growth.back() / growth.front()));
    report.tables.push_back(std::move(table));
    shoes(settings, report);
}

}  // namespace turgor::speed
