#include "measure/bodies_in_contact.hpp"

#include <algorithm>
#include <cmath>

#include "base/bounds.hpp"
#include "base/random.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor::measure {
namespace {

/// 2 m × 2 m at x = 0, for shots along x.
Collider wall_of(Target target) {
    const auto bar = [](int points) { return Collider::mesh(shapes::bar({0.005, 2, 2}, points)); };
    if (target == Target::plate) return Collider::box({}, {0.0025, 1, 1});
    if (target == Target::coarse_wall) return bar(2);
    if (target == Target::fine_wall) return bar(80);
    const Mesh sheet{"sheet",
                     {{0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}, {0, 0.01, 0.02}},
                     {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};
    return Collider::shell(sheet, 0.005);
}

double max_speed(World& world) {
    double speed = 0;
    for (const Body& body : world.bodies()) speed = std::max(speed, body.max_speed());
    return speed;
}

}  // namespace

double deepest_overlap(World& world) {
    struct Surface {
        std::vector<Vec3> x;
        Bounds box;
        std::unique_ptr<TriangleTree> tree;
    };
    const std::vector<Body> bodies = world.bodies();
    std::vector<Surface> surfaces(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t k = 0; k < bodies[i].positions().size(); ++k) {
            surfaces[i].x.push_back(bodies[i].position(k));
            surfaces[i].box.add(surfaces[i].x.back());
        }
    double deepest = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = 0; j < bodies.size(); ++j) {
            Surface& other = surfaces[j];
            if (i == j || !boxes_overlap(surfaces[i].box, other.box)) continue;
            if (!other.tree)
                other.tree = std::make_unique<TriangleTree>(other.x, bodies[j].triangles());
            for (const Vec3& p : surfaces[i].x) {
                if (!boxes_overlap({p, p}, other.box) || other.tree->winding_number(p) < 0.5)
                    continue;
                deepest = std::max(deepest, other.tree->nearest(p).distance / bodies[j].size());
            }
        }
    return deepest;
}

Watched watch(World& world, double seconds, int every, const std::function<void(double)>& passed) {
    Watched seen;
    seen.lowest = 1e300;
    const int steps = static_cast<int>(std::round(seconds / 0.005));
    for (int k = 1; k <= steps; ++k) {
        world.step();
        if (k % every != 0) continue;
        const double overlap = deepest_overlap(world);
        seen.overlap = std::max(seen.overlap, overlap);
        if (world.time() > 3) seen.late_overlap = std::max(seen.late_overlap, overlap);
        for (const Body& body : world.bodies()) {
            seen.volume = std::max(seen.volume, std::abs(body.volume() / body.rest_volume() - 1));
            const Bounds box = body.bounds();
            seen.lowest = std::min(seen.lowest, box.lower.y);
            for (const Vec3f& p : body.positions())
                seen.farthest = std::max<double>(seen.farthest, std::hypot(p.x, p.z));
        }
        if (passed) passed(world.time());
    }
    seen.speed = max_speed(world);
    for (const Body& body : world.bodies()) seen.awake += !body.asleep();
    return seen;
}

World balls_over_glass(Backend backend, int count) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    const double layers = std::ceil(count / 4.0);
    world.add_collider(Collider::cup({0, 0.05, 0}, 0.75, 0.4 + 0.45 * layers, 0.05));
    const Mesh ball = shapes::uv_sphere(0.25, 20, 19);
    Material material = Material::named("gummy");
    material.omega = 2;
    material.stiffness = 1;
    material.alpha = 0.5;
    Random random(1);
    for (int k = 0; k < count; ++k)
        world.add_body(
            ball, material,
            {.position = Vec3{k % 2 ? 0.28 : -0.28, 0.9 + 0.6 * (k / 4), k / 2 % 2 ? 0.28 : -0.28} +
                         0.03 * random.in_cube(),
             .rotation = Quat::about(random.in_cube(), random.between(-2, 2))});
    return world;
}

World column_of_ducks(Backend backend, int count) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    const Mesh duck = shapes::rubber_duck(0.8, 500);
    for (int k = 0; k < count; ++k)
        world.add_body(duck, Material::named("gummy"),
                       {.position = {0.02 * (k % 3), 0.1 + 0.85 * k, 0.02 * (k % 2)}});
    return world;
}

