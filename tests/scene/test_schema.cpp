#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "elastic/model.hpp"
#include "scene/builtin.hpp"
#include "scene/scene.hpp"

namespace turgor {
namespace {

using Json = nlohmann::json;

/// Every key of the schema, with a value that is not its default.
constexpr const char* everything = R"({
  "$schema": "s", "name": "n", "description": "d", "gravity": [1, 2, 3], "formulation": "paper",
  "duration": 7, "dt": 0.01, "fps": 12,
  "materials": {"m": {"base": "jelly", "density": 1, "frequency": 2, "damping_ratio": 0.3, "alpha": 0.4, "beta": 0.5,
                      "friction": 0.6, "static_friction": 0.65, "restitution": 0.7, "surface": "wet",
                      "omega": 8, "stiffness": 0.9, "damping": 0.11,
                      "plasticity": {"yield": 0.12, "flow_time": 0.13, "creep_time": 14, "healing_time": 15,
                                     "cap": 0.16, "hardening": 0.17}}},
  "colliders": [
    {"name": "c", "shape": {"plane": {"normal": [1, 0, 0]}}, "position": [1, 2, 3], "friction": 0.1, "restitution": 0.2,
     "static_friction": 0.3, "surface": "ice", "sensor": true,
     "layers": ["gates"], "collides_with": ["toys", "default"],
     "path": {"loop": true, "smooth": true,
              "keys": [{"time": 1}, {"time": 2, "position": [4, 5, 6],
                                     "rotation": {"axis": [0, 1, 0], "degrees": 90}}]}},
    {"shape": {"sphere": {"radius": 2}}, "rotation": [0, 1, 0, 0]},
    {"shape": {"box": {"size": [2, 4, 6]}}},
    {"shape": {"capsule": {"radius": 1, "height": 3}}},
    {"shape": {"cup": {"radius": 1, "height": 3, "wall": 0.2}}},
    {"shape": {"mesh": {"file": "f.obj", "scale": 2, "thickness": 0.3}}},
    {"shape": {"height_field": {"spacing": [2, 3], "heights": [[1, 2, 3], [4, 5, 6]]}}}
  ],
  "bodies": [
    {"name": "a", "shape": {"sphere": {"radius": 2, "segments": 5, "rings": 6}}, "sim_vertices": 21, "wrap": true,
     "relative_masses": {"colour": "green", "from": 2, "to": 3},
     "matching_weights": {"along": "z", "from": 0.4, "to": 0.5},
     "size": 3, "scale": 4,
     "material": "m", "model": {"surface": {"omega": 7, "stiffness": 0.8, "damping": 0.12}},
     "volume": "global", "position": [1, 2, 3], "clearance": 5,
     "rotation": {"axis": [0, 0, 1], "degrees": 180},
     "velocity": [4, 5, 6], "angular_velocity": [7, 8, 9], "gravity_factor": -1, "self_contact": false,
     "color": [0.1, 0.2, 0.3], "start": "flat",
     "layers": ["toys", "more"], "collides_with": ["gates"]},
    {"shape": {"icosphere": {"radius": 2, "subdivisions": 1}},
     "copies": {"grid": [2, 1, 1], "spacing": [1, 2, 3], "jitter": 0.1,
                "turn": true, "colors": [[1, 0, 0]], "seed": 3}},
    {"shape": {"torus": {"ring_radius": 2, "tube_radius": 1, "major": 5, "minor": 6}},
     "copies": [{"name": "p", "scale": 2, "material": "dough", "model": {"surface": {"omega": 6}},
                 "volume": "off", "position": [1, 0, 0], "clearance": 1,
                 "rotation": [0, 1, 0, 0], "velocity": [1, 0, 0], "angular_velocity": [0, 1, 0],
                 "gravity_factor": 0, "self_contact": true,
                 "color": [1, 1, 1], "start": "mirrored", "layers": ["copies"], "collides_with": []}]},
    {"shape": {"cube": {"side": 2, "points": 3}},
     "relative_masses": {"along": "x", "from": 7, "to": 6},
     "matching_weights": {"colour": "brightness", "from": 1, "to": 0}},
    {"shape": {"bar": {"size": [1, 2, 3], "points": 4, "rounding": 0.5}},
     "relative_masses": [1, 2.5], "matching_weights": [0, 1]},
    {"shape": {"capsule": {"radius": 1, "height": 4, "segments": 6}}},
    {"shape": {"gummy_bear": {"height": 2, "vertices": 300}}},
    {"shape": {"rubber_duck": {"height": 2, "vertices": 300}},
     "model": {"meshless": {"mode": "linear", "beta": 0.3, "clusters": 4, "placement": "regular", "stiffness": 0.6}}},
    {"shape": {"mesh": "file.obj"}},
    {"shape": {"package_mesh": {"package": "p", "archive": "/usr/share/a.tar.gz", "member": "m.off"}}},
    {"shape": {"shoe": {"height": 0.5, "vertices": 400}}},
    {"shape": {"tree": {"height": 3, "leaves": 50}}},
    {"shape": {"broken_bunny": {"height": 4, "vertices": 600, "holes": 2}}},
    {"shape": {"cake": {"width": 5}},
     "model": {"lattice": {"cells": 6, "half_width": 2, "stiffness": 0.7, "damping": 0.13, "tear_stretch": 1.6}}},
    {"shape": {"cake": {"width": 5}},
     "model": {"cells": {"cells": 7, "E": 6e4, "G": 1e4, "tolerance": 1e-4}}}
  ],
  "friction_pairs": [{"surfaces": ["wet", "ice"], "friction": 0.05, "static_friction": 0.06, "restitution": 0.5}],
  "rigid_bodies": [
    {"name": "r", "shape": {"sphere": {"radius": 2}}, "density": 3, "mass": 4, "position": [1, 2, 3],
     "rotation": [0, 1, 0, 0],
     "velocity": [4, 5, 6], "angular_velocity": [7, 8, 9], "gravity_factor": -1, "friction": 0.1, "restitution": 0.2,
     "color": [0, 0, 1]},
    {"shape": {"box": {"size": [2, 4, 6]}}},
    {"shape": {"capsule": {"radius": 1, "height": 3}}},
    {"shape": {"convex": {"icosphere": {"subdivisions": 1}}}}
  ],
  "handles": [
    {"body": "a", "region": {"sphere": {"centre": [1, 2, 3], "radius": 4}}, "until": 5,
     "action": {"pin": {"path": {"keys": [{"time": 0}]}}}},
    {"body": "a", "region": {"box": {"lower": [0, 0, 0], "upper": [1, 2, 3]}},
     "action": {"drag": {"target": [1, 2, 3], "frequency": 5, "path": {"keys": [{"time": 0}]}}}},
    {"body": "a", "region": {"all": true}, "action": {"follow": {"strength": 0.5, "path": {"keys": [{"time": 0}]}}}},
    {"body": "a", "region": {"all": true},
     "action": {"force": {"loop": true, "smooth": true, "keys": [{"time": 2, "force": [1, 2, 3]}]}}}
  ],
  "checks": [{"measure": "travel", "bodies": ["a"], "at_least": 1, "at_most": 2, "axis": [0, 0, 2],
              "point": [1, 2, 3], "since": 4},
             {"measure": "touches", "collider": "c", "at_least": 1}]
})";

