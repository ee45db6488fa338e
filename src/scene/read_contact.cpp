#include "scene/read_contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scene/words.hpp"

namespace turgor {
namespace {

constexpr std::size_t most_layers = 32;  // the bits of a CollisionFilter

void collect_layers_of(const Node& thing, Scene& scene) {
    if (!thing.has("layers")) return;
    const Node list = thing["layers"];
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto name = list[i].value.get<std::string>();
        if (std::ranges::find(scene.layers, name) != scene.layers.end()) continue;
        if (scene.layers.size() == most_layers)
            list[i].fail(fmt::format(
                "is one layer too many: \"default\" and {} others are the most", most_layers - 1));
        scene.layers.push_back(name);
    }
}

std::uint32_t read_layers(const Node& list, const Scene& scene) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto name = list[i].value.get<std::string>();
        const auto at = std::ranges::find(scene.layers, name);
        if (at == scene.layers.end()) {
            const std::string hint = did_you_mean(name, scene.layers);
            list[i].fail(fmt::format("nothing is in a layer \"{}\"{}", name,
                                     hint.empty() ? "; there is " + listed(scene.layers) : hint));
        }
        bits |= std::uint32_t{1} << (at - scene.layers.begin());
    }
    return bits;
}

std::vector<std::string> surfaces_of(const Scene& scene) {
    std::set<std::string> names(Material::names().begin(), Material::names().end());
    for (const auto& [name, material] : scene.materials) names.insert(material.surface);
    for (const Collider& collider : scene.colliders) names.insert(collider.surface);
    for (const SceneBody& body : scene.bodies) names.insert(body.material.surface);
    names.erase("");
    return {names.begin(), names.end()};
}

}  // namespace

void collect_layers(const Node& root, Scene& scene) {
    for (const char* kind : {"colliders", "bodies"}) {
        if (!root.has(kind)) continue;
        const Node list = root[kind];
        for (std::size_t i = 0; i < list.size(); ++i) {
            collect_layers_of(list[i], scene);
            if (!list[i].has("copies") || !list[i]["copies"].value.is_array()) continue;
            const Node copies = list[i]["copies"];
            for (std::size_t k = 0; k < copies.size(); ++k) collect_layers_of(copies[k], scene);
        }
    }
}

void read_filter(const Node& node, const Scene& scene, CollisionFilter& filter) {
    if (node.has("layers")) filter.layers = read_layers(node["layers"], scene);
    if (node.has("collides_with")) filter.collides_with = read_layers(node["collides_with"], scene);
}

SceneFriction read_friction_pair(const Node& node, const Scene& scene) {
    SceneFriction pair;
    pair.where = node.at;
    const std::vector<std::string> known = surfaces_of(scene);
    for (std::size_t i = 0; i < 2; ++i) {
        const Node surface = node["surfaces"][i];
        pair.surfaces[i] = surface.value.get<std::string>();
        if (std::ranges::find(known, pair.surfaces[i]) != known.end()) continue;
        const std::string hint = did_you_mean(pair.surfaces[i], known);
        surface.fail(fmt::format("no material and no collider has the surface \"{}\"{}",
                                 pair.surfaces[i],
                                 hint.empty() ? "; there is " + listed(known) : hint));
    }
    std::ranges::sort(pair.surfaces);
    for (const SceneFriction& other : scene.friction_pairs)
        if (other.surfaces == pair.surfaces)
            node.fail(fmt::format("\"{}\" and \"{}\" have a friction already, at {}",
                                  pair.surfaces[0], pair.surfaces[1], other.where));
    node.get("friction", pair.friction.friction);
    node.get("static_friction", pair.friction.static_friction);
    node.get("restitution", pair.friction.restitution);
    if (const auto problem = problem_with(pair.friction)) node.fail(*problem);
    return pair;
}

}  // namespace turgor
