#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/rigid_system.hpp"
#include "elastic/surface/surface.hpp"
#include "turgor/turgor.hpp"
#include "volume/volume.hpp"
#include "volume/volume_cpu.hpp"

namespace turgor {
namespace {

constexpr double alpha = 0.3, beta = 0.1;

/// A dented body that stands on something and is pinned at its side.
class Dented {
public:
    Dented(const Mesh& mesh, int omega, bool held)
        : Dented(bake_surface(mesh, {.omega = omega}), held) {}
    Dented(const SurfaceBake& baked, bool held)
        : asset(baked.asset),
          rest{std::make_shared<Struts>(make_struts(*asset)), baked.rest->regions},
          cpu_asset(make_cpu_asset(*asset)),
          cpu_struts(make_cpu_struts(*rest.struts)),
          fast(make_cpu_regions(*rest.smoothing, Summation::fast)),
          naive(make_cpu_regions(*rest.smoothing, Summation::naive)) {
        const double radius = asset->size / 2;
        Random random(3);
        for (const Vec3& r : asset->rest) {
            const double dent = std::exp(-dot(r - Vec3{radius, 0, 0}, r - Vec3{radius, 0, 0}) /
                                         (0.3 * radius * radius));
            const Quad x = to_quad(r - 0.4 * radius * dent * Vec3{1, 0.2, 0}, 1);
            start.push_back(x.xyz());
            change.push_back(
                static_cast<float>(radius * (0.1 * dent + 0.01 * random.between(0, 1))));
            Support support;
            // Pins that take their push along: what contacts add is up to CpuStep.
            if (held && r.x < -0.85 * radius) support = {1, {}};
            supports.push_back(support);
        }
    }

    std::vector<Vec3> reference() const {
        std::vector<double> weights(start.size()), changes(change.begin(), change.end());
        local_weights(*asset, rest, start, changes, {alpha, beta, 3, true}, weights);
        std::vector<Vec3> x = start;
        const VolumeProblem problem{*asset,   asset->rest_volume, asset->mass, weights,
                                    supports, asset->size,        true,        true};
        correct_positions(problem, start, x);
        return x;
    }

    std::vector<Vec3> cpu(Summation summation) const {
        const CpuAsset& f = *cpu_asset;
        const CpuRegions& regions = summation == Summation::fast ? *fast : *naive;
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        AlignedVector<Quad> x(f.padded), v(f.padded), start_(f.padded);
        AlignedVector<Quad> normal(f.padded, Quad{nan, nan, nan, nan}), direction = normal;
        AlignedVector<float> weight(f.padded, nan), changes(f.padded), free(f.padded, 1);
        AlignedVector<std::int32_t> rows(f.rows(), 1 << 30);
        for (std::size_t i = 0; i < start.size(); ++i) {
            x[i] = to_quad(start[i], 1 - supports[i].hold);
            start_[i] = to_quad(start[i]);
            free[i] = static_cast<float>(1 - supports[i].hold);
            changes[i] = change[i];
        }
        const VolumeCpuView body{f,      *cpu_struts, regions, summation, x,      v,   start_,
                                 normal, direction,   free,    changes,   weight, rows};
        const auto each_block = [&](auto&& work) {
            for (std::uint32_t block = 0; block < f.blocks; ++block) work(block);
        };
        ShapeSums shape;
        each_block([&](auto b) { measure_shape(body, beta, 0, b, shape); });
        const auto scale = static_cast<float>(f.count / shape.raw_weight);
        each_block([&](auto b) { cap_weights(body, scale, alpha, b); });
        WeightSums weights;
        each_block([&](auto b) { smooth_weights(body, true, b, weights); });
        DirectionSums d;
        each_block([&](auto b) { direction_sums(body, Held::by_all, 1, b, d); });
        Vec3 linear, angular;
        for (std::size_t i = 0; i < start.size(); ++i) {
            if (supports[i].hold == 0) continue;
            const Vec3 push = -weights.weight / weights.free * normal[i].xyz();
            linear += push;
            angular += cross(start_[i].xyz(), push);
        }
        const RigidField field = d.field(linear, angular);
        each_block([&](auto b) { make_direction(body, 1, to_quad(field.a), to_quad(field.b), b); });
        double volume = shape.nine_volumes / 9, effect = 0;
        for (std::size_t i = 0; i < start.size(); ++i)
            effect += dot(direction[i].xyz(), normal[i].xyz());
        for (int k = 0; k < 4; ++k) {
            const double factor = (asset->rest_volume - volume) / (effect / 3);
            each_block([&](auto b) { move_along(body, static_cast<float>(factor), 200, b); });
            MovedSums moved;
            each_block([&](auto b) { measure_moved(body, b, moved); });
            volume = moved.nine_volumes / 9;
            effect = moved.effect;
        }
        std::vector<Vec3> result;
        for (std::size_t i = 0; i < start.size(); ++i) result.push_back(x[i].xyz());
        return result;
    }