/// Follows a value through the schema and notes every property it uses as "definition/property".
class Coverage {
public:
    explicit Coverage(const Json& schema) : schema_(schema) {}

    void follow(const Json& at, const Json& value) {
        std::string name;
        const Json* now = &at;
        while (now->contains("$ref")) {
            name = now->at("$ref").get<std::string>();
            now = &schema_.at(Json::json_pointer(name.substr(1)));
        }
        if (now->contains("anyOf")) {
            for (const Json& branch : now->at("anyOf")) follow_if_fits(branch, value);
            return;
        }
        if (value.is_array() && now->contains("items"))
            for (const Json& item : value) follow(now->at("items"), item);
        if (!value.is_object()) return;
        for (const auto& item : value.items()) {
            const bool known =
                now->contains("properties") && now->at("properties").contains(item.key());
            if (known) used.insert(name + "/" + item.key());
            follow(known ? now->at("properties").at(item.key()) : now->at("additionalProperties"),
                   item.value());
        }
    }

    std::set<std::string> used;

private:
    void follow_if_fits(const Json& branch, const Json& value) {
        const Json& target =
            schema_.at(Json::json_pointer(branch.at("$ref").get<std::string>().substr(1)));
        const std::string type = target.at("type");
        if ((type == "object") == value.is_object() && (type == "array") == value.is_array())
            follow(branch, value);
    }
    const Json& schema_;
};

