// Bodies of cells in a world (docs/methods.md, "Cells"), in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/random.hpp"
#include "measure/measure.hpp"
#include "turgor/turgor.hpp"
#include "world/inspection.hpp"
#include "world/settings.hpp"

namespace turgor {
namespace {

struct CellErrors {
    double worst = 0, rms = 0;
    int inverted = 0;
};
CellErrors cell_errors(const Body& body) {
    CellErrors errors;
    const auto cells = Inspection::cell_volumes(body);
    for (const auto& cell : cells) {
        errors.worst = std::max(errors.worst, std::abs(cell.error));
        errors.rms += cell.error * cell.error / static_cast<double>(cells.size());
        errors.inverted += cell.error < -1;
    }
    errors.rms = std::sqrt(errors.rms);
    return errors;
}

World weightless() {
    World world(on(Backend::reference));
    world.set_gravity({});
    return world;
}

Material soft(double frequency) {
    Material material = Material::named("jelly");
    material.frequency = frequency;
    return material;
}

/// Stretched by a tenth, its volume kept.
void stretch(Body& body, double by) {
    std::vector<Vec3> x;
    for (std::size_t v = 0; v < body.positions().size(); ++v) {
        const Vec3 p = body.position(v);
        x.push_back({by * p.x, p.y / std::sqrt(by), p.z / std::sqrt(by)});
    }
    body.set_positions(x);
}

std::optional<Mesh> shared_mesh(const char* name) {
    const std::filesystem::path path = std::filesystem::path(TURGOR_SHARED_MESHES) / name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    Mesh mesh = read_mesh(path);
    return mesh;
}

TEST(Cells, EachKeepsItsVolumeWhereNothingTouchesIt) {
    World world = weightless();
    Body cube = world.add_body(shapes::cube(1, 6), soft(4), {.model = CellsModel{.cells = 10}});
    Body torus = world.add_body(shapes::torus(0.5, 0.17, 40, 16), soft(4),
                                {.position = {3, 0, 0}, .model = CellsModel{.cells = 20}});
    Random random(3);
    for (Body* body : {&cube, &torus}) {
        std::vector<Vec3> v;
        for (std::size_t i = 0; i < body->positions().size(); ++i)
            v.push_back(cross({1, 0, 2}, body->position(i)) +
                        std::sin(4 * body->position(i).x) * Vec3{0, 1, 0});
        body->set_velocities(v);
    }
    CellErrors of_cube, of_torus;
    for (int k = 0; k < 200; ++k) {
        world.step();
        of_cube.worst = std::max(of_cube.worst, cell_errors(cube).worst);
        of_cube.rms = std::max(of_cube.rms, cell_errors(cube).rms);
        of_torus.worst = std::max(of_torus.worst, cell_errors(torus).worst);
        of_torus.rms = std::max(of_torus.rms, cell_errors(torus).rms);
    }
    EXPECT_LT(of_cube.worst, 1e-2);
    EXPECT_LT(of_cube.rms, 1e-3);
    EXPECT_LT(of_torus.worst, 6e-2);
}

TEST(Cells, MeetATolerance) {
    World world = weightless();
    Body body = world.add_body(shapes::cube(1, 6), soft(4),
                               {.model = CellsModel{.cells = 10, .tolerance = 1e-4}});
    std::vector<Vec3> v;
    for (std::size_t i = 0; i < body.positions().size(); ++i)
        v.push_back(2 * std::sin(4 * body.position(i).x) * Vec3{0, 1, 0});
    body.set_velocities(v);
    double worst = 0;
    for (int k = 0; k < 60; ++k) {
        world.step();
        worst = std::max(worst, cell_errors(body).worst);
    }
    EXPECT_LT(worst, 1.5e-4);
}

TEST(Cells, KeepMomentum) {
    World world = weightless();
    Body body = world.add_body(shapes::torus(0.5, 0.17, 40, 16), soft(4),
                               {.self_contact = false, .model = CellsModel{.cells = 12}});
    Random random(7);
    std::vector<Vec3> v;
    for (std::size_t i = 0; i < body.positions().size(); ++i)
        v.push_back(Vec3{0.3, -0.2, 0.1} + cross({1, 2, -1}, body.position(i)) +
                    0.5 * random.in_cube());
    body.set_velocities(v);
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    for (int k = 0; k < 300; ++k) world.step();
    EXPECT_LT(norm(body.momentum() - linear) / norm(linear), 1e-12);
    EXPECT_LT(norm(body.angular_momentum() - angular) / norm(angular), 1e-9);
}

/// The frequency of a ball that was stretched.
double wobble(double dt) {
    World world = weightless();
    Material material = soft(5);
    material.damping_ratio = 0;
    Body ball =
        world.add_body(shapes::icosphere(0.5, 3), material, {.model = CellsModel{.cells = 8}});
    const auto width = [&] { return ball.bounds().extent().x; };
    const double rest = width();
    stretch(ball, 1.02);
    double first = 0, last = 0, before = width() - rest;
    int count = 0;
    while (world.time() < 1.2) {
        world.step(dt);
        const double now = width() - rest;
        if (before > 0 && now <= 0) {
            last = world.time() - dt * now / (now - before);
            if (count++ == 0) first = last;
        }
        before = now;
    }
    return (count - 1) / (last - first);
}

TEST(Cells, WobbleAlikeForEveryStep) {
    const double usual = wobble(0.005);
    for (const double dt : {0.0025, 0.01, 0.0167}) {
        EXPECT_NEAR(wobble(dt) / usual, 1, 0.01) << dt;
    }
}

Mesh bar_mesh() {
    Mesh bar = shapes::cube(1, 8);
    for (Vec3& p : bar.vertices) p.y *= 0.25, p.z *= 0.25;
    return bar;
}

/// A material that does not ring.
Material still(double frequency, double damping_ratio) {
    Material material = soft(frequency);
    material.damping_ratio = damping_ratio;
    return material;
}

/// Where the tip of a bar ends that is held at one end.
double sag(double dt) {
    World world(on(Backend::reference));
    Body body = world.add_body(bar_mesh(), still(8, 1), {.model = CellsModel{.cells = 16}});
    const Bounds box = body.bounds();
    std::vector<std::uint32_t> held, tip;
    for (std::uint32_t v = 0; v < body.positions().size(); ++v) {
        if (body.position(v).x < box.lower.x + 0.06) held.push_back(v);
        if (body.position(v).x > box.upper.x - 0.01) tip.push_back(v);
    }
    body.pin(held);
    while (world.time() < 4) world.step(dt);
    double y = 0;
    for (const auto v : tip) y += body.position(v).y / static_cast<double>(tip.size());
    return -y;
}

TEST(Cells, SagAlikeForEveryStep) {
    const double usual = sag(0.005);
    EXPECT_GT(usual, 0.15);
    for (const double dt : {0.0025, 0.0167}) {
        EXPECT_NEAR(sag(dt) / usual, 1, 0.005) << dt;
    }
}

/// A bar along x of square section whose ends are pulled apart or twisted against each other until
/// it is still.
struct Bar {
    World world = weightless();
    Body body;
    std::vector<std::uint32_t> low, high, left, right;  ///< ends; marks at a quarter
    double area = 0;

