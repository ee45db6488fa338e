#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turgor {

/// A list of lists in two flat arrays: row i is items[starts[i] … starts[i+1]).
struct ListOfLists {
    std::vector<std::uint32_t> starts{0};
    std::vector<std::uint32_t> items;

    std::size_t size() const { return starts.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {items.data() + starts[i], items.data() + starts[i + 1]};
    }
    /// Gives back what was reserved for more.
    void shrink() {
        starts.shrink_to_fit();
        items.shrink_to_fit();
    }
    void end_row() { starts.push_back(static_cast<std::uint32_t>(items.size())); }
};

}  // namespace turgor
