#include <gtest/gtest.h>

#include <vector>

#include "base/motion_sums.hpp"
#include "base/random.hpp"

namespace turgor {
namespace {

struct Particle {
    double m;
    Vec3 x, v;
};

MotionSums sums_of(const std::vector<Particle>& particles) {
    MotionSums sums;
    for (const auto& [m, x, v] : particles) sums.add(m, x, v);
    return sums;
}

std::vector<Particle> swarm() {
    Random random(2);
    std::vector<Particle> particles;
    for (int k = 0; k < 50; ++k)
        particles.push_back({random.between(0.5, 2), Vec3{1, 2, 3} + random.in_cube(),
                             Vec3{-1, 0, 2} + random.in_cube()});
    return particles;
}

TEST(MotionSums, change_like_their_particles) {
    std::vector<Particle> particles = swarm();
    MotionSums sums = sums_of(particles);
    const Vec3 a{0.3, -0.2, 0.1}, b{1, 2, -3};
    sums.change(0.7, a, b);
    for (auto& [m, x, v] : particles) v = 0.7 * v + a + cross(b, x);
    const MotionSums expected = sums_of(particles);
    EXPECT_LT(norm(sums.linear - expected.linear), 1e-11);
    EXPECT_LT(norm(sums.angular - expected.angular), 1e-11);
    EXPECT_NEAR(sums.energy, expected.energy, 1e-10);
}

TEST(MotionSums, know_the_rigid_motion_in_them) {
    std::vector<Particle> particles = swarm();
    const Vec3 a{0.3, -0.2, 0.1}, b{1, 2, -3};
    for (auto& [m, x, v] : particles) v = a + cross(b, x);
    const RigidField rigid = sums_of(particles).rigid();
    EXPECT_LT(norm(rigid.a - a), 1e-11);
    EXPECT_LT(norm(rigid.b - b), 1e-11);
}

TEST(RigidSystem, solves_alike_in_all_ways) {
    const MotionSums sums = sums_of(swarm());
    const RigidSystem system = sums.system();
    const RigidField exact = sums.rigid(),
                     fast = system.solve_for_single_precision(sums.linear, sums.angular),
                     shared = sums.rigid(SymmetricSolver(system.inertia()));
    EXPECT_LT(norm(fast.a - exact.a), 1e-12);
    EXPECT_LT(norm(fast.b - exact.b), 1e-12);
    EXPECT_EQ(shared.a, exact.a);
    EXPECT_EQ(shared.b, exact.b);
}

/// Pivots would lose digits there, or divide by nothing: eigenvectors do it.
TEST(RigidSystem, does_not_turn_what_resists_no_turning) {
    std::vector<Particle> rod = swarm();
    for (auto& [m, x, v] : rod)
        x = x.x * Vec3{1, 2, 3}, v = Vec3{1, 0, 0} + cross({0.5, 0.3, 1}, x);
    const MotionSums sums = sums_of(rod);
    const RigidField exact = sums.rigid(),
                     fast = sums.system().solve_for_single_precision(sums.linear, sums.angular);
    EXPECT_EQ(fast.a, exact.a);
    EXPECT_EQ(fast.b, exact.b);
    EXPECT_LT(std::abs(dot(fast.b, normalized(Vec3{1, 2, 3}))), 1e-9);
}

TEST(MotionSums, can_be_taken_apart) {
    const std::vector<Particle> particles = swarm();
    MotionSums all = sums_of(particles);
    const MotionSums some = sums_of({particles.begin(), particles.begin() + 20});
    all.add(some, -1);
    const MotionSums rest = sums_of({particles.begin() + 20, particles.end()});
    EXPECT_NEAR(all.mass, rest.mass, 1e-12);
    EXPECT_LT(norm(all.first - rest.first), 1e-11);
    EXPECT_LT(norm(all.mixed - rest.mixed), 1e-11);
    EXPECT_NEAR(all.energy, rest.energy, 1e-10);
}

}  // namespace
}  // namespace turgor
