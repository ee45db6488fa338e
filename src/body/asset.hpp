#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/list_of_lists.hpp"
#include "solid/embedding.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// Where a fine display vertex hangs on the coarse mesh (docs/methods.md, "Detail"): p = q + offset
/// · n_q with q and n_q interpolated from a triangle's corners and their unit normals.
struct DetailBinding {
    std::uint32_t triangle = 0;
    std::uint32_t edge = 0;  ///< of the triangle, which the frame of rest_error follows
    double weight[3] = {};   ///< barycentric, sum 1
    double offset = 0;       ///< [m], in units of the interpolated (not renormalised) normal
    Vec3 rest_error;         ///< what such a line leaves over [m], in the frame of detail.hpp
};

/// The surface itself is shown.
struct SurfaceDisplay {};
/// A finer mesh is shown, whose vertices hang on the triangles of the surface.
struct DetailDisplay {
    std::vector<Triangle> triangles;
    std::vector<DetailBinding> bindings;  ///< one for each vertex
};
/// A mesh is shown, open or closed, whose vertices hang on particles, those inside among them.
struct EmbeddedDisplay {
    std::vector<Triangle> triangles;
    std::vector<CellBinding> bindings;  ///< one for each vertex; its corners are particles
};
/// What is shown of a body.
using DisplayMesh = std::variant<SurfaceDisplay, DetailDisplay, EmbeddedDisplay>;

/// What every body has whatever it is made of, and what never changes about it; shared by all
/// bodies made of it. Particles are stored in an order that the elastic model chose: the corners of
/// the collision surface first, inner ones after them. Two tables lead from and to the vertices of
/// its surface as the API has them: those of the mesh it was made of, or where the model made a
/// surface of its own, the particles themselves.
struct BodyAsset {
    std::string name;
    std::vector<Vec3> rest;           ///< rest positions, the centre of mass at the origin [m]
    std::size_t surface_count = 0;    ///< of the particles, the first: corners of the surface
    std::vector<Triangle> triangles;  ///< of the collision surface: closed, outward
    std::vector<double> mass;  ///< [kg], for density 1 kg/m³: a body multiplies by its density
    ListOfLists neighbours;    ///< the one-ring without the particle itself, ascending
    ListOfLists corners;       ///< triangles around a particle, ascending
    /// Of each corner of the surface, the inner particles behind it: where contact moves it, they
    /// go along by their shares, so that what pushes the surface feels what is behind it. Empty
    /// where there are none.
    ListOfLists followers;
    std::vector<double>
        follower_share;  ///< of the items of `followers`; those of a particle add up to 1
    std::vector<double> follower_mass;  ///< what follows a corner, by shares [kg], for density 1
    /// How many edges of cells a particle is from the surface; empty where all are on it.
    std::vector<std::uint16_t> layer;
    /// How much of a volume correction each corner of the surface takes, 1 on the average; empty:
    /// all alike.
    std::vector<double> volume_share;
    Vec3 rest_centre;        ///< where the centre of mass was in the mesh's own coordinates
    double rest_volume = 0;  ///< [m³]
    /// What contact measures gaps and motion by [m]: the mean edge; of thin cages their thickness.
    double contact_length = 0;
    double size = 0;  ///< diameter of the sphere of equal volume [m]
    std::vector<std::uint32_t> particle_of_vertex, vertex_of_particle;
    std::vector<std::uint32_t> mesh_triangle;  ///< the mesh's triangle that each one is
    DisplayMesh display;
    /// The surface is not the mesh that it was made of.
    bool has_own_surface = false;
    /// Of a body that was torn: no other one is made alike.
    bool is_piece = false;
    /// Hash of the settings that it differs by from others of the same source and model.
    std::uint64_t settings = 0;

    /// Null where something else is shown.
    const DetailDisplay* detail() const { return std::get_if<DetailDisplay>(&display); }
    const EmbeddedDisplay* embedded() const { return std::get_if<EmbeddedDisplay>(&display); }
    /// Calls visit(particle, share) for those behind a corner of the surface.
    template <class Visit>
    void each_follower(std::uint32_t corner, Visit&& visit) const {
        if (corner >= followers.size()) return;
        for (std::uint32_t k = followers.starts[corner]; k < followers.starts[corner + 1]; ++k)
            visit(followers.items[k], follower_share[k]);
    }
    /// What contact moves with a corner of the surface [kg], for density 1.
    double mass_behind(std::uint32_t corner) const {
        return follower_mass.empty() ? mass[corner] : mass[corner] + follower_mass[corner];
    }
    bool shows_surface() const { return std::holds_alternative<SurfaceDisplay>(display); }
    /// Of what is shown in place of the surface.
    std::span<const Triangle> display_triangles() const {
        return detail()     ? detail()->triangles
               : embedded() ? embedded()->triangles
                            : std::span<const Triangle>{};
    }
};

}  // namespace turgor
