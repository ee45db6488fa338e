#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "commands.hpp"
#include "run.hpp"
#include "scene/builtin.hpp"
#include "stats.hpp"
#include "table.hpp"

namespace turgor {
namespace {

struct Options {
    std::vector<std::string> inputs;
    std::optional<std::size_t> steps;
    std::string backend = "auto", model = "surface";
    int threads = 0;
    SceneOverrides overrides;
    MeshDrop drop;
    std::string up = "y";
    std::vector<std::string> outputs;
    std::optional<std::string> stats;
    bool quiet = false;
};

void require_in_build(const Options& options) {
    if (options.backend == "cpu" || options.backend == "opencl")
        fail(ErrorCode::missing, "the back end '{}' is not in this build; use --backend reference",
             options.backend);
    if (options.model != "surface")
        fail(ErrorCode::missing, "the model '{}' is not in this build; use --model surface",
             options.model);
}

Scene scene_of(const Options& options) {
    if (options.inputs.empty()) return load_scene(std::string(default_scene));
    const auto scenes = std::count_if(options.inputs.begin(), options.inputs.end(), names_a_scene);
    if (scenes == 0)
        return drop_scene({options.inputs.begin(), options.inputs.end()}, options.drop);
    if (options.inputs.size() > 1)
        fail(ErrorCode::bad_argument,
             "give one scene or any number of meshes, not '{}' together with others",
             *std::find_if(options.inputs.begin(), options.inputs.end(), names_a_scene));
    return load_scene(options.inputs.front());
}

void print_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) fmt::print(stderr, "note: {}\n", warning);
}

int finish(const RunRecord& record) {
    if (record.error) throw *record.error;
    if (record.signal == 0) return exit_done;
    fmt::print(stderr,
               "turgor: interrupted after {} steps; the files hold what was done until then\n",
               record.steps);
    return 128 + record.signal;
}

int simulate(const Options& options) {
    require_in_build(options);
    Scene scene = scene_of(options);
    apply(options.overrides, scene);
    if (options.stats) check_can_write_file(*options.stats);
    LiveScene live(scene);
    if (!options.quiet) print_warnings(live.warnings());
    Monitor monitor(live);
    Frames frames(live, options.outputs, scene.fps);
    Progress progress(scene.name, options.steps.value_or(scene.steps()), options.quiet);
    const RunRecord record =
        run(live, monitor, frames, options.steps.value_or(scene.steps()), progress);
    if (options.stats) write_json(*options.stats, make_stats(live, monitor, frames, record));
    if (!options.quiet) {
        print_warnings(frames.warnings());
        print_table(live, monitor, frames, record, options.stats);
    }
    return finish(record);
}

void add_material_options(CLI::App& command, SceneOverrides& o) {
    const char* group = "What the scene says, overridden";
    command
        .add_option("--material", o.material,
                    "jelly, gummy, rubber, flesh, dough, or one of the scene's own")
        ->group(group);
    command.add_option("--omega", o.omega, "Region width in edges, 1 to 16")->group(group);
    command
        .add_option("--stiffness", o.stiffness,
                    "Share of the way to the goal shape per 5 ms, 0 to 1")
        ->group(group);
    command
        .add_option("--damping", o.damping,
                    "Share of the non-rigid velocity removed per 5 ms, 0 to 1")
        ->group(group);
    command
        .add_option("--alpha", o.alpha, "Volume moves 0: next to a squeeze, 1: everywhere alike")
        ->group(group);
    command.add_option("--beta", o.beta, "How much the thickness counts for that, 0 to 1")
        ->group(group);
    command.add_option("--volume", o.volume, "local, global or off")->group(group);
    command.add_option("--formulation", o.formulation, "turgor, or paper: as published in 2011")
        ->group(group);
    command.add_option("--dt", o.dt, "Time step [s]")->group(group);
    command
        .add_option("--fps", o.fps,
                    "Frames per second of the outputs; the simulation does not depend on it")
        ->group(group);
    command
        .add_option("--sim-vertices", o.sim_vertices,
                    "Simulate meshes simplified to about so many vertices, show the fine ones")
        ->group(group);
}

}  // namespace

void add_simulate_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("simulate", "Run a scene, or drop meshes onto the ground");
    const auto options = std::make_shared<Options>();
    command->add_option(
        "input", options->inputs,
        "A built-in scene, a scene file (.json), or meshes (.obj .ply .stl .off .gltf .glb); "
        "default: gummy_bears");
    command->add_option("--steps", options->steps, "How many steps; default: the scene's duration")
        ->check(CLI::Range(1.0, 1e9));
    command->add_option("--threads", options->threads, "Threads; the reference back end uses one")
        ->check(CLI::Range(0, 1024));
    command->add_option("--backend", options->backend, "auto, reference, cpu or opencl")
        ->check(CLI::IsMember({"auto", "reference", "cpu", "opencl"}));
    command->add_option("--model", options->model, "surface, meshless, lattice, cells or oriented")
        ->check(CLI::IsMember({"surface", "meshless", "lattice", "cells", "oriented"}));
    add_material_options(*command, options->overrides);
    command
        ->add_option("--scale", options->drop.scale,
                     "For meshes: multiply their lengths, e.g. 0.001 for millimetres")
        ->check(CLI::Range(1e-9, 1e9));
    command->add_option("--up", options->up, "For meshes: the axis that points up in them, y or z")
        ->check(CLI::IsMember({"y", "z"}));
    command
        ->add_option("--out", options->outputs,
                     "Write frames: .glb .usda .pc2 .obj/ .ply/ (repeatable)")
        ->allow_extra_args(false);
    command->add_option(
        "--stats", options->stats,
        "Write figures as JSON. Its volume error counts bodies that keep their volume, in "
        "steps in which they were not recovering their shape");
    command->add_flag("--quiet", options->quiet, "Print nothing but errors");
    command->callback([options, &run] {
        options->drop.z_up = options->up == "z";
        run = [options] { return simulate(*options); };
    });
}

}  // namespace turgor