std::set<std::string> all_properties(const Json& schema) {
    std::set<std::string> all;
    for (const auto& definition : schema.at("$defs").items())
        if (definition.value().contains("properties"))
            for (const auto& property : definition.value().at("properties").items())
                all.insert("#/$defs/" + definition.key() + "/" + property.key());
    return all;
}

TEST(SceneSchema, EveryObjectIsClosed) {
    const Json schema = Json::parse(scene_schema());
    for (const auto& definition : schema.at("$defs").items()) {
        if (definition.value().value("type", "") != "object") continue;
        EXPECT_TRUE(definition.value().contains("additionalProperties")) << definition.key();
        for (const Json& key : definition.value().value("required", Json::array()))
            EXPECT_TRUE(definition.value().at("properties").contains(key.get<std::string>()))
                << definition.key();
    }
}

TEST(SceneSchema, TheSceneOfThisTestUsesEveryKey) {
    const Json schema = Json::parse(scene_schema());
    Coverage coverage(schema);
    coverage.follow(schema, Json::parse(everything));
    for (const std::string& property : all_properties(schema))
        EXPECT_TRUE(coverage.used.contains(property)) << property;
}

TEST(SceneSchema, TheReaderTakesEveryKey) {
    const Scene s = parse_scene(everything, "folder/my.json");
    EXPECT_EQ(s.name, "n");
    EXPECT_EQ(s.description, "d");
    EXPECT_EQ(s.world.gravity, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.world.formulation, Formulation::paper());
    EXPECT_EQ(s.duration, 7);
    EXPECT_EQ(s.dt, 0.01);
    EXPECT_EQ(s.fps, 12);
    const Plasticity plasticity{0.12, 0.13, 14, 15, 0.16, 0.17};
    const Material m{1, 2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, "wet", plasticity, 8, 0.9, 0.11};
    ASSERT_EQ(s.bodies.size(), 16u);
    EXPECT_EQ(s.bodies[0].material, m);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfRigidBodies) {
    const Scene s = parse_scene(everything, "folder/my.json");
    ASSERT_EQ(s.rigids.size(), 4u);
    const RigidBody& r = s.rigids[0].body;
    EXPECT_EQ(r.name, "r");
    EXPECT_EQ(r.shape, RigidShape::sphere);
    EXPECT_EQ(r.radius, 2);
    EXPECT_EQ(r.density, 3);
    EXPECT_EQ(r.mass, 4);
    EXPECT_EQ(r.pose.position, (Vec3{1, 2, 3}));
    EXPECT_EQ(r.pose.rotation, (Quat{0, 1, 0, 0}));
    EXPECT_EQ(r.velocity, (Vec3{4, 5, 6}));
    EXPECT_EQ(r.angular_velocity, (Vec3{7, 8, 9}));
    EXPECT_EQ(r.gravity_factor, -1);
    EXPECT_EQ(r.friction, 0.1);
    EXPECT_EQ(r.restitution, 0.2);
    EXPECT_EQ(r.colour, (Vec3f{0, 0, 1}));
    EXPECT_EQ(s.rigids[1].body.half_extent, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.rigids[2].body.shape, RigidShape::capsule);
    EXPECT_EQ(s.rigids[2].body.height, 3);
    EXPECT_EQ(s.rigids[3].body.shape, RigidShape::convex);
    EXPECT_TRUE(s.rigids[3].mesh);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfColliders) {
    const Scene s = parse_scene(everything, "folder/my.json");
    ASSERT_EQ(s.colliders.size(), 7u);
    const Collider& plane = s.colliders[0];
    EXPECT_EQ(plane.name, "c");
    EXPECT_NEAR(norm(rotate(plane.pose.rotation, {0, 1, 0}) - Vec3{1, 0, 0}), 0, 1e-12);
    EXPECT_EQ(plane.pose.position, (Vec3{1, 2, 3}));
    EXPECT_EQ(plane.friction, 0.1);
    EXPECT_EQ(plane.restitution, 0.2);
    EXPECT_EQ(plane.static_friction, 0.3);
    EXPECT_EQ(plane.surface, "ice");
    EXPECT_TRUE(plane.sensor);
    EXPECT_FALSE(s.colliders[1].sensor);
    EXPECT_TRUE(plane.path.loop && plane.path.smooth);
    ASSERT_EQ(plane.path.keys.size(), 2u);
    EXPECT_EQ(plane.path.keys[1].time, 2);
    EXPECT_EQ(plane.path.keys[1].pose.position, (Vec3{4, 5, 6}));
    EXPECT_NEAR(norm(rotate(plane.path.keys[1].pose.rotation, {1, 0, 0}) - Vec3{0, 0, -1}), 0,
                1e-12);
    EXPECT_EQ(s.colliders[1].shape, ColliderShape::sphere);
    EXPECT_EQ(s.colliders[1].radius, 2);
    EXPECT_EQ(s.colliders[1].pose.rotation, (Quat{0, 1, 0, 0}));
    EXPECT_EQ(s.colliders[2].half_extent, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.colliders[3].shape, ColliderShape::capsule);
    EXPECT_EQ(s.colliders[3].height, 3);
    EXPECT_EQ(s.colliders[4].shape, ColliderShape::cup);
    EXPECT_EQ(s.colliders[4].wall, 0.2);
    EXPECT_EQ(s.colliders[5].shape, ColliderShape::mesh);
    EXPECT_EQ(s.colliders[5].thickness, 0.3);
    ASSERT_EQ(s.collider_files.size(), 1u);
    EXPECT_EQ(s.collider_files[0].collider, 5u);
    EXPECT_EQ(s.collider_files[0].file, "folder/f.obj");
    EXPECT_EQ(s.collider_files[0].scale, 2);
    EXPECT_EQ(s.colliders[6].shape, ColliderShape::height_field);
    World world;
    world.add_collider(s.colliders[6]);
    EXPECT_NEAR(world.cast_ray({2, 9, -1.5}, {0, -1, 0})->point.y, 3, 1e-9);
}

