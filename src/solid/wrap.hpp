#pragma once

#include "turgor/solid.hpp"

namespace turgor {

/// wrap() on threads that are there already.
Mesh wrap_on(Scheduler& threads, const Mesh& mesh, std::size_t vertices);

}  // namespace turgor
