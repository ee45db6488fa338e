#include <algorithm>
#include <numeric>

#include "base/counted.hpp"
#include "base/errors.hpp"
#include "mesh/repair.hpp"
#include "mesh/weld.hpp"

namespace turgor {
namespace {

/// Sets of vertices that triangles connect.
class VertexSets {
public:
    explicit VertexSets(const Surface& surface) : parent_(surface.vertices.size()) {
        std::iota(parent_.begin(), parent_.end(), 0u);
        for (const auto& [a, b, c] : surface.triangles) {
            unite(a, b);
            unite(b, c);
        }
    }
    std::uint32_t find(std::uint32_t v) {
        while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
        return v;
    }

private:
    void unite(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::uint32_t> parent_;
};

std::vector<bool> open_vertices(const Surface& surface, const EdgeScan& scan) {
    VertexSets sets(surface);
    std::vector<bool> open(surface.vertices.size(), false);
    for (std::uint32_t h = 0; h < scan.opposite.size(); ++h)
        if (scan.opposite[h] == no_index)
            open[sets.find(half_edge_from(surface.triangles, h))] = true;
    for (std::uint32_t v = 0; v < open.size(); ++v) open[v] = open[sets.find(v)];
    return open;
}

/// For each vertex the neighbour that it moves into; no vertex moves further than one edge.
std::vector<std::uint32_t> short_edge_targets(const Surface& surface, double distance) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const auto& t : surface.triangles)
        for (int c = 0; c < 3; ++c) {
            const std::uint32_t a = t[c], b = t[(c + 1) % 3];
            const Vec3 d = surface.vertices[b] - surface.vertices[a];
            if (dot(d, d) > distance * distance) continue;
            edges.emplace_back(a, b);
            edges.emplace_back(b, a);
        }
    if (edges.empty()) return {};
    std::sort(edges.begin(), edges.end());
    std::vector<std::uint32_t> target(surface.vertices.size());
    std::iota(target.begin(), target.end(), 0u);
    std::vector<bool> stays(target.size(), false);
    for (const auto& [a, b] : edges) {
        if (target[a] != a) continue;
        stays[a] = true;
        if (target[b] == b && !stays[b]) target[b] = a;
    }
    return target;
}

bool try_collapse(Surface& surface, EdgeScan& scan, double distance, MeshFinding& finding) {
    const auto target = short_edge_targets(surface, distance);
    if (target.empty()) return true;
    Surface changed = surface;
    changed.redirect(target);
    changed.drop_collapsed_triangles();
    EdgeScan changed_scan = scan_edges(changed);
    if (scan.clean() && !changed_scan.clean()) return false;
    for (std::uint32_t v = 0; v < target.size(); ++v)
        if (target[v] != v) add_element(finding, [&] { return surface.edge_name(target[v], v); });
    surface = std::move(changed);
    scan = std::move(changed_scan);
    return true;
}

}  // namespace

MeshFinding weld_open_parts(Surface& surface, const EdgeScan& scan, double distance) {
    MeshFinding finding{"welded_vertices", {}, 0, {}};
    const auto target = weld(surface.vertices, open_vertices(surface, scan), distance);
    for (std::uint32_t v = 0; v < target.size(); ++v)
        if (target[v] != v) add_element(finding, [&] { return surface.vertex_name(v); });
    if (finding.count == 0) return finding;
    surface.redirect(target);
    finding.sentence = fmt::format(
        "welded {} {}", counted(finding.count, "vertex to another", "vertices to others"),
        distance > 0 ? fmt::format("within {:.3g} m", distance) : std::string("at the same place"));
    if (const auto dropped = surface.drop_collapsed_triangles())
        finding.sentence +=
            fmt::format("; {} vanished with that", counted(dropped, "triangle", "triangles"));
    return finding;
}

MeshFinding collapse_short_edges(Surface& surface, EdgeScan& scan, double distance) {
    MeshFinding finding{"collapsed_edges", {}, 0, {}};
    if (!try_collapse(surface, scan, distance, finding)) try_collapse(surface, scan, 0, finding);
    finding.sentence =
        fmt::format("collapsed {} of no length", counted(finding.count, "edge", "edges"));
    return finding;
}

MeshFinding drop_flat_pairs(Surface& surface, const EdgeScan& scan) {
    MeshFinding finding{"dropped_flat_pairs", {}, 0, {}};
    std::vector<bool> keep(surface.triangles.size(), true);
    for (std::uint32_t t = 0; t < keep.size(); ++t) {
        const std::uint32_t* o = scan.opposite.data() + 3 * std::size_t{t};
        if (o[0] == no_index || o[1] == no_index || o[2] == no_index) continue;
        if (o[0] / 3 != o[1] / 3 || o[1] / 3 != o[2] / 3 || o[0] / 3 == t) continue;
        keep[t] = false;
        add_element(finding, [&] { return surface.triangle_name(t); });
    }
    if (finding.count == 0) return finding;
    surface.keep_triangles(keep);
    finding.sentence = fmt::format("dropped {} that lay back to back and enclosed nothing",
                                   counted(finding.count, "triangle", "triangles"));
    return finding;
}

}  // namespace turgor
