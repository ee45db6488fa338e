#include "body/graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/cancel.hpp"

namespace turgor {

ListOfLists triangles_around(std::size_t count, std::span<const Triangle> triangles) {
    ListOfLists lists;
    lists.starts.assign(count + 1, 0);
    for (const Triangle& t : triangles)
        for (const std::uint32_t v : t) ++lists.starts[v + 1];
    std::partial_sum(lists.starts.begin(), lists.starts.end(), lists.starts.begin());
    lists.items.resize(3 * triangles.size());
    std::vector<std::uint32_t> next(lists.starts.begin(), lists.starts.end() - 1);
    for (std::uint32_t i = 0; i < triangles.size(); ++i)
        for (const std::uint32_t v : triangles[i]) lists.items[next[v]++] = i;
    return lists;
}

ListOfLists one_rings(const ListOfLists& corners, std::span<const Triangle> triangles) {
    ListOfLists rings;
    rings.starts.reserve(corners.starts.size());
    rings.items.reserve(3 * triangles.size());
    std::vector<std::uint32_t> row;
    for (std::uint32_t i = 0; i < corners.size(); ++i) {
        check_cancelled();
        row.clear();
        for (const std::uint32_t t : corners[i])
            for (const std::uint32_t v : triangles[t])
                if (v != i) row.push_back(v);
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        rings.items.insert(rings.items.end(), row.begin(), row.end());
        rings.end_row();
    }
    return rings;
}

}  // namespace turgor