TEST(SceneSchema, TheReaderTakesEverySettingOfTheMeshlessModel) {
    const Scene s = parse_scene(everything, "folder/my.json");
    Model wanted = MeshlessModel{.mode = MeshlessModel::Mode::linear,
                                 .beta = 0.3,
                                 .clusters = 4,
                                 .regular = true,
                                 .stiffness = 0.6};
    const auto has_it = [&](const SceneBody& body) { return body.options.model == wanted; };
    EXPECT_EQ(std::ranges::count_if(s.bodies, has_it), 1);
    EXPECT_EQ(
        Model::parse("meshless:mode=linear,beta=0.3,clusters=4,placement=regular,stiffness=0.6"),
        wanted);
    for (const char* bad : {"meshless:mode=soft", "meshless:mode", "meshless:beta=x",
                            "meshless:beta=2", "meshless:omega=3", "meshles"})
        EXPECT_THROW(Model::parse(bad), Error) << bad;
}

TEST(SceneSchema, TheReaderTakesEverySettingOfTheLatticeModel) {
    const Scene s = parse_scene(everything, "folder/my.json");
    const Model wanted = LatticeModel{
        .cells = 6, .half_width = 2, .stiffness = 0.7, .damping = 0.13, .tear_stretch = 1.6};
    EXPECT_EQ(s.bodies[s.bodies.size() - 2].options.model, wanted);
    EXPECT_EQ(
        Model::parse("lattice:cells=6,half_width=2,stiffness=0.7,damping=0.13,tear_stretch=1.6"),
        wanted);
}

