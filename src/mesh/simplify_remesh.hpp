#pragma once

#include <cstddef>
#include <functional>

#include "mesh/simplify_surface.hpp"

namespace turgor {

/// The point of the ideal surface near `point`, where the surface's unit normal is about `normal`.
using Projection = std::function<Vec3(Vec3 point, Vec3 normal)>;

/// The edge length of a mesh of equilateral triangles with this many vertices on this area.
double equilateral_edge(double area, std::size_t vertices);

/// Makes the triangles as equal and as equilateral as the surface allows (isotropic remeshing,
/// Botsch and Kobbelt 2004) with `vertices` vertices, which it reaches exactly unless the topology
/// forbids it. The surface should have about that many already. Leaves it compact.
void remesh(EditSurface& surface, std::size_t vertices, const Projection& project);

}  // namespace turgor
