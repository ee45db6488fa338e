// Guards the bits: every built-in scene and a few more, a number of steps each, on the reference
// and the cpu back end. Whoever changes the physics on purpose writes the new table with
//     TURGOR_WRITE_HASHES=1 build/release/tests/test_scene --gtest_filter='*Hashes*'
// On the opencl back end bits depend on the driver: scripts/same-hashes compares two programs
// there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "scene/builtin.hpp"
#include "scene/live_scene.hpp"
#include "scene/package_mesh.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;
const std::filesystem::path folder = std::filesystem::path(TURGOR_TESTS) / "scene";

/// How many steps a scene is followed for; large ones for fewer.
int steps_of(const std::string& scene, Backend backend) {
    static const std::map<std::string, int> cpu{
        {"cube", 10},          {"ducks_and_tori", 30}, {"armadillos", 5},    {"recovery", 120},
        {"hundred_props", 30}, {"shoes", 60},          {"lattice_cube", 20}, {"jelly_plate", 100}};
    static const std::map<std::string, int> reference{
        {"cube", 2},      {"ducks_and_tori", 4},    {"armadillos", 1},   {"balls_in_glass", 15},
        {"recovery", 30}, {"squeezed_spheres", 20}, {"twirled_bar", 20}, {"hundred_props", 3},
        {"shoes", 2},     {"lattice_cube", 1},      {"jelly_plate", 4}};
    const auto& table = backend == Backend::cpu ? cpu : reference;
    const auto at = table.find(scene);
    return at != table.end() ? at->second : backend == Backend::cpu ? 150 : 60;
}

struct Case {
    std::string scene;
    Backend backend;
    std::string key() const {
        return scene + (backend == Backend::cpu ? " cpu " : " reference ") +
               std::to_string(steps_of(scene, backend));
    }
};

std::vector<Case> cases() {
    std::vector<std::string> names;
    for (const BuiltInScene& scene : built_in_scenes()) names.emplace_back(scene.name);
    for (const char* name : {"folding", "obstacles", "published"}) names.emplace_back(name);
    std::vector<Case> all;
    for (const std::string& name : names)
        for (const Backend backend : {Backend::cpu, Backend::reference})
            if (name != "published" || backend == Backend::reference)
                all.push_back({name, backend});
    return all;
}

Scene scene_of(const Case& which) {
    const std::filesystem::path own = folder / "scenes" / (which.scene + ".json");
    Scene scene = load_scene(std::filesystem::exists(own) ? own.string() : which.scene);
    scene.world.backend = which.backend;
    return scene;
}

std::string hash_after(const Case& which, const Scene& scene) {
    LiveScene live(scene);
    for (int k = 0; k < steps_of(which.scene, which.backend); ++k) live.step();
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(live.world().state_hash()));
    return text;
}

Json read_table() {
    std::ifstream file(folder / "hashes.json");
    return file ? Json::parse(file) : Json::object();
}

class Hashes : public testing::TestWithParam<Case> {};

TEST_P(Hashes, are_those_of_the_table) {
    const Scene scene = scene_of(GetParam());
    if (const auto problem = problem_with_packages(scene)) GTEST_SKIP() << *problem;
    const std::string key = GetParam().key(), hash = hash_after(GetParam(), scene);
    Json table = read_table();
    if (std::getenv("TURGOR_WRITE_HASHES")) {
        table[key] = hash;
        std::ofstream(folder / "hashes.json") << table.dump(2) << '\n';
    }
    ASSERT_TRUE(table.contains(key)) << key << " is not in hashes.json";
    EXPECT_EQ(table[key], hash) << key;
}

INSTANTIATE_TEST_SUITE_P(Scenes, Hashes, testing::ValuesIn(cases()), [](const auto& which) {
    return which.param.scene + (which.param.backend == Backend::cpu ? "_cpu" : "_reference");
});

}  // namespace
}  // namespace turgor
