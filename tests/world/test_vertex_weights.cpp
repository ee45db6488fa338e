#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>

#include "base/random.hpp"
#include "turgor/turgor.hpp"
#include "world/settings.hpp"
#include "world/snapshot.hpp"

namespace turgor {
namespace {

constexpr double pi = 3.14159265358979323846;

WorldSettings weightless(Backend backend, int threads = 1) {
    WorldSettings settings = on(backend, threads);
    settings.gravity = {};
    return settings;
}

/// Linear along y, from one number at −1 to another at 1.
std::vector<double> along_y(const Mesh& mesh, double low, double high) {
    const Bounds box = bounds(mesh);
    std::vector<double> values;
    for (const Vec3 p : mesh.vertices) {
        const double t = (p.y - box.lower.y) / (box.upper.y - box.lower.y);
        values.push_back((1 - t) * low + t * high);
    }
    return values;
}

std::vector<Model> all_models() {
    return {SurfaceModel{}, MeshlessModel{},
            MeshlessModel{.mode = MeshlessModel::Mode::rigid, .stiffness = 1}};
}

/// Velocities that squeeze, twist and spin it, the same for any order of the vertices.
std::vector<Vec3> wild_velocities(const Body& body) {
    std::vector<Vec3> v;
    for (std::size_t i = 0; i < body.positions().size(); ++i) {
        const Vec3 p = body.position(i) - body.centre_of_mass();
        v.push_back(Vec3{0.3, -0.2, 0.1} + cross({1, 2, 0.5}, p) +
                    Vec3{2 * p.x, -3 * p.y, p.z * p.x});
    }
    return v;
}

void run(World& world, int steps) {
    for (int k = 0; k < steps; ++k) world.step();
}

TEST(RelativeMasses, shift_the_centre_of_mass_and_the_inertia_as_theory_says) {
    // A thin sphere of density 1 + a y: its centre lies at a r²/3, and its inertia is M 2/3 r²
    // about y, less M times the square of that about z.
    const double r = 0.5, a = 0.8 / r, centre = a * r * r / 3;
    const Mesh ball = shapes::icosphere(r, 4);
    for (const Model& model : all_models())
        for (const Backend backend : {Backend::reference, Backend::cpu}) {
            World world(weightless(backend));
            const auto add = [&](Vec3 spin) {
                return world.add_body(ball, {},
                                      {.position = {3, 0, 0},
                                       .angular_velocity = spin,
                                       .model = model,
                                       .relative_masses = along_y(ball, 0.2, 1.8)});
            };
            const Body about_y = add({0, 1, 0}), about_z = add({0, 0, 1});
            EXPECT_NEAR(norm(about_y.centre_of_mass() - Vec3{3, centre, 0}), 0, 1e-3 * r);
            EXPECT_NEAR(about_y.mass(), about_y.material().density * volume(ball), 1e-9);
            const double whole = about_y.mass() * 2.0 / 3 * r * r;
            EXPECT_NEAR(about_y.angular_momentum().y / whole, 1, 2e-3);
            EXPECT_NEAR((about_z.angular_momentum().z + about_z.mass() * centre * centre) / whole,
                        1, 2e-3);
        }
}

TEST(RelativeMasses, that_are_all_alike_change_nothing) {
    const Mesh ball = shapes::icosphere(0.5, 2);
    for (const double factor : {0.25, 4.0}) {
        World plain(weightless(Backend::reference)), weighed(weightless(Backend::reference));
        const Body a = plain.add_body(ball);
        const Body b = weighed.add_body(
            ball, {}, {.relative_masses = std::vector<double>(ball.vertices.size(), factor)});
        EXPECT_NEAR(norm(a.centre_of_mass() - b.centre_of_mass()), 0, 1e-15);
        EXPECT_NEAR(a.mass(), b.mass(), 1e-12 * a.mass());
    }
}

TEST(RelativeMasses, make_a_rigid_body_hang_with_its_heavy_side_down) {
    const Mesh ball = shapes::icosphere(0.3, 2);
    WorldSettings settings;
    World world(settings);
    world.add_collider(Collider::ground());
    // A self-righting toy, put on its side.
    const Body toy =
        world.add_body(ball, Material::named("rubber"),
                       {.position = {0, 0.3, 0},
                        .rotation = Quat::about({0, 0, 1}, 0.9 * pi / 2),
                        .model = MeshlessModel{.mode = MeshlessModel::Mode::rigid, .stiffness = 1},
                        .relative_masses = along_y(ball, 20, 1)});
    const auto top = static_cast<std::size_t>(
        std::ranges::max_element(ball.vertices, {}, &Vec3::y) - ball.vertices.begin());
    EXPECT_LT(toy.position(top).y, 0.36);
    double highest = 0;
    for (int k = 0; k < 400; ++k) {
        world.step();
        highest = std::max(highest, toy.position(top).y);
    }
    EXPECT_GT(highest, 0.55);
}

TEST(RelativeMasses, decide_where_two_halves_that_were_pulled_apart_meet_again) {
    const Mesh bar = shapes::bar({0.3, 1, 0.3}, 13);
    for (const Model& model : {Model(SurfaceModel{}), Model(MeshlessModel{})})
        for (const bool top_is_heavy : {false, true}) {
            World world(weightless(Backend::cpu));
            std::vector<double> masses;
            for (const Vec3 p : bar.vertices) masses.push_back((p.y > 0) == top_is_heavy ? 50 : 1);
            Body body = world.add_body(bar, Material::named("rubber"),
                                       {.model = model, .relative_masses = masses});
            std::vector<Vec3> x;
            for (const Vec3 p : bar.vertices) x.push_back(p + Vec3{p.y > 0 ? 0.05 : -0.05, 0, 0});
            body.set_positions(x);
            run(world, 400);
            // The heavy half hardly moves: its middle stays where it was put.
            Vec3 heavy;
            double count = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (masses[i] > 1) heavy += body.position(i), ++count;
            EXPECT_NEAR(heavy.x / count, top_is_heavy ? 0.05 : -0.05, 0.015) << model.name;
        }
}

TEST(VertexWeights, keep_momentum_and_angular_momentum) {
    const Mesh bar = shapes::bar({0.4, 1, 0.3}, 11);
    Random random(4);
    std::vector<double> masses, weights;
    for (std::size_t i = 0; i < bar.vertices.size(); ++i) {
        masses.push_back(1 + 20 * std::abs(random.in_cube().x));
        weights.push_back(std::abs(random.in_cube().x));
    }
    weights[3] = 0;
    for (const Model& model : all_models())
        for (const Backend backend : {Backend::reference, Backend::cpu}) {
            World world(weightless(backend));
            BodyOptions options{.model = model, .relative_masses = masses};
            if (model.name != "surface") options.matching_weights = weights;
            Body body = world.add_body(bar, Material::named("gummy"), options);
            body.set_velocities(wild_velocities(body));
            if (backend == Backend::cpu) world.step(1e-6);  // rounded to floats
            const Vec3 linear = body.momentum(), angular = body.angular_momentum();
            run(world, 200);
            const double tolerance = backend == Backend::reference ? 1e-10 : 2e-5;
            EXPECT_LT(norm(body.momentum() - linear) / norm(linear), tolerance) << model.name;
            EXPECT_LT(norm(body.angular_momentum() - angular) / norm(angular), tolerance)
                << model.name;
            EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-5);
        }
}

TEST(MatchingWeights, what_counts_little_trails_after_the_rest) {
    const Mesh bar = shapes::bar({0.3, 1, 0.3}, 13);
    /// How far the upper end is from its shape on average, over how far the lower one is, after
    /// both were crumpled alike.
    const auto trail = [&](Backend backend, std::vector<double> weights) {
        World world(weightless(backend));
        Body body = world.add_body(bar, Material::named("jelly"),
                                   {.volume = VolumeMode::off,
                                    .model = MeshlessModel{.clusters = 1},
                                    .matching_weights = std::move(weights)});
        Random random(2);
        std::vector<Vec3> x;
        for (const Vec3 p : bar.vertices) x.push_back(p + 0.02 * random.in_cube());
        body.set_positions(x);
        double upper = 0, lower = 0;
        for (int k = 0; k < 20; ++k) {
            world.step();
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double y = bar.vertices[i].y, off = norm(body.position(i) - bar.vertices[i]);
                (y > 0.3 ? upper : lower) += std::abs(y) > 0.3 ? off : 0;
            }
        }
        return upper / lower;
    };
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        EXPECT_LT(trail(backend, along_y(bar, 0.05, 1)), 0.5);
        EXPECT_GT(trail(backend, along_y(bar, 1, 0.05)), 2);
        EXPECT_NEAR(trail(backend, {}), 1, 0.5);
    }
}

