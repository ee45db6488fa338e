#pragma once

#include "turgor/mesh.hpp"

namespace turgor::shapes {

/// A closed sneaker like gummy_bear and rubber_duck, which are public: it stands on y = 0, its toe
/// along +z, about 2.2 times as long as it is high.
Mesh shoe(double height, std::size_t vertices);

}  // namespace turgor::shapes
