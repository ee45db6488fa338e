#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/counted.hpp"
#include "base/errors.hpp"
#include "base/functions.hpp"
#include "mesh/repair.hpp"

namespace turgor {
namespace {

struct SortedTriangle {
    Triangle key;  ///< its vertices in ascending order
    std::uint32_t triangle = 0;
    bool odd = false;  ///< whether the order was an odd permutation

    auto operator<=>(const SortedTriangle&) const = default;
};

std::vector<SortedTriangle> sorted_triangles(const Surface& surface) {
    std::vector<SortedTriangle> all(surface.triangles.size());
    for (std::uint32_t t = 0; t < all.size(); ++t) {
        auto [a, b, c] = surface.triangles[t];
        bool odd = false;
        const auto order = [&](std::uint32_t& x, std::uint32_t& y) {
            if (x <= y) return;
            std::swap(x, y);
            odd = !odd;
        };
        order(a, b);
        order(b, c);
        order(a, b);
        all[t] = {{a, b, c}, t, odd};
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// Of a group of equal triangles the first of each direction stays.
struct Twins {
    std::vector<bool> keep;
    std::vector<std::uint32_t> twin;  ///< the kept triangle of the other direction, or no_index
};

Twins find_twins(const Surface& surface) {
    const auto all = sorted_triangles(surface);
    Twins twins{std::vector<bool>(all.size(), false),
                std::vector<std::uint32_t>(all.size(), no_index)};
    for (std::size_t i = 0; i < all.size();) {
        std::array<std::uint32_t, 2> kept{no_index, no_index};
        const Triangle key = all[i].key;
        for (; i < all.size() && all[i].key == key; ++i)
            if (kept[all[i].odd] == no_index) kept[all[i].odd] = all[i].triangle;
        for (const auto t : kept)
            if (t != no_index) twins.keep[t] = true;
        if (kept[0] == no_index || kept[1] == no_index) continue;
        twins.twin[kept[0]] = kept[1];
        twins.twin[kept[1]] = kept[0];
    }
    return twins;
}

/// Regions of twins that hang together. Where a region meets an odd number of other triangles along
/// an edge, or no_index at all anywhere, the surface was listed in both directions and one of each
/// is too many; where it meets two, it is the wall between two bodies.
class TwinRegions {
public:
    TwinRegions(const Surface& surface, Twins& twins) : twins_(twins), parent_(twins.twin.size()) {
        std::iota(parent_.begin(), parent_.end(), 0u);
        Surface kept = surface;
        std::vector<std::uint32_t> original;
        for (std::uint32_t t = 0; t < twins.keep.size(); ++t)
            if (twins.keep[t]) original.push_back(t);
        kept.keep_triangles(twins.keep);
        const EdgeTable table(kept.vertices.size(), kept.triangles);
        table.for_each([&](auto, auto, std::span<const std::uint32_t> half_edges) {
            see_edge(half_edges, original, false);
        });
        has_rim_.assign(parent_.size(), false);
        is_doubled_.assign(parent_.size(), false);
        table.for_each([&](auto, auto, std::span<const std::uint32_t> half_edges) {
            see_edge(half_edges, original, true);
        });
    }

    /// Unmarks the later one of each pair in doubled regions.
    void drop_doubled() {
        for (std::uint32_t t = 0; t < parent_.size(); ++t) {
            const std::uint32_t other = twins_.twin[t];
            if (other == no_index || other > t) continue;
            const auto region = find(t);
            if (is_doubled_[region] || !has_rim_[region]) twins_.keep[t] = false;
        }
    }

private:
    void see_edge(std::span<const std::uint32_t> half_edges,
                  const std::vector<std::uint32_t>& original, bool united) {
        std::uint32_t first = no_index;
        std::size_t single = 0;
        for (const auto h : half_edges) {
            const std::uint32_t t = original[h / 3];
            if (twins_.twin[t] == no_index)
                ++single;
            else if (first == no_index)
                first = find(t);
            else if (!united)
                parent_[find(t)] = first;
        }
        if (first == no_index || !united) return;
        if (single > 0) has_rim_[first] = true;
        if (single % 2 == 1) is_doubled_[first] = true;
    }
    std::uint32_t find(std::uint32_t t) {
        while (parent_[t] != t) t = parent_[t] = parent_[parent_[t]];
        return t;
    }

    Twins& twins_;
    std::vector<std::uint32_t> parent_;
    std::vector<bool> has_rim_, is_doubled_;
};

/// One triangle at a crowded edge, by its angle around it.
struct Spoke {
    double angle = 0;
    bool enters = false;  ///< turning counter-clockwise, the body begins here; else it ends here
    std::uint32_t half_edge = 0;
};

std::vector<Spoke> spokes_around(const Surface& s, std::uint32_t a, std::uint32_t b,
                                 std::span<const std::uint32_t> half_edges, bool inside_out) {
    const Vec3 axis = normalized(s.vertices[b] - s.vertices[a]);
    Vec3 x, y;
    std::vector<Spoke> spokes;
    for (const auto h : half_edges) {
        Vec3 d = s.vertices[half_edge_apex(s.triangles, h)] - s.vertices[a];
        d -= dot(d, axis) * axis;
        if (spokes.empty()) {
            x = normalized(d);
            y = cross(axis, x);
        }
        double angle = portable::atan2(dot(d, y), dot(d, x));
        if (angle < -1e-7) angle += 2 * std::numbers::pi;
        // Outward normals of triangles that run along a → b point to larger angles: the body ends.
        const bool along = half_edge_from(s.triangles, h) == a;
        spokes.push_back({angle, along == inside_out, h});
    }
    std::stable_sort(spokes.begin(), spokes.end(),
                     [](const Spoke& l, const Spoke& r) { return l.angle < r.angle; });
    // In a wall between two bodies one ends where the other begins.
    for (std::size_t i = 0; i < spokes.size();) {
        std::size_t end = i + 1;
        while (end < spokes.size() && spokes[end].angle - spokes[end - 1].angle < 1e-7) ++end;
        std::stable_partition(spokes.begin() + static_cast<std::ptrdiff_t>(i),
                              spokes.begin() + static_cast<std::ptrdiff_t>(end),
                              [](const Spoke& spoke) { return !spoke.enters; });
        i = end;
    }
    return spokes;
}

double signed_volume(const Surface& s) {
    double sum = 0;
    const Vec3 o = s.vertices.front();
    for (const auto& [a, b, c] : s.triangles)
        sum += dot(s.vertices[a] - o, cross(s.vertices[b] - o, s.vertices[c] - o));
    return sum / 6;
}

}  // namespace

MeshFinding drop_duplicate_triangles(Surface& surface) {
    Twins twins = find_twins(surface);
    if (std::any_of(twins.twin.begin(), twins.twin.end(), [](auto t) { return t != no_index; }))
        TwinRegions(surface, twins).drop_doubled();
    MeshFinding finding{"dropped_duplicates", {}, 0, {}};
    for (std::size_t t = 0; t < twins.keep.size(); ++t)
        if (!twins.keep[t]) add_element(finding, [&] { return surface.triangle_name(t); });
    if (finding.count > 0) surface.keep_triangles(twins.keep);
    finding.sentence =
        fmt::format("dropped {} listed more than once",
                    counted(finding.count, "triangle that was", "triangles that were"));
    return finding;
}

MeshFinding separate_sheets(const Surface& surface, EdgeScan& scan) {
    MeshFinding finding{"separated_edges", {}, 0, {}};
    const bool inside_out = signed_volume(surface) < 0;
    const EdgeTable table(surface.vertices.size(), surface.triangles);
    table.for_each([&](std::uint32_t a, std::uint32_t b,
                       std::span<const std::uint32_t> half_edges) {
        if (half_edges.size() < 3) return;
        const auto spokes = spokes_around(surface, a, b, half_edges, inside_out);
        bool alternate = spokes.size() % 2 == 0;
        for (std::size_t i = 0; alternate && i < spokes.size(); ++i)
            alternate = spokes[i].enters != spokes[(i + 1) % spokes.size()].enters;
        if (!alternate)
            fail(ErrorCode::bad_mesh,
                 "{}: {} belongs to {} triangles, which cannot be told apart as touching bodies "
                 "(non-manifold edge); separate or join them in a modeller",
                 surface.label, surface.edge_name(a, b), half_edges.size());
        for (std::size_t i = 0; i < spokes.size(); ++i) {
            if (!spokes[i].enters) continue;
            const auto h = spokes[i].half_edge, o = spokes[(i + 1) % spokes.size()].half_edge;
            scan.opposite[h] = o;
            scan.opposite[o] = h;
        }
        add_element(finding, [&] { return surface.edge_name(a, b); });
    });
    finding.sentence =
        fmt::format("separated the surface along {} that more than two triangles shared",
                    counted(finding.count, "edge", "edges"));
    return finding;
}

}  // namespace turgor
