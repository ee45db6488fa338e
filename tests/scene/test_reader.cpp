#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "scene/live_scene.hpp"

namespace turgor {
namespace {

/// The message of the Error that reading gives.
std::string complaint(const std::string& text) {
    try {
        parse_scene(text, "my.json");
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_scene) << e.what();
        return e.what();
    }
    return "no complaint";
}

/// A scene of one ball with something added to its body.
std::string body_with(const std::string& more) {
    return R"({"bodies": [{"shape": {"sphere": {}}, )" + more + "}]}";
}

std::string scene_with(const std::string& more) {
    return R"({"bodies": [{"name": "ball", "shape": {"sphere": {}}}], )" + more + "}";
}

struct BadScene {
    std::string text;
    std::string place;  ///< behind "my.json: "
    std::string part;   ///< of the sentence
};

const BadScene bad_scenes[] = {
    {"", "line 1, column 1:", "not valid JSON"},
    {"{\n  \"bodies\": [,]\n}", "line 2, column 14:", "not valid JSON"},
    {"{\"bodies\": [1e999]}", "a number is too large", ""},
    {"\xff\xfe{", "", "UTF-16"},
    {scene_with(
         R"("handles": [{"body": "ball", "region": {"all": false}, "action": {"pin": {}}}])"),
     "/handles/0/region/all: ", "must be true"},
    {"[]", "/: ", "must be an object, not a list"},
    {"{}", "/: ", "lacks the key \"bodies\""},
    {R"({"bodies": []})", "/bodies: ", "at least 1"},
    {R"({"bodies": 3})", "/bodies: ", "must be a list, not 3"},
    {R"({"bodys": []})", "/bodys: ", "did you mean \"bodies\"?"},
    {R"({"bodies": [{}]})", "/bodies/0: ", "lacks the key \"shape\""},
    {R"({"bodies": [{"shape": {}}]})", "/bodies/0/shape: ", "exactly one of"},
    {R"({"bodies": [{"shape": {"sphere": {}, "cube": {}}}]})",
     "/bodies/0/shape: ", "exactly one of"},
    {R"({"bodies": [{"shape": {"sphere": {"segments": 2}}}]})",
     "/bodies/0/shape/sphere/segments: ", "between 3 and 4000"},
    {R"({"bodies": [{"shape": {"sphere": {"segments": 5.5}}}]})",
     "/bodies/0/shape/sphere/segments: ", "an integer"},
    {body_with(R"("relative_masses": 3)"),
     "/bodies/0/relative_masses: ", "must be a list or an object, not 3"},
    {body_with(R"("relative_masses": [1, 0])"), "/bodies/0/relative_masses/1: ", "above 0"},
    {body_with(R"("matching_weights": [1, 1.5])"),
     "/bodies/0/matching_weights/1: ", "between 0 and 1"},
    {body_with(R"("matching_weights": {"colour": "pink", "from": 0, "to": 1})"),
     "/bodies/0/matching_weights/colour: ", "\"green\", \"blue\" or \"brightness\""},
    {body_with(R"("relative_masses": {"from": 2, "to": 1})"),
     "/bodies/0/relative_masses: ", "either \"colour\" or \"along\""},
    {body_with(R"("relative_masses": {"colour": "red", "along": "x", "from": 2, "to": 1})"),
     "/bodies/0/relative_masses: ", "either \"colour\" or \"along\""},
    {body_with(R"("relative_masses": {"along": "y", "from": 2})"),
     "/bodies/0/relative_masses: ", "lacks the key \"to\""},
    {R"({"bodies": [{"shape": {"torus": {"tube_radius": 1}}}]})",
     "/bodies/0/shape/torus: ", "less than the ring_radius"},
    {R"({"bodies": [{"shape": {"bar": {"size": [1, 0.4, 1], "rounding": 0.21}}}]})",
     "/bodies/0/shape/bar: ", "the rounding 0.21 must be at most 0.2, half the shortest side"},
    {R"({"bodies": [{"shape": {"capsule": {"height": 0.3}}}]})",
     "/bodies/0/shape/capsule: ", "twice the radius"},
    {R"({"bodies": [{"shape": {"package_mesh": {"package": "p", "archive": "/etc/x", "member": "m"}}}]})",
     "/bodies/0/shape/package_mesh/archive: ", "below /usr/share/"},
    {body_with(R"("material": {"frequency": -3})"),
     "/bodies/0/material/frequency: ", "must be between 0.1 and 1000, not -3"},
    {body_with(R"("material": {"frequenzy": 3})"),
     "/bodies/0/material/frequenzy: ", "did you mean \"frequency\"?"},
    {body_with(R"("material": 3)"), "/bodies/0/material: ", "must be a string or an object, not 3"},
    {body_with(R"("material": "gumy")"), "/bodies/0/material: ", "\"gummy\""},
    {body_with(R"("material": {"base": "steel"})"),
     "/bodies/0/material/base: ", "there is no material \"steel\""},
    {body_with(R"("model": {})"), "/bodies/0/model: ", "exactly one of"},
    {body_with(R"("model": "surface")"), "/bodies/0/model: ", "must be an object"},
    {body_with(R"("model": {"surfase": {}})"),
     "/bodies/0/model/surfase: ", "did you mean \"surface\"?"},
    {body_with(R"("model": {"granite": {}})"), "/bodies/0/model/granite: ",
     "known here are \"cells\", \"lattice\", \"meshless\" or \"surface\""},
    {body_with(R"("model": {"lattice": {"cells": 0}})"),
     "/bodies/0/model/lattice/cells: ", "must be between 1 and 256, not 0"},
    {body_with(R"("model": {"lattice": {}}, "wrap": true)"),
     "/bodies/0/wrap: ", "the model \"lattice\" takes any mesh as it is"},
    {body_with(R"("model": {"lattice": {}}, "sim_vertices": 99)"),
     "/bodies/0/sim_vertices: ", "the model \"lattice\" takes any mesh as it is"},
    {body_with(R"("model": {"surface": {"omegga": 3}})"),
     "/bodies/0/model/surface/omegga: ", "did you mean \"omega\"?"},
    {body_with(R"("model": {"surface": {"omega": 17}})"),
     "/bodies/0/model/surface/omega: ", "between 1 and 16"},
    {body_with(R"("model": {"surface": {"omega": 2.5}})"),
     "/bodies/0/model/surface/omega: ", "an integer"},
    {body_with(R"("copies": [{"model": {"surface": {"stiffness": 2}}}])"),
     "/bodies/0/copies/0/model/surface/stiffness: ", "between 0 and 1"},
    {body_with(R"("volume": "lokal")"), "/bodies/0/volume: ", "did you mean \"local\"?"},
    {body_with(R"("volume": null)"), "/bodies/0/volume: ", "not null"},
    {body_with(R"("position": [0, 1])"), "/bodies/0/position: ", "3 entries, not 2"},
    {body_with(R"("position": [0, 1, "2"])"),
     "/bodies/0/position/2: ", "must be a number, not \"2\""},
    {body_with(R"("position": [0, 1e300, 0])"), "/bodies/0/position/1: ", "between"},
    {body_with(R"("rotation": {"axis": [0, 0, 0], "degrees": 5})"),
     "/bodies/0/rotation/axis: ", "not be zero"},
    {body_with(R"("rotation": [0, 0, 0, 0])"), "/bodies/0/rotation: ", "not be zero"},
    {body_with(R"("scale": 0)"), "/bodies/0/scale: ", "between"},
    {body_with(R"("layers": [])"), "/bodies/0/layers: ", "at least 1"},
    {body_with(R"("layers": "toys")"), "/bodies/0/layers: ", "must be a list, not \"toys\""},
    {body_with(R"("layers": [3])"), "/bodies/0/layers/0: ", "must be a string, not 3"},
    {body_with(R"("layers": ["toys"], "collides_with": ["default", "tois"])"),
     "/bodies/0/collides_with/1: ", "nothing is in a layer \"tois\"; did you mean \"toys\"?"},
    {body_with(R"("collides_with": ["toys"])"),
     "/bodies/0/collides_with/0: ", "there is \"default\""},
    {body_with(R"("material": {"friction": 0.5, "static_friction": 11})"),
     "/bodies/0/material/static_friction: ", "between 0 and 10"},
    {body_with(R"("material": {"friction": 0.5, "static_friction": 0.4})"),
     "/bodies/0/material: ", "static_friction is 0.4 but must be between 0.5 and 10"},
    {scene_with(R"("materials": {"m": {"base": "rubber", "static_friction": 0.4}})"),
     "/materials/m: ", "static_friction is 0.4 but must be between 0.9 and 10"},
    {body_with(R"("material": {"plasticity": {"yield": 2}})"),
     "/bodies/0/material/plasticity/yield: ", "must be between 0 and 1, not 2"},
    {body_with(R"("model": {"meshless": {"omega": 2}})"), "/bodies/0/model/meshless/omega: ",
     "is not a known key of \"meshless\", but one of \"surface\""},
    {scene_with(R"("friction_pairs": [{"surfaces": ["gummy"], "friction": 1}])"),
     "/friction_pairs/0/surfaces: ", "2 entries, not 1"},
    {scene_with(R"("friction_pairs": [{"surfaces": ["gummy", "gummy"]}])"),
     "/friction_pairs/0: ", "lacks the key \"friction\""},
    {scene_with(R"("friction_pairs": [{"surfaces": ["gummy", "rubbr"], "friction": 1}])"),
     "/friction_pairs/0/surfaces/1: ", "the surface \"rubbr\"; did you mean \"rubber\"?"},
    {scene_with(
         R"("friction_pairs": [{"surfaces": ["gummy", "gummy"], "friction": 0.5, "static_friction": 0.4}])"),
     "/friction_pairs/0: ", "between 0.5 and 10"},
    {scene_with(R"("friction_pairs": [{"surfaces": ["gummy", "dough"], "friction": 1},
                                      {"surfaces": ["dough", "gummy"], "friction": 0.5}])"),
     "/friction_pairs/1: ", "have a friction already, at /friction_pairs/0"},
    {scene_with(R"("colliders": [{"name": "gate", "shape": {"plane": {}}}],
                   "checks": [{"measure": "touches", "collider": "gaet", "at_least": 1}])"),
     "/checks/0/collider: ", "there is no collider \"gaet\"; did you mean \"gate\"?"},
    {scene_with(R"("checks": [{"measure": "touches", "collider": "gate", "at_least": 1}])"),
     "/checks/0/collider: ", "there is no collider \"gate\""},
    {scene_with(R"("checks": [{"measure": "touches", "at_least": 1}])"),
     "/checks/0: ", "names a collider"},
    {scene_with(R"("checks": [{"measure": "speed", "collider": "gate", "at_least": 1}])"),
     "/checks/0: ", "names a collider"},
    {body_with(R"("position": [0, 0, 0], "position": [1, 0, 0])"), "/bodies/0/position: ", "twice"},
    {body_with(R"("copies": {"grid": [1000, 1000, 1000], "spacing": [1, 1, 1]})"),
     "/bodies/0/copies/grid: ", "bodies"},
    {body_with(R"("copies": [{"position": [0, 0, 0]}, {"shape": {"cube": {}}}])"),
     "/bodies/0/copies/1/shape: ", "known key"},
    {R"({"bodies": [{"name": "a", "shape": {"cube": {}}}, {"name": "a", "shape": {"cube": {}}}]})",
     "/bodies/1/name: ", "two bodies are called \"a\""},
    {scene_with(R"("dt": 0)"), "/dt: ", "between"},
    {scene_with(R"("duration": 0)"), "/duration: ", "above 0"},
    {scene_with(R"("materials": {"a": {"base": "b"}, "b": {"base": "a"}})"),
     "/materials/a: ", "from itself"},
    {scene_with(R"("materials": {"a": {"base": "a"}})"), "/materials/a/base: ", "no material"},
    {scene_with(R"("colliders": [{"shape": {"plane": {"normal": [0, 0, 0]}}}])"),
     "/colliders/0/shape/plane/normal: ", "zero"},
    {scene_with(R"("colliders": [{"shape": {"mesh": {"thickness": 0.1}}}])"),
     "/colliders/0/shape/mesh", "file"},
    {scene_with(
         R"("colliders": [{"shape": {"height_field": {"spacing": [1, 1], "heights": [[0, 0], [0]]}}}])"),
     "/colliders/0/shape/height_field/heights/1", "2"},
    {scene_with(
         R"("colliders": [{"shape": {"height_field": {"spacing": [1, 1], "heights": [[0, 0], [0, 0, 0]]}}}])"),
     "/colliders/0/shape/height_field/heights/1: ", "3 heights"},
    {scene_with(R"("colliders": [{"shape": {"capsule": {"radius": 1, "height": 1}}}])"),
     "/colliders/0/shape/capsule: ", "twice"},
    {scene_with(
         R"("colliders": [{"shape": {"plane": {"normal": [1, 1, 0]}}, "rotation": [1, 0, 0, 0]}])"),
     "/colliders/0/rotation: ", "one of the two"},
    {scene_with(
         R"("colliders": [{"shape": {"sphere": {"radius": 1}}, "path": {"keys": [{"time": 1}, {"time": 1}]}}])"),
     "/colliders/0/path/keys/1/time: ", "later"},
    {scene_with(R"("colliders": [{"shape": {"sphere": {"radius": 1}}, "path": {"keys": [{"time": 0},
        {"time": 1, "rotation": {"axis": [0, 1, 0], "degrees": 360}}]}}])"),
     "/colliders/0/path/keys/1/rotation: ", "360 degrees"},
    {scene_with(R"("handles": [{"body": "bal", "region": {"all": true}, "action": {"pin": {}}}])"),
     "/handles/0/body: ", "did you mean \"ball\"?"},
    {scene_with(
         R"("handles": [{"body": "ball", "region": {"box": {"lower": [0, 1, 0], "upper": [0, 0, 0]}},
                         "action": {"pin": {}}}])"),
     "/handles/0/region/box: ", "exceed"},
    {scene_with(R"("checks": [{"measure": "speed"}])"), "/checks/0: ", "lacks a limit"},
    {scene_with(R"("checks": [{"measure": "speed", "at_least": 2, "at_most": 1}])"),
     "/checks/0: ", "cannot hold"},
    {scene_with(R"("checks": [{"measure": "sped", "at_most": 1}])"),
     "/checks/0/measure: ", "did you mean \"speed\"?"},
    {scene_with(R"("checks": [{"measure": "speed", "at_most": 1, "bodies": ["cube"]}])"),
     "/checks/0/bodies/0: ", "no body"},
    {scene_with(R"("checks": [{"measure": "penetration", "at_most": 1, "bodies": ["ball"]}])"),
     "/checks/0/bodies: ", "whole scene"},
    {scene_with(R"("checks": [{"measure": "creep", "at_most": 1, "since": 3}])"),
     "/checks/0/since: ", "before the end"},
};

