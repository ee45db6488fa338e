#include "base/errors.hpp"
#include "body/bake.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

constexpr std::size_t particles_max = 2'000'000;

/// What the source's relative masses are at the corners of cells: those of the nearest vertices.
std::vector<double> masses_at_corners(const BodySource& source, const Solid& solid) {
    if (source.relative_masses.empty()) return {};
    const TriangleTree tree(source.mesh.vertices, source.mesh.triangles);
    std::vector<double> masses;
    for (const Vec3 corner : solid.corners) {
        const TriangleTree::Hit hit = tree.nearest(corner);
        std::uint32_t nearest = source.mesh.triangles[hit.triangle][0];
        for (const std::uint32_t v : source.mesh.triangles[hit.triangle])
            if (norm(source.mesh.vertices[v] - hit.point) <
                norm(source.mesh.vertices[nearest] - hit.point))
                nearest = v;
        masses.push_back(source.relative_masses[nearest]);
    }
    return masses;
}

}  // namespace

SolidSource make_solid_source(const BodySource& source, int cells) {
    const Mesh& shown = source.display ? *source.display : source.mesh;
    // Cells follow what is shown, but that points have nothing inside.
    Solid solid = make_solid(is_cloud(source) ? source.mesh : shown, {.cells = cells});
    solid.name = source.mesh.name;
    if (solid.corners.size() > particles_max)
        fail(ErrorCode::bad_argument,
             "A lattice of {} cells along '{}' has {} particles, more than {}: take fewer cells.",
             cells, solid.name, solid.corners.size(), particles_max);
    std::vector<double> masses = masses_at_corners(source, solid);
    return {std::move(solid), shown, std::move(masses)};
}

}  // namespace turgor
