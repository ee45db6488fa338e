#include "mesh/edge_table.hpp"

#include <algorithm>

namespace turgor {

EdgeTable::EdgeTable(std::size_t vertices, std::span<const Triangle> triangles)
    : starts_(vertices + 1), entries_(3 * triangles.size()) {
    for (const auto& t : triangles)
        for (int c = 0; c < 3; ++c) ++starts_[std::min(t[c], t[(c + 1) % 3])];
    std::uint32_t sum = 0;
    for (auto& start : starts_) start = sum += start;
    // Filled from the back, so that each start ends where its row begins.
    for (auto i = triangles.size(); i-- > 0;)
        for (int c = 2; c >= 0; --c) {
            const auto [low, high] = std::minmax(triangles[i][c], triangles[i][(c + 1) % 3]);
            entries_[--starts_[low]] =
                (std::uint64_t{high} << 32) | (3 * i + static_cast<unsigned>(c));
        }
    for (std::size_t a = 0; a < vertices; ++a)
        std::sort(entries_.begin() + starts_[a], entries_.begin() + starts_[a + 1]);
}

}  // namespace turgor
