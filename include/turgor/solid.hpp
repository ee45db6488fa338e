#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "turgor/error.hpp"
#include "turgor/math.hpp"
#include "turgor/mesh.hpp"

/// Solids made of cells: from triangles of any kind, closed or open, cutting through each other,
/// sheets and parts and all, to one closed volume (docs/methods.md, "Solids").
namespace turgor {

class Scheduler;

/// How a solid is cut out of the field of a mesh.
struct SolidSettings {
    int cells = 32;  ///< along the longest extent, 1 … 256
    /// P_in and P_subs of Diziol, Bender, Bayer 2009: how likely a place is to be on the surface, 1
    /// there and 0 from four voxels on, where a ray changes sides, and where it may do so again.
    /// Unset: exact crossings decide where they agree with each other, else .75 and .5.
    std::optional<double> p_in{}, p_subs{};
    /// ρ: what share of a cell must be inside. Unset: what gives the cells the volume of the
    /// inside.
    std::optional<double> density{};
    int smoothing = 10;  ///< rounds
    /// Smooth over the diagonals of the surface's triangles, too: less even, for comparison.
    bool smooth_over_diagonals = false;
};

/// Cubes of a lattice, deformed to follow a surface. All tetrahedra are the right way round; the
/// cells hang together by their sides, and what bounds them is a closed 2-manifold.
struct Solid {
    struct Cell {
        std::array<std::uint16_t, 3> place{};    ///< in the lattice
        std::array<std::uint32_t, 8> corners{};  ///< corner k: +x where k & 1, y: 2, z: 4
    };
    std::string name;
    double cell = 0;                                   ///< edge of an undeformed one [m]
    Vec3 origin, centre;                               ///< of the lattice: corner (0, 0, 0) [m]
    std::array<int, 3> size{};                         ///< cells along the axes of the lattice
    std::vector<Cell> cells;                           ///< ascending by place
    std::vector<Vec3> corners;                         ///< [m], those of the surface first
    std::vector<std::array<std::uint16_t, 3>> places;  ///< of the corners, in the lattice
    std::size_t surface_count = 0;                     ///< of the corners
    std::vector<Triangle> triangles;                   ///< of the surface, outward
    double wanted_volume = 0;  ///< what the mesh encloses, as far as it does [m³]
    double scale = 1;          ///< by which the whole was scaled in the end to enclose as much

    /// The surface as a mesh of its own.
    Mesh surface() const;
    /// Five for each cell, of positive volume.
    std::vector<std::array<std::uint32_t, 4>> tetrahedra() const;
};

struct SolidQuality {
    double smallest_angle = 0;  ///< between two faces of a tetrahedron [°]
    /// Of the eight corners of all cells: the volume that the three edges there span, in cells.
    double smallest_corner = 0;
    double volume = 0;         ///< [m³]
    std::size_t inverted = 0;  ///< tetrahedra
};
SolidQuality quality(const Solid& solid);

/// Where a mesh is, and which side of it is inside, in voxels: found once, for solids of any
/// settings. The mesh may be anything with an area, a length or at least a few points.
class SolidField {
public:
    /// `voxels` along the longest extent, 8 … 1024; four for each edge of a cell are a good
    /// number. An Error where the mesh has no extent. The mesh is read during the call only.
    explicit SolidField(const Mesh& mesh, int voxels = 128, Scheduler* threads = nullptr);
    ~SolidField();
    SolidField(SolidField&&) noexcept;
    SolidField& operator=(SolidField&&) noexcept;

    /// One call at a time: what takes long is kept for the next.
    Solid solid(const SolidSettings& settings, Scheduler* threads = nullptr) const;
    /// How well rays from all sides agree about the inside, 0 … 1: near 1 for closed meshes.
    double agreement() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A closed cage of about `vertices` vertices around a mesh of any kind: what encloses something is
/// followed closely, sheets and lines get a thickness of a cell, parts that stand apart are joined.
/// A body is made of the cage, and shows the mesh (BodyOptions::display).
Mesh wrap(const Mesh& mesh, std::size_t vertices = 2000, Status* status = nullptr);

/// A solid of a mesh in one go, with four voxels for each edge of a cell.
Solid make_solid(const Mesh& mesh, const SolidSettings& settings = {}, Status* status = nullptr);

}  // namespace turgor
