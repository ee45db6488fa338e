#pragma once

#include <string>
#include <vector>

#include "scene/scene.hpp"

namespace turgor {

/// One way of running a scene, to be seen beside others.
struct Variant {
    std::string caption;
    std::vector<std::pair<std::string, std::string>>
        changes;  ///< what `simulate` calls --KEY VALUE
};

/// "CAPTION: key=value, key=value"; without a caption its changes are the caption. An Error says
/// what is wrong with it.
Variant parse_variant(const std::string& text);
void apply(const Variant& variant, SceneOverrides& overrides);

}  // namespace turgor
