#include "elastic/meshless/meshless_settings.hpp"

namespace turgor {

std::optional<double> setting(const ModelSettings& settings, std::string_view name) {
    const auto at = settings.find(name);
    return at == settings.end() ? std::nullopt : std::optional(at->second);
}

MeshlessSettings meshless_settings(const ModelSettings& given) {
    MeshlessSettings s;
    s.mode = static_cast<MeshlessMode>(
        static_cast<int>(setting(given, "mode").value_or(static_cast<double>(s.mode))));
    s.beta = s.mode == MeshlessMode::rigid ? 0 : setting(given, "beta").value_or(s.beta);
    s.placement =
        setting(given, "placement").value_or(0) == 1 ? Placement::regular : Placement::connected;
    return s;
}

}  // namespace turgor
