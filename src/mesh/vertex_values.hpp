#pragma once

#include <span>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// What the vertices of `fine` have, one value each, for the vertices of `coarse`, a simplified
/// form of it: means of what lies around each, weighted with its area, so that sums over the
/// surface stay. Of numbers and of vectors.
template <class Value>
std::vector<Value> values_on(const Mesh& coarse, const Mesh& fine, std::span<const Value> values);

}  // namespace turgor
