#include "mesh/close_surface.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cancel.hpp"
#include "base/counted.hpp"
#include "base/errors.hpp"
#include "mesh/intersections.hpp"
#include "mesh/outward.hpp"
#include "mesh/repair.hpp"
#include "mesh/triangulate.hpp"

namespace turgor {
namespace {

constexpr double largest_coordinate = 1e12;  ///< [m]
constexpr double least_size = 1e-12;         ///< [m]
/// Further from the origin than this many sizes, single-precision coordinates are steps of more
/// than half a thousandth of the size.
constexpr double far_away = 1e4;

void check_coordinates(const Surface& s) {
    if (s.triangles.empty())
        fail(ErrorCode::bad_mesh,
             "{}: there are no vertices and no faces in it; export the mesh again", s.label);
    for (std::uint32_t v = 0; v < s.vertices.size(); ++v) {
        const Vec3 p = s.vertices[v];
        const double largest = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
        if (!is_finite(p))
            fail(ErrorCode::bad_mesh, "{}: {} is not finite; correct it", s.label,
                 s.vertex_name(v));
        if (largest > largest_coordinate)
            fail(ErrorCode::bad_mesh,
                 "{}: too large: {} has a coordinate of {:.3g} m, the limit is {:.0g} m; scale the "
                 "mesh "
                 "down",
                 s.label, s.vertex_name(v), largest, largest_coordinate);
    }
    if (s.diagonal() < least_size)
        fail(ErrorCode::bad_mesh,
             "{}: too small: the mesh is {:.3g} m across, the limit is {:.0g} m; scale it up",
             s.label, s.diagonal(), least_size);
}

/// The tolerance in metres, but at most a tenth of a typical edge: something far away makes the box
/// large, and must not make fine geometry collapse.
double weld_distance(const Surface& s, double tolerance) {
    const std::size_t step = s.triangles.size() / 4096 + 1;
    std::vector<double> lengths;
    for (std::size_t t = 0; t < s.triangles.size(); t += step)
        lengths.push_back(norm(s.vertices[s.triangles[t][1]] - s.vertices[s.triangles[t][0]]));
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return std::min(tolerance * s.diagonal(), 0.1 * *middle);
}

/// The pipeline of repairs; each step runs only where the scan of the edges says that it must.
class SurfaceCloser {
public:
    SurfaceCloser(Surface surface, const MeshOptions& options, MeshReport& report)
        : surface_(std::move(surface)), report_(report) {
        const bool has_vertices = !surface_.vertices.empty();
        drop_what_means_nothing();
        if (surface_.triangles.empty() && has_vertices)
            throw NotClosed(
                ErrorCode::bad_mesh,
                fmt::format("{}: there are no faces in it; export the mesh again", surface_.label));
        check_coordinates(surface_);
        distance_ = weld_distance(surface_, options.weld_tolerance);
        scan_ = scan_edges(surface_);
    }

    Surface run() {
        try {
            close_all();
        } catch (const Error& e) {
            if (e.code() == ErrorCode::bad_mesh) throw NotClosed(e.code(), e.what());
            throw;
        }
        return std::move(surface_);
    }

private:
    void close_all() {
        weld();
        collapse();
        clear_edges();
        note_repair(orient_parts(surface_, scan_.opposite));
        note_repair(split_fans(surface_, scan_.opposite));
        close();
        require_closed();
        FlatTriangles flat = flip_flat_triangles(surface_, scan_.opposite);
        note_repair(std::move(flat.flipped));
        if (flat.left.count > 0) report_.warnings.push_back(std::move(flat.left));
        turn_outward(surface_, scan_.opposite, report_);
        surface_.drop_unused_vertices();
    }

    void drop_what_means_nothing() {
        if (const auto dropped = surface_.drop_collapsed_triangles())
            note_repair({"dropped_triangles",
                         fmt::format("dropped {} triangles that used a vertex twice", dropped),
                         dropped,
                         {}});
        if (const auto dropped = surface_.drop_unused_vertices())
            note_repair({"dropped_vertices",
                         fmt::format("dropped {} vertices that no face uses", dropped),
                         dropped,
                         {}});
    }

    /// First what coincides exactly, then, only where that does not close the surface, what is
    /// near.
    void weld() {
        for (const double distance : {0.0, distance_}) {
            if (scan_.clean()) return;
            MeshFinding welded = weld_open_parts(surface_, scan_, distance);
            if (welded.count == 0) continue;
            note_repair(std::move(welded));
            require_triangles();
            scan_ = scan_edges(surface_);
        }
    }

    void collapse() {
        note_repair(collapse_short_edges(surface_, scan_, distance_));
        require_triangles();
        MeshFinding pairs = drop_flat_pairs(surface_, scan_);
        if (pairs.count == 0) return;
        note_repair(std::move(pairs));
        require_triangles();
        scan_ = scan_edges(surface_);
    }

    void require_triangles() const {
        if (surface_.triangles.empty())
            fail(ErrorCode::bad_mesh,
                 "{}: the triangles enclose no volume: all collapse or lie back to "
                 "back; give the mesh thickness",
                 surface_.label);
    }

