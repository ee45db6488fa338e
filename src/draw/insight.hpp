#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/drawing.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// What to show of the inside of bodies.
struct Overlays {
    bool wireframe = false;  ///< edges of what is shown
    bool particles = false;
    bool paths = false;     ///< along which sums run, each in a colour of its own
    bool struts = false;    ///< through the inside
    bool contacts = false;  ///< with their normals
    bool weights = false;   ///< of the volume correction: blue none, red most
    bool clusters = false;  ///< that particles are matched in, blended by their shares
    bool goals = false;     ///< where each particle is drawn to
    bool cage = false;      ///< the mesh that is simulated, against the one that is shown
    bool cells = false;     ///< the edges of cells; of those that keep a volume, how well
    bool surface = false;   ///< what touches things in place of what is shown: of clouds the cage
    struct Picked {
        BodyId body = 0;
        std::uint32_t vertex = 0;
    };
    std::optional<Picked> region{};  ///< of a particle

    /// One of them by its name, all but the region.
    bool* named(std::string_view name);
    static std::string names();  ///< "a, b, c"
    bool any() const;
};

/// What was found there, ready to be drawn together with the moment it was found in.
struct Insight {
    std::vector<DrawnLine> lines;
    std::vector<DrawnPoint> points;
    std::map<std::uint32_t, std::vector<Vec3f>> colours;  ///< of the shown vertices of a body
    float line_width = 3.5f;                              ///< as that of a Drawing
    /// Collision surfaces, drawn in place of what bodies show.
    struct Surface {
        std::vector<Vec3f> positions, normals;
        std::vector<Triangle> triangles;
    };
    std::map<std::uint32_t, Surface> surfaces;
    /// Of each body whose goals are shown: the rms distance of its particles from them, over its
    /// size.
    std::map<BodyId, double> fit_errors;
    bool wireframe = false;
    bool through = false;  ///< bodies are to be seen through
    bool pale = false;     ///< bodies are to be plain, for what is drawn on them
};
Insight look_inside(World& world, const Overlays& overlays);

}  // namespace turgor
