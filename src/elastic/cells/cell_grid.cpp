#include "elastic/cells/cell_grid.hpp"

#include <algorithm>

namespace turgor {

CellGrid::CellGrid(Place size, std::vector<Place> places)
    : size_(size), places_(std::move(places)) {
    struct Range {
        int least = 1 << 30, most = -1;
    };
    const int width = size[1] + 3, depth = size[2] + 3;
    std::vector<Range> own(static_cast<std::size_t>(width * depth));
    const auto index = [&](int y, int z) {
        return static_cast<std::size_t>((y + 1) + width * (z + 1));
    };
    for (const Place& p : places_) {
        Range& range = own[index(p[1], p[2])];
        range.least = std::min(range.least, p[0]);
        range.most = std::max(range.most, p[0]);
    }
    // A row reaches as far as those around it, so that a neighbour is always within its row; what
    // no row is near is all in one row that nobody writes to.
    int longest = 0;
    std::vector<Range> reach(own.size());
    for (int z = -1; z < depth - 1; ++z)
        for (int y = -1; y < width - 1; ++y) {
            Range& range = reach[index(y, z)];
            for (int dz = std::max(-1, z - 1); dz <= std::min(depth - 2, z + 1); ++dz)
                for (int dy = std::max(-1, y - 1); dy <= std::min(width - 2, y + 1); ++dy) {
                    range.least = std::min(range.least, own[index(dy, dz)].least);
                    range.most = std::max(range.most, own[index(dy, dz)].most);
                }
            longest = std::max(longest, range.most + 3);
        }
    rows_.assign(own.size(), 1);
    int next = longest + 2;
    for (std::size_t r = 0; r < reach.size(); ++r) {
        const Range& range = reach[r];
        if (range.most < 0) continue;
        rows_[r] = next - (range.least - 1);
        next += range.most + 2 - (range.least - 1) + 1;
    }
    slots_ = static_cast<std::size_t>(next);
}

std::size_t CellGrid::bytes() const {
    return places_.capacity() * sizeof(Place) + rows_.capacity() * sizeof(int);
}

}  // namespace turgor
