#include "scene/read_bodies.hpp"

#include <fmt/format.h>

#include <array>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "elastic/model.hpp"
#include "scene/read_contact.hpp"
#include "scene/read_shape.hpp"
#include "scene/vertex_numbers.hpp"

namespace turgor {
namespace {

constexpr std::size_t most_bodies = 100000;

constexpr std::array<std::string_view, 8> start_names{
    "rest", "flat", "point", "random_box", "mirrored", "shrunk", "inside_out", "one_point"};

BodyStart start_named(const std::string& name) {
    for (std::size_t i = 0; i < start_names.size(); ++i)
        if (start_names[i] == name) return static_cast<BodyStart>(i);
    fail(ErrorCode::failed, "the schema of scenes knows a start '{}' that the reader does not",
         name);
}

Material material_at(const Node& node, const Scene& scene) {
    try {
        return material_named(scene, node.value.get<std::string>());
    } catch (const Error& e) {
        node.fail(e.what());
    }
}

/// Changes what is given.
void read_plasticity(const Node& node, std::optional<Plasticity>& target) {
    if (!target) target.emplace();
    node.get("yield", target->yield);
    node.get("flow_time", target->flow_time);
    node.get("creep_time", target->creep_time);
    node.get("healing_time", target->healing_time);
    node.get("cap", target->cap);
    node.get("hardening", target->hardening);
}

/// Any model of the schema: its settings are taken by their names.
Model read_model(const Node& node) {
    const std::string name = node.only_key();
    const Node settings = node[name.c_str()];
    Model model{name};
    try {
        const ElasticModel& known = model_named(name);
        for (const auto& setting : settings.value.items())
            model.settings[setting.key()] =
                setting.value().is_string()
                    ? setting_value(known, setting.key(), setting.value().get<std::string>())
                    : setting.value().get<double>();
        model_of(model);
    } catch (const Error& e) {
        settings.fail(e.what());
    }
    return model;
}

void read_color(const Node& node, Vec3f& target) {
    if (node.has("color")) target = to_float(read_vector(node["color"]));
}

/// What a body and a placement of it can both say.
void read_placement(const Node& node, const Scene& scene, SceneBody& body) {
    body.where = node.at;
    BodyOptions& options = body.options;
    node.get("scale", options.scale);
    node.get("gravity_factor", options.gravity_factor);
    node.get("self_contact", options.self_contact);
    node.get("clearance", body.clearance);
    read_vector(node, "position", options.position);
    read_rotation(node, "rotation", options.rotation);
    read_vector(node, "velocity", options.velocity);
    read_vector(node, "angular_velocity", options.angular_velocity);
    read_color(node, options.colour);
    read_filter(node, scene, options.filter);
    if (node.has("material")) body.material = read_material(node["material"], scene);
    if (node.has("model")) options.model = read_model(node["model"]);
    if (node.has("volume"))
        options.volume = volume_mode_named(node["volume"].value.get<std::string>());
    if (node.has("start")) body.start = start_named(node["start"].value.get<std::string>());
}

/// What makes a surface to be simulated is for models that simulate one.
void require_use(const Node& node, const SceneBody& body) {
    if (!model_named(body.options.model.name).traits().any_mesh) return;
    for (const char* key : {"wrap", "sim_vertices"})
        if (node.has(key))
            node[key].fail(fmt::format(
                "the model \"{}\" takes any mesh as it is; leave this out, or use another model",
                body.options.model.name));
}

void append(Scene& scene, SceneBody body, std::string wanted, const Node& node) {
    if (scene.bodies.size() >= most_bodies)
        node.fail(fmt::format("makes more than {} bodies; use fewer copies", most_bodies));
    body.name = std::move(wanted);
    scene.bodies.push_back(std::move(body));
}

std::string numbered(const std::string& name, std::size_t k) {
    return k == 0 ? name : fmt::format("{}.{}", name, k + 1);
}

void append_grid(const Node& node, const SceneBody& body, Scene& scene) {
    const auto grid = node.value.at("grid").get<std::array<double, 3>>();
    if (grid[0] * grid[1] * grid[2] > static_cast<double>(most_bodies))
        node["grid"].fail(fmt::format("makes more than {} bodies", most_bodies));
    const Vec3 spacing = read_vector(node["spacing"]);
    const Vec3 corner{-spacing.x * (grid[0] - 1) / 2, 0, -spacing.z * (grid[2] - 1) / 2};
    std::uint32_t seed = 1;
    double jitter = 0;
    bool turn = false;
    node.get("seed", seed);
    node.get("jitter", jitter);
    node.get("turn", turn);
    Random random(seed);
    std::size_t k = 0;
    for (double y = 0; y < grid[1]; ++y)
        for (double z = 0; z < grid[2]; ++z)
            for (double x = 0; x < grid[0]; ++x, ++k) {
                SceneBody copy = body;
                copy.options.position +=
                    corner + Vec3{x * spacing.x, y * spacing.y, z * spacing.z} +
                    random.in_box({-jitter, -jitter, -jitter}, {jitter, jitter, jitter});
                if (turn) copy.options.rotation = random.rotation();
                if (node.has("colors")) {
                    const Node colors = node["colors"];
                    copy.options.colour = to_float(read_vector(colors[k % colors.size()]));
                }
                append(scene, std::move(copy), numbered(body.group, k), node);
            }
}

void append_list(const Node& node, const SceneBody& body, Scene& scene) {
    for (std::size_t k = 0; k < node.size(); ++k) {
        const Node placement = node[k];
        SceneBody copy = body;
        read_placement(placement, scene, copy);
        std::string name = numbered(body.group, k);
        placement.get("name", name);
        append(scene, std::move(copy), name, placement);
    }
}

}  // namespace

Material read_material(const Node& node, const Scene& scene) {
    if (node.value.is_string()) return material_at(node, scene);
    Material m = node.has("base") ? material_at(node["base"], scene) : Material::named("gummy");
    node.get("density", m.density);
    node.get("frequency", m.frequency);
    node.get("damping_ratio", m.damping_ratio);
    node.get("alpha", m.alpha);
    node.get("beta", m.beta);
    node.get("friction", m.friction);
    node.get("static_friction", m.static_friction);
    node.get("restitution", m.restitution);
    node.get("surface", m.surface);
    node.get("omega", m.omega);
    node.get("stiffness", m.stiffness);
    node.get("damping", m.damping);
    if (node.has("plasticity")) read_plasticity(node["plasticity"], m.plasticity);
    if (const auto problem = problem_with(m)) node.fail(*problem);
    return m;
}

void read_body(const Node& node, Scene& scene) {
    SceneBody body;
    const Node shape = node["shape"];
    body.shape = std::make_shared<const Shape>(read_shape(shape));
    body.group = shape.only_key();
    node.get("name", body.group);
    node.get("sim_vertices", body.sim_vertices);
    node.get("wrap", body.wrap);
    node.get("size", body.size);
    const auto read_numbers = [&](const char* key, std::shared_ptr<const VertexNumbers>& target) {
        if (node.has(key))
            target = std::make_shared<const VertexNumbers>(read_vertex_numbers(node[key]));
    };
    read_numbers("relative_masses", body.relative_masses);
    read_numbers("matching_weights", body.matching_weights);
    read_placement(node, scene, body);
    require_use(node, body);
    for (const SceneBody& other : scene.bodies)
        if (node.has("name") && other.group == body.group)
            node["name"].fail(fmt::format(
                "two bodies are called \"{}\"; give each a name of its own", body.group));
    if (!node.has("copies")) return append(scene, body, body.group, node);
    const Node copies = node["copies"];
    if (copies.value.is_object())
        append_grid(copies, body, scene);
    else
        append_list(copies, body, scene);
}

}  // namespace turgor
