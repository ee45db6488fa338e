#include "scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "elastic/model.hpp"
#include "scene/builtin.hpp"
#include "scene/text_file.hpp"
#include "scene/words.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

bool has_setting(const ElasticModel& model, std::string_view name) {
    return std::ranges::any_of(model.settings(), [&](const auto& s) { return s.name == name; });
}

/// Whose setting it is that this model does not know; nothing where it is nobody's.
std::string whose(std::string_view setting) {
    std::string hint;
    for (const ElasticModel* model : models())
        if (has_setting(*model, setting))
            hint += fmt::format("{} of the model '{}'", hint.empty() ? ", but one" : " and",
                                model->name());
    const bool of_materials = setting == "alpha" || setting == "beta";
    if (of_materials)
        hint += fmt::format("{} --{} is that of materials", hint.empty() ? ";" : ", and", setting);
    return hint;
}

void require_own_settings(const ElasticModel& model, std::string_view pairs) {
    while (!pairs.empty()) {
        const std::string_view pair = pairs.substr(0, pairs.find(','));
        pairs.remove_prefix(std::min(pairs.size(), pair.size() + 1));
        const std::string_view setting = pair.substr(0, pair.find('='));
        if (has_setting(model, setting)) continue;
        if (const std::string hint = whose(setting); !hint.empty())
            fail(ErrorCode::bad_argument, "'{}' is no setting of the model '{}'{}", setting,
                 model.name(), hint);
    }
}

/// "NAME" or "NAME:SETTING=VALUE,…".
Model model_given(const std::string& text) {
    const std::string name = text.substr(0, text.find(':'));
    const std::vector<std::string> names = Model::names();
    if (std::ranges::find(names, name) == names.end())
        fail(ErrorCode::bad_argument, "there is no model '{}'{}; there is {}", name,
             did_you_mean(name, names), listed(names));
    require_own_settings(model_named(name),
                         std::string_view(text).substr(std::min(text.size(), name.size() + 1)));
    return Model::parse(text);
}

/// What a material says for one model only would be lost without a word on bodies of others.
void require_a_body_for(const SceneOverrides& o, const Scene& scene) {
    constexpr std::string_view model = "surface";
    if (std::ranges::any_of(scene.bodies, [&](auto& b) { return b.options.model.name == model; }))
        return;
    const auto check = [&](const char* option, bool given) {
        if (!given || scene.bodies.empty()) return;
        const std::string& other = scene.bodies.front().options.model.name;
        const std::string hint =
            has_setting(model_named(other), option)
                ? fmt::format("; write --model {}:{}=… for theirs", other, option)
                : "";
        fail(ErrorCode::bad_argument,
             "--{} is for the model '{}', but the bodies here have the model '{}'{}", option, model,
             other, hint);
    };
    check("omega", o.omega.has_value());
    check("stiffness", o.stiffness.has_value());
    check("damping", o.damping.has_value());
}

/// Coarse meshes are for models that simulate a surface.
void require_a_surface_for(const SceneOverrides& o, const Scene& scene) {
    if (!o.sim_vertices || scene.bodies.empty()) return;
    const auto takes_any_mesh = [](const SceneBody& body) {
        return model_named(body.options.model.name).traits().any_mesh;
    };
    if (std::ranges::all_of(scene.bodies, takes_any_mesh))
        fail(ErrorCode::bad_argument,
             "--sim-vertices is for models that simulate a surface, but the bodies here have the "
             "model '{0}', which takes meshes as they are; write --model {0}:cells=… for coarser "
             "or finer ones",
             scene.bodies.front().options.model.name);
}

/// The settings of a body that has the model already stay, but for those that are given.
void override_model(const SceneOverrides& o, Model& model) {
    if (o.model) {
        const Model wanted = model_given(*o.model);
        if (wanted.name != model.name) model = {wanted.name};
        for (const auto& [name, value] : wanted.settings) model.settings[name] = value;
    }
    if (model.name != "surface") return;
    // A model's settings win over the material, which these change.
    if (o.omega) model.settings.erase("omega");
    if (o.stiffness) model.settings.erase("stiffness");
    if (o.damping) model.settings.erase("damping");
}

