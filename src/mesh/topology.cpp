#include "mesh/topology.hpp"

#include <algorithm>

#include "base/counted.hpp"
#include "base/errors.hpp"

namespace turgor {

EdgeScan scan_edges(const Surface& surface) {
    EdgeScan scan;
    scan.opposite.assign(3 * surface.triangles.size(), no_index);
    const EdgeTable table(surface.vertices.size(), surface.triangles);
    table.for_each(
        [&](std::uint32_t a, std::uint32_t b, std::span<const std::uint32_t> half_edges) {
            if (half_edges.size() == 2) {
                scan.opposite[half_edges[0]] = half_edges[1];
                scan.opposite[half_edges[1]] = half_edges[0];
            } else if (half_edges.size() == 1) {
                scan.borders.push_back(half_edges[0]);
            } else if (scan.crowded++ == 0) {
                scan.first_crowded = {a, b};
            }
        });
    return scan;
}

SurfaceParts find_parts(std::span<const std::uint32_t> opposite) {
    SurfaceParts parts;
    const std::size_t triangles = opposite.size() / 3;
    parts.of_triangle.assign(triangles, no_index);
    std::vector<std::uint32_t> todo;
    for (std::uint32_t seed = 0; seed < triangles; ++seed) {
        if (parts.of_triangle[seed] != no_index) continue;
        const auto part = static_cast<std::uint32_t>(parts.count++);
        parts.of_triangle[seed] = part;
        todo.assign(1, seed);
        while (!todo.empty()) {
            const std::uint32_t t = todo.back();
            todo.pop_back();
            for (std::uint32_t h = 3 * t; h < 3 * t + 3; ++h) {
                if (opposite[h] == no_index || parts.of_triangle[opposite[h] / 3] != no_index)
                    continue;
                parts.of_triangle[opposite[h] / 3] = part;
                todo.push_back(opposite[h] / 3);
            }
        }
    }
    return parts;
}

namespace {

/// Marks the triangles of the part of `seed` that must turn for all to agree with `seed`.
class OrientationFlood {
public:
    OrientationFlood(const Surface& surface, const std::vector<std::uint32_t>& opposite)
        : surface_(surface),
          opposite_(opposite),
          seen_(surface.triangles.size(), false),
          turned_(surface.triangles.size(), false) {}

    std::vector<bool> run() {
        for (std::uint32_t t = 0; t < surface_.triangles.size(); ++t)
            if (!seen_[t]) flood(t);
        return std::move(turned_);
    }

private:
    void flood(std::uint32_t seed) {
        part_.assign(1, seed);
        seen_[seed] = true;
        std::size_t turned = 0;
        for (std::size_t i = 0; i < part_.size(); ++i) {
            turned += turned_[part_[i]];
            for (std::uint32_t h = 3 * part_[i]; h < 3 * part_[i] + 3; ++h) visit_neighbour(h);
        }
        if (2 * turned > part_.size())
            for (const auto t : part_) turned_[t] = !turned_[t];
    }

    void visit_neighbour(std::uint32_t h) {
        const std::uint32_t o = opposite_[h];
        if (o == no_index) return;
        const std::uint32_t a = half_edge_from(surface_.triangles, h);
        const std::uint32_t b = half_edge_to(surface_.triangles, h);
        const bool agree = half_edge_from(surface_.triangles, o) == b;
        const bool turn = turned_[h / 3] == agree;
        if (!seen_[o / 3]) {
            seen_[o / 3] = true;
            turned_[o / 3] = turn;
            part_.push_back(o / 3);
        } else if (turned_[o / 3] != turn) {
            fail(ErrorCode::bad_mesh,
                 "{}: the surface has only one side, like a Klein bottle, so it has no inside: the "
                 "triangles at {} cannot be made to agree; cut it open and close it properly",
                 surface_.label, surface_.edge_name(a, b));
        }
    }

    const Surface& surface_;
    const std::vector<std::uint32_t>& opposite_;
    std::vector<bool> seen_, turned_;
    std::vector<std::uint32_t> part_;
};

}  // namespace

MeshFinding orient_parts(Surface& surface, std::vector<std::uint32_t>& opposite) {
    const auto turned = OrientationFlood(surface, opposite).run();
    MeshFinding finding{"turned_triangles", {}, 0, {}};
    for (std::size_t t = 0; t < turned.size(); ++t)
        if (turned[t]) add_element(finding, [&] { return surface.triangle_name(t); });
    if (finding.count == 0) return finding;
    turn_triangles(surface, opposite, turned);
    finding.sentence = fmt::format(
        "turned {}", counted(finding.count, "triangle that faced the other way than its neighbours",
                             "triangles that faced the other way than their neighbours"));
    return finding;
}

void turn_triangles(Surface& surface, std::vector<std::uint32_t>& opposite,
                    const std::vector<bool>& turned) {
    // (a, b, c) becomes (a, c, b): its half-edges 0 and 2 change places.
    const auto moved = [&](std::uint32_t h) {
        return h != no_index && turned[h / 3] ? h + 2 - 2 * (h % 3) : h;
    };
    for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
        if (!turned[t]) continue;
        std::swap(surface.triangles[t][1], surface.triangles[t][2]);
        std::swap(opposite[3 * t], opposite[3 * t + 2]);
    }
    for (auto& o : opposite) o = moved(o);
}

MeshFinding split_fans(Surface& surface, const std::vector<std::uint32_t>& opposite) {
    MeshFinding finding{"split_vertices", {}, 0, {}};
    std::vector<bool> used(surface.vertices.size(), false), seen(opposite.size(), false);
    std::vector<std::uint32_t> fan;
    for (std::uint32_t first = 0; first < opposite.size(); ++first) {
        if (seen[first]) continue;
        // All half-edges that leave the same vertex within one fan: forwards, then backwards.
        fan.clear();
        for (std::uint32_t h = first; h != no_index && !seen[h];
             h = opposite[previous_in_triangle(h)]) {
            seen[h] = true;
            fan.push_back(h);
        }
        for (std::uint32_t h = opposite[first]; h != no_index && !seen[next_in_triangle(h)];) {
            h = next_in_triangle(h);
            seen[h] = true;
            fan.push_back(h);
            h = opposite[h];
        }
        const std::uint32_t v = half_edge_from(surface.triangles, first);
        if (!used[v]) {
            used[v] = true;
            continue;
        }
        add_element(finding, [&] { return surface.vertex_name(v); });
        const std::uint32_t copy = surface.add_vertex(surface.vertices[v], v);
        used.push_back(true);
        for (const auto h : fan) surface.triangles[h / 3][h % 3] = copy;
    }
    finding.sentence = fmt::format(
        "split {} at which separate fans of triangles touched, each fan has its own now",
        counted(finding.count, "vertex", "vertices"));
    return finding;
}

}  // namespace turgor
