#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// A scan of a ball, more of it from above, and the cage that it gets.
struct Scan {
    Mesh points{"scan", {}, {}}, cage;
    explicit Scan(std::size_t count) {
        Random random(11);
        while (points.vertices.size() < count) {
            const Vec3 p = random.in_cube();
            if (norm(p) > 1 || norm(p) < 0.1 || (p.y < 0 && points.vertices.size() % 2 == 0))
                continue;
            points.vertices.push_back(0.3 * normalized(p));
        }
        cage = wrap(points, 400);
    }
};

const Scan& scan() {
    static const Scan made(3000);
    return made;
}

WorldSettings on(Backend backend, int threads = 1) {
    WorldSettings settings;
    settings.backend = backend;
    settings.threads = threads;
    return settings;
}

Body add_scan(World& world, BodyOptions options = {}, const char* model = "meshless") {
    options.model.name = model;
    options.display = &scan().points;
    return world.add_body(scan().cage, Material::named("gummy"), options);
}

double off_shown(const Body& body, Vec3 position) {
    double most = 0;
    const auto shown = body.display_positions();
    for (std::size_t i = 0; i < shown.size(); ++i)
        most = std::max(most, norm(to_double(shown[i]) - scan().points.vertices[i] - position));
    return most;
}

TEST(Clouds, CagesLieOnThePointsAndHaveNoHoles) {
    EXPECT_NEAR(volume(scan().cage) / volume(shapes::icosphere(0.3, 4)), 1, 0.1);
    double off = 0;
    for (const Vec3& p : scan().cage.vertices) off = std::max(off, std::abs(norm(p) - 0.3));
    EXPECT_LT(off, 0.03);
}

TEST(Clouds, CagesEncloseWhatIsFullOfPoints) {
    Random random(4);
    Mesh block{"block", {}, {}};
    for (int i = 0; i < 8000; ++i)
        block.vertices.push_back(random.in_box({0, 0, 0}, {0.4, 0.6, 0.3}));
    const Mesh cage = wrap(block, 1000);
    EXPECT_NEAR(volume(cage) / (0.4 * 0.6 * 0.3), 1, 0.25);
    EXPECT_EQ(split_bodies(cage).size(), 1u);
    const TriangleTree tree(cage.vertices, cage.triangles);
    // Its edges are round: a cell is 0.05.
    double outside = 0, farthest = 0;
    for (const Vec3& p : block.vertices) {
        if (tree.winding_number(p) > 0.5) continue;
        const double distance = tree.nearest(p).distance;
        outside += distance > 0.02;
        farthest = std::max(farthest, distance);
    }
    EXPECT_LT(outside / 8000, 0.01);
    EXPECT_LT(farthest, 0.05);
}

TEST(Clouds, AreShownAsTheirPointsByEveryModel) {
    for (const char* model : {"surface", "meshless", "lattice"}) {
        World world(on(Backend::cpu));
        BodyOptions options;
        options.position = {1, 2, 3};
        const Body body = add_scan(world, options, model);
        ASSERT_EQ(body.display_positions().size(), scan().points.vertices.size()) << model;
        EXPECT_TRUE(body.display_triangles().empty()) << model;
        EXPECT_LT(off_shown(body, {1, 2, 3}), 1e-5) << model;
    }
}

TEST(Clouds, FallBounceAndRestOnTheirCages) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        World world(on(backend));
        world.add_collider(Collider::ground());
        BodyOptions options;
        options.position = {0, 0.8, 0};
        const Body body = add_scan(world, options);
        options.position.x = 2;
        options.model.name = "meshless";
        const Body plain = world.add_body(scan().cage, Material::named("gummy"), options);
        double volume_error = 0, lowest = 1, lowest_point = 1;
        for (int i = 0; i < 800; ++i) {
            world.step(0.005);
            volume_error = std::max(volume_error, std::abs(body.volume() / body.rest_volume() - 1));
            lowest = std::min(lowest, body.bounds().lower.y);
            if (i % 20 == 0)
                for (const Vec3f& p : body.display_positions())
                    lowest_point = std::min(lowest_point, static_cast<double>(p.y));
        }
        EXPECT_LT(volume_error, 1e-7);
        EXPECT_GT(lowest, -1e-6);
        EXPECT_GT(lowest_point, -0.01);  // no point is far outside the cage
        // It stands as the cage alone would, and it does not turn its denser side down.
        EXPECT_NEAR(body.centre_of_mass().y, plain.centre_of_mass().y, 0.01);
        EXPECT_NEAR(norm(body.momentum()) / body.mass(), norm(plain.momentum()) / plain.mass(),
                    0.01);
        EXPECT_LT(body.shape_error(), 0.03);
    }
}

TEST(Clouds, KeepTheirMomentaInFlight) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        WorldSettings settings = on(backend);
        settings.gravity = {};
        World world(settings);
        BodyOptions options;
        options.velocity = {1, 2, -1};
        options.angular_velocity = {3, -2, 5};
        const Body body = add_scan(world, options);
        const Vec3 linear = body.momentum(), angular = body.angular_momentum();
        for (int i = 0; i < 400; ++i) world.step(0.005);
        EXPECT_LT(norm(body.momentum() - linear), 1e-6 * norm(linear));
        EXPECT_LT(norm(body.angular_momentum() - angular), 1e-4 * norm(angular));
        EXPECT_NEAR(body.mass(), Material::named("gummy").density * volume(scan().cage),
                    1e-6 * body.mass());
    }
}

TEST(Clouds, GoOnFromSnapshotsWithTheSameBitsOnAnyThreads) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 3}) {
        World world(on(Backend::cpu, threads));
        world.add_collider(Collider::ground());
        BodyOptions options;
        options.position = {0, 0.5, 0};
        add_scan(world, options);
        for (int i = 0; i < 60; ++i) world.step(0.005);
        World other(on(Backend::cpu, threads));
        other.restore(world.snapshot());
        for (int i = 0; i < 60; ++i) world.step(0.005), other.step(0.005);
        EXPECT_EQ(world.state_hash(), other.state_hash());
        EXPECT_EQ(other.body(other.bodies()[0].id()).display_positions().size(),
                  scan().points.vertices.size());
        hashes.push_back(world.state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Clouds, BothFormsOfTheModelAgree) {
    std::vector<Vec3> ends[2];
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        WorldSettings settings = on(backend);
        World world(settings);
        BodyOptions options;
        options.angular_velocity = {4, 1, 2};
        const Body body = add_scan(world, options);
        for (int i = 0; i < 60; ++i) world.step(0.005);
        for (std::size_t i = 0; i < body.positions().size(); ++i)
            ends[backend == Backend::cpu].push_back(body.position(i));
    }
    double off = 0;
    for (std::size_t i = 0; i < ends[0].size(); ++i)
        off = std::max(off, norm(ends[0][i] - ends[1][i]));
    EXPECT_LT(off, 1e-4 * 0.6);
}

TEST(Clouds, WithoutPointsAreRefused) {
    World world;
    const Mesh nothing{"nothing", {}, {}}, far{"far", {{0, 0, 1e300}}, {}};
    for (const auto& [points, mention] : {std::pair{&nothing, "empty"}, std::pair{&far, "far"}}) {
        BodyOptions options;
        options.display = points;
        Status status;
        world.add_body(shapes::icosphere(1, 2), Material{}, options, &status);
        EXPECT_NE(status.message.find(mention), std::string::npos) << status.message;
    }
}

}  // namespace
}  // namespace turgor
