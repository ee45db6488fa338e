#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend_options.hpp"
#include "scene/scene.hpp"

namespace CLI {
class App;
}

namespace turgor {

/// Which scene, and what is changed about it, as the command line says it.
struct SceneOptions {
    std::vector<std::string> inputs;
    BackendOptions backend;
    SceneOverrides overrides;
    std::optional<double> scale;
    std::optional<std::string> up;
    MeshDrop::Wrap wrap = MeshDrop::Wrap::none;

    void add_to(CLI::App& command);
    /// As the command line wants it. An Error says what is wrong with that.
    Scene scene() const;
};

/// Notes for a person, on stderr.
void print_notes(const std::vector<std::string>& notes);

/// No file may be read and written, or written twice: an Error says which.
void require_separate_places(const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs);

}  // namespace turgor
