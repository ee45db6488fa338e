#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/functions.hpp"
#include "mesh/simplify_decimate.hpp"
#include "mesh/simplify_remesh.hpp"
#include "mesh/simplify_surface.hpp"
#include "mesh/triangle_tree.hpp"
#include "mesh/vertex_values.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

using Index = EditSurface::Index;

/// How much finer than the result the surface is that its vertices are kept on.
constexpr std::size_t reference_factor = 8;

/// Maps a mesh of any size and place to about the unit cube and back.
struct Frame {
    Vec3 centre;
    double size = 1;

    explicit Frame(const Mesh& mesh) {
        Bounds box;
        for (const Vec3& p : mesh.vertices) box.add(p);
        centre = 0.5 * box.lower + 0.5 * box.upper;
        const Vec3 extent = box.upper - box.lower;
        size = std::max({extent.x, extent.y, extent.z});
        if (!(size > 0) || !std::isfinite(size))
            fail(ErrorCode::bad_mesh, "mesh \"{}\" cannot be simplified: its extent is {}.",
                 mesh.name, size);
    }
    Mesh to_unit(Mesh mesh) const {
        for (Vec3& p : mesh.vertices) p = (p - centre) / size;
        return mesh;
    }
    Mesh from_unit(Mesh mesh) const {
        for (Vec3& p : mesh.vertices) p = size * p + centre;
        return mesh;
    }
};

/// The nearest point of a reference surface, unless that lies on the far side of a thin part.
Projection nearest_on(const Mesh& reference, const TriangleTree& tree) {
    return [&reference, &tree](Vec3 point, Vec3 normal) {
        const TriangleTree::Hit hit = tree.nearest(point);
        const auto& [a, b, c] = reference.triangles[hit.triangle];
        const Vec3 facing = cross(reference.vertices[b] - reference.vertices[a],
                                  reference.vertices[c] - reference.vertices[a]);
        return dot(facing, normal) > 0 ? hit.point : point;
    };
}

/// Vertices on a curved surface span less volume than the surface. This moves each outwards by a
/// share of its height above its neighbours, the same share for all, so that round parts get most.
void inflate(EditSurface& surface, Index part, double missing) {
    std::vector<Vec3> direction(surface.vertex_end());
    double gain = 0;  // dV for a share of one
    for (Index v = 0; v < surface.vertex_end(); ++v) {
        if (surface.part(v) != part) continue;
        Vec3 mean, vector = surface.vertex_vector(v);
        surface.for_each_outgoing(v, [&](Index h) { mean += surface.position(surface.target(h)); });
        mean /= surface.valence(v);
        const Vec3 normal = normalized(vector);
        direction[v] = dot(surface.position(v) - mean, normal) * normal;
        gain += dot(direction[v], vector) / 6;
    }
    if (!(std::abs(gain) > 0)) return;
    const double share = std::clamp(missing / gain, -0.3, 0.3);
    for (Index v = 0; v < surface.vertex_end(); ++v)
        if (surface.part(v) == part) {
            const Vec3 p = surface.position(v) + share * direction[v];
            if (surface.move_keeps_shape(v, p, normalized(direction[v])))
                surface.set_position(v, p);
        }
}

void scale_part(EditSurface& surface, Index part, double factor) {
    Vec3 centre;
    double count = 0;
    for (Index v = 0; v < surface.vertex_end(); ++v)
        if (surface.part(v) == part) centre += surface.position(v), ++count;
    centre /= count;
    for (Index v = 0; v < surface.vertex_end(); ++v)
        if (surface.part(v) == part)
            surface.set_position(v, centre + factor * (surface.position(v) - centre));
}

/// Gives each part the volume that it had. A part that is left with none or with the wrong sign
/// stays as it is.
void restore_volumes(EditSurface& surface, const std::vector<double>& wanted) {
    for (Index part = 0; part < surface.part_count(); ++part) {
        inflate(surface, part, wanted[part] - surface.part_volumes()[part]);
        const double ratio = wanted[part] / surface.part_volumes()[part];
        if (ratio > 0 && std::isfinite(ratio)) scale_part(surface, part, portable::cbrt(ratio));
    }
}

std::vector<Vec3f> colours_on(const Mesh& coarse, const Mesh& fine) {
    std::vector<Vec3> values;
    for (const Vec3f c : fine.colours) values.push_back(to_double(c));
    std::vector<Vec3f> colours;
    for (const Vec3 c : values_on<Vec3>(coarse, fine, values)) colours.push_back(to_float(c));
    return colours;
}

}  // namespace

Mesh simplify(const Mesh& mesh, std::size_t vertices) {
    if (vertices == 0)
        fail(ErrorCode::bad_argument, "simplify: 0 vertices are no mesh; ask for at least 4.");
    if (!mesh.colours.empty() && mesh.colours.size() != mesh.vertices.size())
        fail(ErrorCode::bad_mesh, "mesh \"{}\" has {} colours, but {} vertices.", mesh.name,
             mesh.colours.size(), mesh.vertices.size());
    if (vertices >= mesh.vertices.size()) return mesh;
    const Frame frame(mesh);
    EditSurface surface(frame.to_unit(mesh));
    const std::vector<double> volumes = surface.part_volumes();
    if (surface.vertex_count() / reference_factor > vertices)
        decimate(surface, vertices * reference_factor);
    const Mesh reference = surface.to_mesh(mesh.name);
    const TriangleTree tree(reference.vertices, reference.triangles);
    decimate(surface, vertices);
    remesh(surface, vertices, nearest_on(reference, tree));
    restore_volumes(surface, volumes);
    Mesh simplified = frame.from_unit(surface.to_mesh(mesh.name));
    if (!mesh.colours.empty()) simplified.colours = colours_on(simplified, mesh);
    return simplified;
}

}  // namespace turgor
