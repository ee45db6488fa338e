#include <algorithm>
#include <cstdio>

#include "../pictures.hpp"
#include "draw/offscreen.hpp"
#include "draw/solid_drawing.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

constexpr Vec3f mesh_colour{0.72f, 0.52f, 0.3f};

/// A mesh as it is drawn: from both sides, for it may have sheets.
struct ToDraw {
    std::vector<Vec3f> positions, normals, colours;
    std::vector<Triangle> triangles;

    explicit ToDraw(const Mesh& mesh) : triangles(mesh.triangles) {
        std::vector<Vec3> n(mesh.vertices.size());
        unit_normals(mesh.vertices, mesh.triangles, n);
        for (std::size_t i = 0; i < n.size(); ++i) add(mesh, i, n[i]);
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
    const ToDraw source(mesh);
    Drawing of_mesh;
    of_mesh.meshes.push_back(source.drawn(mesh_colour));
    pictures.push_back({paint(of_mesh), "the mesh"});
    for (const CaptionedSolid& s : solids) {
        const SolidDrawing cells(s.solid);
        Drawing drawing;
        cells.add_to(drawing);
        drawing.line_width = 1;
        pictures.push_back({paint(drawing), s.caption});
    }
    std::string note;
    save_picture(contact_sheet(pictures, pictures.size() == 3 ? 3 : 0, &note), file);
    if (!note.empty()) std::fprintf(stderr, "turgor: %s\n", note.c_str());
}

}  // namespace turgor