    explicit Bar(const CellsModel& model)
        : body(world.add_body(bar_mesh(), still(8, 0.3), {.model = model})) {
        const Bounds box = body.bounds();
        area = body.rest_volume() / box.extent().x;
        for (std::uint32_t v = 0; v < body.positions().size(); ++v) {
            const double x = body.position(v).x;
            if (x < box.lower.x + 0.02) low.push_back(v);
            if (x > box.upper.x - 0.02) high.push_back(v);
            if (std::abs(x + 0.25) < 0.04) left.push_back(v);
            if (std::abs(x - 0.25) < 0.04) right.push_back(v);
        }
    }
    double mean_x(const std::vector<std::uint32_t>& some) const {
        double sum = 0;
        for (const auto v : some) sum += body.position(v).x;
        return sum / static_cast<double>(some.size());
    }
    /// The mean angle about x from where `rest` was.
    double angle(const std::vector<std::uint32_t>& some, std::span<const Vec3> rest) const {
        double sum = 0;
        for (const auto v : some) {
            const Vec3 a = rest[v], b = body.position(v);
            sum += std::atan2(a.y * b.z - a.z * b.y, a.y * b.y + a.z * b.z);
        }
        return sum / static_cast<double>(some.size());
    }
    void settle() {
        for (int k = 0; k < 600; ++k) world.step();
    }
};

double young_of(const CellsModel& model) {
    Bar bar(model);
    const double before = bar.mean_x(bar.right) - bar.mean_x(bar.left), force = 100;
    for (const auto* end : {&bar.low, &bar.high})
        for (const auto v : *end)
            bar.body.set_force(
                v,
                Vec3{(end == &bar.low ? -force : force) / static_cast<double>(end->size()), 0, 0});
    bar.settle();
    const double strain = (bar.mean_x(bar.right) - bar.mean_x(bar.left)) / before - 1;
    return force / bar.area / strain;
}

double shear_of(const CellsModel& model, double torque) {
    Bar bar(model);
    std::vector<Vec3> rest;
    for (std::size_t v = 0; v < bar.body.positions().size(); ++v)
        rest.push_back(bar.body.position(v));
    const double length = bar.mean_x(bar.right) - bar.mean_x(bar.left);
    for (const auto* end : {&bar.low, &bar.high}) {
        double moment = 0;
        for (const auto v : *end) moment += rest[v].y * rest[v].y + rest[v].z * rest[v].z;
        const double each = (end == &bar.low ? -torque : torque) / moment;
        for (const auto v : *end) bar.body.set_force(v, each * Vec3{0, -rest[v].z, rest[v].y});
    }
    bar.settle();
    const double rate = (bar.angle(bar.right, rest) - bar.angle(bar.left, rest)) / length;
    // Saint-Venant: the torque of a square section is 0.1406 G A² times the rate.
    return torque / (0.1406 * bar.area * bar.area * rate);
}

TEST(Cells, HaveTheModuliThatAreAskedFor) {
    for (const double shear : {2e4, 4e3}) {
        const CellsModel model{.cells = 24, .E = 6e4, .G = shear};
        EXPECT_NEAR(young_of(model) / 6e4, 1, 0.1) << shear;
        EXPECT_NEAR(shear_of(model, 1e-4 * shear) / shear, 1, 0.1) << shear;
    }
}

TEST(Cells, TooStiffForTheirSizeAreRefusedByASentence) {
    World world;
    Status status;
    world.add_body(shapes::cube(1, 4), {}, {.model = CellsModel{.cells = 8, .E = 1e9}}, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_argument);
    EXPECT_NE(status.message.find("Pa"), std::string::npos) << status.message;
}

TEST(Cells, ComeBackFromAnyStart) {
    const measure::Laboratory lab(Backend::reference, CellsModel{.cells = 8});
    std::vector<Mesh> meshes{shapes::cube(1, 6), shapes::gummy_bear(0.8, 300)};
    for (const char* name : {"duck_1000.obj", "armadillo_1000.obj"})
        if (const auto mesh = shared_mesh(name)) meshes.push_back(measure::of_size(*mesh, 1));
    for (const Mesh& mesh : meshes)
        for (const auto& [start, name] : measure::starts) {
            const measure::Recovery found = lab.recover_from(mesh, Material::named("gummy"), start);
            EXPECT_GT(found.seconds, 0) << mesh.name << " " << name;
            EXPECT_LT(found.shape_error, 0.01) << mesh.name << " " << name;
        }
}

TEST(Cells, HardImpactsLeaveNoCellInverted) {
    for (const Mesh& mesh : {shapes::icosphere(0.5, 3), shapes::cube(1, 8)})
        for (const double frequency : {2.0, 8.0})
            for (const double speed : {5.0, 20.0}) {
                World world(on(Backend::reference));
                world.add_collider(Collider::ground());
                Body body = world.add_body(mesh, soft(frequency),
                                           {.position = {0, 0.55, 0},
                                            .velocity = {0, -speed, 0},
                                            .model = CellsModel{.cells = 6}});
                double highest = 0, worst = 0;
                while (world.time() < 2) {
                    world.step();
                    worst = std::max(worst, cell_errors(body).worst);
                    highest = std::max(highest, body.centre_of_mass().y);
                }
                EXPECT_LT(worst, 0.15) << frequency << " " << speed;
                EXPECT_EQ(cell_errors(body).inverted, 0);
                EXPECT_LT(cell_errors(body).worst, 0.1);
                EXPECT_TRUE(world.finite());
                // No more energy than it came with.
                EXPECT_LT(9.81 * (highest - 0.5), 0.5 * speed * speed);
            }
}

}  // namespace
}  // namespace turgor
