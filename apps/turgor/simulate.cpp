#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "backend_options.hpp"
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
    std::string model = "surface";
    BackendOptions backend;
    SceneOverrides overrides;
    std::optional<double> scale;
    std::optional<std::string> up;
    std::vector<std::string> outputs;
    std::optional<std::string> stats;
    bool quiet = false;
};

void require_in_build(const Options& options) {
    if (options.model != "surface")
        fail(ErrorCode::missing, "the model '{}' is not in this build; use --model surface",
             options.model);
}

Scene named_scene(const std::string& name, const Options& options) {
    if (options.scale || options.up)
        fail(ErrorCode::bad_argument,
             "--scale and --up are for meshes, but '{}' is a scene; set scale and rotation of its "
             "bodies in a scene file",
             name);
    return load_scene(name);
}

double scale_of(const Options& options) {
    const double scale = options.scale.value_or(1);
    if (!(scale >= 1e-9 && scale <= 1e9))
        fail(ErrorCode::bad_argument, "--scale is {} but must be between 1e-9 and 1e9", scale);
    return scale;
}

Scene scene_of(const Options& options) {
    if (options.inputs.empty()) return named_scene(std::string(default_scene), options);
    const auto scenes = std::count_if(options.inputs.begin(), options.inputs.end(), names_a_scene);
    if (scenes == 0)
        return drop_scene({options.inputs.begin(), options.inputs.end()},
                          {scale_of(options), options.up == "z"});
    if (options.inputs.size() > 1)
        fail(ErrorCode::bad_argument,
             "give one scene or any number of meshes, not '{}' together with others",
             *std::find_if(options.inputs.begin(), options.inputs.end(), names_a_scene));
    return named_scene(options.inputs.front(), options);
}

/// No file may be read and written, or written twice.
void require_separate_places(const Options& options) {
    std::set<std::filesystem::path> taken;
    const auto take = [&](const std::filesystem::path& place, bool is_input) {
        auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(place));
        if (!path.has_filename()) path = path.parent_path();
        if (!taken.insert(path).second && !is_input)
            fail(ErrorCode::bad_argument,
                 "'{}' would be written over an input or another output; choose another name",
                 place.string());
    };
    for (const std::string& input : options.inputs)
        if (std::filesystem::exists(input)) take(input, true);
    for (const std::string& output : options.outputs) {
        take(output, false);
        if (output.ends_with(".pc2"))
            take(std::filesystem::path(output).replace_extension(".base.obj"), false);
    }
    if (options.stats) take(*options.stats, false);
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
    require_separate_places(options);
    Scene scene = scene_of(options);
    apply(options.overrides, scene);
    options.backend.apply(scene.world, &scene.notes);
    if (options.stats) check_can_write_file(*options.stats);
    FrameWriters outputs = open_outputs(options.outputs, scene.fps);
    LiveScene live(scene);
    if (!options.quiet) print_warnings(live.warnings());
    Monitor monitor(live);
    Frames frames(live, std::move(outputs), scene.fps);
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

void add_overrides(CLI::App& command, SceneOverrides& o) {
    const auto add = [&](const char* name, auto& target, const char* value, const char* about) {
        command.add_option(name, target, about)
            ->option_text(value)
            ->group("What the scene says, overridden");
    };
    add("--material", o.material, "NAME",
        "jelly, gummy, rubber, flesh, dough, or one of the scene's own");
    add("--omega", o.omega, "N", "Region width in edges, 1 to 16");
    add("--stiffness", o.stiffness, "S", "Share of the way to the goal shape per 5 ms, 0 to 1");
    add("--damping", o.damping, "K", "Share of the non-rigid velocity removed per 5 ms, 0 to 1");
    add("--alpha", o.alpha, "A", "Where volume goes: 0 next to a squeeze, 1 everywhere alike");
    add("--beta", o.beta, "B", "How much the thickness counts for that, 0 to 1");
    add("--volume", o.volume, "MODE", "local, global or off");
    add("--formulation", o.formulation, "NAME", "turgor, or paper: as published in 2011");
    add("--dt", o.dt, "S", "Time step [s]");
    add("--fps", o.fps, "N",
        "Frames per second of the outputs; the simulation does not depend on it");
    add("--sim-vertices", o.sim_vertices, "N",
        "Simulate meshes of about N vertices, show the fine ones");
}

void add_run_options(CLI::App& command, Options& o) {
    command.add_option("--steps", o.steps, "How many steps; default: the scene's duration")
        ->check(CLI::Range(1.0, 1e9))
        ->option_text("N");
    command.add_option("--model", o.model, "surface, meshless, lattice, cells or oriented")
        ->check(CLI::IsMember({"surface", "meshless", "lattice", "cells", "oriented"}))
        ->option_text("NAME");
    o.backend.add_to(command);
}

void add_mesh_options(CLI::App& command, Options& o) {
    command.add_option("--scale", o.scale, "Multiply their lengths, e.g. by 0.001 for millimetres")
        ->option_text("S")
        ->group("Meshes");
    command.add_option("--up", o.up, "The axis that points up in them, y or z")
        ->check(CLI::IsMember({"y", "z"}))
        ->option_text("AXIS")
        ->group("Meshes");
}

void add_output_options(CLI::App& command, Options& o) {
    command
        .add_option("--out", o.outputs, "Write frames: .glb .usda .pc2 .obj/ .ply/ (repeatable)")
        ->allow_extra_args(false)
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
    command
        ->add_option(
            "input", options->inputs,
            "A built-in scene, a scene file (.json), or meshes (.obj .ply .stl .off .gltf\n"
            ".glb); default: gummy_bears")
        ->option_text("SCENE|MESH...");
    add_run_options(*command, *options);
    add_output_options(*command, *options);
    add_overrides(*command, options->overrides);
    add_mesh_options(*command, *options);
    command->callback([options, &run] { run = [options] { return simulate(*options); }; });
}

}  // namespace turgor
