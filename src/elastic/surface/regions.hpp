#pragma once

#include "base/list_of_lists.hpp"

namespace turgor {

/// ℜᵢ for each i: all vertices within `omega` edges of `graph`, i itself included, ascending.
/// Symmetric: j ∈ ℜᵢ ⇔ i ∈ ℜⱼ. More items than 32 bits can count are an Error.
ListOfLists make_regions(const ListOfLists& graph, int omega);

}  // namespace turgor