TEST(SceneSchema, TheReaderTakesEverySettingOfTheCellsModel) {
    const Scene s = parse_scene(everything, "folder/my.json");
    const Model wanted = CellsModel{.cells = 7, .E = 6e4, .G = 1e4, .tolerance = 1e-4};
    EXPECT_EQ(s.bodies.back().options.model, wanted);
    EXPECT_EQ(Model::parse("cells:cells=7,E=6e4,G=1e4,tolerance=1e-4"), wanted);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfLayersAndPairs) {
    const Scene s = parse_scene(everything, "folder/my.json");
    EXPECT_EQ(s.layers, (std::vector<std::string>{"default", "gates", "toys", "more", "copies"}));
    EXPECT_EQ(s.colliders[0].filter, (CollisionFilter{0b00010, 0b00101}));
    EXPECT_EQ(s.colliders[1].filter, CollisionFilter{});
    EXPECT_EQ(s.bodies[0].options.filter, (CollisionFilter{0b01100, 0b00010}));
    EXPECT_EQ(s.bodies[1].options.filter, CollisionFilter{});
    EXPECT_EQ(s.bodies[3].options.filter, (CollisionFilter{0b10000, 0}));
    ASSERT_EQ(s.friction_pairs.size(), 1u);
    EXPECT_EQ(s.friction_pairs[0].surfaces, (std::array<std::string, 2>{"ice", "wet"}));
    EXPECT_EQ(s.friction_pairs[0].friction, (PairFriction{0.05, 0.06, 0.5}));
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfBodies) {
    const Scene s = parse_scene(everything, "folder/my.json");
    const SceneBody& a = s.bodies[0];
    const BodyOptions& o = a.options;
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.sim_vertices, 21u);
    EXPECT_TRUE(a.wrap);
    EXPECT_FALSE(s.bodies[1].wrap);
    EXPECT_EQ(a.size, 3);
    EXPECT_EQ(a.clearance, 5);
    EXPECT_EQ(a.start, BodyStart::flat);
    EXPECT_EQ(o.scale, 4);
    EXPECT_EQ(o.volume, VolumeMode::global);
    EXPECT_EQ(o.model, Model(SurfaceModel{7, 0.8, 0.12}));
    EXPECT_EQ(s.bodies[1].options.model, Model());
    EXPECT_EQ(o.position, (Vec3{1, 2, 3}));
    EXPECT_NEAR(o.rotation.z, 1, 1e-12);
    EXPECT_EQ(o.velocity, (Vec3{4, 5, 6}));
    EXPECT_EQ(o.angular_velocity, (Vec3{7, 8, 9}));
    EXPECT_EQ(o.gravity_factor, -1);
    EXPECT_EQ(o.colour, (Vec3f{0.1f, 0.2f, 0.3f}));
    EXPECT_EQ(s.bodies[1].options.colour, (Vec3f{1, 0, 0}));
    EXPECT_NE(s.bodies[1].options.rotation, Quat{});
    const SceneBody& p = s.bodies[3];
    EXPECT_EQ(p.name, "p");
    EXPECT_EQ(p.options.scale, 2);
    EXPECT_EQ(p.material, Material::named("dough"));
    EXPECT_EQ(p.options.volume, VolumeMode::off);
    EXPECT_EQ(p.options.model, Model(SurfaceModel{.omega = 6}));
    EXPECT_EQ(p.options.position, (Vec3{1, 0, 0}));
    EXPECT_EQ(p.clearance, 1);
    EXPECT_EQ(p.options.rotation, (Quat{0, 1, 0, 0}));
    EXPECT_EQ(p.options.gravity_factor, 0);
    EXPECT_EQ(p.start, BodyStart::mirrored);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfVertexNumbers) {
    using Follow = VertexNumbers::Follow;
    const Scene s = parse_scene(everything, "folder/my.json");
    const auto expect = [](const std::shared_ptr<const VertexNumbers>& n, Follow follow,
                           std::size_t channel, double from, double to, const char* where) {
        ASSERT_TRUE(n);
        EXPECT_EQ(n->follow, follow);
        EXPECT_EQ(n->channel, channel);
        EXPECT_EQ(n->from, from);
        EXPECT_EQ(n->to, to);
        EXPECT_EQ(n->where, where);
    };
    expect(s.bodies[0].relative_masses, Follow::colour, 1, 2, 3, "/bodies/0/relative_masses");
    expect(s.bodies[0].matching_weights, Follow::axis, 2, 0.4, 0.5, "/bodies/0/matching_weights");
    expect(s.bodies[4].relative_masses, Follow::axis, 0, 7, 6, "/bodies/3/relative_masses");
    expect(s.bodies[4].matching_weights, Follow::colour, 3, 1, 0, "/bodies/3/matching_weights");
    EXPECT_EQ(s.bodies[5].relative_masses->list, (std::vector<double>{1, 2.5}));
    EXPECT_EQ(s.bodies[5].matching_weights->list, (std::vector<double>{0, 1}));
    EXPECT_FALSE(s.bodies[6].relative_masses || s.bodies[6].matching_weights);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfShapes) {
    const Scene s = parse_scene(everything, "folder/my.json");
    const auto sphere = std::get<SphereShape>(*s.bodies[0].shape);
    EXPECT_TRUE(sphere.radius == 2 && sphere.segments == 5 && sphere.rings == 6);
    const auto ico = std::get<IcosphereShape>(*s.bodies[1].shape);
    EXPECT_TRUE(ico.radius == 2 && ico.subdivisions == 1);
    const auto torus = std::get<TorusShape>(*s.bodies[3].shape);
    EXPECT_TRUE(torus.ring_radius == 2 && torus.tube_radius == 1 && torus.major == 5 &&
                torus.minor == 6);
    const auto cube = std::get<CubeShape>(*s.bodies[4].shape);
    EXPECT_TRUE(cube.side == 2 && cube.points == 3);
    const auto bar = std::get<BarShape>(*s.bodies[5].shape);
    EXPECT_TRUE(bar.size == (Vec3{1, 2, 3}) && bar.points == 4 && bar.rounding == 0.5);
    const auto capsule = std::get<CapsuleShape>(*s.bodies[6].shape);
    EXPECT_TRUE(capsule.radius == 1 && capsule.height == 4 && capsule.segments == 6);
    const auto bear = std::get<CharacterShape>(*s.bodies[7].shape);
    EXPECT_TRUE(bear.who == CharacterShape::Who::gummy_bear && bear.height == 2 &&
                bear.vertices == 300);
    EXPECT_EQ(std::get<CharacterShape>(*s.bodies[8].shape).who, CharacterShape::Who::rubber_duck);
    EXPECT_EQ(std::get<FileShape>(*s.bodies[9].shape).file, "folder/file.obj");
    const auto package = std::get<PackageShape>(*s.bodies[10].shape);
    EXPECT_TRUE(package.package == "p" && package.archive == "/usr/share/a.tar.gz" &&
                package.member == "m.off");
    const auto shoe = std::get<CharacterShape>(*s.bodies[11].shape);
    EXPECT_TRUE(shoe.who == CharacterShape::Who::shoe && shoe.height == 0.5 &&
                shoe.vertices == 400);
    const auto tree = std::get<TreeShape>(*s.bodies[12].shape);
    EXPECT_TRUE(tree.height == 3 && tree.leaves == 50);
    const auto bunny = std::get<BrokenBunnyShape>(*s.bodies[13].shape);
    EXPECT_TRUE(bunny.height == 4 && bunny.vertices == 600 && bunny.holes == 2);
    EXPECT_EQ(std::get<CakeShape>(*s.bodies[14].shape).width, 5);
}

