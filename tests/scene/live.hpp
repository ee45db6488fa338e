#pragma once

#include <string>

#include "scene/live_scene.hpp"

namespace turgor {

inline LiveScene make(const std::string& text) {
    return LiveScene(parse_scene(text, "my.json"));
}

inline void run(LiveScene& live, double seconds) {
    while (live.time() < seconds - 1e-9) live.step();
}

}  // namespace turgor
