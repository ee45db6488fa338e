#pragma once

#include <string>

#include "scene/json_text.hpp"

namespace turgor {

/// Checks a value against a JSON Schema (the part of draft 2020-12 that docs/scene.schema.json
/// uses) and throws Error(bad_scene) with the file, the JSON pointer and a sentence at the first
/// place that does not fit.
void require_schema(const Json& schema, const Json& value, const std::string& source);

/// What docs/scene.schema.json says to a person about one of its definitions, or about a key of it,
/// e.g. "beta" of "model_meshless"; empty where it says nothing.
std::string described(const std::string& definition, const std::string& key = {});

}  // namespace turgor
