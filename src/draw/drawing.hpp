#pragma once

#include <span>
#include <vector>

#include "turgor/collider.hpp"
#include "turgor/mesh.hpp"

/// What is in a picture, as plain data: whoever makes one knows nothing of OpenGL, and whoever
/// draws one knows nothing of worlds.
namespace turgor {

enum class Finish {
    matte,   ///< colliders
    gummy,   ///< light goes some way through it
    smooth,  ///< rigid bodies
    glass,   ///< seen through
    ghost,   ///< a body that shows what is inside
    clay,    ///< earthy, without any shine
    dough,   ///< soft and floury
    metal,   ///< mirrors what is around
    foam     ///< full of pores
};

struct DrawnMesh {
    std::span<const Vec3f> positions, normals;
    std::span<const Triangle> triangles;
    Vec3f colour{0.8f, 0.8f, 0.8f};    ///< linear
    std::span<const Vec3f> colours{};  ///< one for each vertex instead; may be empty
    Finish finish = Finish::gummy;
    bool wireframe = false;  ///< its edges on top
    /// Where each vertex is in the grain of its finish, so that the grain moves along; may be
    /// empty.
    std::span<const Vec3f> grain{};
    /// Of the balls that its vertices are drawn as where there are no triangles [m].
    double radius = 0;
};

/// An endless plane whose outside is +y of its pose. From behind it is not seen.
struct DrawnPlane {
    Pose pose;
};

struct DrawnLine {
    Vec3f from, to;
    Vec3f colour;
};

struct DrawnPoint {
    Vec3f at;
    Vec3f colour;
    float size = 6;  ///< across [pixels of a picture 1000 high]
};

struct Drawing {
    std::vector<DrawnMesh> meshes;
    std::vector<DrawnPlane> planes;
    std::vector<DrawnLine> lines;
    std::vector<DrawnPoint> points;
    float line_width = 3.5f;  ///< [pixels of a picture 1000 high]
    /// What casts shadows and what the light is about.
    Bounds bounds;
    /// How far from each other things darken each other, and light goes through them [m].
    double nearness = 0.1;
};

}  // namespace turgor
