#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "../commands.hpp"
#include "../number_in.hpp"
#include "../scene_options.hpp"
#include "../signals.hpp"
#include "../stats.hpp"
#include "base/file_output.hpp"
#include "viewer/viewer.hpp"

namespace turgor {
namespace {

struct Options {
    SceneOptions scene;
    std::optional<double> seconds;
    std::optional<std::string> stats;
};

nlohmann::ordered_json to_json(const ViewReport& report) {
    const Vec3 eye = report.camera.position();
    return {{"frames", report.counts.frames},
            {"steps", report.steps},
            {"time", report.time},
            {"bodies", report.bodies},
            {"grabs", report.counts.grabs},
            {"pins", report.counts.pins},
            {"drops", report.counts.drops},
            {"pictures", report.counts.pictures},
            {"fine", report.fine},
            {"driver", report.driver},
            {"camera", {eye.x, eye.y, eye.z}},
            {"message", report.message}};
}

int show(const Options& options) {
    if (options.stats) check_can_write_file(*options.stats);
    ViewOptions view_options;
    view_options.seconds = options.seconds;
    if (!options.scene.inputs.empty()) {
        view_options.name = std::filesystem::path(options.scene.inputs.front()).filename().string();
        const Scene scene = options.scene.scene();
        view_options.scene = [scene] { return scene; };
    }
    view_options.load = [scene = options.scene](const std::string& name) mutable {
        scene.inputs = {name};
        scene.scale = {}, scene.up = {}, scene.wrap = MeshDrop::Wrap::none;  // of meshes
        return scene.scene();
    };
    const SignalWatch watch;
    view_options.interrupted = [] { return SignalWatch::received() != 0; };
    const ViewReport report = view(view_options);
    if (options.stats) write_json(*options.stats, to_json(report));
    return SignalWatch::received() ? 128 + SignalWatch::received() : int{exit_done};
}

}  // namespace

void add_view_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("view", "Show a scene in a window and touch it");
    const auto options = std::make_shared<Options>();
    options->scene.wrap = MeshDrop::Wrap::open;
    options->scene.add_to(*command);
    command->add_option("--seconds", options->seconds, "Close by itself after so long")
        ->check(number_in(0, 1e6))
        ->option_text("S");
    command->add_option("--stats", options->stats, "When closed, write what was done as JSON")
        ->option_text("FILE");
    command->callback([options, &run] { run = [options] { return show(*options); }; });
}

}  // namespace turgor
