#include "measure/folding.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/nearest_point.hpp"
#include "base/random.hpp"
#include "measure/bodies_in_contact.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor::measure {
namespace {

/// Steps a world of one body and looks at it every tenth step.
class Watch {
public:
    Watch(World& world, const Body& body, const Mesh& rest)
        : world_(world), body_(body), judge_(rest) {}

    void run_until(double time) {
        while (world_.time() < time - 1e-9) {
            world_.step();
            if (++steps_ % 10 != 0) continue;
            seen_.deepest = std::max(seen_.deepest, judge_.deepest(body_));
            seen_.volume =
                std::max(seen_.volume, std::abs(body_.volume() / body_.rest_volume() - 1));
        }
    }
    Folded result() {
        seen_.afterwards = judge_.deepest(body_);
        seen_.shape = body_.shape_error();
        seen_.speed = body_.max_speed();
        return seen_;
    }

private:
    World& world_;
    Body body_;
    SelfJudge judge_;
    Folded seen_;
    int steps_ = 0;
};

Path between(std::initializer_list<std::pair<double, Vec3>> keys) {
    Path path;
    for (const auto& [time, place] : keys) path.keys.push_back({time, {place, {}}});
    return path;
}

/// A path that swings the end of a bar, `arm` from its middle, up by an angle.
Path swing(double arm, double angle, double seconds) {
    Path path;
    constexpr int keys = 20;
    for (int k = 0; k <= keys; ++k) {
        const double a = angle * k / keys;
        path.keys.push_back({seconds * k / keys,
                             {{arm * (std::cos(a) - 1), std::abs(arm) * std::sin(a), 0},
                              Quat::about({0, 0, 1}, arm > 0 ? a : -a)}});
    }
    return path;
}

Material limp() {
    Material material = Material::named("gummy");
    material.omega = 3;
    material.stiffness = 1;
    return material;
}

}  // namespace

SelfJudge::SelfJudge(const Mesh& rest) : rest_(rest) {
    double sum = 0;
    for (const Triangle& t : rest.triangles)
        for (std::size_t k = 0; k < 3; ++k)
            sum += norm(rest.vertices[t[k]] - rest.vertices[t[(k + 1) % 3]]);
    edge_ = sum / (3.0 * static_cast<double>(rest.triangles.size()));
}

/// As it is now, with normals as long as an edge.
struct SelfJudge::Shape {
    std::vector<Vec3> x, normal;
    std::optional<TriangleTree> tree;

    Shape(const Body& body, const Mesh& rest, double edge) : normal(rest.vertices.size()) {
        for (std::size_t i = 0; i < normal.size(); ++i) x.push_back(body.position(i));
        for (const Triangle& t : rest.triangles)
            for (const auto i : t) normal[i] += cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
        for (Vec3& n : normal) n = edge * normalized(n);
        tree.emplace(x, rest.triangles);
    }
};

int SelfJudge::inside_out(const Body& body) const {
    const Shape now(body, rest_, edge_);
    int count = 0;
    for (std::size_t i = 0; i < now.x.size(); ++i)
        count += now.tree->winding_number(now.x[i] + 0.02 * now.normal[i]) < -0.5 ||
                 now.tree->winding_number(now.x[i] - 0.02 * now.normal[i]) < -0.5;
    return count;
}

double SelfJudge::deepest(const Body& body) const {
    const Shape now(body, rest_, edge_);
    const auto& x = now.x;
    const TriangleTree& tree = *now.tree;
    double deepest = 0;
    for (std::uint32_t i = 0; i < x.size(); ++i) {
        // Just outside of where it is, it must be outside.
        const Vec3 out = now.normal[i];
        if (tree.winding_number(x[i] + 0.02 * out) < 0.5 ||
            tree.winding_number(x[i] + 0.25 * out) < 0.5)
            continue;
        const auto hit = tree.nearest(x[i], [&](std::uint32_t t) {
            return std::ranges::find(rest_.triangles[t], i) == rest_.triangles[t].end();
        });
        const Triangle& t = rest_.triangles[hit.triangle];
        const Corners corners{rest_.vertices[t[0]], rest_.vertices[t[1]], rest_.vertices[t[2]]};
        const Vec3 p = rest_.vertices[i];
        const double apart = squared_distance(corners, nearest_on_triangle(corners, p), p);
        if (apart >= 4 * edge_ * edge_) deepest = std::max(deepest, hit.distance / edge_);
    }
    return deepest;
}

int throw_duck(Backend backend, double speed, bool self_contact) {
    World world = world_of(backend, false, {0, -9.81, 0});
    world.add_collider(Collider::ground());
    const Mesh mesh = shapes::rubber_duck(0.8, 552);
    const Body duck = world.add_body(
        mesh, Material::named("jelly"),
        {.position = {0, 0.6, 0}, .velocity = {0, -speed, 0}, .self_contact = self_contact});
    const SelfJudge judge(mesh);
    int worst = 0;
    for (int k = 0; k < 60; ++k) {
        world.step();
        worst = std::max(worst, judge.inside_out(duck));
    }
    return worst;
}

