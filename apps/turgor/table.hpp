#pragma once

#include <filesystem>
#include <optional>

#include "run.hpp"

namespace turgor {

/// What a run made, on stdout.
void print_table(const LiveScene& scene, const Monitor& monitor, const Frames& frames,
                 const RunRecord& record, const std::optional<std::filesystem::path>& stats);

/// One line per check on stdout.
void print_checks(const std::vector<CheckResult>& checks);

}  // namespace turgor
