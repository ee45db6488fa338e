#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace turgor {

/// Groups that grow together: everybody points at somebody of the same group, the lowest of it at
/// itself.

/// The lowest of the group of i.
inline std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

inline void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
    a = root_of(parent, a), b = root_of(parent, b);
    parent[std::max(a, b)] = std::min(a, b);
}

}  // namespace turgor
