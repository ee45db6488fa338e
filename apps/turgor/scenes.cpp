#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "backend_options.hpp"
#include "commands.hpp"
#include "run.hpp"
#include "scene/builtin.hpp"
#include "scene/package_mesh.hpp"
#include "scene/shapes.hpp"
#include "scene/text_file.hpp"
#include "stats.hpp"
#include "table.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::vector<std::string> names;
    bool json = false, check = false, print = false;
    BackendOptions backend;
};

/// About how many particles, without making anything.
std::size_t particles_of(const Scene& scene) {
    double sum = 0;
    for (const SceneBody& body : scene.bodies) {
        const double fine = estimated_vertices(*body.shape);
        const double coarse =
            static_cast<double>(body.sim_vertices.value_or(static_cast<std::size_t>(fine)));
        sum += fine > 0 ? std::min(fine, coarse) : coarse;
    }
    return static_cast<std::size_t>(sum);
}

/// Of its bodies, by name.
std::set<std::string> models_of(const Scene& scene) {
    std::set<std::string> names;
    for (const SceneBody& body : scene.bodies) names.insert(body.options.model.name);
    return names;
}

struct Outcome {
    RunRecord record;
    std::vector<CheckResult> checks;
    bool held() const {
        return record.whole && !checks.empty() &&
               std::all_of(checks.begin(), checks.end(), [](const auto& c) { return c.held; });
    }
};

Outcome run_checks(const Scene& scene, bool quiet) {
    LiveScene live(scene);
    Monitor monitor(live);
    Frames frames(live, {}, scene.fps);
    Progress progress(scene.name, scene.steps(), quiet);
    Outcome outcome{run(live, monitor, frames, scene.steps(), progress), {}};
    outcome.checks = monitor.results();
    return outcome;
}

Json to_json(const Scene& scene, const std::optional<std::string>& problem) {
    Json entry{{"name", scene.name},
               {"bodies", scene.bodies.size()},
               {"particles", particles_of(scene)},
               {"models", models_of(scene)},
               {"duration", scene.duration},
               {"description", scene.description},
               {"available", !problem}};
    if (problem) entry["problem"] = *problem;
    return entry;
}

/// Where a line that begins at `start` ends: at the last space that fits, or after a word that is
/// too long for any line.
std::size_t end_of_line(const std::string& text, std::size_t start) {
    constexpr std::size_t width = 100;
    if (text.size() - start <= width) return text.size();
    const std::size_t space = text.rfind(' ', start + width);
    if (space != std::string::npos && space > start) return space;
    return std::min(text.size(), text.find(' ', start + 1));
}

void print_wrapped(const std::string& text) {
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = end_of_line(text, start);
        fmt::print("    {}\n", text.substr(start, end - start));
        start = end + 1;
    }
}

void print_scene(const Scene& scene, const std::optional<std::string>& problem) {
    const std::size_t bodies = scene.bodies.size();
    fmt::print("{:<18} {} {} ({}), about {} particles, {:g} s{}\n", scene.name, bodies,
               bodies == 1 ? "body" : "bodies", fmt::join(models_of(scene), ", "),
               particles_of(scene), scene.duration, problem ? " (unavailable)" : "");
    print_wrapped(scene.description);
    if (problem) print_wrapped(*problem);
}

/// Runs the scene's checks; the exit code that they ask for.
int check_scene(const Scene& scene, Json* entry) {
    const Outcome outcome = run_checks(scene, entry != nullptr);
    if (entry) {
        (*entry)["checks"] = turgor::to_json(outcome.checks);
        (*entry)["held"] = outcome.held();
    } else {
        fmt::print("{:<18} {} ({:.3g} ms per step, {:.3g} s)\n", scene.name,
                   outcome.held() ? "holds" : "FAILS", outcome.record.total.median(),
                   outcome.record.wall_seconds);
        print_checks(outcome.checks);
    }
    if (outcome.record.error) throw *outcome.record.error;
    if (outcome.record.signal) return 128 + outcome.record.signal;
    return outcome.held() ? exit_done : exit_failed;
}

std::vector<std::string> names_of(const Options& options) {
    if (!options.names.empty()) return options.names;
    std::vector<std::string> names;
    for (const BuiltInScene& scene : built_in_scenes()) names.emplace_back(scene.name);
    return names;
}

int print_files(const Options& options) {
    for (const std::string& name : names_of(options)) {
        load_scene(name);  // an Error where it is none
        const auto built_in = built_in_scene(name);
        fmt::print("{}", built_in ? std::string(*built_in) : read_text_file(name));
    }
    return exit_done;
}

void note_unchecked(std::size_t unchecked, std::size_t all) {
    if (unchecked > 0)
        fmt::print(stderr, "note: {} of {} scenes not checked, for lack of what they are made of\n",
                   unchecked, all);
}

int list_scenes(const Options& options) {
    int code = exit_done;
    std::size_t unavailable = 0;
    Json list = Json::array();
    for (const std::string& name : names_of(options)) {
        Scene scene = load_scene(name);
        options.backend.apply(scene.world);
        const auto problem = problem_with_packages(scene);
        unavailable += problem.has_value();
        Json entry = to_json(scene, problem);
        if (!options.json && (!options.check || problem)) print_scene(scene, problem);
        if (options.check && !problem) {
            const int checked = check_scene(scene, options.json ? &entry : nullptr);
            if (checked > exit_failed) return checked;
            code = std::max(code, checked);
        }
        list.push_back(std::move(entry));
    }
    if (options.json) fmt::print("{}\n", list.dump(2));
    if (options.check) note_unchecked(unavailable, list.size());
    return code;
}

}  // namespace

void add_scenes_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("scenes", "List the built-in scenes, or check them");
    const auto options = std::make_shared<Options>();
    command->add_option("name", options->names,
                        "Built-in scenes or scene files; default: all that are built in");
    command->add_flag("--json", options->json, "As JSON");
    command->add_flag("--check", options->check, "Run them and say whether their checks hold");
    command->add_flag("--print", options->print, "Print the scene file, to start your own from");
    options->backend.add_to(*command);
    command->callback([options, &run] {
        run = [options] { return options->print ? print_files(*options) : list_scenes(*options); };
    });
}

}  // namespace turgor
