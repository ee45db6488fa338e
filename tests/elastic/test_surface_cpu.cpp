#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/hash.hpp"
#include "base/mat3.hpp"
#include "base/random.hpp"
#include "elastic/surface/surface.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

constexpr double h = 0.005, stiffness = 0.5, damping = 0.2;
const Vec3 acceleration{0, -9.81, 0};

std::shared_ptr<const RegionCpuRest> cpu_rest(const SurfaceBake& baked, Summation summation) {
    return make_surface_cpu_rest(*baked.asset, *baked.rest,
                                 make_cpu_regions(*baked.rest->regions, summation));
}

/// A bent and spinning body in both forms, and what stage 2 makes of it.
class Both {
public:
    Both(const Mesh& mesh, int omega) : Both(bake_surface(mesh, {.omega = omega})) {}
    explicit Both(const SurfaceBake& baked)
        : asset_(baked.asset),
          rest_(*baked.rest),
          cpu_asset_(make_cpu_asset(*asset_)),
          fast_(cpu_rest(baked, Summation::fast)),
          naive_(cpu_rest(baked, Summation::naive)) {
        Random random(5);
        turn_ = random.rotation();
        const double size = asset_->size;
        for (const Vec3& r : asset_->rest) {
            const Vec3 s{1.2 * r.x + 0.1 * r.y * r.y / size, 0.8 * r.y, r.z + 0.1 * r.x};
            x_.push_back(to_quad(rotate(turn_, s), 1));
            v_.push_back(to_quad(
                size * (Vec3{1, 2, -0.5} + cross({1, -2, 3}, r / size) + 0.3 * random.in_cube())));
        }
    }

    std::size_t size() const { return asset_->rest.size(); }
    const BodyAsset& asset() const { return *asset_; }

    struct State {
        std::vector<Vec3> x, v;
    };
    State reference() const {
        State s;
        std::vector<Vec3> blended(size()), goals(size());
        std::vector<Quat> rotations(size(), turn_);
        for (std::size_t i = 0; i < size(); ++i) {
            s.x.push_back(x_[i].xyz());
            s.v.push_back(v_[i].xyz());
        }
        blend_rigid_velocities(*asset_, rest_, s.x, s.v, blended);
        for (std::size_t i = 0; i < size(); ++i) {
            s.v[i] += damping * (blended[i] - s.v[i]) + h * acceleration;
            s.x[i] += h * s.v[i];
        }
        match_regions(*asset_, rest_, s.x, rotations, goals);
        for (std::size_t i = 0; i < size(); ++i) {
            const Vec3 moved = stiffness * (goals[i] - s.x[i]);
            s.x[i] += moved;
            s.v[i] += moved / h;
        }
        return s;
    }
    State cpu(Summation summation, int steps = 1) const {
        const CpuAsset& f = *cpu_asset_;
        const RegionCpuRest& rest = summation == Summation::fast ? *fast_ : *naive_;
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        AlignedVector<Quad> x(f.padded), v(f.padded), rotation(f.padded, Quad{0, 0, 0, 1});
        AlignedVector<Quad> start(f.padded, Quad{nan, nan, nan, nan});
        AlignedVector<float> change(f.padded, nan);
        AlignedVector<FixedQuad> terms(row_quads * f.rows(),
                                       FixedQuad{{1 << 30, 1 << 30, 1 << 30, 7}});
        AlignedVector<FixedQuad> transforms(row_quads * f.rows(), terms.front());
        std::copy(x_.begin(), x_.end(), x.begin());
        std::copy(v_.begin(), v_.end(), v.begin());
        std::fill_n(rotation.begin(), f.count, to_quad({turn_.x, turn_.y, turn_.z}, turn_.w));
        AlignedVector<Quad> predicted_v(f.padded, Quad{nan, nan, nan, nan});
        const RegionCpuView body{f,           rest,     summation, x,     v,         start,
                                  predicted_v, rotation, change,    terms, transforms};
        const RegionScales scales{4 * f.reach, 256 * f.reach};
        const auto each_block = [&](auto&& work) {
            for (std::uint32_t block = 0; block < f.blocks; ++block) work(block);
        };
        for (int step = 0; step < steps; ++step) {
            GoalSums sums;
            IntegrateSums totals;
            const FrameChange gravity{{}, to_quad(-h * acceleration)};
            each_block([&](auto b) { damping_terms(body, scales, b); });
            each_block([&](auto b) { damping_fields(body, scales, b); });
            each_block(
                [&](auto b) { damp_and_integrate(body, scales, damping, h, gravity, b, totals); });
            each_block([&](auto b) { matching_terms(body, scales, b); });
            each_block([&](auto b) { fit_regions(body, scales, b); });
            each_block(
                [&](auto b) { move_to_goals(body, scales, stiffness, h, stiffness, {}, b, sums); });
        }
        State s;
        for (std::size_t i = 0; i < size(); ++i) {
            s.x.push_back(x[i].xyz());
            s.v.push_back(v[i].xyz());
        }
        return s;
    }

private:
    std::shared_ptr<const BodyAsset> asset_;
    SurfaceRest rest_;
    std::shared_ptr<const CpuAsset> cpu_asset_;
    std::shared_ptr<const RegionCpuRest> fast_, naive_;
    Quat turn_;
    std::vector<Quad> x_, v_;
};

