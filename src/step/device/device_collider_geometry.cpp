#include "step/device/device_collider_geometry.hpp"

#include <algorithm>
#include <utility>

namespace turgor::device {
namespace {

void put(Vec3 v, double* to) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

std::vector<NodeInput> nodes_of(const TriangleTree& tree) {
    std::vector<NodeInput> nodes(tree.nodes().size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const TriangleTree::Node& node = tree.nodes()[k];
        const TriangleTree::Patch& patch = tree.patches()[k];
        put(node.box.lower, nodes[k].lower);
        put(node.box.upper, nodes[k].upper);
        put(patch.normal, nodes[k].normal);
        nodes[k].area = patch.area;
        nodes[k].first = node.first;
        nodes[k].count = node.count;
    }
    return nodes;
}

std::vector<TriangleInput> triangles_of(const TriangleTree& tree) {
    std::vector<TriangleInput> triangles;
    for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
        if (!tree.is_leaf(node)) continue;
        triangles.resize(std::max<std::size_t>(
            triangles.size(), tree.nodes()[node].first + tree.nodes()[node].count));
        std::size_t next = tree.nodes()[node].first;
        tree.each_triangle(node, [&](std::uint32_t triangle, const Corners& corners) {
            TriangleInput& t = triangles[next++];
            for (std::size_t k = 0; k < 3; ++k) put(corners[k], t.corner + 3 * k);
            t.triangle = triangle;
        });
    }
    return triangles;
}

std::vector<NormalsInput> normals_of(const MeshGeometry& mesh,
                                     std::span<const TriangleInput> triangles) {
    std::vector<NormalsInput> normals(triangles.size());
    for (std::size_t i = 0; i < normals.size(); ++i) {
        const std::uint32_t t = triangles[i].triangle;
        put(mesh.face_normals()[t], normals[i].face);
        if (!mesh.closed()) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            put(mesh.edge_normals()[3 * t + k], normals[i].edge + 3 * k);
            put(mesh.vertex_normals()[mesh.mesh().triangles[t][k]], normals[i].vertex + 3 * k);
        }
    }
    return normals;
}

}  // namespace

std::uint32_t DeviceColliderGeometry::take(
    Queue& queue, const std::shared_ptr<const ColliderGeometry>& geometry) {
    if (!geometry || !geometry->shape) return 0;
    GeometryEntry& entry = entries_[geometry.get()];
    if (!entry.geometry) {
        entry.geometry = geometry;
        upload(queue, entry);
    }
    entry.taken = true;
    return static_cast<std::uint32_t>(entry.given.first);
}

void DeviceColliderGeometry::forget_others() {
    for (auto at = entries_.begin(); at != entries_.end();) {
        if (std::exchange(at->second.taken, false)) {
            ++at;
            continue;
        }
        give_back(at->second);
        at = entries_.erase(at);
    }
}

/// Kernels get all arrays, also those that nobody has anything in.
void DeviceColliderGeometry::make_room(Queue& queue) {
    const auto fit = [&](const Ranges& own, auto&... array) {
        (array.resize(queue, std::max<std::size_t>(1, own.end())), ...);
    };
    fit(given_ranges_, given);
    fit(node_ranges_, nodes);
    fit(triangle_ranges_, triangles, normals);
    fit(height_ranges_, heights);
    fit(range_ranges_, ranges);
}

void DeviceColliderGeometry::upload(Queue& queue, GeometryEntry& entry) {
    entry.given = {given_ranges_.take(1), 1};
    const MeshGeometry* const mesh = entry.geometry->mesh();
    const ColliderGeometryInput own =
        mesh ? upload_mesh(queue, entry, *mesh)
             : upload_heights(queue, entry, entry.geometry->heights()->grid());
    given.write(queue, entry.given.first, std::span(&own, 1));
    queue.wait();
}

ColliderGeometryInput DeviceColliderGeometry::upload_mesh(Queue& queue, GeometryEntry& entry,
                                                          const MeshGeometry& mesh) {
    const std::vector<NodeInput> own_nodes = nodes_of(mesh.tree());
    const std::vector<TriangleInput> own_triangles = triangles_of(mesh.tree());
    const std::vector<NormalsInput> own_normals = normals_of(mesh, own_triangles);
    entry.nodes = {node_ranges_.take(own_nodes.size()), own_nodes.size()};
    entry.triangles = {triangle_ranges_.take(own_triangles.size()), own_triangles.size()};
    make_room(queue);
    nodes.write(queue, entry.nodes.first, own_nodes);
    triangles.write(queue, entry.triangles.first, own_triangles);
    normals.write(queue, entry.triangles.first, own_normals);
    queue.wait();
    ColliderGeometryInput own{};
    own.node = static_cast<uint>(entry.nodes.first);
    own.triangle = static_cast<uint>(entry.triangles.first);
    return own;
}

ColliderGeometryInput DeviceColliderGeometry::upload_heights(Queue& queue, GeometryEntry& entry,
                                                             const HeightGrid& grid) {
    std::vector<RangeInput> own_ranges;
    for (const HeightGrid::Range& r : grid.ranges()) own_ranges.push_back({r.low, r.high});
    entry.heights = {height_ranges_.take(grid.heights().size()), grid.heights().size()};
    entry.ranges = {range_ranges_.take(own_ranges.size()), own_ranges.size()};
    make_room(queue);
    heights.write(queue, entry.heights.first, grid.heights());
    ranges.write(queue, entry.ranges.first, own_ranges);
    queue.wait();
    ColliderGeometryInput own{};
    own.spacing_x = grid.spacing_x();
    own.spacing_z = grid.spacing_z();
    own.half_x = grid.half().x;
    own.half_z = grid.half().z;
    own.columns = grid.columns();
    own.rows = grid.rows();
    own.height = static_cast<uint>(entry.heights.first);
    own.range = static_cast<uint>(entry.ranges.first);
    return own;
}

void DeviceColliderGeometry::give_back(const GeometryEntry& entry) {
    given_ranges_.give_back(entry.given.first, entry.given.count);
    node_ranges_.give_back(entry.nodes.first, entry.nodes.count);
    triangle_ranges_.give_back(entry.triangles.first, entry.triangles.count);
    height_ranges_.give_back(entry.heights.first, entry.heights.count);
    range_ranges_.give_back(entry.ranges.first, entry.ranges.count);
}

std::size_t DeviceColliderGeometry::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return sum(given, nodes, triangles, normals, heights, ranges);
}

}  // namespace turgor::device
