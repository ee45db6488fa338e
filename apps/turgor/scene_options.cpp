#include "scene_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/errors.hpp"
#include "elastic/model.hpp"
#include "scene/builtin.hpp"

namespace turgor {
namespace {

Scene named_scene(const std::string& name, const SceneOptions& options) {
    if (options.scale || options.up)
        fail(ErrorCode::bad_argument,
             "--scale and --up are for meshes, but '{}' is a scene; set scale and rotation of its "
             "bodies in a scene file",
             name);
    if (options.wrap == MeshDrop::Wrap::all)
        fail(ErrorCode::bad_argument,
             "--wrap is for meshes, but '{}' is a scene; set \"wrap\": true for its bodies in a "
             "scene file",
             name);
    return load_scene(name);
}

double scale_of(const SceneOptions& options) {
    const double scale = options.scale.value_or(1);
    if (!(scale >= 1e-9 && scale <= 1e9))
        fail(ErrorCode::bad_argument, "--scale is {} but must be between 1e-9 and 1e9", scale);
    return scale;
}

/// Whether the model that is asked for makes bodies of open meshes. What is no model is told later.
bool takes_any_mesh(const SceneOverrides& overrides) {
    if (!overrides.model) return false;
    const std::string name = overrides.model->substr(0, overrides.model->find(':'));
    const std::vector<std::string> names = Model::names();
    return std::ranges::find(names, name) != names.end() && model_named(name).traits().any_mesh;
}

Scene scene_of_meshes(const SceneOptions& options) {
    const bool any_mesh = takes_any_mesh(options.overrides);
    if (any_mesh && options.wrap == MeshDrop::Wrap::all)
        fail(ErrorCode::bad_argument,
             "--wrap makes cages for models that need one; --model {} takes any mesh as it is, so "
             "leave one of the two out",
             *options.overrides.model);
    return drop_scene({options.inputs.begin(), options.inputs.end()},
                      {.scale = scale_of(options),
                       .z_up = options.up == "z",
                       .simplified = any_mesh || options.overrides.sim_vertices.has_value(),
                       .wrap = options.wrap,
                       .any_mesh = any_mesh});
}

Scene scene_of(const SceneOptions& options) {
    if (options.inputs.empty()) return named_scene(std::string(default_scene), options);
    const auto scenes = std::count_if(options.inputs.begin(), options.inputs.end(), names_a_scene);
    if (scenes == 0) return scene_of_meshes(options);
    if (options.inputs.size() > 1)
        fail(ErrorCode::bad_argument,
             "give one scene or any number of meshes, not '{}' together with others",
             *std::find_if(options.inputs.begin(), options.inputs.end(), names_a_scene));
    return named_scene(options.inputs.front(), options);
}

/// A line for each model, such as "meshless:mode=rigid|linear|quadratic,beta=0-0.95".
std::vector<std::string> settings_of_models() {
    std::vector<std::string> lines;
    for (const ElasticModel* model : models()) {
        std::vector<std::string> settings;
        for (const ElasticModel::Setting& s : model->settings())
            settings.push_back(s.choices.empty()
                                   ? fmt::format("{}={:g}-{:g}", s.name, s.least, s.most)
                                   : fmt::format("{}={}", s.name, fmt::join(s.choices, "|")));
        lines.push_back(fmt::format("\n  {}:{}", model->name(), fmt::join(settings, ",")));
    }
    return lines;
}

void add_overrides(CLI::App& command, SceneOverrides& o) {
    const auto add = [&](const char* name, auto& target, const char* value, const char* about) {
        command.add_option(name, target, about)
            ->option_text(value)
            ->group("What the scene says, overridden");
    };
    const std::string models = fmt::format(
        "How bodies resist being deformed: {}; settings of\nthat model come after a colon, "
        "the others follow from the material:{}",
        fmt::join(Model::names(), ", "), fmt::join(settings_of_models(), ""));
    add("--model", o.model, "NAME[:…]", models.c_str());
    add("--material", o.material, "NAME",
        "jelly, gummy, rubber, flesh, or clay, dough, metal, foam, which keep dents, or one of "
        "the\n"
        "scene's own");
    add("--omega", o.omega, "N", "Of the surface model: region width in edges, 1 to 16");
    add("--stiffness", o.stiffness, "S",
        "Likewise: share of the way to the goal shape per 5 ms, 0 to 1");
    add("--damping", o.damping, "K",
        "Likewise: share of the non-rigid velocity removed per 5 ms, 0 to 1");
    add("--alpha", o.alpha, "A",
        "Of materials: where volume goes, 0 next to a squeeze, 1 everywhere alike");
    add("--beta", o.beta, "B",
        "Likewise: how much the thickness counts for that, 0 to 1; no setting of a model");
    add("--volume", o.volume, "MODE", "local, global or off");
    add("--formulation", o.formulation, "NAME", "turgor, or paper: as published");
    add("--dt", o.dt, "S", "Time step [s]");
    add("--fps", o.fps, "N",
        "Frames per second of the outputs; the simulation does not depend on it");
    add("--sim-vertices", o.sim_vertices, "N",
        "Simulate meshes of about N vertices, show the fine ones");
}

void add_mesh_options(CLI::App& command, SceneOptions& o) {
    command.add_option("--scale", o.scale, "Multiply their lengths, e.g. by 0.001 for millimetres")
        ->option_text("S")
        ->group("Meshes");
    command.add_option("--up", o.up, "The axis that points up in them, y or z")
        ->check(CLI::IsMember({"y", "z"}))
        ->option_text("AXIS")
        ->group("Meshes");
    command
        .add_flag_callback(
            "--wrap", [&o] { o.wrap = MeshDrop::Wrap::all; },
            "They may be anything, open, sheets, parts, points, lines: a closed cage of about\n"
            "--sim-vertices (default 2000) vertices around each is simulated and carries it along")
        ->group("Meshes");
}

}  // namespace

Scene SceneOptions::scene() const {
    Scene scene = scene_of(*this);
    apply(overrides, scene);
    backend.apply(scene.world, &scene.notes);
    return scene;
}

void SceneOptions::add_to(CLI::App& command) {
    command
        .add_option("input", inputs,
                    "A built-in scene, a scene file (.json), or meshes (.obj .ply .stl .off .gltf\n"
                    ".glb); default: gummy_bears")
        ->option_text("SCENE|MESH...");
    backend.add_to(command);
    add_overrides(command, overrides);
    add_mesh_options(command, *this);
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

void require_separate_places(const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
    std::set<std::filesystem::path> taken;
    const auto take = [&](const std::filesystem::path& place, bool is_input) {
        auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(place));
        if (!path.has_filename()) path = path.parent_path();
        if (!taken.insert(path).second && !is_input)
            fail(ErrorCode::bad_argument,
                 "'{}' would be written over an input or another output; choose another name",
                 place.string());
    };
    for (const std::string& input : inputs)
        if (std::filesystem::exists(input)) take(input, true);
    for (const std::string& output : outputs) {
        if (output.empty())
            fail(ErrorCode::bad_argument,
                 "the name of an output is empty; give a file or a folder");
        take(output, false);
        if (output.ends_with(".pc2"))
            take(std::filesystem::path(output).replace_extension(".base.obj"), false);
    }
}

}  // namespace turgor