Folded fold_bar(Backend backend, int points, bool self_contact) {
    World world = world_of(backend, false, {});
    const Mesh mesh = shapes::bar({2, 0.2, 0.2}, points);
    Body bar = world.add_body(mesh, limp(), {.self_contact = self_contact});
    for (const double side : {-1.0, 1.0}) {
        Collider plate = Collider::box({side * 1.3, 0.5, 0}, {0.1, 1, 1});
        plate.friction = 0;
        plate.path = between(
            {{1.5, {}}, {2.5, {-side * 0.985, 0, 0}}, {2.8, {-side * 0.985, 0, 0}}, {3.6, {}}});
        world.add_collider(plate);
    }
    std::vector<HandleId> ends;
    for (const double side : {-1.0, 1.0}) {
        std::vector<std::uint32_t> end;
        for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
            if (side * mesh.vertices[i].x > 0.95) end.push_back(i);
        ends.push_back(bar.pin(end, swing(side, 1.3, 1.5)));
    }
    Watch watch(world, bar, mesh);
    watch.run_until(1.5);
    for (const HandleId end : ends) bar.release(end);
    watch.run_until(6);
    return watch.result();
}

Folded coil_snake(Backend backend, double length, double seconds, bool self_contact) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    world.add_collider(Collider::cup({0, 0.05, 0}, 0.45, 3, 0.05));
    const Mesh mesh = shapes::capsule(0.05, length, 12);
    const Body snake = world.add_body(mesh, limp(),
                                      {.position = {0, length / 2 + 0.2, 0},
                                       .rotation = Quat::about({0, 0, 1}, 0.03),
                                       .self_contact = self_contact});
    Watch watch(world, snake, mesh);
    watch.run_until(seconds);
    return watch.result();
}

Folded press_flat(Backend backend, const Mesh& mesh, double share, bool self_contact) {
    World world = world_of(backend, true);
    Bounds box;
    for (const Vec3& p : mesh.vertices) box.add(p);
    const double height = box.extent().y;
    world.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.1 * height + 0.05, 0}, {3, 0.05, 3});
    const Vec3 way{0, (share - 1.1) * height, 0};
    plate.path = between({{0, {}}, {1.5, way}, {2, way}, {3, {0, height, 0}}});
    world.add_collider(plate);
    const Body body = world.add_body(mesh, Material::named("gummy"),
                                     {.position = {-box.centre().x, -box.lower.y, -box.centre().z},
                                      .self_contact = self_contact});
    Watch watch(world, body, mesh);
    watch.run_until(5);
    return watch.result();
}

namespace {

/// Runs a crush of a second and a half, half a second of holding, and two seconds after it.
Crushed crush(World& world) {
    Crushed seen;
    for (int k = 1; k <= 900; ++k) {
        world.step();
        seen.penetration = std::max(seen.penetration, world.report().max_penetration);
        if (k % 10 != 0) continue;
        seen.penetration = std::max(seen.penetration, deepest_overlap(world));
        for (const Body& body : world.bodies()) {
            seen.volume = std::max(seen.volume, std::abs(body.volume() / body.rest_volume() - 1));
            if (k == 400) seen.trembling = std::max(seen.trembling, body.max_speed());
            if (k == 900) seen.shape = std::max(seen.shape, body.shape_error());
        }
    }
    return seen;
}

}  // namespace

Crushed press_ball(Backend backend, double share) {
    World world = world_of(backend, false);
    world.add_collider(Collider::ground());
    Collider plate = Collider::box({0, 1.1, 0}, {3, 0.05, 3});
    const Vec3 way{0, share - 1.05, 0};
    plate.path = between({{0, {}}, {1.5, way}, {2, way}, {2.5, {0, 1, 0}}});
    world.add_collider(plate);
    world.add_body(shapes::icosphere(0.5, 4), Material::named("gummy"), {.position = {0, 0.5, 0}});
    return crush(world);
}

Crushed shrink_box(Backend backend, int layers) {
    World world = world_of(backend, false, {});
    // Touching balls in a cubic lattice fill half of it.
    constexpr double radius = 0.25, cell = 2.2 * radius, filled = 0.8;
    const double ball = 4.0 / 3 * std::acos(-1.0) * radius * radius * radius;
    const double shrunk = std::cbrt(ball / filled) / cell;
    const Vec3 half = 0.5 * cell * Vec3{2, static_cast<double>(layers), 2};
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1.0, 1.0}) {
            Vec3 inwards;
            inwards[axis] = -sign;
            Collider wall = Collider::plane(-half[axis] * inwards, inwards);
            const Vec3 way = (1 - shrunk) * half[axis] * inwards;
            wall.path = between({{0, {}}, {1.5, way}, {2, way}, {2.5, {}}});
            world.add_collider(wall);
        }
    const Mesh mesh = shapes::icosphere(radius, 3);
    Random random(1);
    for (int y = 0; y < layers; ++y)
        for (const double x : {0.5, 1.5})
            for (const double z : {0.5, 1.5})
                world.add_body(mesh, Material::named("gummy"),
                               {.position = cell * Vec3{x, y + 0.5, z} - half +
                                            0.08 * radius * random.in_cube()});
    return crush(world);
}

}  // namespace turgor::measure
