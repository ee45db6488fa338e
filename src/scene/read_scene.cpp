#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "scene/builtin.hpp"
#include "scene/read_bodies.hpp"
#include "scene/read_contact.hpp"
#include "scene/read_shape.hpp"
#include "scene/read_values.hpp"
#include "scene/scene.hpp"
#include "scene/schema.hpp"
#include "scene/words.hpp"

namespace turgor {
namespace {

constexpr std::array<std::string_view, 19> measure_names{"volume_error", "final_volume_error",
                                                         "volume_loss",  "recovering_time",
                                                         "speed",        "creep",
                                                         "penetration",  "shape_error",
                                                         "lowest",       "highest",
                                                         "travel",       "acceleration",
                                                         "least_extent", "final_extent",
                                                         "distance",     "rebound",
                                                         "touches",      "dent",
                                                         "pieces"};

Measure measure_named(const std::string& name) {
    for (std::size_t i = 0; i < measure_names.size(); ++i)
        if (measure_names[i] == name) return static_cast<Measure>(i);
    fail(ErrorCode::failed, "the schema of scenes knows a measure '{}' that the reader does not",
         name);
}

Collider read_height_field(const Node& node) {
    const Node rows = node["heights"];
    const std::size_t columns = rows[std::size_t{0}].size();
    std::vector<double> heights;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (rows[r].size() != columns)
            rows[r].fail(
                fmt::format("has {} heights, but the first row has {}", rows[r].size(), columns));
        for (const Json& height : rows[r].value) heights.push_back(height.get<double>());
    }
    const auto spacing = node["spacing"].value.get<std::array<double, 2>>();
    return Collider::height_field(columns, rows.size(), std::move(heights), spacing[0], spacing[1]);
}

void read_collider_shape(const Node& node, Collider& c) {
    const std::string kind = node.only_key();
    const Node shape = node[kind.c_str()];
    if (kind == "plane") {
        if (shape.has("normal")) c = Collider::plane({}, read_direction(shape["normal"]));
        return;
    }
    if (kind == "mesh") {
        c.shape = ColliderShape::mesh;
        shape.get("thickness", c.thickness);
        return;
    }
    if (kind == "height_field") {
        c = read_height_field(shape);
        return;
    }
    shape.get("radius", c.radius);
    shape.get("height", c.height);
    shape.get("wall", c.wall);
    if (kind == "box") {
        c.shape = ColliderShape::box;
        c.half_extent = 0.5 * read_vector(shape["size"]);
    } else if (kind == "capsule") {
        c.shape = ColliderShape::capsule;
        if (c.height < 2 * c.radius)
            shape.fail(fmt::format("the height {} must be at least twice the radius {}", c.height,
                                   c.radius));
    } else {
        c.shape = kind == "sphere" ? ColliderShape::sphere : ColliderShape::cup;
    }
}

Collider read_collider(const Node& node, const Scene& scene) {
    Collider c;
    read_collider_shape(node["shape"], c);
    const bool tilted_twice = node.has("rotation") && !(c.pose.rotation == Quat{});
    if (tilted_twice)
        node["rotation"].fail("turns a plane that its normal turns already; give one of the two");
    node.get("name", c.name);
    read_vector(node, "position", c.pose.position);
    read_rotation(node, "rotation", c.pose.rotation);
    if (node.has("path")) c.path = read_path(node["path"]);
    node.get("friction", c.friction);
    node.get("restitution", c.restitution);
    node.get("static_friction", c.static_friction);
    node.get("surface", c.surface);
    node.get("sensor", c.sensor);
    read_filter(node, scene, c.filter);
    return c;
}

/// `kind`: what the node names and the scene lacks; `names`: those it has.
[[noreturn]] void fail_unknown(const Node& node, const char* kind, std::vector<std::string> names) {
    const std::string name = node.value.get<std::string>();
    const std::string hint = did_you_mean(name, names);
    if (names.size() > 10) names.resize(10);
    const bool lists = hint.empty() && !names.empty();
    node.fail(fmt::format("there is no {} \"{}\"{}", kind, name,
                          lists ? "; there is " + listed(names) : hint));
}

void read_collider_into(Scene& scene, const Node& node) {
    if (node["shape"].has("mesh")) {
        const Node mesh = node["shape"]["mesh"];
        ColliderFile file{scene.colliders.size(), read_file_name(mesh["file"]), 1};
        mesh.get("scale", file.scale);
        scene.collider_files.push_back(std::move(file));
    }
    scene.colliders.push_back(read_collider(node, scene));
}

SceneRigid read_rigid(const Node& node, const Scene& scene) {
    SceneRigid rigid{{}, node.at};
    RigidBody& body = rigid.body;
    const std::string kind = node["shape"].only_key();
    const Node shape = node["shape"][kind.c_str()];
    if (kind == "convex") {
        body.shape = RigidShape::convex;
        rigid.mesh = std::make_shared<const Shape>(read_shape(shape));
    } else {
        // The same shapes as colliders.
        Collider like;
        read_collider_shape(node["shape"], like);
        body.shape = kind == "sphere" ? RigidShape::sphere
                     : kind == "box"  ? RigidShape::box
                                      : RigidShape::capsule;
        body.radius = like.radius;
        body.height = like.height;
        body.half_extent = like.half_extent;
    }
    body.name = kind;
    node.get("name", body.name);
    for (const SceneRigid& other : scene.rigids)
        if (node.has("name") && other.body.name == body.name)
            node["name"].fail(fmt::format(
                "two rigid bodies are called \"{}\"; give each a name of its own", body.name));
    node.get("density", body.density);
    node.get("mass", body.mass);
    read_vector(node, "position", body.pose.position);
    read_rotation(node, "rotation", body.pose.rotation);
    read_vector(node, "velocity", body.velocity);
    read_vector(node, "angular_velocity", body.angular_velocity);
    node.get("gravity_factor", body.gravity_factor);
    node.get("friction", body.friction);
    node.get("restitution", body.restitution);
    if (node.has("color")) body.colour = to_float(read_vector(node["color"]));
    return rigid;
}

bool names_a_rigid(const Scene& scene, const std::string& name) {
    return std::ranges::any_of(scene.rigids, [&](const auto& r) { return r.body.name == name; });
}

/// A body's own name, or the name its copies share.
void require_body(const Node& node, const Scene& scene) {
    const std::string name = node.value.get<std::string>();
    std::vector<std::string> names;
    for (const SceneBody& body : scene.bodies) {
        if (body.name == name || body.group == name) return;
        names.push_back(body.name);
    }
    fail_unknown(node, "body", std::move(names));
}

void require_collider(const Node& node, const Scene& scene) {
    const std::string name = node.value.get<std::string>();
    std::vector<std::string> names;
    for (const Collider& collider : scene.colliders) {
        if (collider.name == name) return;
        if (!collider.name.empty()) names.push_back(collider.name);
    }
    fail_unknown(node, "collider", std::move(names));
}

Region read_region(const Node& node) {
    const std::string kind = node.only_key();
    const Node region = node[kind.c_str()];
    if (kind == "sphere") {
        SphereRegion sphere{read_vector(region["centre"]), 0};
        region.get("radius", sphere.radius);
        return sphere;
    }
    if (kind == "all") {
        if (!region.value.get<bool>()) region.fail("must be true: a region holds something");
        return WholeRegion{};
    }
    const BoxRegion box{read_vector(region["lower"]), read_vector(region["upper"])};
    for (int i = 0; i < 3; ++i)
        if (!(box.lower[i] <= box.upper[i])) region.fail("lower must not exceed upper");
    return box;
}

SceneHandle read_handle(const Node& node, const Scene& scene) {
    SceneHandle handle;
    handle.where = node.at;
    require_body(node["body"], scene);
    node.get("body", handle.body);
    node.get("until", handle.until);
    handle.region = read_region(node["region"]);
    const std::string kind = node["action"].only_key();
    const Node action = node["action"][kind.c_str()];
    handle.kind = kind == "pin"     ? SceneHandle::Kind::pin
                  : kind == "drag"  ? SceneHandle::Kind::drag
                  : kind == "force" ? SceneHandle::Kind::force
                                    : SceneHandle::Kind::follow;
    if (handle.kind == SceneHandle::Kind::force)
        handle.path = read_path(action, "force");
    else if (action.has("path"))
        handle.path = read_path(action["path"]);
    read_vector(action, "target", handle.target);
    action.get("frequency", handle.frequency);
    action.get("strength", handle.strength);
    return handle;
}

SceneCheck read_check(const Node& node, const Scene& scene) {
    SceneCheck check;
    check.measure = measure_named(node["measure"].value.get<std::string>());
    node.get("at_least", check.at_least);
    node.get("at_most", check.at_most);
    node.get("bodies", check.bodies);
    for (std::size_t i = 0; i < check.bodies.size(); ++i) {
        if (!names_a_rigid(scene, check.bodies[i]))
            require_body(node["bodies"][i], scene);
        else if (!is_for_rigids(check.measure))
            node["bodies"][i].fail(
                fmt::format("is rigid, and {} is for soft bodies", name_of(check.measure)));
    }
    if (check.measure == Measure::penetration && node.has("bodies"))
        node["bodies"].fail(
            "does not go with penetration, which is the whole scene's; leave it out");
    if (node.has("collider") != (check.measure == Measure::touches))
        node.fail("names a collider where it measures touches, and only there");
    if (node.has("collider")) {
        require_collider(node["collider"], scene);
        node.get("collider", check.collider);
    }
    if (node.has("axis")) check.axis = read_direction(node["axis"]);
    read_vector(node, "point", check.point);
    node.get("since", check.since);
    if (!check.at_least && !check.at_most) node.fail("lacks a limit: at_least, at_most or both");
    if (check.at_least && check.at_most && *check.at_least > *check.at_most)
        node.fail("cannot hold: at_least exceeds at_most");
    if (check.since >= scene.duration) node["since"].fail("must be before the end of the scene");
    return check;
}

template <class Read>
void each(const Node& node, const char* key, Read read) {
    if (!node.has(key)) return;
    const Node list = node[key];
    for (std::size_t i = 0; i < list.size(); ++i) read(list[i]);
}

void read_settings(const Node& node, Scene& scene) {
    node.get("name", scene.name);
    node.get("description", scene.description);
    read_vector(node, "gravity", scene.world.gravity);
    if (node.has("formulation"))
        scene.world.formulation = formulation_named(node["formulation"].value.get<std::string>());
    node.get("duration", scene.duration);
    node.get("dt", scene.dt);
    node.get("fps", scene.fps);
}

/// A material may start from another one of the scene's own, whatever their order.
void read_materials(const Node& node, Scene& scene) {
    std::vector<std::string> waiting;
    for (const auto& item : node.value.items()) waiting.push_back(item.key());
    const auto ready = [&](const std::string& name) {
        const Json& material = node.value.at(name);
        const std::string base = material.value("base", "");
        return base == name || std::find(waiting.begin(), waiting.end(), base) == waiting.end();
    };
    while (!waiting.empty()) {
        const auto next = std::find_if(waiting.begin(), waiting.end(), ready);
        if (next == waiting.end())
            node[waiting.front().c_str()].fail("starts from itself by way of other materials");
        scene.materials.emplace_back(*next, read_material(node[next->c_str()], scene));
        waiting.erase(next);
    }
}

}  // namespace

