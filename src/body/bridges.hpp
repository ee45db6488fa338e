#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/list_of_lists.hpp"
#include "body/graph.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// Links that make the graph connected where it falls into several parts: a shell and its cavity,
/// an eye in a head. Without them each part would be an elastic body of its own and fall out of the
/// other.
///
/// Every vertex of a part looks for the nearest vertex of another part, and each vertex found is
/// linked with the nearest of those that found it. So the coupling is spread over all of the part's
/// surface instead of one hinge, and no vertex becomes a hub that makes regions large. Two parts
/// that got linked are one part in the next round, until one is left; the largest of a round only
/// waits to be found.
std::vector<Link> make_bridges(std::span<const Vec3> positions, const ListOfLists& neighbours);

/// `neighbours` and the links together, each row ascending.
ListOfLists with_links(const ListOfLists& neighbours, std::span<const Link> links);

}  // namespace turgor
