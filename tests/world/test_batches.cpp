#include <gtest/gtest.h>

#include "turgor/turgor.hpp"
#include "world/settings.hpp"

namespace turgor {
namespace {

/// Small bodies of several models, materials and assets; every one does something else.
Body add_one(World& world, int kind) {
    using Mode = MeshlessModel::Mode;
    const Mode mode = kind % 3 == 0 ? Mode::rigid : kind % 3 == 1 ? Mode::linear : Mode::quadratic;
    MeshlessModel meshless{.mode = mode};
    if (kind % 4 != 0) meshless.clusters = 1 + kind % 4;
    const Model model = kind % 7 == 6 ? Model(SurfaceModel{}) : Model(meshless);
    const Mesh mesh = kind % 2 == 0   ? shapes::uv_sphere(0.5, 14, 7)
                      : kind % 5 == 0 ? shapes::icosphere(0.4, 3)
                                      : shapes::torus(0.5, 0.2, 16, 8);
    const char* const materials[] = {"gummy", "jelly", "clay", "rubber"};
    Body body = world.add_body(mesh, Material::named(materials[kind / 2 % 4]),
                               {.position = {3.0 * kind, 1, 0},
                                .velocity = {0, -2, 0.1 * kind},
                                .angular_velocity = {1, 0.3 * kind, 2},
                                .model = model});
    if (kind == 8) body.pin(body.vertices_near(body.centre_of_mass() + Vec3{0, 0.5, 0}, 0.2));
    if (kind == 9) body.set_force({1, 2, 3});
    return body;
}

World world_on(int threads) {
    World world(on(Backend::cpu, threads));
    world.add_collider(Collider::ground());
    return world;
}

std::vector<Vec3> positions_of(const Body& body) {
    std::vector<Vec3> all(body.positions().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = body.position(i);
    return all;
}

std::vector<Vec3> alone(int kind, int steps) {
    World world = world_on(1);
    const Body body = add_one(world, kind);
    for (int k = 0; k < steps; ++k) world.step();
    return positions_of(body);
}

TEST(Batches, give_every_body_the_bits_that_it_has_alone) {
    constexpr int most = 21, steps = 120;
    std::vector<std::vector<Vec3>> expected;
    for (int kind = 0; kind < most; ++kind) expected.push_back(alone(kind, steps));
    for (const int count : {2, 3, 7, 9, most})
        for (const int threads : {1, 2, 3}) {
            World world = world_on(threads);
            std::vector<Body> bodies;
            for (int kind = 0; kind < count; ++kind) bodies.push_back(add_one(world, kind));
            for (int k = 0; k < steps; ++k) world.step();
            for (std::size_t kind = 0; kind < bodies.size(); ++kind) {
                EXPECT_TRUE(positions_of(bodies[kind]) == expected[kind])
                    << kind << " of " << count << " on " << threads;
            }
        }
}

TEST(Batches, lose_one_that_overflows_and_nobody_else) {
    constexpr int count = 8, steps = 40;
    World world = world_on(1);
    std::vector<Body> bodies;
    for (int kind = 0; kind < count; ++kind) bodies.push_back(add_one(world, kind));
    bodies[3].set_force(5, {1e30, 0, 0});
    EXPECT_THROW(world.step(), Error);
    for (int k = 1; k < steps; ++k) world.step();
    for (int kind = 0; kind < count; ++kind) {
        if (kind == 3) continue;
        EXPECT_TRUE(positions_of(bodies[static_cast<std::size_t>(kind)]) == alone(kind, steps))
            << kind;
    }
}

}  // namespace
}  // namespace turgor
