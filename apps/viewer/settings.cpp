#include "settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file_output.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void read(const Json& from, const char* key, T& value) {
    try {
        if (from.contains(key)) value = from.at(key).get<T>();
    } catch (const Json::exception&) {
        // of another kind: the usual value stays
    }
}

}  // namespace

std::filesystem::path settings_file() {
    const auto below = [](const char* folder) {
        return std::filesystem::path(folder) / "turgor" / "viewer.json";
    };
    const char* config = std::getenv("XDG_CONFIG_HOME");
    if (config && *config) return below(config);
    const char* home = std::getenv("HOME");
    return home && *home ? below((std::filesystem::path(home) / ".config").c_str())
                         : std::filesystem::path();
}

ViewerSettings load_settings(const std::filesystem::path& file) {
    ViewerSettings settings;
    std::ifstream in(file);
    const Json json = in ? Json::parse(in, nullptr, false) : Json();
    if (!json.is_object()) return settings;
    read(json, "width", settings.width);
    read(json, "height", settings.height);
    read(json, "panel", settings.panel);
    read(json, "fine", settings.fine);
    read(json, "scene", settings.scene);
    settings.width = std::clamp(settings.width, 320, 8192);
    settings.height = std::clamp(settings.height, 240, 8192);
    return settings;
}

void save_settings(const ViewerSettings& settings, const std::filesystem::path& file) noexcept {
    try {
        if (file.empty()) return;
        const Json json{{"width", settings.width},
                        {"height", settings.height},
                        {"panel", settings.panel},
                        {"fine", settings.fine},
                        {"scene", settings.scene}};
        AtomicFile out(file);
        out.write(json.dump(2) + "\n");
        out.commit();
    } catch (const std::exception&) {
        // see above
    }
}

}  // namespace turgor
