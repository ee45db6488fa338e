#pragma once

#include <optional>

#include "measure/measure.hpp"

/// Cages around meshes of any kind, measured from outside.
namespace turgor::measure {

struct Cage {
    Mesh mesh;
    double seconds = 0;
    std::size_t parts = 0;  ///< that stand apart, and cavities
    std::size_t flaws = 0;  ///< edges without exactly two triangles that agree
    std::size_t cuts = 0;   ///< pairs of triangles that cut through each other
};
/// An Error where wrap() refuses.
Cage wrapped(const Mesh& mesh, std::size_t vertices);

/// A cage against the closed mesh that it is around.
struct Likeness {
    double volume = 0;    ///< relative difference
    double distance = 0;  ///< rms of its vertices from the mesh, in its mean edges
};
/// Nothing where make_mesh does not take the mesh as it is.
std::optional<Likeness> likeness(const Cage& cage, const Mesh& mesh);

/// A cage of 1 m that carries its mesh falls 0.3 m onto the ground.
struct Carried {
    bool finite = true;
    double bounce = 0;       ///< fastest upward speed of its centre of mass [m/s]
    double volume = 0;       ///< largest relative error
    double penetration = 0;  ///< deepest, of its size
    double speed = 0;        ///< rms, at the end [m/s]
    double stretch = 0;      ///< diagonal of what is shown at the end, of that at the start
};
Carried carry(Backend backend, const Model& model, const Cage& cage, const Mesh& mesh,
              double seconds);

}  // namespace turgor::measure