TEST(VertexWeights, are_the_same_for_the_cpu_form_as_for_the_reference) {
    const Mesh bar = shapes::bar({0.4, 1, 0.3}, 11);
    for (const int clusters : {1, 4}) {
        std::vector<std::vector<Vec3>> found;
        for (const Backend backend : {Backend::reference, Backend::cpu}) {
            World world(weightless(backend));
            Body body = world.add_body(bar, Material::named("jelly"),
                                       {.model = MeshlessModel{.clusters = clusters},
                                        .relative_masses = along_y(bar, 1, 9),
                                        .matching_weights = along_y(bar, 1, 0)});
            body.set_velocities(wild_velocities(body));
            run(world, 20);
            found.emplace_back();
            for (std::size_t i = 0; i < bar.vertices.size(); ++i)
                found.back().push_back(body.position(i));
        }
        double most = 0;
        for (std::size_t i = 0; i < found[0].size(); ++i)
            most = std::max(most, norm(found[0][i] - found[1][i]));
        EXPECT_LT(most, 1e-4) << clusters;
    }
}

TEST(MatchingWeights, keep_the_frequency_that_is_asked_for_or_less) {
    const Mesh ball = shapes::icosphere(0.5, 2);
    World world;
    const BodyOptions plain{.model = MeshlessModel{.beta = 0}};
    BodyOptions weighed = plain;
    weighed.matching_weights = along_y(ball, 0.1, 1);
    const Body a = world.add_body(ball, {}, plain), b = world.add_body(ball, {}, weighed);
    EXPECT_NEAR(b.frequency() / a.frequency(), 1, 1e-6);
    EXPECT_LT(b.figure("wobble_share"), 0.5 * a.figure("wobble_share"));
}

