#include <algorithm>
#include <cstdio>

#include "../pictures.hpp"
#include "draw/offscreen.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

constexpr Vec3f cell_colour{0.62f, 0.7f, 0.76f}, edge_colour{0.1f, 0.14f, 0.2f},
    mesh_colour{0.72f, 0.52f, 0.3f};

/// A mesh as it is drawn: sheets from both sides.
struct ToDraw {
    std::vector<Vec3f> positions, normals, colours;
    std::vector<Triangle> triangles;

    ToDraw(const Mesh& mesh, bool both_sides) : triangles(mesh.triangles) {
        std::vector<Vec3> n(mesh.vertices.size());
        unit_normals(mesh.vertices, mesh.triangles, n);
        for (std::size_t i = 0; i < n.size(); ++i) add(mesh, i, n[i]);
        if (!both_sides) return;
        const auto first = static_cast<std::uint32_t>(n.size());
        for (std::size_t i = 0; i < n.size(); ++i) add(mesh, i, -n[i]);
        for (const auto& [a, b, c] : mesh.triangles)
            triangles.push_back({first + a, first + c, first + b});
    }
    DrawnMesh drawn(Vec3f colour) const {
        DrawnMesh mesh{positions, normals, triangles, colour, colours};
        mesh.finish = Finish::matte;
        return mesh;
    }

private:
    void add(const Mesh& mesh, std::size_t i, Vec3 normal) {
        positions.push_back(to_float(mesh.vertices[i]));
        normals.push_back(to_float(normal));
        if (mesh.colours.size() == mesh.vertices.size()) colours.push_back(mesh.colours[i]);
    }
};

/// The edges of cells in the surface, a little above it.
std::vector<DrawnLine> cell_edges(const Solid& solid, const ToDraw& surface) {
    std::vector<DrawnLine> lines;
    const auto lifted = [&](std::uint32_t v) {
        return to_float(to_double(surface.positions[v]) +
                        0.02 * solid.cell * to_double(surface.normals[v]));
    };
    for (const Triangle& t : solid.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = t[k], b = t[(k + 1) % 3];
            int axes = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                axes += solid.places[a][axis] != solid.places[b][axis];
            if (a < b && axes == 1) lines.push_back({lifted(a), lifted(b), edge_colour});
        }
    return lines;
}

}  // namespace

void paint_solids(const Mesh& mesh, std::span<const CaptionedSolid> solids,
                  const std::filesystem::path& file) {
    constexpr int width = 620, height = 620;
    Offscreen offscreen;
    Bounds box = bounds(mesh);
    for (const CaptionedSolid& s : solids)
        for (const Vec3& p : s.solid.corners) box.add(p);
    Camera camera = framing(box, 1.0 * width / height);
    camera.distance *= 0.86;
    const auto paint = [&](Drawing drawing) {
        drawing.bounds = box;
        drawing.nearness = 0.05 * box.diagonal();
        drawing.planes.push_back(
            {{{box.centre().x, box.lower.y - 0.01 * box.diagonal(), box.centre().z}, {}}});
        return offscreen.paint(drawing, camera, width, height);
    };
    std::vector<Captioned> pictures;
    const ToDraw source(mesh, true);
    Drawing of_mesh;
    of_mesh.meshes.push_back(source.drawn(mesh_colour));
    pictures.push_back({paint(of_mesh), "the mesh"});
    for (const CaptionedSolid& s : solids) {
        const ToDraw surface(s.solid.surface(), false);
        Drawing drawing;
        drawing.meshes.push_back(surface.drawn(cell_colour));
        drawing.lines = cell_edges(s.solid, surface);
        drawing.line_width = 1;
        pictures.push_back({paint(drawing), s.caption});
    }
    std::string note;
    save_picture(contact_sheet(pictures, pictures.size() == 3 ? 3 : 0, &note), file);
    if (!note.empty()) std::fprintf(stderr, "turgor: %s\n", note.c_str());
}

}  // namespace turgor
