#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/random.hpp"
#include "turgor/turgor.hpp"
#include "world/settings.hpp"

namespace turgor {
namespace {

/// Balls and a torus that tumble about in a swinging cup.
World tumbling(const WorldSettings& settings) {
    World world(settings);
    Collider cup = Collider::cup({0, 0, 0}, 1.2, 2, 0.1);
    cup.path = {
        {{0, {}}, {0.4, {{0.3, 0, 0}, Quat::about({0, 0, 1}, 0.3)}}, {0.8, {}}}, true, true};
    world.add_collider(cup);
    for (int k = 0; k < 6; ++k)
        world.add_body(shapes::icosphere(0.3, 3), Material::named(k % 2 ? "jelly" : "rubber"),
                       {.position = {0.2 * k - 0.5, 1 + 0.5 * k, 0.1 * k},
                        .velocity = {1.0 * k - 2, -3, 0.5},
                        .angular_velocity = {3, 1.0 * k, -2}});
    world.add_body(shapes::torus(0.4, 0.15, 30, 14), Material::named("gummy"),
                   {.position = {0, 4, 0}, .angular_velocity = {1, 2, 3}});
    return world;
}

/// A body of several blocks that bounces off a ball.
World bouncing_block(const WorldSettings& settings) {
    World world(settings);
    world.add_collider(Collider::ground());
    world.add_collider(Collider::sphere({0.3, 0.2, 0.1}, 0.4));
    Material material = Material::named("jelly");
    material.omega = 3;
    world.add_body(
        shapes::cube(1, 40), material,
        {.position = {0, 1.4, 0}, .velocity = {0, -6, 1}, .angular_velocity = {2, 1, 4}});
    return world;
}

/// A bar wrung until it must be brought back, a ball dragged about, and a collapsed bear.
World mishandled(const WorldSettings& settings) {
    World world(settings);
    world.add_collider(Collider::ground());
    const Mesh bar = shapes::bar({2, 0.4, 0.4}, 21);
    Body wrung = world.add_body(bar, Material::named("gummy"), {.position = {0, 2, 0}});
    std::vector<std::uint32_t> left, right;
    for (std::uint32_t i = 0; i < bar.vertices.size(); ++i) {
        if (bar.vertices[i].x < -0.95) left.push_back(i);
        if (bar.vertices[i].x > 0.95) right.push_back(i);
    }
    wrung.pin(left);
    wrung.pin(right, {{{0, {}}, {0.5, {{-0.5, 0.3, 0}, Quat::about({1, 0, 0}, 3)}}}, true, false});
    Body ball = world.add_body(shapes::icosphere(0.3, 3), Material::named("jelly"),
                               {.position = {3, 0.4, 0}});
    const std::uint32_t some[] = {0, 1, 2, 3};
    ball.drag(some, {4, 2, 1});
    ball.set_force(7, {0, 30, 0});
    Body bear = world.add_body(shapes::gummy_bear(0.5, 600), Material::named("gummy"),
                               {.position = {-3, 1, 0}});
    Random random(3);
    std::vector<Vec3> mess(bear.positions().size());
    for (Vec3& p : mess) p = Vec3{-3, 1, 0} + 0.3 * random.in_cube();
    bear.set_positions(mess);
    return world;
}

struct Chaos {
    const char* name;
    World (*make)(const WorldSettings&);
    int steps;
    std::uint64_t golden;
};
const Chaos scenes[] = {{"tumbling", tumbling, 300, 12506434131875436965u},
                        {"bouncing_block", bouncing_block, 120, 16297272169110430435u},
                        {"mishandled", mishandled, 300, 16921293226450454708u}};

std::uint64_t run(const Chaos& scene, const WorldSettings& settings) {
    World world = scene.make(settings);
    for (int k = 0; k < scene.steps; ++k) world.step();
    EXPECT_TRUE(world.finite()) << scene.name;
    return world.state_hash();
}

class Determinism : public testing::TestWithParam<Chaos> {};

TEST_P(Determinism, golden_hash_for_any_number_of_threads) {
    for (const int threads : {1, 2, 3, 8})
        EXPECT_EQ(run(GetParam(), on(Backend::cpu, threads)), GetParam().golden) << threads;
}

TEST_P(Determinism, golden_hash_for_every_instruction_set) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        EXPECT_EQ(run(GetParam(), on(Backend::cpu)), GetParam().golden) << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
}

TEST_P(Determinism, golden_hash_with_naive_summation) {
    WorldSettings settings = on(Backend::cpu, 2);
    settings.summation = Summation::naive;
    EXPECT_EQ(run(GetParam(), settings), GetParam().golden);
}

TEST_P(Determinism, goes_on_from_a_snapshot_with_the_same_bits) {
    const Chaos& scene = GetParam();
    World world = scene.make(on(Backend::cpu));
    for (int k = 0; k < scene.steps / 3; ++k) world.step();
    World other(on(Backend::cpu, 2));
    other.restore(world.snapshot());
    for (int k = scene.steps / 3; k < scene.steps; ++k) other.step();
    EXPECT_EQ(other.state_hash(), scene.golden);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism, testing::ValuesIn(scenes),
                         [](const auto& case_) { return case_.param.name; });

TEST(CpuBackEnd, fast_and_naive_summation_give_the_same_bits_on_many_meshes) {
    for (const Mesh& mesh :
         {shapes::uv_sphere(0.5, 24, 17), shapes::torus(0.5, 0.2, 36, 14), shapes::cube(0.8, 11),
          shapes::gummy_bear(1, 700), shapes::rubber_duck(0.8, 600), shapes::icosphere(0.5, 3)})
        for (const int omega : {1, 2, 3, 4, 5}) {
            const auto hash = [&](Summation summation) {
                WorldSettings settings = on(Backend::cpu);
                settings.summation = summation;
                World world(settings);
                world.add_collider(Collider::ground());
                Material material = Material::named("jelly");
                material.omega = omega;
                world.add_body(mesh, material,
                               {.position = {0, 1, 0}, .angular_velocity = {5, 3, 1}});
                for (int k = 0; k < 100; ++k) world.step();
                return world.state_hash();
            };
            EXPECT_EQ(hash(Summation::fast), hash(Summation::naive)) << mesh.name << " " << omega;
        }
}

/// Starts that leave the ordinary range of numbers far behind.
struct Extreme {
    const char* name;
    double scale, speed;
    Vec3 place, velocity;
};

TEST(CpuBackEnd, fixed_point_sums_hold_for_bodies_that_explode_shrink_or_fly_far_away) {
    const Extreme extremes[] = {{"exploding", 1, 1e4, {}, {}},
                                {"exploding for good", 1, 1e7, {}, {}},
                                {"shrunk", 1e-5, 0, {}, {}},
                                {"blown up", 1e5, 0, {}, {}},
                                {"far away", 1, 1, {1e7, -2e6, 3e5}, {}},
                                {"fast", 1, 1, {}, {3e4, 1e5, -2e4}}};
    for (const Extreme& extreme : extremes) {
        const auto end = [&](Summation summation) {
            WorldSettings settings = on(Backend::cpu);
            settings.summation = summation;
            settings.gravity = {};
            World world(settings);
            const Mesh mesh = shapes::icosphere(0.5, 3);
            Body body = world.add_body(mesh, Material::named("gummy"),
                                       {.position = extreme.place, .velocity = extreme.velocity});
            Random random(1);
            std::vector<Vec3> x, v;
            for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
                x.push_back(extreme.place + extreme.scale * mesh.vertices[i]);
                v.push_back(extreme.velocity + extreme.speed * random.in_cube());
            }
            body.set_positions(x);
            body.set_velocities(v);
            const Vec3 before = body.momentum() / body.mass();
            for (int k = 0; k < 400; ++k) world.step();
            EXPECT_TRUE(world.finite()) << extreme.name;
            EXPECT_FALSE(body.recovering()) << extreme.name;
            EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-7) << extreme.name;
            EXPECT_LT(body.shape_error(), 0.1) << extreme.name;
            EXPECT_LT(norm(body.momentum() / body.mass() - before),
                      1e-4 * (extreme.speed + norm(extreme.velocity)) + 1e-7 * (1 + extreme.scale))
                << extreme.name;
            return world.state_hash();
        };
        EXPECT_EQ(end(Summation::fast), end(Summation::naive)) << extreme.name;
    }
}