TEST(MatchingWeights, are_relative_to_the_largest) {
    const Mesh ball = shapes::icosphere(0.5, 2);
    const auto hash = [&](double most) {
        World world;
        world.add_collider(Collider::ground());
        world.add_body(ball, Material::named("jelly"),
                       {.position = {0, 0.6, 0},
                        .model = MeshlessModel{},
                        .matching_weights = along_y(ball, 0.25 * most, most)});
        run(world, 50);
        return world.state_hash();
    };
    EXPECT_EQ(hash(1), hash(0.5));
}

/// Bodies of both models with masses and weights, on the ground.
void fill(World& world) {
    world.add_collider(Collider::ground());
    const Mesh bear = shapes::gummy_bear(0.5, 400), ball = shapes::icosphere(0.3, 2);
    world.add_body(bear, Material::named("jelly"),
                   {.position = {0, 0.1, 0}, .relative_masses = along_y(bear, 5, 1)});
    world.add_body(bear, Material::named("jelly"),
                   {.position = {0, 0.7, 0},
                    .model = MeshlessModel{},
                    .relative_masses = along_y(bear, 1, 5),
                    .matching_weights = along_y(bear, 0.2, 1)});
    world.add_body(bear, Material::named("jelly"),
                   {.position = {1, 0.1, 0}, .model = MeshlessModel{}});
    world.add_body(ball, Material::named("gummy"),
                   {.position = {1, 1, 0},
                    .model = MeshlessModel{.mode = MeshlessModel::Mode::rigid, .stiffness = 1},
                    .relative_masses = along_y(ball, 1, 5)});
}

TEST(VertexWeights, go_on_with_the_same_bits_after_a_snapshot) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        World world(on(backend));
        fill(world);
        run(world, 30);
        const auto bytes = world.snapshot();
        World other(on(backend));
        other.restore(bytes);
        EXPECT_EQ(other.state_hash(), world.state_hash());
        EXPECT_EQ(other.snapshot(), bytes);
        run(world, 40);
        run(other, 40);
        EXPECT_EQ(other.state_hash(), world.state_hash());
        for (std::size_t b = 0; b < 4; ++b)
            EXPECT_EQ(other.bodies()[b].centre_of_mass(), world.bodies()[b].centre_of_mass());
    }
}