World stack_of_cubes(Backend backend, double side, int count) {
    World world = world_of(backend, true);
    world.add_collider(Collider::ground());
    for (int k = 0; k < count; ++k)
        world.add_body(shapes::cube(side, 8), Material::named("rubber"),
                       {.position = {0.02 * side * (k % 2), side * (0.52 + 1.04 * k), 0}});
    return world;
}

Grazing graze(Backend backend) {
    World world = world_of(backend, true, {});
    const Mesh ball = shapes::icosphere(0.5, 3);
    const Material gummy = Material::named("gummy");
    world.add_body(ball, gummy, {.position = {-1, 0, 0}, .velocity = {3, 0, 0}});
    world.add_body(ball, gummy, {.position = {1, 0.5, 0.1}, .velocity = {-3, 0, 0}});
    const auto linear = [&] {
        Vec3 sum;
        for (const Body& b : world.bodies()) sum += b.momentum();
        return sum;
    };
    const auto angular = [&] {
        Vec3 sum;
        for (const Body& b : world.bodies())
            sum += b.angular_momentum() + cross(b.centre_of_mass(), b.momentum());
        return sum;
    };
    const auto energy = [&] {
        double sum = 0;
        for (const Body& b : world.bodies()) sum += b.kinetic_energy();
        return sum;
    };
    double scale = 0;
    for (const Body& b : world.bodies()) scale += norm(b.momentum());
    const Vec3 p = linear(), l = angular();
    const double e = energy();
    Grazing g;
    for (int k = 0; k < 400; ++k) {
        world.step();
        g.linear = std::max(g.linear, norm(linear() - p) / scale);
        g.angular = std::max(g.angular, norm(angular() - l) / norm(l));
        g.energy = std::max(g.energy, energy() / e);
    }
    return g;
}

Separation separate(Backend backend, const Mesh& mesh, double overlap) {
    World world = world_of(backend, true, {});
    const double width = bounds(mesh).extent().x;
    world.add_body(mesh, Material::named("gummy"));
    world.add_body(mesh, Material::named("gummy"), {.position = {(1 - overlap) * width, 0, 0}});
    Separation separating;
    for (int k = 0; k < 400; ++k) {
        world.step();
        const bool apart = deepest_overlap(world) == 0;
        if (!apart) separating.seconds = -1;
        if (apart && separating.seconds < 0) separating.seconds = world.time();
    }
    separating.speed = max_speed(world);
    return separating;
}

Shots shoot(Backend backend, Target target, double dt, int count, std::uint64_t seed) {
    Random random(seed);
    Shots shots;
    const Mesh ball = shapes::icosphere(0.05, 3);
    const Collider wall = target == Target::ball ? Collider{} : wall_of(target);
    const bool straight = target == Target::plate || target == Target::ball;
    for (int k = 0; k < count; ++k) {
        World world = world_of(backend, true, {});
        // Nearly in the middle: what hits a ball at its rim may well slip past it.
        const double off = target == Target::plate ? 0.03 : target == Target::ball ? 0.008 : 0.2;
        const Vec3 start{-random.between(0.3, 0.5), off * random.between(-1, 1),
                         off * random.between(-1, 1)};
        const double speed = random.between(5, 100);
        Vec3 way{1, 0, 0};
        if (!straight) way = normalized(Vec3{1, random.between(-1, 1), random.between(-1, 1)});
        const auto turn = straight ? Quat{} : random.rotation();
        Body shot = world.add_body(ball, Material::named("gummy"),
                                   {.position = start, .rotation = turn, .velocity = speed * way});
        if (target == Target::ball)
            world.add_body(ball, Material::named("gummy"));
        else
            world.add_collider(wall);
        bool passed = false;
        double overlap = 0;
        for (double time = 0; time < 0.5 / (speed * way.x) + 0.05; time += dt) {
            world.step(dt);
            const double limit = target == Target::ball ? world.bodies()[1].centre_of_mass().x : 0;
            passed = passed || shot.centre_of_mass().x > limit;
            if (target == Target::ball) overlap = std::max(overlap, deepest_overlap(world));
        }
        const bool around = target == Target::ball && overlap < gone_into;
        ++shots.fired;
        shots.passed += passed && !around;
        shots.around += passed && around;
        shots.overlap = std::max(shots.overlap, overlap);
    }
    return shots;
}

}  // namespace turgor::measure
