#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/nearest_point.hpp"
#include "solid/polygons.hpp"

namespace turgor {

/// A box of voxels about a mesh: an even number along each axis. Coordinates are voxels from the
/// middle, so that a mirrored mesh has the same but for their signs.
struct VoxelGrid {
    std::array<int, 3> size{};
    double side = 1;  ///< of a voxel [m]
    Vec3 centre;      ///< [m]

    std::size_t count() const {
        return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
               static_cast<std::size_t>(size[2]);
    }
    std::size_t index(int i, int j, int k) const {
        return (static_cast<std::size_t>(i) * static_cast<std::size_t>(size[1]) +
                static_cast<std::size_t>(j)) *
                   static_cast<std::size_t>(size[2]) +
               static_cast<std::size_t>(k);
    }
    /// Of voxel i along an axis: its middle.
    double middle(int axis, int i) const {
        return i + 0.5 * (1 - size[static_cast<std::size_t>(axis)]);
    }
};

inline constexpr int ray_directions = 13;
/// How many of the rays through a voxel found it inside, and how many outside.
struct Votes {
    static constexpr std::uint8_t one_in = 1, one_out = 16;
    std::uint8_t both = 0;
    int in() const { return both % one_out; }
    int out() const { return both / one_out; }
};

/// Distances from the middles of voxels to triangles, up to a reach, in steps of 1/4096 voxel.
using DistanceBand = std::vector<std::uint16_t>;
inline constexpr double distance_step = 1.0 / 4096;

class Scheduler;

/// `triangles` are in the grid's coordinates; `reach` [voxels] is at most 15.
DistanceBand distance_band(const VoxelGrid& grid, const std::vector<Corners>& triangles,
                           double reach, Scheduler* threads);

/// What rays along the 13 directions of the lattice, from both sides, cross: a voxel is inside
/// where a ray has crossed triangles an odd number of times, or of `oriented` ones, more often one
/// way than the other. Rays that do not end outside abstain, those that touch a border, and voxels
/// whose middle is on a triangle. `polygons` are in the grid's coordinates.
std::vector<Votes> votes_of_crossings(const VoxelGrid& grid, const Polygons& polygons,
                                      Scheduler* threads);

/// The same of what passes for a surface where there are only distances: a ray changes sides in the
/// middle of where it is nearer than `enter`, once until it has been farther than `leave` [voxels].
std::vector<Votes> votes_of_valleys(const VoxelGrid& grid, const DistanceBand& distances,
                                    double enter, double leave, Scheduler* threads);

}  // namespace turgor