TEST(SceneReader, NamesTheFileAndThePlaceOfWhatIsWrong) {
    for (const BadScene& bad : bad_scenes) {
        const std::string said = complaint(bad.text);
        EXPECT_EQ(said.rfind("my.json: " + bad.place, 0), 0u) << bad.text << "\n" << said;
        EXPECT_NE(said.find(bad.part), std::string::npos) << bad.text << "\n" << said;
    }
}

TEST(SceneReader, EveryCutOffSceneIsRefused) {
    const std::string whole =
        scene_with(R"("gravity": [0, -1, 0], "checks": [{"measure": "speed", "at_most": 1}])");
    ASSERT_EQ(complaint(whole), "no complaint");
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(complaint(whole.substr(0, length)).find("not valid JSON"), std::string::npos)
            << length;
}

TEST(SceneReader, DeepNestingIsRefusedWithoutACrash) {
    EXPECT_NE(complaint(R"({"bodies": )" + std::string(200000, '[')).find("not valid JSON"),
              std::string::npos);
    EXPECT_NE(
        complaint(R"({"bodies": [)" + std::string(50000, '[') + std::string(50000, ']') + "]}")
            .find("/bodies/0: "),
        std::string::npos);
}

TEST(SceneReader, AKeyWithASlashIsEscapedInThePlace) {
    EXPECT_NE(complaint(R"({"a/b~c": 1, "bodies": [{"shape": {"cube": {}}}]})")
                  .find("my.json: /a~1b~0c: "),
              std::string::npos);
}