TEST(VertexWeights, that_are_wrong_in_a_snapshot_are_refused_with_their_place) {
    World world(on(Backend::reference));
    fill(world);
    const auto bytes = world.snapshot();
    const std::uint64_t before = world.state_hash();
    std::size_t tried = 0;
    for (const SnapshotField& field : fields_of(bytes)) {
        const bool masses = field.path.ends_with("relative_masses");
        if (!masses && !field.path.ends_with("matching_weights")) continue;
        if (field.width != 8 || field.count == 0) continue;
        for (const double wrong :
             {-1.0, masses ? 1e9 : 1.5, std::numeric_limits<double>::quiet_NaN()}) {
            auto changed = bytes;
            std::memcpy(changed.data() + field.offset, &wrong, sizeof wrong);
            seal_snapshot(changed);
            Status status;
            world.restore(changed, &status);
            EXPECT_EQ(status.code, ErrorCode::bad_snapshot) << field.path << wrong;
            EXPECT_NE(status.message.find("sources["), std::string::npos) << status.message;
            ++tried;
        }
    }
    // A count and its numbers, of three sources with masses and one with weights; those without
    // have the counts only.
    EXPECT_GE(tried, 3 * (2 * 3 + 2u));
    EXPECT_EQ(world.state_hash(), before);
}

TEST(VertexWeights, give_the_same_bits_for_any_number_of_threads) {
    std::uint64_t expected = 0;
    for (const int threads : {1, 2, 3}) {
        World world(on(Backend::cpu, threads));
        fill(world);
        run(world, 60);
        if (threads == 1) expected = world.state_hash();
        EXPECT_EQ(world.state_hash(), expected) << threads;
    }
}

TEST(VertexWeights, give_the_same_bits_with_bakes_in_files) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "turgor_weighed_bakes";
    std::filesystem::remove_all(folder);
    std::uint64_t expected = 0;
    for (int k = 0; k < 4; ++k) {
        WorldSettings settings = on(Backend::cpu);
        if (k > 0) settings.bake_folder = folder;
        World world(settings);
        if (k == 1) {  // the same meshes without masses must not be taken for those with
            world.add_body(shapes::gummy_bear(0.5, 400), Material::named("jelly"));
            continue;
        }
        fill(world);
        run(world, 20);
        if (k == 0) expected = world.state_hash();
        EXPECT_EQ(world.state_hash(), expected) << k;  // 2: written, 3: read
    }
    std::filesystem::remove_all(folder);
}

TEST(VertexWeights, of_one_body_are_not_those_of_another_of_the_same_mesh) {
    World world(weightless(Backend::cpu));
    const Mesh ball = shapes::icosphere(0.5, 2);
    const auto add = [&](std::vector<double> masses, std::vector<double> weights) {
        return world.add_body(ball, {},
                              {.model = MeshlessModel{.beta = 0},
                               .relative_masses = std::move(masses),
                               .matching_weights = std::move(weights)});
    };
    const std::vector<double> ramp = along_y(ball, 0.1, 1);
    const Body plain = add({}, {}), heavy = add(ramp, {}), weighted = add({}, ramp),
               both = add(ramp, ramp);
    const auto height = [](const Body& body) { return body.centre_of_mass().y; };
    EXPECT_NEAR(height(plain), 0, 1e-6);
    EXPECT_GT(height(heavy), 0.1);
    EXPECT_NEAR(height(weighted), 0, 1e-6);
    EXPECT_NEAR(height(both), height(heavy), 1e-6);
    EXPECT_LT(weighted.figure("wobble_share"), 0.5 * plain.figure("wobble_share"));
    EXPECT_LT(both.figure("wobble_share"), 0.5 * heavy.figure("wobble_share"));
}

