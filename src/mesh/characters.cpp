#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors.hpp"
#include "mesh/characters.hpp"
#include "mesh/implicit.hpp"
#include "mesh/primitives_subdivide.hpp"
#include "mesh/simplify_decimate.hpp"
#include "mesh/simplify_remesh.hpp"
#include "turgor/mesh.hpp"

namespace turgor::shapes {
namespace {

constexpr std::size_t least_vertices = 200, most_vertices = 5'000'000;
/// Finer characters are refined from at most this many evenly spread vertices.
constexpr std::size_t base_vertices = 8000;

Ellipsoid mirrored(Ellipsoid e) {
    e.centre.x = -e.centre.x;
    e.turn.y = -e.turn.y, e.turn.z = -e.turn.z;
    return e;
}

RoundCone mirrored(RoundCone c) {
    c.a.x = -c.a.x, c.b.x = -c.b.x;
    return c;
}

/// A shape that grows by smooth unions, seen from one point. Nothing sharper than the mesh can show
/// is made: fillets are no tighter than half its edges, and features that it would only hint at are
/// left out. In return all parts swell a little, since a coarse mesh cuts their corners.
class Sculpture {
public:
    Sculpture(Vec3 point, double edge) : point_(point), edge_(edge) {}

    template <class Part>
    void add(const Part& part, double fillet) {
        const double blend = std::max(fillet, 0.5 * edge_), swell = 0.1 * edge_;
        const auto [centre, radius] = part.bounding_ball();
        const double reach = sample_.value + 2 * blend + swell + radius;
        const Vec3 away = point_ - centre;
        if (reach < 0 || dot(away, away) > reach * reach) return;  // too far to matter
        FieldSample sample = part(point_);
        sample.value -= swell;
        sample_ = smooth_union(sample_, sample, blend);
    }
    /// A part and its mirror image in the plane x = 0.
    template <class Part>
    void add_pair(const Part& part, double fillet) {
        add(part, fillet);
        add(mirrored(part), fillet);
    }
    bool shows(double size) const { return edge_ < size; }
    FieldSample sample() const { return sample_; }

private:
    Vec3 point_;
    double edge_;
    FieldSample sample_{1e3, {}};
};

/// The sweet: sitting upright, paws on the belly, soles forward. Lengths in heights of the bear.
FieldSample bear_field(Vec3 p, double edge) {
    Sculpture bear(p, edge);
    bear.add(Ellipsoid{{0, 0.34, 0}, {0.255, 0.32, 0.205}}, 0.05);
    bear.add(Ellipsoid{{0, 0.3, 0.085}, {0.215, 0.22, 0.19}}, 0.08);
    bear.add(Ellipsoid{{0, 0.745, 0.025}, {0.225, 0.19, 0.19}}, 0.05);
    bear.add_pair(Ellipsoid{{0.175, 0.91, 0}, {0.1, 0.1, 0.075}}, 0.03);
    bear.add(Ellipsoid{{0, 0.69, 0.2}, {0.12, 0.085, 0.105}}, 0.035);
    bear.add_pair(RoundCone{{0.235, 0.49, 0.05}, {0.12, 0.4, 0.25}, 0.088, 0.08}, 0.04);
    bear.add_pair(RoundCone{{0.16, 0.13, 0.04}, {0.175, 0.12, 0.295}, 0.115, 0.112}, 0.045);
    if (bear.shows(0.05)) bear.add(Ellipsoid{{0, 0.735, 0.29}, {0.05, 0.04, 0.036}}, 0.025);
    if (bear.shows(0.032))
        bear.add_pair(Ellipsoid{{0.095, 0.805, 0.187}, {0.038, 0.04, 0.034}}, 0.02);
    return bear.sample();
}

/// The bath toy. Lengths in about heights of the duck.
FieldSample duck_field(Vec3 p, double edge) {
    static const Quat wing = Quat::about({1, 0, 0}, 0.35);
    static const Quat upper_beak = Quat::about({1, 0, 0}, -0.2);
    static const Quat lower_beak = Quat::about({1, 0, 0}, 0.1);
    Sculpture duck(p, edge);
    duck.add(Ellipsoid{{0, 0.3, -0.06}, {0.36, 0.31, 0.47}}, 0.05);
    duck.add(RoundCone{{0, 0.4, -0.38}, {0, 0.6, -0.62}, 0.16, 0.05}, 0.1);
    duck.add_pair(Ellipsoid{{0.325, 0.36, -0.13}, {0.075, 0.15, 0.27}, wing}, 0.035);
    duck.add(Ellipsoid{{0, 0.745, 0.17}, {0.245, 0.245, 0.245}}, 0.09);
    duck.add(Ellipsoid{{0, 0.72, 0.42}, {0.13, 0.055, 0.15}, upper_beak}, 0.035);
    duck.add(Ellipsoid{{0, 0.66, 0.395}, {0.11, 0.05, 0.11}, lower_beak}, 0.04);
    if (duck.shows(0.032))
        duck.add_pair(Ellipsoid{{0.115, 0.83, 0.355}, {0.04, 0.045, 0.037}}, 0.02);
    return smooth_intersection(duck.sample(), HalfSpace{{0, 0.03, 0}, {0, -1, 0}}(p), 0.06);
}

/// A sneaker, the toe forward. Lengths in lengths of the shoe.
FieldSample shoe_field(Vec3 p, double edge) {
    static const Quat opening = Quat::about({1, 0, 0}, -0.12);
    Sculpture shoe(p, edge);
    // the sole, with a rim
    shoe.add(Ellipsoid{{0, 0.03, 0.22}, {0.19, 0.06, 0.265}}, 0.03);
    shoe.add(Ellipsoid{{0, 0.03, -0.04}, {0.155, 0.06, 0.3}}, 0.06);
    shoe.add(Ellipsoid{{0, 0.03, -0.3}, {0.165, 0.06, 0.2}}, 0.05);
    // toes, instep, heel, collar, tongue
    shoe.add(Ellipsoid{{0, 0.09, 0.225}, {0.17, 0.125, 0.23}}, 0.02);
    shoe.add(RoundCone{{0, 0.11, 0.17}, {0, 0.21, -0.12}, 0.14, 0.145}, 0.06);
    shoe.add(Ellipsoid{{0, 0.14, -0.29}, {0.15, 0.2, 0.19}}, 0.04);
    shoe.add(RoundCone{{0, 0.22, -0.23}, {0, 0.33, -0.24}, 0.15, 0.145}, 0.06);
    shoe.add(RoundCone{{0, 0.27, -0.08}, {0, 0.4, -0.13}, 0.07, 0.055}, 0.05);
    const FieldSample foot = Ellipsoid{{0, 0.54, -0.25}, {0.1, 0.22, 0.125}, opening}(p);
    const FieldSample open =
        smooth_intersection(shoe.sample(), {-foot.value, -1.0 * foot.gradient}, 0.05);
    return smooth_intersection(open, HalfSpace{{0, 0, 0}, {0, -1, 0}}(p), 0.04);
}

/// Standing on y = 0, centred in x, with the exact height.
void stand_up(Mesh& mesh, double height) {
    Bounds box;
    for (const Vec3& p : mesh.vertices) box.add(p);
    const double scale = height / box.extent().y;
    const Vec3 foot{box.centre().x, box.lower.y, box.centre().z};
    for (Vec3& p : mesh.vertices) p = scale * (p - foot);
}

/// Halves the edges `times` times.
Mesh refined(Mesh mesh, int times, const Projection& project) {
    for (int i = 0; i < times; ++i) {
        const std::vector<Vec3> normals = vertex_normals(mesh);
        subdivide(mesh, [&](std::uint32_t a, std::uint32_t b) {
            return project(0.5 * (mesh.vertices[a] + mesh.vertices[b]),
                           normalized(normals[a] + normals[b]));
        });
    }
    return mesh;
}

/// The unit of the character's own lengths is its height; `area` is about its surface.
Mesh polygonised(const char* name, FieldSample (*character)(Vec3, double), double area,
                 const Bounds& box, double height, std::size_t vertices) {
    if (!std::isfinite(height) || height <= 0)
        fail(ErrorCode::bad_argument,
             "{}: the height is {}, but it must be a positive number of metres.", name, height);
    if (vertices < least_vertices || vertices > most_vertices)
        fail(ErrorCode::bad_argument,
             "{}: {} vertices are asked for, but it must be between {} and {}.", name, vertices,
             least_vertices, most_vertices);
    const double edge = equilateral_edge(area, vertices);
    const Field field = [&](Vec3 p) { return character(p, edge); };
    const Projection project = [&](Vec3 p, Vec3 normal) {
        return project_to_zero(field, p, normal);
    };
    // fine enough for every feature, so that all resolutions have the same topology
    EditSurface surface(polygonise(field, box, 0.025));
    int doublings = 0;
    while (vertices >> 2 * doublings > base_vertices) ++doublings;
    const std::size_t base = vertices >> 2 * doublings;
    decimate(surface, base);
    remesh(surface, base, project);
    if (doublings > 0) {
        surface = EditSurface(refined(surface.to_mesh(name), doublings, project));
        remesh(surface, vertices, project);
    }
    Mesh mesh = surface.to_mesh(name);
    stand_up(mesh, height);
    return mesh;
}

}  // namespace

Mesh gummy_bear(double height, std::size_t vertices) {
    return polygonised("gummy_bear", bear_field, 2.0, {{-0.5, -0.1, -0.4}, {0.5, 1.1, 0.6}}, height,
                       vertices);
}

Mesh rubber_duck(double height, std::size_t vertices) {
    return polygonised("rubber_duck", duck_field, 2.7, {{-0.6, -0.1, -0.8}, {0.6, 1.1, 0.8}},
                       height, vertices);
}

Mesh shoe(double height, std::size_t vertices) {
    return polygonised("shoe", shoe_field, 1.25, {{-0.4, -0.2, -0.7}, {0.4, 0.7, 0.7}}, height,
                       vertices);
}

}  // namespace turgor::shapes
