#include "step/device/device_collision_trees.hpp"

#include "device/convert.hpp"

namespace turgor::device {
namespace {

/// Sharp edges in leaves of their own, and what they are told apart by.
CollisionLeaves leaves_of_edges(const BodyAsset& asset, const CollisionTree& tree) {
    std::vector<Vec3> middles;
    for (const SharpEdge& e : tree.edges)
        middles.push_back(0.5 * (asset.rest[e.ends[0]] + asset.rest[e.ends[1]]));
    return sort_into_leaves(middles);
}

}  // namespace

CollisionSurfaceInput DeviceCollisionTrees::take(Queue& queue, const BodyAsset& asset,
                                                 const std::shared_ptr<const CollisionTree>& tree) {
    TreeEntry& entry = entries_[tree.get()];
    if (entry.bodies++ == 0) {
        entry.tree = tree;
        upload(queue, asset, entry);
    }
    return entry.given;
}

void DeviceCollisionTrees::upload(Queue& queue, const BodyAsset& asset, TreeEntry& entry) {
    const CollisionTree& tree = *entry.tree;
    std::vector<uint> number(asset.triangles.size());  // of a triangle in the order of the leaves
    std::vector<uint4> corners_here, edges_here;
    for (const auto t : tree.triangles.items) {
        const auto& [a, b, c] = asset.triangles[t];
        number[t] = narrow(corners_here.size());
        corners_here.push_back({a, b, c, t});
    }
    std::vector<uint> starts_here, around_here;
    for (std::size_t i = 0; i < asset.rest.size(); ++i) {
        starts_here.push_back(narrow(around_here.size()));
        for (const auto t : asset.corners[i]) around_here.push_back(number[t]);
    }
    starts_here.push_back(narrow(around_here.size()));
    const CollisionLeaves edge_leaves = leaves_of_edges(asset, tree);
    for (const auto k : edge_leaves.items) {
        const SharpEdge& e = tree.edges[k];
        edges_here.push_back(
            {e.ends[0], e.ends[1], number[e.triangles[0]], number[e.triangles[1]]});
    }
    const auto put = [&](auto& array, Ranges& ranges, const auto& values) {
        const std::size_t first = ranges.take(values.size());
        array.resize(queue, std::max<std::size_t>(1, ranges.end()));
        array.write(queue, first, std::span(values));
        return first;
    };
    CollisionSurfaceInput& given = entry.given;
    entry.around_count = around_here.size();
    entry.around_first = put(around, around_, around_here);
    for (uint& start : starts_here) start += narrow(entry.around_first);
    given.around = narrow(put(around_starts, starts_, starts_here));
    given.triangles = {narrow(put(corners, triangles_, corners_here)), narrow(corners_here.size()),
                       tree.triangles.count, 0};
    given.vertices = {narrow(put(vertices, vertices_, tree.vertices.items)),
                      narrow(tree.vertices.items.size()), tree.vertices.count, 0};
    given.edges = {narrow(put(edges, edges_, edges_here)), narrow(edges_here.size()),
                   edges_here.empty() ? 0 : edge_leaves.count, 0};
    queue.wait();
}

void DeviceCollisionTrees::give_back(const CollisionTree* tree) {
    const auto at = entries_.find(tree);
    if (at == entries_.end() || --at->second.bodies > 0) return;
    const TreeEntry& entry = at->second;
    triangles_.give_back(entry.given.triangles.first, entry.given.triangles.count);
    vertices_.give_back(entry.given.vertices.first, entry.given.vertices.count);
    edges_.give_back(entry.given.edges.first, entry.given.edges.count);
    starts_.give_back(entry.given.around, entry.given.vertices.count + 1);
    around_.give_back(entry.around_first, entry.around_count);
    entries_.erase(at);
}

std::size_t DeviceCollisionTrees::bytes() const {
    const auto size = [](const auto&... array) { return (array.bytes() + ...); };
    return size(corners, vertices, edges, around_starts, around);
}

}  // namespace turgor::device