std::uint64_t hash_of(const Both::State& s) {
    Hash hash;
    hash.add_array(std::span<const Vec3>(s.x));
    hash.add_array(std::span<const Vec3>(s.v));
    return hash.value();
}

std::vector<Mesh> meshes() {
    return {shapes::uv_sphere(0.5, 20, 19), shapes::cube(2, 23), shapes::rubber_duck(0.1, 700),
            shapes::torus(1, 0.3, 32, 16), transformed(shapes::gummy_bear(1, 900), {}, 100)};
}

TEST(SurfaceCpu, equals_the_reference) {
    for (const Mesh& mesh : meshes())
        for (const int omega : {1, 2, 3, 5}) {
            const Both both(mesh, omega);
            const auto expected = both.reference(), found = both.cpu(Summation::fast);
            double off = 0, speed_off = 0;
            for (std::size_t i = 0; i < both.size(); ++i) {
                off = std::max(off, norm(found.x[i] - expected.x[i]));
                speed_off = std::max(speed_off, norm(found.v[i] - expected.v[i]));
            }
            EXPECT_LT(off, 1e-5 * both.asset().size) << mesh.name << " " << omega;
            EXPECT_LT(h * speed_off, 1e-5 * both.asset().size) << mesh.name << " " << omega;
        }
}

TEST(SurfaceCpu, fast_summation_equals_naive_summation_bit_for_bit) {
    for (const Mesh& mesh : meshes())
        for (const int omega : {1, 2, 3, 4, 5}) {
            const Both both(mesh, omega);
            EXPECT_EQ(hash_of(both.cpu(Summation::fast, 20)),
                      hash_of(both.cpu(Summation::naive, 20)))
                << mesh.name << " " << omega;
        }
}

TEST(SurfaceCpu, every_instruction_set_gives_the_same_bits) {
    const Both both(shapes::gummy_bear(1, 900), 3);
    const std::uint64_t expected = hash_of(both.cpu(Summation::fast, 20));
    int tried = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        EXPECT_EQ(hash_of(both.cpu(Summation::fast, 20)), expected) << hwy::TargetName(target);
        ++tried;
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_GE(tried, 2);
}

/// How well rotations fit: Σ over regions of tr(RᵀA), in double precision.
double fit_of(const BodyAsset& asset, const SurfaceRest& rest, std::span<const Vec3> x,
              std::span<const Quat> rotations) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        Vec3 centre;
        Mat3 a;
        for (const auto i : (*rest.regions)[j]) {
            centre += rest.weight[i] * x[i];
            a += outer(rest.weight[i] * x[i], asset.rest[i]);
        }
        a = a - outer(centre, rest.region_centre[j]);
        sum += trace(transpose(to_matrix(rotations[j])) * a);
    }
    return sum;
}

