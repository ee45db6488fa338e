#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace turgor {

/// Union-find with path halving (Tarjan and van Leeuwen 1984). A root is the lowest index of its
/// set.

/// The root of the set that i is in.
inline std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

inline void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
    a = find_root(parent, a), b = find_root(parent, b);
    parent[std::max(a, b)] = std::min(a, b);
}

}  // namespace turgor