TEST(SceneReader, MaterialsMayStartFromEachOtherInAnyOrder) {
    const Scene scene = parse_scene(
        R"({"materials": {"a": {"base": "z", "alpha": 0.9}, "z": {"base": "dough", "beta": 0.7}},
            "bodies": [{"shape": {"cube": {}}, "material": "a"}]})",
        "my.json");
    const Material m = scene.bodies[0].material;
    EXPECT_EQ(m.frequency, Material::named("dough").frequency);
    EXPECT_EQ(m.alpha, 0.9);
    EXPECT_EQ(m.beta, 0.7);
}

TEST(SceneReader, PlasticityChangesThatOfTheBase) {
    const auto plasticity = [](const std::string& material) {
        return parse_scene(body_with("\"material\": " + material), "my.json")
            .bodies[0]
            .material.plasticity;
    };
    Plasticity dough = *Material::named("dough").plasticity;
    dough.creep_time = 9;
    EXPECT_EQ(plasticity(R"({"base": "dough", "plasticity": {"creep_time": 9}})"), dough);
    EXPECT_EQ(plasticity(R"({"plasticity": {"yield": 0.3}})"), Plasticity{.yield = 0.3});
    EXPECT_EQ(plasticity(R"({"base": "gummy"})"), std::nullopt);
    EXPECT_EQ(plasticity(R"("foam")"), Material::named("foam").plasticity);
}