TEST(SurfaceCpu, rotations_are_right_for_flat_inverted_and_collapsed_regions_too) {
    const SurfaceBake baked = bake_surface(shapes::gummy_bear(1, 900), {.omega = 3});
    const auto& asset = baked.asset;
    const SurfaceRest& rest = *baked.rest;
    const auto fast = make_cpu_asset(*asset);
    const auto fast_rest = cpu_rest(baked, Summation::fast);
    const CpuAsset& f = *fast;
    const std::size_t n = f.count;
    Random random(9);
    struct Case {
        const char* name;
        std::function<Vec3(Vec3)> shape;
        bool hard;
    };
    const Quat turned = random.rotation();
    const Case cases[] = {{"ordinary",
                           [&](Vec3 r) {
                               return Vec3{1.1 * r.x, 0.9 * r.y, r.z + 0.2 * r.x};
                           },
                           false},
                          {"turned far", [&](Vec3 r) { return rotate(turned, r); }, true},
                          {"half a turn",
                           [&](Vec3 r) {
                               return Vec3{-r.x, r.y, -r.z};
                           },
                           true},
                          {"flat",
                           [&](Vec3 r) {
                               return Vec3{r.x, 0, r.z};
                           },
                           true},
                          {"a line",
                           [&](Vec3 r) {
                               return Vec3{r.x, 0, 0};
                           },
                           true},
                          {"a point",
                           [&](Vec3) {
                               return Vec3{0.1, 0.2, 0.3};
                           },
                           true},
                          {"mirrored",
                           [&](Vec3 r) {
                               return Vec3{-r.x, r.y, r.z};
                           },
                           true},
                          {"inside out", [&](Vec3 r) { return -1.0 * r; }, true},
                          {"shrunk", [&](Vec3 r) { return 1e-6 * r; }, false},
                          {"blown up", [&](Vec3 r) { return 1e6 * r; }, false},
                          {"noise", [&](Vec3) { return random.in_cube(); }, true}};
    for (const Case& c : cases) {
        AlignedVector<Quad> x(f.padded), v(f.padded), start(f.padded), rotation(f.padded);
        AlignedVector<float> change(f.padded);
        AlignedVector<FixedQuad> terms(row_quads * f.rows()), transforms(row_quads * f.rows());
        std::vector<Vec3> positions(n), goals(n);
        std::vector<Quat> expected(n), found(n);
        float reach = 0;
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = to_quad(c.shape(asset->rest[i]), 1);
            positions[i] = x[i].xyz();
            for (int k = 0; k < 3; ++k)
                reach = std::max(reach, static_cast<float>(std::abs(positions[i][k])));
            rotation[i] = {0, 0, 0, 1};
        }
        for (std::size_t i = n; i < f.padded; ++i) rotation[i] = {0, 0, 0, 1};
        const RegionCpuView body{f,     *fast_rest, Summation::fast, x,     v,         start,
                                  start, rotation,   change,          terms, transforms};
        const RegionScales scales{std::exp2(std::ceil(std::log2(reach))), 1};
        std::uint32_t slow = 0;
        for (std::uint32_t b = 0; b < f.blocks; ++b) matching_terms(body, scales, b);
        for (std::uint32_t b = 0; b < f.blocks; ++b) slow += fit_regions(body, scales, b);
        match_regions(*asset, rest, positions, expected, goals);
        for (std::size_t i = 0; i < n; ++i) {
            found[i] = {rotation[i].w, rotation[i].x, rotation[i].y, rotation[i].z};
            const Quat& q = found[i];
            EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-5) << c.name;
        }
        const double best = fit_of(*asset, rest, positions, expected);
        double scale = 0;
        for (std::size_t i = 0; i < n; ++i)
            scale += rest.weight[i] * static_cast<double>((*rest.regions)[i].size()) *
                     norm(positions[i]) * norm(asset->rest[i]);
        EXPECT_GT(fit_of(*asset, rest, positions, found), best - 1e-5 * scale) << c.name;
        if (!c.hard) {
            EXPECT_EQ(slow, 0u) << c.name;
        }
    }
}

}  // namespace
}  // namespace turgor
