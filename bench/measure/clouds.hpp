#pragma once

#include "measure/measure.hpp"

/// Clouds of points in cages, as meshless bodies.
namespace turgor::measure {

/// So many points at random on the surface of a mesh, as a scanner would see it that is near its
/// front: `uneven` times as densely there.
Mesh scanned(const Mesh& mesh, std::size_t points, double uneven);

struct CloudFigures {
    std::size_t particles = 0;
    double prepared = 0;               ///< cage and bake [s]
    double cage_volume = 0;            ///< relative difference from the mesh that was scanned
    double cage_distance = 0;          ///< rms of its vertices from the mesh, of the mesh's size
    double flying = 0, touching = 0;   ///< a step, median on one thread [ms]
    double momentum = 0, angular = 0;  ///< largest relative change in 4 s of flight
    double volume = 0;                 ///< largest relative error in flight and on the ground
    double penetration = 0;            ///< deepest of all points and the cage, of the body's size
    double cage_penetration = 0;
    double speed = 0;  ///< of the centre of mass at the end, after 6 s [m/s]
};
CloudFigures cloud_figures(Backend backend, const Mesh& mesh, std::size_t points, double uneven);

}  // namespace turgor::measure
