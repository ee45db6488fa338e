#pragma once

#include "turgor/world.hpp"

namespace turgor {

inline WorldSettings on(Backend backend, int threads = 1) {
    WorldSettings settings;
    settings.backend = backend;
    settings.threads = threads;
    return settings;
}

}  // namespace turgor
