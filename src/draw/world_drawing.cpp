#include "draw/world_drawing.hpp"

#include <algorithm>
#include <cmath>

#include "draw/finishes.hpp"

namespace turgor {
namespace {

constexpr Vec3f solid_colour{0.42f, 0.43f, 0.46f}, glass_colour{0.75f, 0.85f, 0.9f},
    pale_colour{0.72f, 0.7f, 0.66f};

/// The part of `box` that is not far from `near`: an endless table is not what a picture is about.
Bounds part_near(const Bounds& box, const Bounds& near, double farther) {
    Bounds part;
    for (int i = 0; i < 3; ++i) {
        part.lower[i] = std::max(box.lower[i], near.lower[i] - farther);
        part.upper[i] = std::min(box.upper[i], near.upper[i] + farther);
    }
    return part;
}

void add(Bounds& to, const Bounds& box) {
    for (int i = 0; i < 3; ++i)
        if (!(box.lower[i] <= box.upper[i])) return;
    to.add(box.lower);
    to.add(box.upper);
}

Bounds box_of(std::span<const Vec3> points, const Pose& pose) {
    Bounds box;
    for (const Vec3& p : points) box.add(pose.to_world(p));
    return box;
}

/// Mean extent of the things: what is near another is a part of that.
double size_of_things(const Moment& moment) {
    double sum = 0;
    for (const Moment::Thing& thing : moment.things) {
        Bounds box;
        for (const Vec3f& p : thing.positions) box.add(to_double(p));
        sum += box.diagonal();
    }
    return moment.things.empty() ? 1 : sum / static_cast<double>(moment.things.size());
}

/// Where there is nothing at all.
Bounds or_unit(const Bounds& box) {
    return box.lower.x <= box.upper.x ? box : Bounds{{-0.5, 0, -0.5}, {0.5, 1, 0.5}};
}

}  // namespace

WorldDrawing::WorldDrawing(std::span<const Collider> colliders) {
    for (const Collider& collider : colliders)
        solids_.push_back({collider, collider_mesh(collider)});
}

void WorldDrawing::pose(Solid& solid, const Pose& at) {
    if (solid.at == at) return;
    solid.at = at;
    solid.box = box_of(solid.mesh.positions, at);
    solid.positions.resize(solid.mesh.positions.size());
    solid.normals.resize(solid.positions.size());
    for (std::size_t i = 0; i < solid.positions.size(); ++i) {
        solid.positions[i] = to_float(at.to_world(solid.mesh.positions[i]));
        solid.normals[i] = to_float(rotate(at.rotation, solid.mesh.normals[i]));
    }
}

void WorldDrawing::add_thing(const Moment::Thing& thing, const Insight& insight, Drawing& drawing) {
    DrawnMesh mesh{thing.positions, thing.normals, *thing.triangles, thing.colour};
    mesh.finish = Finish::smooth;
    mesh.radius = thing.radius;
    if (!thing.rigid) {
        const MaterialLook look = look_of_surface(thing.surface);
        mesh.finish = look.finish;
        if (thing.first) mesh.grain = *thing.first;
        if (thing.colour == BodyOptions{}.colour) mesh.colour = look.colour;
        mesh.wireframe = insight.wireframe;
        const auto surface = insight.surfaces.find(thing.id);
        if (surface != insight.surfaces.end()) {
            mesh.positions = surface->second.positions;
            mesh.normals = surface->second.normals;
            mesh.triangles = surface->second.triangles;
            mesh.grain = {};
        }
        const auto own = insight.colours.find(thing.id);
        if (own != insight.colours.end() && own->second.size() == mesh.positions.size())
            mesh.colours = own->second;
        if (insight.pale) mesh.colour = pale_colour;
        // What is drawn on a body is not to be mistaken for its material.
        if (insight.pale || !mesh.colours.empty()) mesh.finish = Finish::gummy;
        // Between points there is room to look through.
        if (insight.through && !mesh.triangles.empty()) mesh.finish = Finish::ghost;
    }
    drawing.meshes.push_back(mesh);
}

Drawing WorldDrawing::draw(const Moment& moment, const Insight& insight) {
    Drawing drawing;
    drawing.lines = insight.lines;
    drawing.points = insight.points;
    drawing.line_width = insight.line_width;
    drawing.bounds = or_unit(moment.bounds());
    drawing.nearness = 0.16 * size_of_things(moment);
    for (const Moment::Thing& thing : moment.things) add_thing(thing, insight, drawing);
    const Bounds things = drawing.bounds;
    for (std::size_t i = 0; i < std::min(solids_.size(), moment.colliders.size()); ++i) {
        Solid& solid = solids_[i];
        const Pose& at = moment.colliders[i];
        if (solid.collider.sensor) continue;
        if (solid.collider.shape == ColliderShape::plane) {
            drawing.planes.push_back({at});
            continue;
        }
        pose(solid, at);
        const bool cup = solid.collider.shape == ColliderShape::cup;
        drawing.meshes.push_back({solid.positions,
                                  solid.normals,
                                  solid.mesh.triangles,
                                  cup ? glass_colour : solid_colour,
                                  {},
                                  cup ? Finish::glass : Finish::matte});
        add(drawing.bounds, part_near(solid.box, things, 0.5 * things.diagonal()));
    }
    return drawing;
}

Camera WorldDrawing::framing(const Moment& moment, double aspect, const Camera& from) const {
    const Bounds things = or_unit(moment.bounds());
    Bounds seen = things;
    for (std::size_t i = 0; i < std::min(solids_.size(), moment.colliders.size()); ++i) {
        const Solid& solid = solids_[i];
        const Pose& at = moment.colliders[i];
        if (solid.collider.shape != ColliderShape::plane) {
            add(seen, part_near(box_of(solid.mesh.positions, at), things, 0.6 * things.diagonal()));
            continue;
        }
        const Vec3 up = rotate(at.rotation, {0, 1, 0});
        if (up.y < 0.3) continue;
        // Straight down to the plane, and somewhat apart, for what falls high does not stay there.
        const double apart = 0.12 * things.extent().y;
        for (const double side : {-1.0, 1.0}) {
            Vec3 corner = (side < 0 ? things.lower : things.upper) + side * Vec3{apart, 0, apart};
            corner.y -= dot(corner - at.position, up) / up.y;
            seen.add(corner);
        }
    }
    return turgor::framing(seen, aspect, from);
}

}  // namespace turgor