TEST(SceneSchema, TheReaderTakesEveryKeyOfHandlesAndChecks) {
    const Scene s = parse_scene(everything, "folder/my.json");
    ASSERT_EQ(s.handles.size(), 4u);
    EXPECT_EQ(s.handles[0].kind, SceneHandle::Kind::pin);
    EXPECT_EQ(s.handles[0].until, 5);
    EXPECT_EQ(std::get<SphereRegion>(s.handles[0].region).radius, 4);
    EXPECT_EQ(s.handles[1].kind, SceneHandle::Kind::drag);
    EXPECT_EQ(s.handles[1].target, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.handles[1].frequency, 5);
    EXPECT_EQ(std::get<BoxRegion>(s.handles[1].region).upper, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.handles[2].kind, SceneHandle::Kind::follow);
    EXPECT_EQ(s.handles[2].strength, 0.5);
    EXPECT_EQ(s.handles[3].kind, SceneHandle::Kind::force);
    EXPECT_TRUE(s.handles[3].path.loop && s.handles[3].path.smooth);
    EXPECT_EQ(s.handles[3].path.at(2).position, (Vec3{1, 2, 3}));
    for (const SceneHandle& handle : s.handles) EXPECT_EQ(handle.path.keys.size(), 1u);
    const SceneCheck& check = s.checks.at(0);
    EXPECT_EQ(check.measure, Measure::travel);
    EXPECT_EQ(check.bodies, std::vector<std::string>{"a"});
    EXPECT_EQ(check.at_least, 1);
    EXPECT_EQ(check.at_most, 2);
    EXPECT_EQ(check.axis, (Vec3{0, 0, 1}));
    EXPECT_EQ(check.point, (Vec3{1, 2, 3}));
    EXPECT_EQ(check.since, 4);
    EXPECT_EQ(s.checks.at(1).measure, Measure::touches);
    EXPECT_EQ(s.checks.at(1).collider, "c");
}

