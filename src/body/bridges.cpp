#include "body/bridges.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/cancel.hpp"
#include "base/union_find.hpp"
#include "body/grouped_points.hpp"

namespace turgor {
namespace {

/// Numbers the groups of a union-find 0, 1, … in the order of their lowest members.
std::vector<std::uint32_t> group_numbers(std::vector<std::uint32_t>& parent, std::uint32_t& count) {
    std::vector<std::uint32_t> group(parent.size());
    count = 0;
    for (std::uint32_t i = 0; i < parent.size(); ++i) {
        const std::uint32_t root = find_root(parent, i);
        group[i] = root == i ? count++ : group[root];
    }
    return group;
}

std::uint32_t largest_group(std::span<const std::uint32_t> group, std::uint32_t count) {
    std::vector<std::size_t> size(count);
    for (const std::uint32_t g : group) ++size[g];
    return static_cast<std::uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());
}

/// What one vertex looking beyond its own group found.
struct Found {
    std::uint32_t group, target;
    double distance2;
    std::uint32_t source;
    auto key() const { return std::tuple(group, target, distance2, source); }
};

std::vector<Found> look_around(std::span<const Vec3> positions,
                               std::span<const std::uint32_t> group, std::uint32_t waiting) {
    const GroupedPoints points(positions, group);
    std::vector<Found> found;
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
        if (group[i] == waiting) continue;
        check_cancelled();
        const auto nearest = points.nearest_of_another_group(i);
        found.push_back({group[i], nearest.point, nearest.distance2, i});
    }
    return found;
}

}  // namespace

std::vector<Link> make_bridges(std::span<const Vec3> positions, const ListOfLists& neighbours) {
    std::vector<std::uint32_t> parent(positions.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (std::uint32_t i = 0; i < parent.size(); ++i)
        for (const std::uint32_t j : neighbours[i]) unite(parent, i, j);
    std::vector<Link> bridges;
    for (;;) {
        std::uint32_t count = 0;
        const std::vector<std::uint32_t> group = group_numbers(parent, count);
        if (count <= 1) break;
        std::vector<Found> found = look_around(positions, group, largest_group(group, count));
        std::sort(found.begin(), found.end(),
                  [](const Found& a, const Found& b) { return a.key() < b.key(); });
        for (std::size_t k = 0; k < found.size(); ++k) {
            const auto [source_group, target, distance2, source] = found[k];
            if (k > 0 && found[k - 1].group == source_group && found[k - 1].target == target)
                continue;
            bridges.push_back({std::min(source, target), std::max(source, target)});
            unite(parent, source, target);
        }
    }
    std::sort(bridges.begin(), bridges.end());
    bridges.erase(std::unique(bridges.begin(), bridges.end()), bridges.end());
    return bridges;
}

ListOfLists with_links(const ListOfLists& neighbours, std::span<const Link> links) {
    std::vector<Link> both_ways(links.begin(), links.end());
    for (const Link& link : links) both_ways.push_back({link[1], link[0]});
    std::sort(both_ways.begin(), both_ways.end());
    ListOfLists graph;
    graph.starts.reserve(neighbours.starts.size());
    graph.items.reserve(neighbours.items.size() + both_ways.size());
    auto next = both_ways.begin();
    for (std::uint32_t i = 0; i < neighbours.size(); ++i) {
        const std::size_t begin = graph.items.size();
        graph.items.insert(graph.items.end(), neighbours[i].begin(), neighbours[i].end());
        for (; next != both_ways.end() && (*next)[0] == i; ++next)
            graph.items.push_back((*next)[1]);
        std::sort(graph.items.begin() + static_cast<std::ptrdiff_t>(begin), graph.items.end());
        graph.end_row();
    }
    return graph;
}

}  // namespace turgor
