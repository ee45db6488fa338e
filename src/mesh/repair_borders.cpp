#include <algorithm>
#include <cmath>

#include "base/counted.hpp"
#include "base/errors.hpp"
#include "mesh/repair.hpp"
#include "mesh/triangulate.hpp"

namespace turgor {
namespace {

/// Holes with a border of at most this many edges are closed whatever their shape.
constexpr std::size_t small_hole = 12;
/// Larger ones are closed if they leave their plane by less than this part of their size.
constexpr double flat_hole = 1e-3;
/// A border that encloses more than this part of the area around it is no hole: the file holds an
/// open sheet.
constexpr double largest_hole = 0.7;

/// One pass over the border: splits triangles at border vertices that lie on their border edge.
class TJunctionPass {
public:
    TJunctionPass(Surface& surface, const EdgeScan& scan, double distance)
        : surface_(surface), distance_(distance), split_(surface.triangles.size(), false) {
        for (const auto h : scan.borders) {
            const auto a = half_edge_from(surface.triangles, h),
                       b = half_edge_to(surface.triangles, h);
            neighbours_.emplace_back(a, b);
            neighbours_.emplace_back(b, a);
        }
        std::sort(neighbours_.begin(), neighbours_.end());
    }

    void run(const EdgeScan& scan, MeshFinding& finding) {
        for (const auto h : scan.borders) {
            if (split_[h / 3]) continue;
            const auto a = half_edge_from(surface_.triangles, h),
                       b = half_edge_to(surface_.triangles, h);
            const auto chain = vertices_on(a, b);
            if (chain.empty()) continue;
            add_element(finding, [&] { return surface_.edge_name(a, b); });
            split(h, b, chain);
        }
    }

private:
    /// Border vertices on the segment from a to b, reached from a along the border.
    std::vector<std::uint32_t> vertices_on(std::uint32_t a, std::uint32_t b) const {
        std::vector<std::uint32_t> chain;
        double reached = 0;
        for (std::uint32_t at = a;;) {
            const std::uint32_t next = next_on(a, b, at, reached);
            if (next == no_index) return chain;
            chain.push_back(at = next);
        }
    }

    std::uint32_t next_on(std::uint32_t a, std::uint32_t b, std::uint32_t at,
                          double& reached) const {
        const auto [begin, end] =
            std::equal_range(neighbours_.begin(), neighbours_.end(), std::pair{at, 0u},
                             [](const auto& l, const auto& r) { return l.first < r.first; });
        // Where hundreds of borders meet in one vertex this is no mesh with a T-junction.
        if (end - begin > 64) return no_index;
        const Vec3 origin = surface_.vertices[a], along = surface_.vertices[b] - origin;
        std::uint32_t found = no_index;
        double nearest = 1;
        for (auto i = begin; i != end; ++i) {
            const Vec3 p = surface_.vertices[i->second] - origin;
            const double t = dot(p, along) / dot(along, along);
            if (i->second == a || i->second == b || t <= reached || t >= nearest) continue;
            if (norm(p - t * along) > distance_) continue;
            nearest = t;
            found = i->second;
        }
        if (found != no_index) reached = nearest;
        return found;
    }

    /// (a, b, c) becomes (a, p₁, c), (p₁, p₂, c) … (pₙ, b, c).
    void split(std::uint32_t h, std::uint32_t b, const std::vector<std::uint32_t>& chain) {
        const std::uint32_t t = h / 3, c = half_edge_apex(surface_.triangles, h);
        if (std::find(chain.begin(), chain.end(), c) != chain.end()) return;
        split_[t] = true;
        surface_.triangles[t][(h + 1) % 3 == 0 ? 0 : h % 3 + 1] = chain.front();
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const std::uint32_t next = i + 1 < chain.size() ? chain[i + 1] : b;
            surface_.triangles.push_back({chain[i], next, c});
            surface_.triangle_source.push_back(surface_.triangle_source[t]);
        }
    }

    Surface& surface_;
    double distance_;
    std::vector<bool> split_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours_;
};

/// Traces the borders of an oriented surface whose fans are split, and fills them.
class HoleFiller {
public:
    HoleFiller(Surface& surface, const EdgeScan& scan)
        : surface_(surface), scan_(scan), leaving_(surface.vertices.size(), no_index) {
        for (const auto h : scan.borders) leaving_[half_edge_from(surface.triangles, h)] = h;
    }

    MeshFinding run() {
        const std::vector<double> areas = part_areas();
        MeshFinding finding{"closed_holes", {}, 0, {}};
        std::vector<bool> traced(surface_.vertices.size(), false);
        for (const auto h : scan_.borders) {
            const std::uint32_t v = half_edge_from(surface_.triangles, h);
            if (traced[v]) continue;
            const auto hole = trace(h, traced);
            if (!may_fill(hole, areas[parts_.of_triangle[h / 3]])) refuse();
            add_element(finding, [&] {
                return fmt::format("{} (border of {} edges)", surface_.edge_name(hole[0], hole[1]),
                                   hole.size());
            });
            fill(hole);
        }
        finding.sentence =
            fmt::format("closed {}, {} in all", counted(finding.count, "hole", "holes"),
                        counted(scan_.borders.size(), "border edge", "border edges"));
        return finding;
    }

private:
    std::vector<double> part_areas() {
        parts_ = find_parts(scan_.opposite);
        std::vector<double> areas(parts_.count, 0);
        for (std::size_t t = 0; t < surface_.triangles.size(); ++t)
            areas[parts_.of_triangle[t]] +=
                norm(area_vector(surface_.vertices, surface_.triangles[t]));
        return areas;
    }