TEST(CpuBackEnd, a_body_moves_alike_near_and_far) {
    const auto moved = [](Vec3 place) {
        WorldSettings settings = on(Backend::cpu);
        settings.gravity = {};
        World world(settings);
        Body body = world.add_body(shapes::cube(1, 8), Material::named("jelly"),
                                   {.position = place, .angular_velocity = {3, 2, 1}});
        for (int k = 0; k < 200; ++k) world.step();
        std::vector<Vec3> x;
        for (std::size_t i = 0; i < body.positions().size(); ++i)
            x.push_back(body.position(i) - place);
        return x;
    };
    const auto near = moved({}), far = moved({1048576, 0, -524288});
    for (std::size_t i = 0; i < near.size(); ++i) ASSERT_LT(norm(near[i] - far[i]), 1e-8);
}

TEST(CpuBackEnd, positions_beyond_all_bounds_leave_a_finite_body) {
    World world(on(Backend::cpu));
    Body body = world.add_body(shapes::icosphere(0.5, 2));
    std::vector<Vec3> x(body.positions().size(), Vec3{});
    x[3] = {1e39, 0, 0};
    body.set_positions(x);
    Status status;
    world.step(0.005, &status);
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(world.finite());
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_TRUE(world.finite());
    EXPECT_LT(body.shape_error(), 0.1);
}

