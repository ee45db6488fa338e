#include "draw/solid_drawing.hpp"

#include "mesh/normals.hpp"

namespace turgor {
namespace {

constexpr Vec3f cell_colour{0.62f, 0.7f, 0.76f}, edge_colour{0.1f, 0.14f, 0.2f};
constexpr double lift = 0.02;  ///< of edges above the surface, in cells

bool is_edge_of_cell(const Solid& solid, std::uint32_t a, std::uint32_t b) {
    int axes = 0;
    for (std::size_t k = 0; k < 3; ++k) axes += solid.places[a][k] != solid.places[b][k];
    return axes == 1;
}

}  // namespace

SolidDrawing::SolidDrawing(const Solid& solid, const Pose& at) : triangles_(solid.triangles) {
    const std::span<const Vec3> corners(solid.corners.data(), solid.surface_count);
    std::vector<Vec3> normals(corners.size());
    unit_normals(corners, solid.triangles, normals);
    std::vector<Vec3f> lifted;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        positions_.push_back(to_float(at.to_world(corners[i])));
        normals_.push_back(to_float(rotate(at.rotation, normals[i])));
        lifted.push_back(to_float(at.to_world(corners[i] + lift * solid.cell * normals[i])));
    }
    for (const Triangle& t : solid.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = t[k], b = t[(k + 1) % 3];
            if (a < b && is_edge_of_cell(solid, a, b))
                edges_.push_back({lifted[a], lifted[b], edge_colour});
        }
}

void SolidDrawing::add_to(Drawing& drawing) const {
    DrawnMesh mesh{positions_, normals_, triangles_, cell_colour};
    mesh.finish = Finish::matte;
    drawing.meshes.push_back(mesh);
    drawing.lines.insert(drawing.lines.end(), edges_.begin(), edges_.end());
}

}  // namespace turgor
