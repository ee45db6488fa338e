#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file_output.hpp"
#include "commands.hpp"
#include "number_in.hpp"
#include "run.hpp"
#include "scene_options.hpp"
#include "stats.hpp"
#include "table.hpp"

namespace turgor {
namespace {

struct Options {
    SceneOptions scene;
    std::optional<std::size_t> steps;
    std::vector<std::string> outputs;
    std::optional<std::string> stats, rest_shape;
    bool quiet = false;

    std::vector<std::string> places() const {
        std::vector<std::string> all = outputs;
        if (stats) all.push_back(*stats);
        if (rest_shape) all.push_back(*rest_shape);
        return all;
    }
};

int finish(const RunRecord& record) {
    if (record.error) throw *record.error;
    if (record.signal == 0) return exit_done;
    fmt::print(stderr,
               "turgor: interrupted after {} steps; the files hold what was done until then\n",
               record.steps);
    return 128 + record.signal;
}

int simulate(const Options& options) {
    require_separate_places(options.scene.inputs, options.places());
    const Scene scene = options.scene.scene();
    if (options.stats) check_can_write_file(*options.stats);
    Outputs outputs = open_outputs(options.outputs, scene.fps);
    if (options.rest_shape) outputs.rest_shape = make_still_writer(*options.rest_shape);
    LiveScene live = [&] {
        const WorkProgress progress(options.quiet);
        return LiveScene(scene);
    }();
    if (!options.quiet) print_notes(live.warnings());
    Monitor monitor(live);
    Frames frames(live, std::move(outputs), scene.fps);
    Progress progress(scene.name, options.steps.value_or(scene.steps()), options.quiet);
    const RunRecord record =
        run(live, monitor, frames, options.steps.value_or(scene.steps()), progress);
    if (options.stats) write_json(*options.stats, make_stats(live, monitor, frames, record));
    if (!options.quiet) {
        print_notes(frames.warnings());
        print_table(live, monitor, frames, record, options.stats);
    }
    return finish(record);
}

void add_output_options(CLI::App& command, Options& o) {
    command.add_option("--out", o.outputs, fmt::format("Write {}; repeatable", output_endings()))
        ->allow_extra_args(false)
        ->option_text("FILE");
    command
        .add_option(
            "--rest-shape", o.rest_shape,
            fmt::format("At the end, write the shapes that the soft bodies come back to, in "
                        "which plastic ones\nkeep their dents: {}, an object for each body",
                        still_endings))
        ->option_text("FILE");
    command
        .add_option("--stats", o.stats,
                    "Write figures as JSON. The volume error is that of bodies that keep their\n"
                    "volume, without the steps in which they were recovering their shape")
        ->option_text("FILE");
    command.add_flag("--quiet", o.quiet, "Print nothing but errors");
}

}  // namespace

void add_simulate_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("simulate", "Run a scene, or drop meshes onto the ground");
    const auto options = std::make_shared<Options>();
    options->scene.add_to(*command);
    command->add_option("--steps", options->steps, "How many steps; default: the scene's duration")
        ->check(number_in(1, 1e9))
        ->option_text("N");
    add_output_options(*command, *options);
    command->callback([options, &run] { run = [options] { return simulate(*options); }; });
}

}  // namespace turgor