TEST(SceneReader, CopiesAreDeterministicAndDifferBySeed) {
    const auto read = [](int seed) {
        return parse_scene(
            fmt::format(
                R"({{"bodies": [{{"name": "b", "shape": {{"cube": {{}}}}, "position": [1, 2, 3],
            "copies": {{"grid": [3, 2, 1], "spacing": [2, 1, 1], "jitter": 0.1, "turn": true, "seed": {}}}}}]}})",
                seed),
            "my.json");
    };
    const Scene a = read(1), b = read(1), c = read(2);
    ASSERT_EQ(a.bodies.size(), 6u);
    Vec3 middle;
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(a.bodies[i].options.position, b.bodies[i].options.position);
        EXPECT_EQ(a.bodies[i].options.rotation, b.bodies[i].options.rotation);
        EXPECT_NE(a.bodies[i].options.position, c.bodies[i].options.position);
        middle += a.bodies[i].options.position / 6;
    }
    EXPECT_NEAR(middle.x, 1, 0.1);
    EXPECT_NEAR(middle.y, 2.5, 0.1);
    EXPECT_NEAR(middle.z, 3, 0.1);
    EXPECT_EQ(a.bodies[0].name, "b");
    EXPECT_EQ(a.bodies[5].name, "b.6");
    EXPECT_EQ(a.bodies[5].group, "b");
}

