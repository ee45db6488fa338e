#include "scene/builtin.hpp"

#include <vector>

namespace turgor {

std::span<const BuiltInScene> built_in_scenes() {
    static const std::vector<BuiltInScene> scenes = [] {
        std::vector<BuiltInScene> all;
        for (const auto& [name, text] : scene_files())
            all.push_back({name.substr(0, name.rfind('.')), text});
        return all;
    }();
    return scenes;
}

std::string_view scene_schema() {
    return schema_files().front().text;
}

std::optional<std::string_view> built_in_scene(std::string_view name) {
    for (const BuiltInScene& scene : built_in_scenes())
        if (scene.name == name) return scene.text;
    return std::nullopt;
}

std::string built_in_names() {
    std::string names;
    for (const BuiltInScene& scene : built_in_scenes()) {
        if (!names.empty()) names += ", ";
        names += scene.name;
    }
    return names;
}

}  // namespace turgor
