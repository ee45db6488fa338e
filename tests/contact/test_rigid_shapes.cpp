#include <gtest/gtest.h>

#include "base/random.hpp"
#include "contact/rigid_shape.hpp"

namespace turgor {
namespace {

double largest_difference(const Mat3& a, const Mat3& b) {
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(a.m[i][j] - b.m[i][j]));
    return most;
}

Mesh box_mesh(Vec3 half) {
    Mesh mesh = shapes::cube(2, 2);
    for (Vec3& p : mesh.vertices) p = {half.x * p.x, half.y * p.y, half.z * p.z};
    return mesh;
}

TEST(RigidShapes, have_the_mass_and_inertia_of_a_fine_mesh_of_themselves) {
    const struct {
        RigidBody body;
        Mesh mesh;
        double tolerance;
    } cases[] = {
        {RigidBody::sphere({}, 0.7), shapes::icosphere(0.7, 5), 3e-3},
        {RigidBody::box({}, {0.3, 0.5, 0.7}), box_mesh({0.3, 0.5, 0.7}), 1e-12},
        {RigidBody::capsule({}, 0.2, 1), shapes::capsule(0.2, 1, 128), 3e-3},
    };
    for (const auto& c : cases) {
        const auto shape = make_geometry(c.body);
        const MassProperties solid = mass_properties(c.mesh);
        EXPECT_NEAR(shape->volume / solid.volume, 1, c.tolerance);
        EXPECT_LT(norm(solid.centre), 1e-6);
        EXPECT_LT(largest_difference(shape->spread, solid.inertia) / shape->spread.m[0][0],
                  c.tolerance);
        EXPECT_LT(largest_difference(shape->spread * shape->per_spread, Mat3::identity()), 1e-12);
    }
}

TEST(RigidShapes, a_mesh_is_centred_wherever_it_was) {
    const Quat turn = Quat::about({1, 2, 3}, 0.7);
    const Mesh far = transformed(box_mesh({0.3, 0.5, 0.7}), {5, -3, 2}, 1, turn);
    const auto shape = make_geometry(RigidBody::convex(far, {}));
    const auto box = make_geometry(RigidBody::box({}, {0.3, 0.5, 0.7}));
    EXPECT_LT(norm(mass_properties(shape->drawn).centre), 1e-12);
    EXPECT_LT(largest_difference(shape->spread, rotated_tensor(turn, box->spread)), 1e-12);
}

TEST(RigidShapes, a_convex_mesh_has_the_distances_of_the_shape_it_is) {
    const auto mesh = make_geometry(RigidBody::convex(box_mesh({0.3, 0.5, 0.7}), {}));
    const auto box = make_geometry(RigidBody::box({}, {0.3, 0.5, 0.7}));
    EXPECT_NEAR(mesh->extent, 0.6, 1e-12);
    Random random(1);
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = 1.2 * random.in_cube();
        const SignedDistance a = mesh->nearest_surface(p), b = box->nearest_surface(p);
        EXPECT_NEAR(a.distance, b.distance, 1e-9);
        EXPECT_LT(norm(a.normal - b.normal), 1e-6);
    }
}

TEST(RigidShapes, that_cannot_be_are_refused) {
    const auto refused = [](const RigidBody& body) {
        try {
            make_geometry(body);
        } catch (const Error& e) {
            return std::string(e.what()).size() > 10;
        }
        return false;
    };
    EXPECT_TRUE(refused(RigidBody::sphere({}, 0)));
    EXPECT_TRUE(refused(RigidBody::sphere({}, std::nan(""))));
    EXPECT_TRUE(refused(RigidBody::box({}, {1, 0, 1})));
    EXPECT_TRUE(refused(RigidBody::capsule({}, 1, 1)));
    EXPECT_TRUE(refused(RigidBody::convex(shapes::torus(0.5, 0.2, 12, 8), {})));
    EXPECT_TRUE(refused(RigidBody::convex(box_mesh({1, 1, 1e-9}), {})));
    EXPECT_TRUE(refused(RigidBody::convex({}, {})));
    Mesh open = box_mesh({1, 1, 1});
    open.triangles.pop_back();
    EXPECT_TRUE(refused(RigidBody::convex(open, {})));
    EXPECT_FALSE(refused(RigidBody::convex(shapes::icosphere(0.5, 2), {})));
}

}  // namespace
}  // namespace turgor
