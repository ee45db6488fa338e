#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "turgor/error.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// Three vertex indices, counter-clockwise seen from outside.
using Triangle = std::array<std::uint32_t, 3>;

/// A triangle mesh. To be simulated it must be closed, manifold and oriented outwards, which
/// `load_mesh` and `make_mesh` see to.
struct Mesh {
    std::string name;
    std::vector<Vec3> vertices;  ///< [m]
    std::vector<Triangle> triangles;
    /// Of the vertices, 0 … 1, as the file has them (OBJ, PLY, glTF, GLB); empty: it has none.
    std::vector<Vec3f> colours{};
};

/// One thing that was found in a mesh, with the elements that show it.
struct MeshFinding {
    std::string kind;      ///< a stable word, e.g. "welded_vertices", "self_intersections"
    std::string sentence;  ///< for a person
    std::size_t count = 0;
    std::vector<std::string>
        elements;  ///< the first few, e.g. "edge 3-17", "triangle 40", "line 11"
};

/// What reading a mesh found and what was repaired. Vertices, triangles and faces are named by
/// their numbers in the file (or in the mesh given to `make_mesh`), counted from 0; lines are
/// counted from 1.
struct MeshReport {
    std::size_t vertices = 0, triangles = 0;  ///< of the result
    std::size_t components = 0;               ///< connected parts; a cavity is a part of its own
    std::size_t cavities = 0;                 ///< parts that bound a hole inside another part
    long genus = 0;                           ///< handles of all parts together
    double volume = 0;                        ///< [m³]
    double area = 0;                          ///< [m²]
    Bounds bounds;
    /// What was changed: "dropped_triangles", "dropped_vertices", "welded_vertices",
    /// "collapsed_edges", "dropped_flat_pairs", "dropped_duplicates", "split_t_junctions",
    /// "separated_edges", "turned_triangles", "split_vertices", "closed_holes",
    /// "flipped_flat_triangles", "turned_parts", "wrapped".
    std::vector<MeshFinding> repairs;
    /// What was found and left as it is: "bytes_after_end", "ignored_primitives",
    /// "ignored_colours", "flat_triangles", "nested_parts", "far_from_origin",
    /// "self_intersections".
    std::vector<MeshFinding> warnings;
};

struct MeshOptions {
    /// In parts that are not closed as they are, vertices closer than this fraction of the
    /// bounding-box diagonal become one; so do the ends of shorter edges anywhere. No vertex moves
    /// further than that, so chains of close vertices stay chains, and never further than a tenth
    /// of a typical edge. 0: exactly equal ones only. Less than 0.1.
    double weld_tolerance = 1e-6;
    /// Look for triangles that cut through each other (takes several times as long as loading).
    bool find_self_intersections = false;
    /// Put a closed cage of about so many vertices around the mesh, whatever it is: open, sheets,
    /// parts, points, lines (see wrap() in solid.hpp). 0: do not; it must be closed. To show the
    /// mesh itself on the body that is made of the cage: read_mesh and BodyOptions::display.
    std::size_t wrap = 0;
};

/// Reads OBJ, PLY, STL, OFF, glTF or GLB (by content where the ending does not tell), repairs what
/// can be repaired and refuses the rest with a sentence. The result is closed, manifold and
/// oriented outwards.
Mesh load_mesh(const std::filesystem::path& file, const MeshOptions& options = {},
               MeshReport* report = nullptr, Status* status = nullptr);

/// The same for the bytes of such a file. `name` is what messages call it; its ending tells the
/// format as that of a file does. The bytes are read during the call only.
Mesh load_mesh(std::span<const std::byte> bytes, const std::string& name,
               const MeshOptions& options = {}, MeshReport* report = nullptr,
               Status* status = nullptr);

/// The same checks and repairs for a mesh in memory.
Mesh make_mesh(Mesh raw, const MeshOptions& options = {}, MeshReport* report = nullptr,
               Status* status = nullptr);

/// The triangles of such a file as they are, open or closed and without any repair: enough for
/// Collider::shell and wrap(). A file without faces gives its lines (of OBJ), as triangles of two
/// corners, or its vertices alone.
Mesh read_mesh(const std::filesystem::path& file, Status* status = nullptr);
Mesh read_mesh(std::span<const std::byte> bytes, const std::string& name, Status* status = nullptr);

/// Writes `.obj`, `.ply` (binary), `.stl` (binary), `.off` or `.glb` by the ending; all of it or
/// nothing.
void save_mesh(const Mesh& mesh, const std::filesystem::path& file);

/// A file may hold several bodies. Parts that contain, cut or touch one another (a cavity, an eye
/// in its socket) belong to one body; parts that stand apart are bodies of their own.
std::vector<Mesh> split_bodies(const Mesh& mesh);

/// About `vertices` vertices, closed and manifold again, with the same volume up to a scale of 1 ±
/// 1 %. Colours are means of those nearby.
Mesh simplify(const Mesh& mesh, std::size_t vertices);

/// The enclosed volume [m³]: 1/6 Σ a · (b × c). Negative where the mesh is inside out.
double volume(const Mesh& mesh);
/// The surface [m²].
double area(const Mesh& mesh);
Bounds bounds(const Mesh& mesh);
/// Unit normals of the vertices, weighted by area.
std::vector<Vec3> vertex_normals(const Mesh& mesh);

/// `rotation` first, then `scale`, then `offset`.
Mesh transformed(Mesh mesh, Vec3 offset, double scale = 1, Quat rotation = {});

/// Closed shapes, centred at the origin, y up, lengths in metres. Numbers out of range are an
/// Error.
namespace shapes {
/// `segments` around, `rings` circles of latitude between the poles: segments × rings + 2 vertices.
/// (20, 19) has 382, (40, 39) has 1562.
Mesh uv_sphere(double radius, int segments, int rings);
/// 10 · 4^subdivisions + 2 vertices, nearly equal triangles.
Mesh icosphere(double radius, int subdivisions);
/// `major` segments along the ring, `minor` around the tube: major × minor vertices. The axis is y.
Mesh torus(double ring_radius, double tube_radius, int major, int minor);
/// The surface of an n × n × n grid of points: 6 n² − 12 n + 8 vertices (31: 5402, 72: 30248).
Mesh cube(double side, int points);
/// A box of the given size with square-ish cells: `points` grid points along its longest side.
Mesh bar(Vec3 size, int points);
/// A cylinder along y with round ends; `height` from tip to tip, at least 2 radius.
Mesh capsule(double radius, double height, int segments);
/// Our own characters, polygonised from smooth implicit shapes: standing on y = 0, looking along
/// +z. About `vertices` vertices, at least 200.
Mesh gummy_bear(double height, std::size_t vertices);
Mesh rubber_duck(double height, std::size_t vertices);
}  // namespace shapes

}  // namespace turgor
