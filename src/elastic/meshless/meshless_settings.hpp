#pragma once

#include <optional>
#include <string_view>

#include "elastic/meshless/meshless.hpp"
#include "elastic/model.hpp"

namespace turgor {

std::optional<double> setting(const ModelSettings& settings, std::string_view name);

/// What a model's settings say about clusters, but for their number.
MeshlessSettings meshless_settings(const ModelSettings& given);

}  // namespace turgor
