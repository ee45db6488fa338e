#include "scene/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "body/cloud.hpp"
#include "mesh/characters.hpp"
#include "mesh/close_surface.hpp"
#include "mesh/soups.hpp"
#include "scene/cages.hpp"
#include "scene/package_mesh.hpp"

namespace turgor {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// A shape that is never closed.
bool is_soup(const Shape& shape) {
    return std::holds_alternative<TreeShape>(shape) ||
           std::holds_alternative<BrokenBunnyShape>(shape) ||
           std::holds_alternative<CakeShape>(shape);
}

/// Of a box of a × b × c cells.
double grid_surface(double a, double b, double c) {
    return 2 * (a * b + b * c + c * a) + 2;
}

double bar_vertices(const BarShape& bar) {
    const double cell = std::max({bar.size.x, bar.size.y, bar.size.z}) / (bar.points - 1);
    return grid_surface(bar.size.x / cell, bar.size.y / cell, bar.size.z / cell);
}

Mesh make_character(const CharacterShape& s) {
    using Who = CharacterShape::Who;
    return s.who == Who::gummy_bear    ? shapes::gummy_bear(s.height, s.vertices)
           : s.who == Who::rubber_duck ? shapes::rubber_duck(s.height, s.vertices)
                                       : shapes::shoe(s.height, s.vertices);
}

/// Edges and corners become parts of cylinders and balls.
Mesh make_bar(const BarShape& s) {
    Mesh mesh = shapes::bar(s.size, s.points);
    if (s.rounding == 0) return mesh;
    const Vec3 inner = 0.5 * s.size - Vec3{s.rounding, s.rounding, s.rounding};
    for (Vec3& p : mesh.vertices) {
        const Vec3 core{std::clamp(p.x, -inner.x, inner.x), std::clamp(p.y, -inner.y, inner.y),
                        std::clamp(p.z, -inner.z, inner.z)};
        p = core + s.rounding * normalized(p - core);
    }
    return mesh;
}

std::string name_of(const Shape& shape, const Mesh& mesh) {
    const auto* const file = std::get_if<FileShape>(&shape);
    return file ? file->file.filename().string() : mesh.name;
}

/// What a mesh has to be.
enum class Wanted {
    closed,    ///< parts that stand apart are bodies of their own
    as_it_is,  ///< in one piece
    either     ///< closed where that is possible
};

/// The bodies of a mesh that `load` closes and `read` takes as it is.
template <class Load, class Read>
std::vector<Mesh> bodies_of(const std::string& name, Wanted wanted, const Load& load,
                            const Read& read, bool& open, std::vector<std::string>& warnings) {
    if (wanted == Wanted::as_it_is) return {read()};
    try {
        MeshReport report;
        const Mesh mesh = load(&report);
        note_findings(name, report, warnings);
        return split_bodies(mesh);
    } catch (const NotClosed&) {
        std::vector raw{read()};
        // Points alone can only be meant to get a cage.
        if (wanted == Wanted::closed && !raw.front().triangles.empty()) throw;
        open = true;
        return raw;
    }
}

/// `open` tells of a mesh that had to be either that it is not closed.
std::vector<Mesh> make_meshes(const Shape& shape, Wanted wanted, bool& open,
                              std::vector<std::string>& warnings) {
    return std::visit(
        Overloaded{[](const SphereShape& s) {
                       return std::vector{shapes::uv_sphere(s.radius, s.segments, s.rings)};
                   },
                   [](const IcosphereShape& s) {
                       return std::vector{shapes::icosphere(s.radius, s.subdivisions)};
                   },
                   [](const TorusShape& s) {
                       return std::vector{
                           shapes::torus(s.ring_radius, s.tube_radius, s.major, s.minor)};
                   },
                   [](const CubeShape& s) { return std::vector{shapes::cube(s.side, s.points)}; },
                   [](const BarShape& s) { return std::vector{make_bar(s)}; },
                   [](const CapsuleShape& s) {
                       return std::vector{shapes::capsule(s.radius, s.height, s.segments)};
                   },
                   [](const CharacterShape& s) { return std::vector{make_character(s)}; },
                   [](const TreeShape& s) { return std::vector{shapes::tree(s.height, s.leaves)}; },
                   [](const BrokenBunnyShape& s) {
                       return std::vector{shapes::broken_bunny(s.height, s.vertices, s.holes)};
                   },
                   [](const CakeShape& s) { return std::vector{shapes::cake(s.width)}; },
                   [&](const FileShape& s) {
                       return bodies_of(
                           s.file.filename().string(), wanted,
                           [&](MeshReport* report) { return load_mesh(s.file, {}, report); },
                           [&] { return read_mesh(s.file); }, open, warnings);
                   },
                   [&](const PackageShape& s) {
                       return bodies_of(
                           s.member, wanted,
                           [&](MeshReport* report) { return load_package_mesh(s, report); },
                           [&] { return read_package_mesh(s); }, open, warnings);
                   },
                   [](const GivenShape& s) { return *s.meshes; }},
        shape);
}

}  // namespace

