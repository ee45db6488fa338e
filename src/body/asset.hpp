#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/list_of_lists.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// The distance constraints through the inside of a body (paper 000, section 5 "Inner structures"):
/// they move nothing, they only measure how much a particle is squeezed against what lies behind
/// it.
struct Struts {
    std::vector<std::uint32_t> partner;  ///< the other end; the particle itself where there is none
    std::vector<double> rest_length;     ///< [m]
    std::vector<double> stiffness;  ///< linear in the length, by default 0.1 … 0.01 (longest)
};

/// Where a fine display vertex hangs on the coarse mesh (A5): p = q + offset · n_q with q and n_q
/// interpolated from a triangle's corners and their unit normals.
struct DetailBinding {
    std::uint32_t triangle = 0;
    std::uint32_t edge = 0;  ///< of the triangle, which the frame of rest_error follows
    double weight[3] = {};   ///< barycentric, sum 1
    double offset = 0;       ///< [m], in units of the interpolated (not renormalised) normal
    Vec3 rest_error;         ///< what such a line leaves over [m], in the frame of detail.hpp
};

/// Two particles, the lower index first.
using Link = std::array<std::uint32_t, 2>;

/// Everything about a body that never changes, shared by all bodies made of it. Particles are
/// stored in an order of bake's own; the two tables lead from and to the vertices of the mesh it
/// was made of.
struct BodyAsset {
    std::string name;
    int omega = 0;
    std::vector<Vec3> rest;           ///< rest positions, the centre of mass at the origin [m]
    std::vector<Triangle> triangles;  ///< in particle indices
    std::vector<double> mass;  ///< [kg], for density 1 kg/m³: a body multiplies by its density
    ListOfLists regions;  ///< ℜᵢ: all particles within ω edges of i, itself included, ascending
    ListOfLists neighbours;     ///< the one-ring without the particle itself, ascending
    ListOfLists corners;        ///< triangles around a particle, ascending
    std::vector<Link> bridges;  ///< join parts that no edge connects; only regions follow them
    Struts struts;
    Vec3 rest_centre;        ///< where the centre of mass was in the mesh's own coordinates
    double rest_volume = 0;  ///< [m³]
    double mean_edge = 0;    ///< [m]
    double size = 0;         ///< diameter of the sphere of equal volume [m]
    std::vector<std::uint32_t> particle_of_vertex, vertex_of_particle;
    std::vector<std::uint32_t> mesh_triangle;  ///< the mesh's triangle that each one is

    std::vector<Triangle> display_triangles;  ///< empty where the mesh itself is shown
    std::vector<DetailBinding> bindings;      ///< one for each display vertex
};

}  // namespace turgor