bool is_for_rigids(Measure measure) {
    switch (measure) {
        case Measure::speed:
        case Measure::lowest:
        case Measure::highest:
        case Measure::travel:
        case Measure::distance:
            return true;
        default:
            return false;
    }
}

std::string_view name_of(Measure measure) {
    return measure_names[static_cast<std::size_t>(measure)];
}

Scene parse_scene(std::string_view text, const std::filesystem::path& source) {
    static const Json schema = Json::parse(scene_schema());
    Scene scene;
    scene.source = source.string();
    scene.name = source.stem().string();
    const Json document = parse_json(text, scene.source);
    require_schema(schema, document, scene.source);
    const Node root{document, scene.source, ""};
    read_settings(root, scene);
    if (root.has("materials")) read_materials(root["materials"], scene);
    collect_layers(root, scene);
    each(root, "colliders", [&](const Node& n) { read_collider_into(scene, n); });
    each(root, "bodies", [&](const Node& n) { read_body(n, scene); });
    each(root, "friction_pairs",
         [&](const Node& n) { scene.friction_pairs.push_back(read_friction_pair(n, scene)); });
    each(root, "rigid_bodies",
         [&](const Node& n) { scene.rigids.push_back(read_rigid(n, scene)); });
    each(root, "handles", [&](const Node& n) { scene.handles.push_back(read_handle(n, scene)); });
    each(root, "checks", [&](const Node& n) { scene.checks.push_back(read_check(n, scene)); });
    return scene;
}

}  // namespace turgor