void note_findings(const std::string& what, const MeshReport& report,
                   std::vector<std::string>& notes) {
    for (const auto* findings : {&report.repairs, &report.warnings})
        for (const MeshFinding& finding : *findings)
            notes.push_back(fmt::format("{}: {}", what, finding.sentence));
}

double estimated_vertices(const Shape& shape) {
    return std::visit(
        Overloaded{
            [](const SphereShape& s) { return 1.0 * s.segments * s.rings + 2; },
            [](const IcosphereShape& s) {
                return std::ldexp(10, 2 * std::min(s.subdivisions, 100)) + 2;
            },
            [](const TorusShape& s) { return 1.0 * s.major * s.minor; },
            [](const CubeShape& s) { return 6.0 * s.points * s.points - 12.0 * s.points + 8; },
            [](const BarShape& s) { return bar_vertices(s); },
            [](const CapsuleShape& s) {
                constexpr double pi = std::numbers::pi;
                const double length = pi * s.radius + s.height - 2 * s.radius;
                const double edge = 2 * pi * s.radius / s.segments;
                return s.segments * std::max(2.0, std::round(length / edge) - 1) + 2;
            },
            [](const CharacterShape& s) { return static_cast<double>(s.vertices); },
            // What is simulated is the cage.
            [](const TreeShape&) { return static_cast<double>(vertices_of_a_cage); },
            [](const BrokenBunnyShape&) { return static_cast<double>(vertices_of_a_cage); },
            [](const CakeShape&) { return static_cast<double>(vertices_of_a_cage); },
            [](const FileShape&) { return 0.0; }, [](const PackageShape&) { return 0.0; },
            [](const GivenShape& s) {
                double sum = 0;
                for (const Mesh& mesh : *s.meshes) sum += static_cast<double>(mesh.vertices.size());
                return sum;
            }},
        shape);
}

std::vector<BodyMesh> make_body_meshes(const Shape& shape, const MeshMaking& how,
                                       std::vector<std::string>& warnings) {
    std::vector<BodyMesh> bodies;
    const bool wrapped = !how.any_mesh && (how.wrap || is_soup(shape));
    const Wanted wanted = how.any_mesh ? Wanted::either
                          : wrapped    ? Wanted::as_it_is
                                       : Wanted::closed;
    bool open = is_soup(shape);
    for (Mesh& mesh : make_meshes(shape, wanted, open, warnings)) {
        BodyMesh body;
        const bool is_cloud = mesh.triangles.empty();
        if (is_cloud && !how.wrap && !how.any_mesh)
            warnings.push_back(cloud_note(name_of(shape, mesh), mesh.vertices.size()));
        if (is_cloud && !how.any_mesh && mesh.vertices.size() > cloud_particles_max)
            warnings.push_back(thinned_note(name_of(shape, mesh), mesh.vertices.size()));
        // Points and lines get a cage in any case: there is nothing else to fill.
        if (how.any_mesh && !mesh.triangles.empty() && area(mesh) > 0) {
            body.open = open;
            body.simulated = std::move(mesh);
        } else if (wrapped || how.any_mesh || is_cloud) {
            body.simulated =
                kept_cage(mesh, how.sim_vertices.value_or(vertices_of_a_cage), how.bake_folder);
            // Points are shown as such, and so are the ends of lines.
            if (!(area(mesh) > 0)) mesh.triangles.clear();
            body.shown = std::move(mesh);
        } else if (how.sim_vertices && mesh.vertices.size() > *how.sim_vertices) {
            body.simulated = simplify(mesh, *how.sim_vertices);
            body.shown = std::move(mesh);
        } else {
            body.simulated = std::move(mesh);
        }
        bodies.push_back(std::move(body));
    }
    return bodies;
}

}  // namespace turgor
