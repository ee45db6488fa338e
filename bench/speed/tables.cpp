#include <fmt/format.h>

#include <array>

#include "measure/model_figures.hpp"
#include "scene/live_scene.hpp"
#include "scene/package_mesh.hpp"
#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

struct Variant {
    const char* name;
    Backend backend;
    Summation summation;
    bool all_threads;
};
constexpr Variant variants[] = {{"reference naive", Backend::reference, Summation::naive, false},
                                {"cpu naive", Backend::cpu, Summation::naive, false},
                                {"cpu fast", Backend::cpu, Summation::fast, false},
                                {"cpu naive", Backend::cpu, Summation::naive, true},
                                {"cpu fast", Backend::cpu, Summation::fast, true}};

/// One contestant for each variant of what `make` makes.
std::vector<Contestant> all_variants(const Settings& settings, const char* suite,
                                     const std::string& what,
                                     const std::function<Running(const WorldSettings&)>& make) {
    std::vector<Contestant> contestants;
    for (const Variant& v : variants) {
        const int threads = v.all_threads ? settings.most_threads() : 1;
        if (v.all_threads && threads == 1) continue;
        const Running running = make(settings_for(v.backend, threads, v.summation));
        World& world = running.world;
        contestants.push_back({{suite, v.name, what, threads, world.particles()},
                               [owner = running.owner, step = running.step] { step(); }});
        contestants.back().row.more = {
            {"intervals_per_region", measure::mean_figure(world.bodies(), "intervals_per_region")}};
    }
    return contestants;
}

const Row& row_of(const std::vector<Contestant>& contestants, std::string_view name, int threads) {
    for (const Contestant& c : contestants)
        if (c.row.name == name && c.row.threads == threads) return c.row;
    return contestants.front().row;
}

std::vector<std::string> cells(const std::string& what, const std::vector<Contestant>& contestants,
                               int threads, std::string printed_naive, std::string printed_fast) {
    const Row& reference = row_of(contestants, "reference naive", 1);
    const Row& naive = row_of(contestants, "cpu naive", 1);
    const Row& fast = row_of(contestants, "cpu fast", 1);
    const Row& naive_all = row_of(contestants, "cpu naive", threads);
    const Row& fast_all = row_of(contestants, "cpu fast", threads);
    return {what,
            fmt::format("{:.2f}", naive.ms_median / fast.ms_median),
            fmt::format("{:.1f}", reference.ms_median / fast.ms_median),
            fmt::format("{:.1f}", reference.ms_median),
            fmt::format("{:.2f}", naive.ms_median),
            fmt::format("{:.2f}", fast.ms_median),
            fmt::format("{:.2f}", naive_all.ms_median),
            fmt::format("{:.2f}", fast_all.ms_median),
            fmt::format("{:.0f}", fast.ns_per_particle()),
            std::move(printed_naive),
            std::move(printed_fast)};
}

Table new_table(std::string title, const char* first, int threads) {
    return {
        std::move(title),
        {first, "naive:fast", "ref:fast", "reference", "naive 1", "fast 1",
         fmt::format("naive {}", threads), fmt::format("fast {}", threads), "ns/particle",
         "2011 naive", "2011 fast"},
        {},
        {"ms per step; the number after naive and fast is that of the threads; 2011: printed in "
         "the paper, one core of a Core i7 950"}};
}

}  // namespace

std::vector<PaperScene> paper_scenes() {
    const auto material = [](int omega, double stiffness, double alpha) {
        Material m = plain_material(omega, stiffness, 0);
        m.alpha = alpha;
        m.beta = 0.1;
        return m;
    };
    return {{"armadillos", "114.75", "69.92", "4.69", material(3, 0.9, 0.1)},
            {"ducks_and_tori", "44.88", "30.2", "3.54", material(2, 1, 0.2)},
            {"balls_in_glass", "15.86", "10.58", "2.34", material(2, 1, 0.5)}};
}

std::function<Running(const WorldSettings&)> without_contacts(const PaperScene& paper) {
    Scene scene = load_scene(paper.name);
    if (problem_with_packages(scene)) return {};
    scene.colliders.clear();
    scene.handles.clear();
    for (SceneBody& body : scene.bodies) body.material = paper.material;
    return [scene](const WorldSettings& settings) mutable -> Running {
        scene.world = settings;
        auto live = std::make_shared<LiveScene>(scene);
        for (const LiveBody& body : live->bodies()) stretch_and_turn(body.body);
        return {live, live->world(), [&l = *live] { l.step(); }};
    };
}

void table1(const Settings& settings, Report& report) {
    const int threads = settings.most_threads();
    Table table = new_table("Table 1 of the 2011 paper, without contacts", "scene", threads);
    for (const PaperScene& paper : paper_scenes()) {
        settings.progress(fmt::format("table1: {}", paper.name));
        const auto make = without_contacts(paper);
        if (!make) {
            table.notes.push_back(
                fmt::format("{} needs Debian's package libcgal-demo", paper.name));
            continue;
        }
        auto contestants = all_variants(settings, "table1", paper.name, make);
        compete(contestants, settings.quick ? 0.05 : 2);
        table.lines.push_back(
            cells(fmt::format("{} ({})", paper.name, contestants[0].row.particles), contestants,
                  threads, paper.naive, paper.fast));
        for (const Contestant& c : contestants) report.rows.push_back(c.row);
    }
    report.tables.push_back(std::move(table));
}

void table2(const Settings& settings, Report& report) {
    constexpr const char* printed[][2] = {
        {"37.3", "42.5"}, {"53.8", "46.7"}, {"82.9", "51.6"}, {"121.5", "56.2"}, {"169.8", "62.1"}};
    const int threads = settings.most_threads();
    Table table =
        new_table("A cube of 30248 particles, all stages but contact, with damping (2011: without)",
                  "omega", threads);
    for (int omega = 1; omega <= (settings.quick ? 2 : 5); ++omega) {
        settings.progress(fmt::format("table2: omega {}", omega));
        const FreeBodies cube{shapes::cube(1, settings.quick ? 20 : 72), 1, plain_material(omega)};
        auto contestants = all_variants(settings, "table2", fmt::format("omega={}", omega),
                                        [&](const WorldSettings& s) -> Running {
                                            auto world =
                                                std::make_shared<World>(free_world(cube, s));
                                            return {world, *world, [&w = *world] { w.step(); }};
                                        });
        compete(contestants, settings.quick ? 0.05 : 2);
        table.lines.push_back(cells(fmt::format("{}", omega), contestants, threads,
                                    printed[omega - 1][0], printed[omega - 1][1]));
        for (const Contestant& c : contestants) report.rows.push_back(c.row);
    }
    report.tables.push_back(std::move(table));
    lattices(settings, report);
}

}  // namespace turgor::speed