    /// Stage 5 from random velocities, pins held: the reference's and the cpu back end's.
    std::pair<std::vector<Vec3>, std::vector<Vec3>> velocities() const {
        const CpuAsset& f = *cpu_asset;
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr double h = 0.005;
        AlignedVector<Quad> x(f.padded), v(f.padded), start_(f.padded, Quad{nan, nan, nan, nan});
        AlignedVector<Quad> normal = start_, direction(f.padded);
        AlignedVector<float> weight(f.padded), changes(f.padded), free(f.padded, 1);
        AlignedVector<std::int32_t> rows(f.rows());
        std::vector<double> weights(start.size());
        std::vector<Vec3> expected;
        Random random(5);
        for (std::size_t i = 0; i < start.size(); ++i) {
            x[i] = to_quad(start[i], 1 - supports[i].hold);
            v[i] = to_quad(asset->size * random.in_cube(), 0);
            weight[i] = static_cast<float>(random.between(0.3, 3));
            weights[i] = weight[i];
            expected.push_back(v[i].xyz());
        }
        const VolumeCpuView body{f,      *cpu_struts, *fast, Summation::fast, x,      v,   start_,
                                 normal, direction,   free,  changes,         weight, rows};
        const double comfortable = 1e-5 * asset->size;
        correct_velocities(
            {*asset, asset->rest_volume, asset->mass, weights, supports, comfortable, true, true},
            h, start, expected);
        MovedSums moved;
        for (std::uint32_t b = 0; b < f.blocks; ++b) measure_moved(body, b, moved);
        const double push =
            std::abs(h * moved.divergence / 3) / moved.pins.slope * moved.pins.largest;
        EXPECT_GT(push, comfortable);
        LastMove last;
        last.keep = static_cast<float>(comfortable / push);
        DirectionSums d;
        for (std::uint32_t b = 0; b < f.blocks; ++b)
            direction_sums(body, Held::by_pins, last.keep, b, d);
        const RigidField field = d.field();
        last.a = to_quad(field.a);
        last.b = to_quad(field.b);
        last.velocity = static_cast<float>(moved.divergence / d.effect(field));
        MotionSums sums;
        for (std::uint32_t b = 0; b < f.blocks; ++b) move_last(body, last, b, sums);
        std::vector<Vec3> found;
        MotionSums again;
        for (std::size_t i = 0; i < start.size(); ++i) {
            found.push_back(v[i].xyz());
            again.add(f.mass[i], x[i].xyz(), v[i].xyz());
        }
        EXPECT_NEAR(sums.energy / again.energy, 1, 1e-6);
        EXPECT_LT(norm(sums.angular - again.angular), 1e-6 * norm(again.angular));
        EXPECT_LT(norm(sums.mixed - again.mixed), 1e-6 * norm(again.second));
        return {expected, found};
    }

    std::shared_ptr<const BodyAsset> asset;
    VolumeRest rest;
    std::shared_ptr<const CpuAsset> cpu_asset;
    std::shared_ptr<const CpuStruts> cpu_struts;
    std::shared_ptr<const CpuRegions> fast, naive;
    std::vector<Vec3> start;
    std::vector<float> change;
    std::vector<Support> supports;
};

std::uint64_t hash_of(const std::vector<Vec3>& x) {
    Hash hash;
    hash.add_array(std::span<const Vec3>(x));
    return hash.value();
}

TEST(VolumeCpu, equals_the_reference) {
    for (const Mesh& mesh : {shapes::uv_sphere(0.5, 20, 19), shapes::cube(2, 23),
                             shapes::rubber_duck(0.1, 700), shapes::gummy_bear(100, 900)})
        for (const bool held : {false, true}) {
            const Dented body(mesh, 2, held);
            const auto expected = body.reference(), found = body.cpu(Summation::fast);
            double off = 0, moved = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                off = std::max(off, norm(found[i] - expected[i]));
                moved = std::max(moved, norm(expected[i] - body.start[i]));
            }
            EXPECT_GT(moved, 1e-3 * body.asset->size) << mesh.name;
            EXPECT_LT(off, 1e-5 * body.asset->size) << mesh.name << " " << held;
            EXPECT_NEAR(enclosed_volume(found, body.asset->triangles) / body.asset->rest_volume, 1,
                        1e-7)
                << mesh.name;
        }
}

TEST(VolumeCpu, velocities_equal_the_reference) {
    for (const Mesh& mesh :
         {shapes::uv_sphere(0.5, 20, 19), shapes::cube(2, 23), shapes::gummy_bear(100, 900)})
        for (const bool held : {false, true}) {
            const Dented body(mesh, 2, held);
            const auto [expected, found] = body.velocities();
            double off = 0;
            for (std::size_t i = 0; i < expected.size(); ++i)
                off = std::max(off, norm(found[i] - expected[i]));
            EXPECT_LT(off, 1e-5 * body.asset->size) << mesh.name << " " << held;
        }
}

TEST(VolumeCpu, fast_summation_equals_naive_summation_bit_for_bit) {
    for (const int omega : {1, 3, 5}) {
        const Dented body(shapes::cube(2, 23), omega, true);
        EXPECT_EQ(hash_of(body.cpu(Summation::fast)), hash_of(body.cpu(Summation::naive)));
    }
}

TEST(VolumeCpu, every_instruction_set_gives_the_same_bits) {
    const Dented body(shapes::gummy_bear(1, 900), 3, true);
    const std::uint64_t expected = hash_of(body.cpu(Summation::fast));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        EXPECT_EQ(hash_of(body.cpu(Summation::fast)), expected) << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace turgor