TEST(SceneSchema, NamesEveryMeasureAndStart) {
    const Json schema = Json::parse(scene_schema());
    const auto measures = schema.at("$defs").at("check").at("properties").at("measure").at("enum");
    for (std::size_t i = 0; i < measures.size(); ++i)
        EXPECT_EQ(measures[i].get<std::string>(), name_of(static_cast<Measure>(i)));
    for (const Json& start : schema.at("$defs").at("start").at("enum"))
        EXPECT_NO_THROW(parse_scene(
            R"({"bodies": [{"shape": {"cube": {}}, "start": )" + start.dump() + "}]}", "my.json"));
}

TEST(SceneSchema, NamesEveryModelAndItsSettings) {
    const Json definitions = Json::parse(scene_schema()).at("$defs");
    const Json& known = definitions.at("model").at("properties");
    EXPECT_EQ(known.size(), models().size());
    for (const ElasticModel* model : models()) {
        const std::string name(model->name());
        ASSERT_TRUE(known.contains(name)) << name;
        const Json& settings = definitions.at("model_" + name).at("properties");
        EXPECT_EQ(settings.size(), model->settings().size()) << name;
        for (const ElasticModel::Setting& setting : model->settings()) {
            ASSERT_TRUE(settings.contains(std::string(setting.name))) << name << setting.name;
            const Json& range = settings.at(std::string(setting.name));
            if (!setting.choices.empty()) {
                EXPECT_EQ(range.at("enum").get<std::vector<std::string>>(),
                          std::vector<std::string>(setting.choices.begin(), setting.choices.end()))
                    << setting.name;
                continue;
            }
            EXPECT_EQ(range.at("minimum").get<double>(), setting.least) << setting.name;
            EXPECT_EQ(range.at("maximum").get<double>(), setting.most) << setting.name;
        }
    }
}

}  // namespace
}  // namespace turgor
