#include "web_world.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "contact/collider_geometry.hpp"
#include "elastic/model.hpp"
#include "scene/builtin.hpp"
#include "scene/package_mesh.hpp"
#include "scene/read_bodies.hpp"
#include "scene/schema.hpp"
#include "scene/shapes.hpp"
#include "seams.hpp"

namespace turgor::web {
namespace {

constexpr const char* source = "world";

/// The part's body with its shape replaced.
void set_meshes(Scene& scene, std::vector<Mesh> meshes) {
    if (scene.bodies.size() != 1)
        fail(ErrorCode::bad_argument, "a mesh is the shape of one body, and here are {}",
             scene.bodies.size());
    scene.bodies.front().shape = std::make_shared<const Shape>(
        GivenShape{std::make_shared<const std::vector<Mesh>>(std::move(meshes))});
}

/// Whether its meshes may be anything.
bool is_wrapped(const Scene& scene) {
    return !scene.bodies.empty() && scene.bodies.front().wrap;
}

Json list(Vec3 v) {
    return {v.x, v.y, v.z};
}
Json list(Vec3f v) {
    return {v.x, v.y, v.z};
}

/// Without what is not set.
Json describe(const Plasticity& p) {
    Json text{{"flow_time", p.flow_time}, {"cap", p.cap}, {"hardening", p.hardening}};
    if (p.yield) text["yield"] = *p.yield;
    if (p.creep_time) text["creep_time"] = *p.creep_time;
    if (p.healing_time) text["healing_time"] = *p.healing_time;
    return text;
}

Json describe(const Material& m) {
    Json text{
        {"density", m.density}, {"frequency", m.frequency}, {"damping_ratio", m.damping_ratio},
        {"alpha", m.alpha},     {"beta", m.beta},           {"friction", m.friction},
        {"surface", m.surface}};
    if (m.plasticity) text["plasticity"] = describe(*m.plasticity);
    return text;
}

Json describe(const ElasticModel& model, const ElasticModel::Setting& setting) {
    return {
        {"name", setting.name},
        {"description", described("model_" + std::string(model.name()), std::string(setting.name))},
        {"least", setting.least},
        {"most", setting.most},
        {"whole", setting.whole},
        {"choices", setting.choices}};
}

Json describe_figures(const Body& body) {
    Json figures = Json::array();
    for (const ModelFigure& figure : body.figures())
        figures.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
    return figures;
}

Json describe_mesh(const Mesh& mesh) {
    Json positions = Json::array(), indices = Json::array();
    for (const Vec3& p : mesh.vertices)
        for (int i = 0; i < 3; ++i) positions.push_back(p[i]);
    for (const Triangle& t : mesh.triangles)
        for (const auto v : t) indices.push_back(v);
    return {{"positions", std::move(positions)}, {"indices", std::move(indices)}};
}

constexpr std::string_view shape_names[] = {"plane", "sphere", "box",         "capsule",
                                            "cup",   "mesh",   "height_field"};

}  // namespace

Scene parse_part(std::string_view text) {
    Json part = parse_json(text, source);
    const bool has_bodies = part.is_object() && part.contains("bodies");
    if (part.is_object() && !has_bodies) part["bodies"] = {{{"shape", {{"cube", Json::object()}}}}};
    Scene scene = parse_scene(part.dump(), source);
    if (!has_bodies) scene.bodies.clear();
    return scene;
}

WebWorld::WebWorld(const Scene& scene) : live_(scene) {}

Json WebWorld::added_since(std::size_t body, std::size_t rigid, std::size_t collider) {
    Json added{{"bodies", Json::array()}, {"rigids", Json::array()}, {"colliders", Json::array()}};
    for (const LiveBody& b : live_.bodies().subspan(body)) added["bodies"].push_back(b.body.id());
    for (const Rigid& r : live_.rigids().subspan(rigid)) added["rigids"].push_back(r.id());
    for (const ColliderId c : live_.colliders().subspan(collider)) added["colliders"].push_back(c);
    return added;
}

Json WebWorld::add_scene(const Scene& part) {
    const std::size_t bodies = live_.bodies().size(), rigids = live_.rigids().size(),
                      colliders = live_.colliders().size(), warnings = live_.warnings().size();
    live_.add(part);
    Json added = added_since(bodies, rigids, colliders);
    added["warnings"] = std::span(live_.warnings()).subspan(warnings);
    return added;
}

Json WebWorld::add(std::string_view part) {
    return add_scene(parse_part(part));
}

Json WebWorld::add_mesh(std::span<const float> positions, std::span<const std::uint32_t> indices,
                        std::string_view part) {
    Scene scene = parse_part(part);
    Welded welded = weld_seams(positions, indices);
    const std::vector<Vec3> places = welded.mesh.vertices;
    welded.mesh.name = "geometry";
    Mesh mesh = std::move(welded.mesh);
    if (!is_wrapped(scene)) {
        MeshReport report;
        mesh = make_mesh(std::move(mesh), {}, &report);
        note_findings("the geometry", report, scene.notes);
    } else if (!(area(mesh) > 0)) {
        fail(ErrorCode::bad_mesh, "the geometry has no area: there is nothing to show");
    }
    const std::vector<std::uint32_t> nearest = nearest_vertices(places, mesh);
    set_meshes(scene, {std::move(mesh)});
    const Json added = add_scene(scene);
    for (std::uint32_t& v : welded.point_of_vertex) v = nearest[v];
    point_of_vertex_[added["bodies"][0].get<BodyId>()] = std::move(welded.point_of_vertex);
    return added;
}

Json WebWorld::add_file(std::span<const std::byte> bytes, const std::string& name,
                        std::string_view part) {
    Scene scene = parse_part(part);
    MeshReport report;
    const bool wrapped = is_wrapped(scene);
    const Mesh mesh = wrapped ? read_mesh(bytes, name) : load_mesh(bytes, name, {}, &report);
    note_findings(name, report, scene.notes);
    const Mesh centred = transformed(mesh, -bounds(mesh).centre());
    set_meshes(scene, wrapped ? std::vector{centred} : split_bodies(centred));
    return add_scene(scene);
}

void WebWorld::step() {
    // What tears has vertices of its own from then on, even where the step fails.
    const auto forget_maps = [&] {
        for (const TearEvent& tear : world().tears()) point_of_vertex_.erase(tear.body);
    };
    try {
        live_.step();
    } catch (...) {
        forget_maps();
        throw;
    }
    forget_maps();
}

void WebWorld::remove(BodyId id) {
    live_.remove(id);
    point_of_vertex_.erase(id);
}

void WebWorld::restore(std::span<const std::byte> snapshot) {
    live_.restore(snapshot);
}

void WebWorld::change_material(BodyId id, std::string_view text) {
    Json change = parse_json(text, source);
    // What scenes may say about a material, materials may say here.
    parse_part(
        Json{{"bodies", {{{"shape", {{"cube", Json::object()}}}, {"material", change}}}}}.dump());
    if (change.is_object() && !change.contains("base")) change["base"] = "its own";
    for (const LiveBody& live : live_.bodies()) {
        Body body = live.body;
        if (id != 0 && body.id() != id) continue;
        Scene names;
        names.materials.emplace_back("its own", body.material());
        const std::string where = source;
        body.set_material(read_material({change, where, ""}, names));
    }
}

void WebWorld::reset_shape(BodyId id) {
    if (id != 0) world().body(id);  // an Error where it is gone
    live_.bend_straight(id);
}

Json WebWorld::describe_body(const LiveBody& live) const {
    const Body& body = live.body;
    return {{"id", body.id()},
            {"name", body.name()},
            {"color", list(body.colour())},
            {"size", body.size()},
            {"particles", body.positions().size()},
            {"frequency", body.frequency()},
            {"model", body.model().name},
            {"model_settings", body.model().settings},
            {"figures", describe_figures(body)},
            {"material", describe(body.material())}};
}

Json WebWorld::describe_collider(ColliderId id) const {
    const Collider& c = live_.world().collider(id);
    Json text{{"id", id},
              {"name", c.name},
              {"shape", shape_names[static_cast<std::size_t>(c.shape)]},
              {"radius", c.radius},
              {"height", c.height},
              {"half_extent", list(c.half_extent)},
              {"wall", c.wall},
              {"sensor", c.sensor}};
    if (c.geometry && c.geometry->mesh()) text["mesh"] = describe_mesh(c.geometry->mesh()->mesh());
    if (c.geometry && c.geometry->heights())
        text["mesh"] = describe_mesh(c.geometry->heights()->grid().top());
    return text;
}

Json WebWorld::description() {
    const Scene& scene = live_.scene();
    Json text{{"name", scene.name},
              {"description", scene.description},
              {"dt", scene.dt},
              {"duration", scene.duration},
              {"gravity", list(world().gravity())},
              {"particles", world().particles()},
              {"bodies", Json::array()},
              {"rigids", Json::array()},
              {"colliders", Json::array()},
              {"warnings", live_.warnings()}};
    for (const LiveBody& body : live_.bodies()) text["bodies"].push_back(describe_body(body));
    for (const Rigid& rigid : live_.rigids())
        text["rigids"].push_back(
            {{"id", rigid.id()}, {"name", rigid.name()}, {"color", list(rigid.colour())}});
    for (const ColliderId id : live_.colliders())
        text["colliders"].push_back(describe_collider(id));
    return text;
}

DrawnArrays WebWorld::arrays(std::uint32_t id) {
    for (const Rigid& rigid : live_.rigids())
        if (rigid.id() == id) return {rigid.positions(), rigid.normals(), rigid.triangles(), {}};
    const Body body = world().body(id);
    const auto points = point_of_vertex_.find(id);
    return {body.display_positions(), body.display_normals(), body.display_triangles(),
            points == point_of_vertex_.end() ? std::span<const std::uint32_t>() : points->second};
}

std::span<const float> WebWorld::collider_poses() {
    poses_.clear();
    for (const ColliderId id : live_.colliders()) {
        const auto [p, q] = world().collider_pose(id);
        for (const double value : {p.x, p.y, p.z, q.x, q.y, q.z, q.w})
            poses_.push_back(static_cast<float>(value));
    }
    return poses_;
}

double WebWorld::volume_error() {
    double largest = 0;
    for (const LiveBody& live : live_.bodies())
        if (live.body.volume_mode() != VolumeMode::off && !live.body.recovering())
            largest = std::max(largest, std::abs(live.body.volume() / live.body.rest_volume() - 1));
    return largest;
}

Json scene_list() {
    Json scenes = Json::array();
    for (const BuiltInScene& built_in : built_in_scenes()) {
        const Scene scene = load_scene(std::string(built_in.name));
        Json entry{{"name", built_in.name}, {"description", scene.description}};
        if (const auto problem = problem_with_packages(scene)) entry["problem"] = *problem;
        scenes.push_back(std::move(entry));
    }
    return scenes;
}

Json model_list() {
    Json list = Json::array();
    for (const ElasticModel* model : models()) {
        Json settings = Json::array();
        for (const ElasticModel::Setting& setting : model->settings())
            settings.push_back(describe(*model, setting));
        list.push_back({{"name", model->name()},
                        {"description", described("model_" + std::string(model->name()))},
                        {"settings", std::move(settings)}});
    }
    return list;
}

}  // namespace turgor::web