    /// Afterwards each half-edge has one opposite or is a border.
    void clear_edges() {
        if (scan_.crowded > 0) {
            MeshFinding duplicates = drop_duplicate_triangles(surface_);
            if (duplicates.count > 0) scan_ = scan_edges(surface_);
            note_repair(std::move(duplicates));
        }
        if (!scan_.borders.empty())
            note_repair(close_t_junctions(surface_, scan_,
                                          std::max(distance_, 1e-9 * surface_.diagonal())));
        if (scan_.crowded > 0) note_repair(separate_sheets(surface_, scan_));
    }

    void close() {
        scan_.borders.clear();
        for (std::uint32_t h = 0; h < scan_.opposite.size(); ++h)
            if (scan_.opposite[h] == no_index) scan_.borders.push_back(h);
        if (scan_.borders.empty()) return;
        note_repair(close_holes(surface_, scan_));
        scan_ = scan_edges(surface_);
    }

    /// Sheets that were told apart by angle but hang together at both ends of an edge are not
    /// manifold after all.
    void require_closed() {
        if (report_.repairs.empty()) return;
        scan_ = scan_edges(surface_);
        if (scan_.clean()) return;
        if (scan_.crowded > 0)
            fail(ErrorCode::bad_mesh,
                 "{}: {} belongs to more than two triangles (non-manifold edge, {} in all); "
                 "separate or "
                 "join them in a modeller",
                 surface_.label, surface_.edge_name(scan_.first_crowded[0], scan_.first_crowded[1]),
                 scan_.crowded);
        fail(ErrorCode::bad_mesh, "{}: not closed: {}; close the holes in a modeller",
             surface_.label, counted(scan_.borders.size(), "border edge", "border edges"));
    }

    void note_repair(MeshFinding finding) {
        check_cancelled();  // after each of the repairs
        if (finding.count > 0) report_.repairs.push_back(std::move(finding));
    }

    Surface surface_;
    MeshReport& report_;
    double distance_ = 0;
    EdgeScan scan_;
};

void warn_of_distance(const MeshReport& report, std::vector<MeshFinding>& warnings) {
    const double away = norm(report.bounds.centre()) / report.bounds.diagonal();
    if (away < far_away) return;
    warnings.push_back(
        {"far_from_origin",
         fmt::format("the mesh lies {:.2g} times its size from the origin; if the file "
                     "holds single-precision numbers, its shape is coarse",
                     away),
         1,
         {}});
}

void warn_of_intersections(const Mesh& mesh, const Surface& surface,
                           std::vector<MeshFinding>& warnings) {
    MeshFinding finding{"self_intersections", {}, 0, {}};
    for (const auto& [first, second] : self_intersections(mesh))
        add_element(finding, [&] {
            return fmt::format("{} and {}", surface.triangle_name(first),
                               surface.triangle_name(second));
        });
    finding.sentence = fmt::format("{} of triangles cut through each other",
                                   counted(finding.count, "pair", "pairs"));
    if (finding.count > 0) warnings.push_back(std::move(finding));
}

}  // namespace

Surface triangulated(PolygonSoup soup, std::string label) {
    Surface surface;
    surface.label = std::move(label);
    if (soup.corners.size() != 3 * soup.size()) surface.face = "face";
    surface.triangles.reserve(soup.corners.size() - 2 * soup.size());
    for (std::size_t i = 0; i < soup.size(); ++i) {
        if (!triangulate(soup.vertices, soup[i], surface.triangles))
            fail(ErrorCode::bad_mesh,
                 "{}: face {} has {} corners, too many to be cut into triangles; split it in a "
                 "modeller",
                 surface.label, i, soup[i].size());
        surface.triangle_source.resize(surface.triangles.size(), static_cast<std::uint32_t>(i));
    }
    if (soup.size() == 0)
        for (const auto& [a, b] : soup.lines) surface.triangles.push_back({a, b, b});
    surface.vertices = std::move(soup.vertices);
    surface.colours = std::move(soup.colours);
    surface.vertex_source.resize(surface.vertices.size());
    std::iota(surface.vertex_source.begin(), surface.vertex_source.end(), 0u);
    return surface;
}

Mesh close_surface(Surface raw, const MeshOptions& options, MeshReport& report) {
    if (!(options.weld_tolerance >= 0 && options.weld_tolerance < 0.1))
        fail(ErrorCode::bad_argument,
             "the weld tolerance must be at least 0 and less than 0.1, not {}",
             options.weld_tolerance);
    Surface surface = SurfaceCloser(std::move(raw), options, report).run();
    Mesh mesh;
    mesh.vertices = std::move(surface.vertices);
    mesh.triangles = std::move(surface.triangles);
    mesh.colours = std::move(surface.colours);
    measure(mesh, report);
    warn_of_distance(report, report.warnings);
    if (options.find_self_intersections) {
        surface.triangles = mesh.triangles;
        warn_of_intersections(mesh, surface, report.warnings);
    }
    return mesh;
}

void measure(const Mesh& mesh, MeshReport& report) {
    report.vertices = mesh.vertices.size();
    report.triangles = mesh.triangles.size();
    // V − E + F = 2 (parts − genus), and a closed mesh has E = 3/2 F.
    const auto euler = static_cast<long>(report.vertices) - static_cast<long>(report.triangles / 2);
    report.genus = static_cast<long>(report.components) - euler / 2;
    report.volume = volume(mesh);
    report.area = area(mesh);
    report.bounds = bounds(mesh);
}

}  // namespace turgor