TEST(SceneReader, TakesAtMost32Layers) {
    const auto with = [](int count) {
        std::string names;
        for (int i = 0; i < count; ++i) names += fmt::format("{}\"l{}\"", i ? "," : "", i);
        return R"({"colliders": [{"shape": {"plane": {}}, "layers": [)" + names +
               R"(]}], "bodies": [{"shape": {"cube": {}}}]})";
    };
    EXPECT_EQ(parse_scene(with(31), "my.json").colliders[0].filter.layers, 0xfffffffe);
    const std::string sentence = complaint(with(32));
    EXPECT_NE(sentence.find("my.json: /colliders/0/layers/31: "), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("31 others are the most"), std::string::npos) << sentence;
}

TEST(SceneReader, AListOfCopiesChangesOnlyWhatItSays) {
    const Scene scene = parse_scene(
        R"({"bodies": [{"name": "b", "shape": {"cube": {}}, "material": "dough", "velocity": [1, 0, 0],
            "copies": [{"name": "first"}, {"material": "jelly", "velocity": [0, 1, 0], "volume": "off"}]}]})",
        "my.json");
    ASSERT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.bodies[0].name, "first");
    EXPECT_EQ(scene.bodies[0].material, Material::named("dough"));
    EXPECT_EQ(scene.bodies[0].options.velocity, (Vec3{1, 0, 0}));
    EXPECT_EQ(scene.bodies[1].name, "b.2");
    EXPECT_EQ(scene.bodies[1].material, Material::named("jelly"));
    EXPECT_EQ(scene.bodies[1].options.velocity, (Vec3{0, 1, 0}));
    EXPECT_EQ(scene.bodies[1].options.volume, VolumeMode::off);
    EXPECT_EQ(scene.bodies[0].shape, scene.bodies[1].shape);
}

