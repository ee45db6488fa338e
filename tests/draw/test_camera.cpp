#include <gtest/gtest.h>

#include <cmath>

#include "draw/camera.hpp"
#include "draw/mat4.hpp"

namespace turgor {
namespace {

constexpr double aspect = 1.6;

/// Where OpenGL puts a point, by the matrices.
Vec3 by_matrices(const Camera& camera, Vec3 p) {
    const Mat4 m = camera.projection(aspect) * camera.view();
    const double in[4] = {p.x, p.y, p.z, 1};
    double out[4] = {};
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t k = 0; k < 4; ++k) out[row] += static_cast<double>(m[4 * k + row]) * in[k];
    return {out[0] / out[3], out[1] / out[3], out[2] / out[3]};
}

Camera somewhere() {
    Camera camera;
    camera.target = {0.3, -1, 2};
    camera.yaw = 2.1;
    camera.pitch = -0.4;
    camera.distance = 3;
    return camera;
}

TEST(Camera, matrices_and_project_agree) {
    const Camera camera = somewhere();
    for (const Vec3 p : {Vec3{0.3, -1, 2}, {1, 0, 2}, {0, -0.5, 1.2}}) {
        const Vec3 a = by_matrices(camera, p), b = camera.project(p, aspect);
        EXPECT_NEAR(a.x, b.x, 1e-5);
        EXPECT_NEAR(a.y, b.y, 1e-5);
    }
}

TEST(Camera, depth_goes_from_minus_one_to_one) {
    const Camera camera = somewhere();
    const Vec3 ahead = normalized(camera.target - camera.position());
    EXPECT_NEAR(by_matrices(camera, camera.position() + camera.nearest() * ahead).z, -1, 1e-3);
    EXPECT_NEAR(by_matrices(camera, camera.position() + camera.farthest() * ahead).z, 1, 1e-3);
}

TEST(Camera, a_ray_through_a_place_meets_what_is_seen_there) {
    const Camera camera = somewhere();
    const Vec3 way = camera.direction_through(0.4, -0.7, aspect);
    EXPECT_NEAR(norm(way), 1, 1e-12);
    for (const double t : {0.5, 3.0, 20.0}) {
        const Vec3 seen = camera.project(camera.position() + t * way, aspect);
        EXPECT_NEAR(seen.x, 0.4, 1e-9);
        EXPECT_NEAR(seen.y, -0.7, 1e-9);
    }
}

TEST(Camera, framing_sees_every_corner_and_comes_near) {
    for (const Vec3 size : {Vec3{1, 1, 1}, {8, 0.1, 0.1}, {0.1, 9, 0.1}, {1e-3, 1e-3, 1e-3}})
        for (const double wide : {0.5, 1.0, 2.5})
            for (const double yaw : {0.0, 1.0, 4.0}) {
                Camera from;
                from.yaw = yaw;
                const Bounds box{{3, 4, 5}, Vec3{3, 4, 5} + size};
                const Camera camera = framing(box, wide, from);
                double farthest = 0;
                for (int corner = 0; corner < 8; ++corner) {
                    const Vec3 p{corner & 1 ? box.upper.x : box.lower.x,
                                 corner & 2 ? box.upper.y : box.lower.y,
                                 corner & 4 ? box.upper.z : box.lower.z};
                    const Vec3 seen = camera.project(p, wide);
                    EXPECT_GT(seen.z, 0);
                    farthest = std::max({farthest, std::fabs(seen.x), std::fabs(seen.y)});
                }
                EXPECT_LT(farthest, 1);
                EXPECT_GT(farthest, 0.5);
            }
}

}  // namespace
}  // namespace turgor
