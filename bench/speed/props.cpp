#include <fmt/format.h>

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
        all[i].contestant.row.more = {{"ms_elasticity", all[i].elasticity->median()}};
    }
}

void add_line(Table& table, Report& report, const Props& props) {
    const Row& row = props.contestant.row;
    const double elasticity = *row.find("ms_elasticity");
    table.lines.push_back(
        {row.name, row.what, fmt::format("{}", row.particles), fmt::format("{}", row.threads),
         fmt::format("{:.3f}", elasticity), fmt::format("{:.3f}", row.ms_median),
         fmt::format("{:.1f}", 1e6 * elasticity / static_cast<double>(row.particles)),
         fmt::format("{:.1f}", row.ns_per_particle())});
    report.rows.push_back(row);
}

Table new_table(std::string title) {
    return {std::move(title),
            {"bodies", "case", "particles", "threads", "elasticity", "step", "ns elasticity",
             "ns step"},
            {},
            {"ms per step, without contacts; ns per particle"}};
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
        report.tables.push_back(std::move(table));
    }
    Table table = new_table("Growing worlds of linear props");
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
        for (const Props& p : all) add_line(table, report, p);
    }
    report.tables.push_back(std::move(table));
}

}  // namespace turgor::speed