TEST(SceneOverrides, ReachEveryBodyAndAreChecked) {
    Scene scene = parse_scene(
        R"({"materials": {"own": {"alpha": 0.77}}, "bodies": [{"shape": {"cube": {}}, "copies": [{}, {}]}]})",
        "my.json");
    SceneOverrides o;
    o.material = "own";
    o.omega = 4;
    o.beta = 0.5;
    o.volume = "global";
    o.dt = 0.01;
    o.formulation = "paper";
    apply(o, scene);
    for (const SceneBody& body : scene.bodies) {
        EXPECT_EQ(body.material.alpha, 0.77);
        EXPECT_EQ(body.material.omega, 4);
        EXPECT_EQ(body.material.beta, 0.5);
        EXPECT_EQ(body.options.volume, VolumeMode::global);
    }
    EXPECT_EQ(scene.dt, 0.01);
    EXPECT_EQ(scene.steps(), 300u);
    EXPECT_EQ(scene.world.formulation, Formulation::paper());
    const auto refused = [&](const SceneOverrides& bad) {
        Scene fresh = scene;
        EXPECT_THROW(apply(bad, fresh), Error);
    };
    SceneOverrides bad;
    bad.alpha = 1.5, refused(bad), bad = {};
    bad.material = "steel", refused(bad), bad = {};
    bad.volume = "some", refused(bad), bad = {};
    bad.model = "granite", refused(bad), bad = {};
    bad.dt = 1.0, refused(bad), bad = {};
    bad.fps = 0.0, refused(bad);
}

TEST(SceneOverrides, OfTheSurfaceModelWinOverItsSettings) {
    Scene scene = parse_scene(
        body_with(R"("model": {"surface": {"omega": 2, "stiffness": 0.5, "damping": 0.1}})"),
        "my.json");
    SceneOverrides o;
    o.model = "surface";
    apply(o, scene);
    EXPECT_EQ(scene.bodies[0].options.model, Model(SurfaceModel{2, 0.5, 0.1}));
    o.omega = 3;
    o.stiffness = 0.25;
    apply(o, scene);
    const LiveScene live(scene);
    EXPECT_EQ(live.bodies()[0].body.figure("omega"), 3);
    EXPECT_EQ(live.bodies()[0].body.figure("stiffness"), 0.25);
    EXPECT_EQ(live.bodies()[0].body.figure("damping"), 0.1);
}

TEST(SceneReader, TheModelsSettingsReachTheBodyAndWinOverTheMaterial) {
    const LiveScene live(parse_scene(
        R"({"bodies": [{"shape": {"icosphere": {"subdivisions": 2}}, "copies": [
             {"material": {"omega": 2, "stiffness": 0.01, "damping": 0.1}},
             {"model": {"surface": {"omega": 2, "stiffness": 0.01, "damping": 0.1}}},
             {"material": {"omega": 3, "stiffness": 0.6}, "model": {"surface": {"omega": 2}}}]}]})",
        "my.json"));
    const auto figures = [&](std::size_t k) {
        const Body& body = live.bodies()[k].body;
        return std::array{body.figure("omega"), body.figure("stiffness"), body.figure("damping")};
    };
    EXPECT_EQ(figures(0), (std::array{2.0, 0.01, 0.1}));
    EXPECT_EQ(figures(1), figures(0));
    EXPECT_EQ(figures(2)[0], 2);
    EXPECT_EQ(figures(2)[1], 0.6);
    EXPECT_TRUE(live.warnings().empty()) << live.warnings().front();
}

TEST(SceneNames, AreToldFromMeshes) {
    for (const char* scene : {"gummy_bears", "my.json", "folder/my.json", "no_such_scene"})
        EXPECT_TRUE(names_a_scene(scene));
    for (const char* mesh : {"duck.obj", "a/b.ply", "x.gltf", "folder/noending"})
        EXPECT_FALSE(names_a_scene(mesh));
    EXPECT_THROW(load_scene("gumy_bears"), Error);
    EXPECT_THROW(load_scene("nowhere/my.json"), Error);
}

}  // namespace
}  // namespace turgor
