#include "measure/wrapping.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mesh/intersections.hpp"
#include "mesh/measures.hpp"
#include "mesh/topology.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/solid.hpp"

namespace turgor::measure {
namespace {

Surface surface_of(const Mesh& mesh) {
    Surface surface;
    surface.vertices = mesh.vertices;
    surface.triangles = mesh.triangles;
    return surface;
}

Bounds shown_bounds(const Body& body) {
    Bounds box;
    for (const Vec3f& p : body.display_positions()) box.add({p.x, p.y, p.z});
    return box;
}

}  // namespace

Cage wrapped(const Mesh& mesh, std::size_t vertices) {
    const auto start = std::chrono::steady_clock::now();
    Cage cage{.mesh = wrap(mesh, vertices)};
    cage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const EdgeScan edges = scan_edges(surface_of(cage.mesh));
    cage.flaws = edges.borders.size() + edges.crowded;
    for (std::uint32_t h = 0; h < edges.opposite.size(); ++h) {
        const std::uint32_t other = edges.opposite[h];
        if (other == no_index) continue;
        const auto from = [&](std::uint32_t e) { return cage.mesh.triangles[e / 3][e % 3]; };
        cage.flaws += from(h) == from(other);  // both run the same way
    }
    cage.parts = find_parts(edges.opposite).count;
    cage.cuts = self_intersections(cage.mesh).size();
    return cage;
}

std::optional<Likeness> likeness(const Cage& cage, const Mesh& mesh) {
    MeshReport report;
    Status status;
    const Mesh closed = make_mesh(mesh, {}, &report, &status);
    const bool is_as_it_was = status.ok() && report.components == 1 &&
                              std::ranges::none_of(report.repairs, [](const MeshFinding& f) {
                                  return f.kind == "closed_holes" || f.kind == "separated_edges";
                              });
    if (!is_as_it_was) return std::nullopt;
    const TriangleTree tree(closed.vertices, closed.triangles);
    double sum = 0;
    for (const Vec3& p : cage.mesh.vertices) {
        const Vec3 away = tree.nearest(p).point - p;
        sum += dot(away, away);
    }
    return Likeness{std::abs(volume(cage.mesh) / volume(closed) - 1),
                    std::sqrt(sum / static_cast<double>(cage.mesh.vertices.size())) /
                        mean_edge(cage.mesh.vertices, cage.mesh.triangles)};
}

Carried carry(Backend backend, const Model& model, const Cage& cage, const Mesh& mesh,
              double seconds) {
    World world({.backend = backend});
    world.add_collider(Collider::ground());
    const Bounds box = bounds(cage.mesh);
    const double scale = 1 / std::max({box.extent().x, box.extent().y, box.extent().z});
    BodyOptions options;
    options.model = model;
    options.scale = scale;
    options.position = {-scale * box.centre().x, 0.3 - scale * box.lower.y,
                        -scale * box.centre().z};
    if (area(mesh) > 0) options.display = &mesh;
    const Body body = world.add_body(cage.mesh, Material::named("gummy"), options);
    Carried seen;
    const double diagonal = shown_bounds(body).diagonal();
    while (world.time() < seconds - 1e-9) {
        world.step();
        seen.finite = seen.finite && is_finite(body.centre_of_mass());
        seen.bounce = std::max(seen.bounce, body.momentum().y / body.mass());
        seen.volume = std::max(seen.volume, std::abs(body.volume() / body.rest_volume() - 1));
        seen.penetration = std::max(seen.penetration, world.report().max_penetration);
    }
    seen.speed = std::sqrt(2 * body.kinetic_energy() / body.mass());
    seen.stretch = shown_bounds(body).diagonal() / diagonal;
    return seen;
}

}  // namespace turgor::measure