void override_material(const SceneOverrides& o, Material& m) {
    if (o.omega) m.omega = o.omega;
    if (o.stiffness) m.stiffness = o.stiffness;
    if (o.damping) m.damping = o.damping;
    if (o.alpha) m.alpha = *o.alpha;
    if (o.beta) m.beta = *o.beta;
    if (const auto problem = problem_with(m)) fail(ErrorCode::bad_argument, "{}", *problem);
}

void require_between(const char* what, double value, double low, double high) {
    if (!(value >= low && value <= high))
        fail(ErrorCode::bad_argument, "{} is {} but must be between {} and {}", what, value, low,
             high);
}

bool looks_like_a_path(const std::string& name) {
    return name.find('/') != std::string::npos || fs::path(name).has_extension();
}

}  // namespace

std::size_t Scene::steps() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(duration / dt)));
}

VolumeMode volume_mode_named(std::string_view name) {
    if (name == "local") return VolumeMode::local;
    if (name == "global") return VolumeMode::global;
    if (name == "off") return VolumeMode::off;
    fail(ErrorCode::bad_argument, "there is no volume mode '{}'; there is local, global and off",
         name);
}

Formulation formulation_named(std::string_view name) {
    if (name == "turgor") return {};
    if (name == "paper") return Formulation::paper();
    fail(ErrorCode::bad_argument, "there is no formulation '{}'; there is turgor and paper", name);
}

Material material_named(const Scene& scene, std::string_view name) {
    std::vector<std::string> known;
    for (const auto& [own, material] : scene.materials) {
        if (own == name) return material;
        known.push_back(own);
    }
    for (const auto preset : Material::names()) {
        if (preset == name) return Material::named(name);
        known.emplace_back(preset);
    }
    fail(ErrorCode::bad_argument, "there is no material \"{}\"; there is {}", name, listed(known));
}

bool names_a_scene(const std::string& name) {
    if (built_in_scene(name) || fs::path(name).extension() == ".json") return true;
    return !looks_like_a_path(name) && !is_there(name);
}

Scene load_scene(const std::string& name_or_file) {
    if (const auto text = built_in_scene(name_or_file))
        return parse_scene(*text, name_or_file + ".json");
    if (!looks_like_a_path(name_or_file) && !is_there(name_or_file)) {
        std::vector<std::string> names;
        for (const BuiltInScene& scene : built_in_scenes()) names.emplace_back(scene.name);
        fail(ErrorCode::bad_argument, "there is no scene '{}'{}; built in are {}", name_or_file,
             did_you_mean(name_or_file, names), built_in_names());
    }
    return parse_scene(read_text_file(name_or_file), name_or_file);
}

void apply(const SceneOverrides& o, Scene& scene) {
    if (o.dt) require_between("--dt", *o.dt, 1e-5, 0.25), scene.dt = *o.dt;
    if (o.fps) require_between("--fps", *o.fps, 1e-3, 1e5), scene.fps = *o.fps;
    if (o.formulation) scene.world.formulation = formulation_named(*o.formulation);
    if (o.sim_vertices)
        require_between("--sim-vertices", static_cast<double>(*o.sim_vertices), 20, 2e6);
    if (o.model) model_given(*o.model);
    for (SceneBody& body : scene.bodies) {
        override_model(o, body.options.model);
        if (o.material) body.material = material_named(scene, *o.material);
        override_material(o, body.material);
        if (o.volume) body.options.volume = volume_mode_named(*o.volume);
        if (o.sim_vertices) body.sim_vertices = o.sim_vertices;
    }
    require_a_body_for(o, scene);
    require_a_surface_for(o, scene);
}

}  // namespace turgor
