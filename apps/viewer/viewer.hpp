#pragma once

#include <filesystem>
#include <optional>

#include "session.hpp"

namespace turgor {

struct ViewOptions {
    std::string name;          ///< of what is shown first
    Session::MakeScene scene;  ///< empty: the one that was shown last
    /// A built-in scene by its name, with what the command line changes about it.
    std::function<Scene(const std::string&)> load = load_scene;
    std::function<bool()> interrupted = [] { return false; };
    std::optional<double> seconds;  ///< closes by itself after this time
};

/// How it went.
struct ViewReport {
    Session::Counts counts;
    std::size_t steps = 0;
    double time = 0;  ///< simulated [s]
    std::size_t bodies = 0;
    bool fine = true;
    std::string message;  ///< the last one
    std::string driver;
    Camera camera;
};

/// Shows a window until it is closed. Error(missing) where there is no screen or no OpenGL 3.3.
ViewReport view(const ViewOptions& options);

}  // namespace turgor
