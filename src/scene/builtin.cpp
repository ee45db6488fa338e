#include "scene/builtin.hpp"

namespace turgor {

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
