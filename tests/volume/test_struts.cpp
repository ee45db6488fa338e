#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "body/meshes.hpp"
#include "elastic/surface/surface.hpp"
#include "volume/volume_rest.hpp"

namespace turgor {
namespace {

using namespace test;

struct Strutted {
    std::shared_ptr<const BodyAsset> asset;
    Struts struts;
    explicit Strutted(const Mesh& mesh)
        : asset(bake_surface(mesh).asset), struts(make_struts(*asset)) {}
};

class StrutsOfEveryShape : public EveryShape {};

TEST_P(StrutsOfEveryShape, struts_lead_through_the_inside_to_another_particle) {
    const Strutted body(mesh());
    const auto& [asset, s] = body;
    double shortest = 1e300, longest = 0;
    for (std::uint32_t i = 0; i < s.partner.size(); ++i) {
        ASSERT_LT(s.partner[i], asset->rest.size());
        EXPECT_DOUBLE_EQ(s.rest_length[i], norm(asset->rest[i] - asset->rest[s.partner[i]]));
        EXPECT_EQ(s.partner[i] == i, s.rest_length[i] == 0);
        EXPECT_EQ(s.stiffness[i] == 0, s.rest_length[i] == 0);
        if (s.partner[i] == i) continue;
        EXPECT_GE(s.stiffness[i], 0.01 - 1e-15);
        EXPECT_LE(s.stiffness[i], 0.1 + 1e-15);
        shortest = std::min(shortest, s.rest_length[i]),
        longest = std::max(longest, s.rest_length[i]);
    }
    if (longest > shortest * 1.001)
        for (std::uint32_t i = 0; i < s.partner.size(); ++i) {
            if (s.rest_length[i] == shortest) {
                EXPECT_NEAR(s.stiffness[i], 0.1, 1e-15);
            }
            if (s.rest_length[i] == longest) {
                EXPECT_NEAR(s.stiffness[i], 0.01, 1e-15);
            }
        }
}

INSTANTIATE_TEST_SUITE_P(all, StrutsOfEveryShape, testing::Range(0, 8), EveryShape::name_of);

TEST(Struts, struts_of_a_sphere_end_at_the_antipode) {
    const Strutted body(shapes::icosphere(1, 3));
    const auto& [asset, struts] = body;
    for (std::size_t i = 0; i < asset->rest.size(); ++i) {
        const Vec3 opposite = asset->rest[struts.partner[i]];
        EXPECT_LT(norm(opposite + asset->rest[i]), asset->contact_length);
    }
}

TEST(Struts, struts_of_a_slab_have_its_thickness) {
    const Strutted body(shapes::bar({1, 0.1, 1}, 21));
    const auto& [asset, struts] = body;
    int checked = 0;
    for (std::size_t i = 0; i < asset->rest.size(); ++i) {
        const Vec3 p = asset->rest[i];
        if (std::abs(p.x) > 0.42 || std::abs(p.z) > 0.42) continue;
        EXPECT_NEAR(struts.rest_length[i], 0.1, 1e-12);
        EXPECT_NEAR(struts.stiffness[i], 0.1, 0.02);
        ++checked;
    }
    EXPECT_GT(checked, 300);
}

TEST(Struts, no_strut_ends_where_it_begins) {
    // Rounding must not let a ray meet the triangles that it starts from.
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Strutted body(moved(noisy(shapes::icosphere(1, 3), 0.02, seed), {30, 7, -1}));
        const auto& [asset, struts] = body;
        for (std::uint32_t i = 0; i < asset->rest.size(); ++i) {
            EXPECT_NE(struts.partner[i], i);
            EXPECT_GT(struts.rest_length[i], 0.5);
        }
    }
}

TEST(Struts, struts_of_equal_length_have_one_stiffness) {
    Mesh octahedron{
        "octahedron",
        {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
        {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    const Strutted body(octahedron);
    const auto& [asset, struts] = body;
    for (const double s : struts.stiffness) EXPECT_EQ(s, struts.stiffness[0]);
    EXPECT_TRUE(std::isfinite(struts.stiffness[0]));
}

TEST(Struts, the_same_mesh_gives_the_same_struts) {
    const Mesh m = shuffled(hollow_sphere(0.7), 5);
    EXPECT_EQ(Strutted(m).struts.partner, Strutted(m).struts.partner);
}

TEST(Struts, place_and_scale_do_not_matter) {
    const Mesh m = shapes::torus(1, 0.4, 30, 15);
    Mesh far = m;
    for (Vec3& v : far.vertices) v = 1e-3 * v + Vec3{50, -20, 8};
    const Strutted body(m), other(far);
    // A ray that meets an edge may end at either side of it.
    for (std::size_t i = 0; i < body.asset->rest.size(); ++i)
        EXPECT_NEAR(1e3 * other.struts.rest_length[i], body.struts.rest_length[i],
                    body.asset->contact_length);
}

TEST(Struts, of_triangles_without_area_are_finite) {
    const Strutted collapsed(with_collapsed_ring(shapes::cube(1, 4)));
    for (const double length : collapsed.struts.rest_length) EXPECT_TRUE(std::isfinite(length));
}

TEST(Struts, stiffness_out_of_range_is_refused) {
    const auto asset = bake_surface(tetrahedron()).asset;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const StrutStiffness& s : {StrutStiffness{nan, 0.1}, StrutStiffness{0.2, 0.1},
                                    StrutStiffness{-1, 0.1}, StrutStiffness{0.1, 2}})
        EXPECT_THROW(make_struts(*asset, s), Error);
    EXPECT_NO_THROW(make_struts(*asset, {0, 1}));
}

TEST(Struts, of_the_cpu_back_end_are_the_same_and_padded_with_none) {
    const Strutted body(shapes::icosphere(1, 2));
    const auto cpu = make_cpu_struts(body.struts);
    const std::size_t n = body.asset->rest.size(), padded = CpuLayout::padded(n);
    ASSERT_GT(padded, n);
    ASSERT_EQ(cpu->strut.size(), padded);
    ASSERT_EQ(cpu->partner.size(), padded);
    for (std::uint32_t i = 0; i < padded; ++i) {
        EXPECT_EQ(cpu->partner[i], i < n ? body.struts.partner[i] : i);
        EXPECT_EQ(cpu->strut[i].x, i < n ? static_cast<float>(body.struts.rest_length[i]) : 0);
        EXPECT_EQ(cpu->strut[i].y, i < n ? static_cast<float>(body.struts.stiffness[i]) : 0);
    }
}

}  // namespace
}  // namespace turgor
