#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run.hpp"

namespace turgor {

/// The document of `--stats`.
nlohmann::ordered_json make_stats(const LiveScene& scene, const Monitor& monitor,
                                  const Frames& frames, const RunRecord& record);

nlohmann::ordered_json to_json(const std::vector<CheckResult>& checks);

/// All of it or nothing.
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& document);

}  // namespace turgor