TEST(CpuBackEnd, does_not_take_a_formulation_it_does_not_know) {
    WorldSettings settings;
    settings.formulation = Formulation::paper();
    EXPECT_EQ(World(settings).backend(), Backend::reference);
    settings.backend = Backend::cpu;
    EXPECT_THROW(World{settings}, Error);
    World paper({.gravity = {}, .formulation = Formulation::paper()});
    paper.add_body(shapes::cube(1, 4));
    World fast(on(Backend::cpu));
    EXPECT_THROW(fast.restore(paper.snapshot()), Error);
    World either;
    either.restore(paper.snapshot());
    EXPECT_EQ(either.backend(), Backend::reference);
}

/// Twenty small heaps far from each other, of soft and rigid bodies: with several threads they are
/// advanced side by side.
TEST(CpuBackEnd, has_the_same_bits_with_islands_side_by_side) {
    struct Run {
        std::uint64_t hash = 0;
        std::size_t contacts = 0;
    };
    const auto run = [](int threads) {
        World world(on(Backend::cpu, threads));
        world.add_collider(Collider::ground());
        for (int k = 0; k < 20; ++k) {
            const Vec3 place{3.0 * (k % 5), 0.32, 3.0 * (k / 5)};
            for (int n = 0; n < 3; ++n)
                world.add_body(shapes::icosphere(0.3, 2), Material::named("rubber"),
                               {.position = place + Vec3{0.05 * n, 0.62 * n, 0.01 * k}});
            RigidBody ball = RigidBody::sphere(place + Vec3{0.1, 2, 0}, 0.15);
            if (k % 4 == 0) world.add_rigid(ball);
        }
        Run found;
        for (int k = 0; k < 80; ++k) {
            world.step();
            found.contacts += world.report().contacts;
        }
        found.hash = world.state_hash();
        return found;
    };
    const Run one = run(1);
    EXPECT_GT(one.contacts, 1000u);
    for (const int threads : {2, 3, 8}) {
        const Run several = run(threads);
        EXPECT_EQ(several.hash, one.hash) << threads;
        EXPECT_EQ(several.contacts, one.contacts) << threads;
    }
}

/// A host's own threads: here one, backwards.
class Backwards final : public Scheduler {
public:
    int threads() const override { return 4; }
    void run(std::uint32_t count, void (*work)(void*, std::uint32_t), void* context) override {
        for (std::uint32_t i = count; i-- > 0;) work(context, i);
        ++runs;
    }
    int runs = 0;
};

TEST(CpuBackEnd, works_with_the_threads_of_its_host) {
    for (const Chaos& scene : scenes) {
        auto scheduler = std::make_shared<Backwards>();
        WorldSettings settings = on(Backend::cpu);
        settings.scheduler = scheduler;
        EXPECT_EQ(run(scene, settings), scene.golden) << scene.name;
        EXPECT_GT(scheduler->runs, 0) << scene.name;
    }
}

TEST(CpuBackEnd, takes_at_most_a_kibibyte_per_particle) {
    World world(on(Backend::cpu, 2));
    Material material;
    material.omega = 3;
    Body body = world.add_body(shapes::cube(1, 60), material);
    world.step();
    EXPECT_FALSE(body.positions().empty());
    EXPECT_GT(world.bytes(), world.particles() * 500);
    EXPECT_LE(world.bytes(), world.particles() * 1024);
}

TEST(BakeFolder, spares_the_bake_and_changes_no_bit) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("turgor-world-bakes-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder);
    const auto hash = [&](bool keep) {
        WorldSettings settings = on(Backend::cpu);
        if (keep) settings.bake_folder = folder;
        World world(settings);
        world.add_collider(Collider::ground());
        world.add_body(shapes::gummy_bear(1, 600), Material::named("jelly"),
                       {.position = {0, 0.6, 0}});
        for (int k = 0; k < 60; ++k) world.step();
        return world.state_hash();
    };
    const auto plain = hash(false);
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_EQ(hash(true), plain);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    ASSERT_FALSE(files.empty());
    EXPECT_EQ(hash(true), plain);
    // A damaged file is made anew.
    const auto size = std::filesystem::file_size(files.front());
    std::filesystem::resize_file(files.front(), size / 2);
    EXPECT_EQ(hash(true), plain);
    EXPECT_EQ(std::filesystem::file_size(files.front()), size);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace turgor