TEST(VertexWeights, far_apart_are_no_harder_for_the_cpu_than_for_the_reference) {
    const Mesh ball = shapes::icosphere(0.5, 3);
    std::vector<double> masses;
    for (const Vec3 p : ball.vertices) masses.push_back(p.x > 0 ? 100 : 1);
    const auto wobbled = [&](Backend backend) {
        World world(weightless(backend));
        Body body = world.add_body(ball, Material::named("gummy"), {.relative_masses = masses});
        body.set_velocities(wild_velocities(body));
        run(world, 20);
        std::vector<Vec3> x;
        for (std::size_t i = 0; i < ball.vertices.size(); ++i) x.push_back(body.position(i));
        return x;
    };
    const std::vector<Vec3> expected = wobbled(Backend::reference), found = wobbled(Backend::cpu);
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_LT(norm(found[i] - expected[i]), 1e-3) << i;
}

TEST(RelativeMasses, of_a_heavy_upper_half_throw_nothing_about) {
    const Mesh bear = shapes::gummy_bear(1, 600);
    for (const Model& model : {Model(SurfaceModel{}), Model(MeshlessModel{})})
        for (const double ratio : {5.0, 10.0, 30.0, 100.0}) {
            std::vector<double> masses;
            for (const Vec3 p : bear.vertices) masses.push_back(p.y > 0.5 ? ratio : 1);
            World world(on(Backend::cpu));
            world.add_collider(Collider::ground());
            const Body body =
                world.add_body(bear, Material::named("gummy"),
                               {.position = {0, 2, 0}, .model = model, .relative_masses = masses});
            const auto energy = [&] {
                return body.kinetic_energy() + body.mass() * 9.81 * body.centre_of_mass().y;
            };
            const double before = energy();
            double most = 0;
            for (int k = 0; k < 200; ++k) {
                world.step();
                most = std::max(most, energy());
            }
            EXPECT_LT(most, 1.01 * before) << model.name << ratio;
            EXPECT_EQ(world.report().sub_steps, ratio == 5    ? 1
                                                : ratio == 10 ? 2
                                                : ratio == 30 ? 3
                                                              : 5)
                << ratio;
        }
}

TEST(VertexWeights, that_make_no_sense_are_refused_and_nothing_changed) {
    const Mesh ball = shapes::icosphere(0.5, 1);
    const std::size_t n = ball.vertices.size();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto with = [&](double one) {
        std::vector<double> values(n, 1);
        values[3] = one;
        return values;
    };
    struct Case {
        std::vector<double> masses, weights;
        const char* sentence;
        Model model = MeshlessModel{};
    };
    const std::vector<Case> cases{
        {std::vector<double>(n - 1, 1), {}, "there are 41 relative masses"},
        {std::vector<double>(n + 1, 1), {}, "has 42 vertices"},
        {with(nan), {}, "number 3 of the relative masses is nan"},
        {with(-1), {}, "number 3 of the relative masses is -1"},
        {with(2e6), {}, "must be between 0 and 1000000"},
        {with(0), {}, "must be above 0"},
        {with(101), {}, "at most 100 times the smallest"},
        {{}, std::vector<double>(n + 1, 1), "there are 43 matching weights"},
        {{}, with(nan), "number 3 of the matching weights is nan"},
        {{}, with(-0.1), "number 3 of the matching weights is -0.1"},
        {{}, with(1.5), "must be between 0 and 1"},
        {{}, std::vector<double>(n, 0), "all matching weights are 0"},
        {{}, with(0.5), "the model 'surface' knows no matching weights", SurfaceModel{}}};
    World world;
    const std::uint64_t before = world.state_hash();
    for (const Case& c : cases) {
        Status status;
        world.add_body(
            ball, {},
            {.model = c.model, .relative_masses = c.masses, .matching_weights = c.weights},
            &status);
        EXPECT_EQ(status.code, ErrorCode::bad_argument) << c.sentence;
        EXPECT_NE(status.message.find(c.sentence), std::string::npos) << status.message;
        EXPECT_TRUE(world.bodies().empty());
        EXPECT_EQ(world.state_hash(), before);
    }
    WorldSettings settings = on(Backend::reference);
    settings.formulation = Formulation::paper();
    World published(settings);
    EXPECT_THROW(
        published.add_body(ball, {}, {.model = MeshlessModel{}, .matching_weights = with(0.5)}),
        Error);
    published.add_body(ball, {}, {.model = MeshlessModel{}, .relative_masses = with(5)});
    run(published, 3);
}

}  // namespace
}  // namespace turgor