    /// The hole as a polygon that continues the surface: against the direction of the border.
    std::vector<std::uint32_t> trace(std::uint32_t first, std::vector<bool>& traced) const {
        std::vector<std::uint32_t> hole;
        for (std::uint32_t h = first;;) {
            const std::uint32_t v = half_edge_from(surface_.triangles, h);
            if (traced[v]) break;
            traced[v] = true;
            hole.push_back(v);
            h = leaving_[half_edge_to(surface_.triangles, h)];
            if (h == no_index) refuse();
        }
        std::reverse(hole.begin(), hole.end());
        return hole;
    }

    bool may_fill(const std::vector<std::uint32_t>& hole, double area_around) const {
        const Vec3 area = area_vector(surface_.vertices, hole);
        if (hole.size() < 3 || norm(area) > largest_hole * area_around) return false;
        if (hole.size() <= small_hole) return true;
        const Vec3 up = normalized(area);
        Bounds box;
        double low = 1e300, high = -1e300;
        for (const auto v : hole) {
            const Vec3 p = surface_.vertices[v];
            const double height = dot(p - surface_.vertices[hole[0]], up);
            box.add(p);
            low = std::min(low, height);
            high = std::max(high, height);
        }
        return high - low <= flat_hole * box.diagonal();
    }

    void fill(const std::vector<std::uint32_t>& hole) {
        std::vector<Triangle> triangles;
        if (!triangulate(surface_.vertices, hole, triangles) || meets_an_edge(hole, triangles))
            triangles = fan_around_centre(hole);
        for (const auto& t : triangles) {
            surface_.triangles.push_back(t);
            surface_.triangle_source.push_back(no_index);
        }
    }

    /// Whether a diagonal of the filling is an edge of the surface already.
    bool meets_an_edge(const std::vector<std::uint32_t>& hole,
                       const std::vector<Triangle>& triangles) const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> rim;
        for (std::size_t i = 0; i < hole.size(); ++i)
            rim.emplace_back(hole[i], hole[(i + 1) % hole.size()]);
        std::sort(rim.begin(), rim.end());
        for (const auto& t : triangles)
            for (int c = 0; c < 3; ++c) {
                const std::pair side{t[c], t[(c + 1) % 3]};
                if (std::binary_search(rim.begin(), rim.end(), side)) continue;
                if (has_edge(side.first, side.second)) return true;
            }
        return false;
    }

    bool has_edge(std::uint32_t a, std::uint32_t b) const {
        for (std::uint32_t h = leaving_[a]; h != no_index;) {
            if (half_edge_to(surface_.triangles, h) == b) return true;
            h = previous_in_triangle(h);
            if (half_edge_from(surface_.triangles, h) == b) return true;
            h = scan_.opposite[h];
        }
        return false;
    }

    std::vector<Triangle> fan_around_centre(const std::vector<std::uint32_t>& hole) {
        Vec3 sum;
        for (const auto v : hole) sum += surface_.vertices[v] - surface_.vertices[hole[0]];
        const double corners = static_cast<double>(hole.size());
        const std::uint32_t centre =
            surface_.add_vertex(surface_.vertices[hole[0]] + sum / corners, hole[0]);
        if (!surface_.colours.empty()) {
            Vec3 colour;
            for (const auto v : hole) colour += to_double(surface_.colours[v]) / corners;
            surface_.colours[centre] = to_float(colour);
        }
        std::vector<Triangle> fan;
        for (std::size_t i = 0; i < hole.size(); ++i)
            fan.push_back({hole[i], hole[(i + 1) % hole.size()], centre});
        return fan;
    }

    [[noreturn]] void refuse() const {
        const std::uint32_t h = scan_.borders.front();
        const bool all =
            surface_.triangles.size() > 1 && scan_.borders.size() == scan_.opposite.size();
        fail(ErrorCode::bad_mesh, "{}: not closed: {}, first {}{}; close the holes{}",
             surface_.label, counted(scan_.borders.size(), "border edge", "border edges"),
             surface_.edge_name(half_edge_from(surface_.triangles, h),
                                half_edge_to(surface_.triangles, h)),
             all ? " (no triangle shares a vertex with another)" : "",
             all ? " or weld the vertices" : " in a modeller");
    }

    Surface& surface_;
    const EdgeScan& scan_;
    std::vector<std::uint32_t> leaving_;  ///< the border half-edge that leaves a vertex
    SurfaceParts parts_;
};

}  // namespace

MeshFinding close_t_junctions(Surface& surface, EdgeScan& scan, double distance) {
    MeshFinding finding{"split_t_junctions", {}, 0, {}};
    for (int pass = 0; pass < 16 && !scan.borders.empty(); ++pass) {
        const std::size_t before = finding.count;
        TJunctionPass(surface, scan, distance).run(scan, finding);
        if (finding.count == before) break;
        scan = scan_edges(surface);
    }
    finding.sentence =
        fmt::format("split {} at vertices that lay on {} (T-junctions)",
                    counted(finding.count, "edge", "edges"), finding.count == 1 ? "it" : "them");
    return finding;
}

MeshFinding close_holes(Surface& surface, const EdgeScan& scan) {
    return HoleFiller(surface, scan).run();
}

}  // namespace turgor
