#pragma once

#include <string>
#include <vector>

#include "turgor/world.hpp"

namespace CLI {
class App;
}

namespace turgor {

/// Who does the work, as the command line says it.
struct BackendOptions {
    std::string backend, device, summation = "fast", instructions;
    int threads = 0;
    bool never_sleep = false;
    std::string bake_folder;

    void add_to(CLI::App& command);
    /// An Error where this build does not have it. What changes nothing is noted.
    void apply(WorldSettings& settings, std::vector<std::string>* notes = nullptr) const;
};

std::string_view name_of(Backend backend);

}  // namespace turgor
