#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "body/bake.hpp"
#include "body/detail.hpp"
#include "body/meshes.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

using namespace test;

std::vector<Vec3> normals_of(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    std::vector<Vec3> normals(positions.size());
    unit_normals(positions, triangles, normals);
    return normals;
}

/// A fine mesh hung on a coarse one.
struct Hung {
    Mesh coarse, fine;
    std::vector<DetailBinding> bindings;

    Hung(Mesh coarse_mesh, Mesh fine_mesh)
        : coarse(std::move(coarse_mesh)), fine(std::move(fine_mesh)) {
        bindings =
            bind_detail(fine.vertices, normals_of(fine.vertices, fine.triangles), coarse.vertices,
                        normals_of(coarse.vertices, coarse.triangles), coarse.triangles);
    }
    /// Where the fine vertices are when the coarse ones are at `positions`.
    std::vector<Vec3> placed(std::span<const Vec3> positions) const {
        std::vector<Vec3> points(fine.vertices.size(), Vec3{NAN, NAN, NAN});
        place_detail(bindings, positions, normals_of(positions, coarse.triangles), coarse.triangles,
                     points);
        return points;
    }
    std::size_t not_on_a_line() const {
        return static_cast<std::size_t>(
            std::count_if(bindings.begin(), bindings.end(),
                          [](const DetailBinding& b) { return b.rest_error != Vec3{}; }));
    }
};

double largest_difference(std::span<const Vec3> a, std::span<const Vec3> b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = norm(a[i] - b[i]);
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

Mesh wavy(Mesh mesh, double depth) {
    const auto normals = normals_of(mesh.vertices, mesh.triangles);
    for (std::size_t i = 0; i < normals.size(); ++i) {
        const Vec3 p = mesh.vertices[i];
        mesh.vertices[i] += depth * std::sin(9 * p.x) * std::cos(11 * p.y + 5 * p.z) * normals[i];
    }
    return mesh;
}

Mesh stretched(Mesh mesh, Vec3 factor) {
    for (Vec3& v : mesh.vertices) v = {factor.x * v.x, factor.y * v.y, factor.z * v.z};
    return mesh;
}

std::vector<std::pair<std::string, Hung>> make_pairs() {
    std::vector<std::pair<std::string, Hung>> pairs;
    pairs.emplace_back("sphere",
                       Hung{shapes::icosphere(1, 2), wavy(shapes::icosphere(1, 4), 0.03)});
    pairs.emplace_back(
        "torus", Hung{shapes::torus(1, 0.4, 24, 12), wavy(shapes::torus(1, 0.4, 90, 45), 0.02)});
    pairs.emplace_back("same", Hung{shapes::cube(1, 5), shapes::cube(1, 5)});
    pairs.emplace_back("sharp_edges", Hung{shapes::cube(1, 4), shapes::cube(1.1, 20)});
    pairs.emplace_back("inside_sharp_edges", Hung{shapes::cube(1, 4), shapes::cube(0.9, 20)});
    pairs.emplace_back("tetrahedron", Hung{tetrahedron(), shapes::icosphere(1.2, 3)});
    pairs.emplace_back("needle",
                       Hung{stretched(tetrahedron(), {1, 40, 1}), shapes::uv_sphere(2, 30, 29)});
    pairs.emplace_back("beyond", Hung{shapes::icosphere(0.5, 2), shapes::capsule(0.2, 4, 30)});
    pairs.emplace_back("crumpled", Hung{noisy(shapes::icosphere(1, 2), 0.3, 1),
                                        noisy(shapes::icosphere(1, 3), 0.3, 2)});
    pairs.emplace_back("inside_out",
                       Hung{shapes::icosphere(1, 2), inside_out(shapes::icosphere(1.02, 3))});
    return pairs;
}

const std::vector<std::pair<std::string, Hung>>& all_pairs() {
    static const auto pairs = make_pairs();
    return pairs;
}

class EveryPair : public testing::TestWithParam<int> {
protected:
    const Hung& hung() const { return all_pairs()[static_cast<std::size_t>(GetParam())].second; }
};

TEST_P(EveryPair, is_exact_at_rest) {
    const Hung& h = hung();
    EXPECT_LT(largest_difference(h.placed(h.coarse.vertices), h.fine.vertices), 1e-12);
    for (const DetailBinding& b : h.bindings) {
        EXPECT_LT(b.triangle, h.coarse.triangles.size());
        EXPECT_NEAR(b.weight[0] + b.weight[1] + b.weight[2], 1, 1e-12);
        for (const double w : b.weight) EXPECT_GE(w, -1e-8);
    }
}

TEST_P(EveryPair, follows_rigid_motions) {
    const Hung& h = hung();
    for (const Quat rotation :
         {Quat::about({1, 2, 3}, 2), Quat::about({0, 1, 0}, std::numbers::pi)}) {
        const auto move = [&](Vec3 p) { return rotate(rotation, p) + Vec3{3, -2, 1}; };
        std::vector<Vec3> coarse = h.coarse.vertices, fine = h.fine.vertices;
        for (Vec3& v : coarse) v = move(v);
        for (Vec3& v : fine) v = move(v);
        // The last bits of the motion itself, times the lever of far points.
        EXPECT_LT(largest_difference(h.placed(coarse), fine), 5e-12);
    }
}

TEST_P(EveryPair, stays_finite_whatever_happens_to_the_coarse_mesh) {
    const Hung& h = hung();
    std::mt19937 random(9);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<Vec3> flat = h.coarse.vertices, wild = flat, point(flat.size(), Vec3{1, 2, 3});
    for (Vec3& v : flat) v.y = 0;
    for (Vec3& v : wild) v = {number(random), number(random), number(random)};
    for (const auto& positions : {flat, wild, point})
        for (const Vec3 p : h.placed(positions)) EXPECT_TRUE(is_finite(p));
}

INSTANTIATE_TEST_SUITE_P(all, EveryPair, testing::Range(0, 10), [](const auto& pair) {
    return all_pairs()[static_cast<std::size_t>(pair.param)].first;
});

TEST(Detail, nearly_every_vertex_near_a_smooth_mesh_lies_on_a_line_of_normals) {
    const Hung sphere(shapes::icosphere(1, 2), wavy(shapes::icosphere(1, 5), 0.03));
    EXPECT_EQ(sphere.not_on_a_line(), 0u);
    const Hung cube(shapes::cube(1, 4), shapes::cube(1.1, 30));
    EXPECT_LT(cube.not_on_a_line(), cube.fine.vertices.size() / 100);
}

TEST(Detail, a_base_point_satisfies_the_equation_of_the_paper) {
    const Hung h(shapes::icosphere(1, 2), shapes::icosphere(1.05, 3));
    const auto normals = normals_of(h.coarse.vertices, h.coarse.triangles);
    for (std::size_t i = 0; i < h.bindings.size(); ++i) {
        const DetailBinding& b = h.bindings[i];
        Vec3 q, n;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t v = h.coarse.triangles[b.triangle][k];
            q += b.weight[k] * h.coarse.vertices[v], n += b.weight[k] * normals[v];
        }
        EXPECT_LT(norm(cross(h.fine.vertices[i] - q, n)), 1e-13);
        EXPECT_GT(b.offset, 0);
    }
}

/// The lowest and highest thousandth of new length / exact length of all edges, and the extremes.
struct EdgeRatios {
    double least, low, high, most;

    EdgeRatios(const Mesh& mesh, std::span<const Vec3> placed, std::span<const Vec3> exact) {
        std::vector<double> ratios;
        for (const Triangle& t : mesh.triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = t[k], b = t[(k + 1) % 3];
                ratios.push_back(norm(placed[a] - placed[b]) / norm(exact[a] - exact[b]));
            }
        std::sort(ratios.begin(), ratios.end());
        const std::size_t thousandth = ratios.size() / 1000;
        least = ratios.front(), low = ratios[thousandth];
        high = ratios[ratios.size() - 1 - thousandth], most = ratios.back();
    }
};

struct Deformation {
    std::string name;
    std::function<Vec3(Vec3)> map;
};

std::vector<Deformation> deformations() {
    return {{"bend",  // about an axis along x at z = −2
             [](Vec3 p) {
                 const double angle = p.y / 2, radius = 2 + p.z;
                 return Vec3{p.x, radius * std::sin(angle), radius * std::cos(angle) - 2};
             }},
            {"twist",
             [](Vec3 p) {
                 return rotate(Quat::about({0, 1, 0}, 0.8 * p.y), p);
             }},
            {"stretch",
             [](Vec3 p) {
                 return Vec3{p.x / std::sqrt(1.6), 1.6 * p.y, p.z / std::sqrt(1.6)};
             }},
            {"wave", [](Vec3 p) {
                 return p + Vec3{0.15 * std::sin(3 * p.y), 0, 0.1 * std::cos(2 * p.x)};
             }}};
}

class SmoothDeformation : public testing::TestWithParam<int> {};

/// The fine mesh follows to within the coarse mesh's own resolution: the deformation is known at
/// coarse vertices only, e = 0.16 apart, which leaves up to e²/8 · curvature, and a stretch does
/// not change offsets.
TEST_P(SmoothDeformation, leaves_no_spikes) {
    const auto map = deformations()[static_cast<std::size_t>(GetParam())].map;
    for (const auto& [coarse, fine] :
         {std::pair(shapes::icosphere(1, 3), wavy(shapes::icosphere(1, 5), 0.03)),
          std::pair(shapes::torus(1, 0.4, 48, 20), wavy(shapes::torus(1, 0.4, 150, 70), 0.02)),
          std::pair(shapes::bar({0.6, 2, 0.6}, 14), shapes::bar({0.64, 2.04, 0.64}, 60))}) {
        const Hung h(coarse, fine);
        std::vector<Vec3> coarse_now = coarse.vertices, exact = fine.vertices;
        for (Vec3& v : coarse_now) v = map(v);
        for (Vec3& v : exact) v = map(v);
        const auto placed = h.placed(coarse_now);
        EXPECT_LT(largest_difference(placed, exact), 0.035) << coarse.name;
        const EdgeRatios ratios(fine, placed, exact);
        EXPECT_GT(ratios.least, 0.5) << coarse.name;
        EXPECT_LT(ratios.most, 2) << coarse.name;
    }
}

INSTANTIATE_TEST_SUITE_P(all, SmoothDeformation, testing::Range(0, 4), [](const auto& deformation) {
    return deformations()[static_cast<std::size_t>(deformation.param)].name;
});

TEST(Detail, a_vertex_of_a_thin_part_is_bound_to_its_own_side) {
    // The fine slab lies so that its upper side is nearer to the lower side of the coarse one.
    const Mesh coarse = moved(shapes::bar({1, 0.02, 1}, 12), {0, 0.015, 0});
    const Hung h(coarse, shapes::bar({1, 0.02, 1}, 40));
    int checked = 0;
    for (std::size_t i = 0; i < h.bindings.size(); ++i) {
        const Vec3 p = h.fine.vertices[i];
        if (std::abs(p.x) > 0.45 || std::abs(p.z) > 0.45) continue;
        const Triangle& t = coarse.triangles[h.bindings[i].triangle];
        const Vec3 a = coarse.vertices[t[0]];
        const Vec3 n = cross(coarse.vertices[t[1]] - a, coarse.vertices[t[2]] - a);
        EXPECT_GT(n.y * p.y, 0) << "vertex " << i;
        ++checked;
    }
    EXPECT_GT(checked, 2000);
}

TEST(Detail, an_animal_of_1000_vertices_carries_the_same_of_5400) {
    for (const std::string animal : {"armadillo", "duck"}) {
        const auto file = [&](const char* ending) {
            return std::filesystem::path(TURGOR_SHARED_MESHES) / (animal + ending);
        };
        if (!std::filesystem::exists(file("_5400.obj")))
            GTEST_SKIP() << "the shared meshes are not on this machine";
        const Hung h(load_mesh(file("_1000.obj")), load_mesh(file("_5400.obj")));
        const double size = bounds(h.coarse).diagonal();
        EXPECT_LT(largest_difference(h.placed(h.coarse.vertices), h.fine.vertices), 1e-12 * size);
        EXPECT_LT(h.not_on_a_line(), h.fine.vertices.size() / 50);
        std::vector<Vec3> coarse = h.coarse.vertices, exact = h.fine.vertices;
        for (auto* points : {&coarse, &exact})
            for (Vec3& p : *points) p = rotate(Quat::about({0, 1, 0}, 2 * p.y / size), p);
        const auto placed = h.placed(coarse);
        EXPECT_LT(largest_difference(placed, exact), 0.04 * size);
        const EdgeRatios ratios(h.fine, placed, exact);
        EXPECT_GT(ratios.low, 0.5) << animal;
        EXPECT_LT(ratios.high, 2) << animal;
        EXPECT_LT(ratios.most, 8) << animal;
    }
}

TEST(Detail, without_normals_points_hang_on_the_nearest_side) {
    const Mesh coarse = shapes::icosphere(1, 2);
    const std::vector<Vec3> points{{0, 1.1, 0}, {0, -0.9, 0}};
    const auto bindings =
        bind_detail(points, {}, coarse.vertices, normals_of(coarse.vertices, coarse.triangles),
                    coarse.triangles);
    EXPECT_NEAR(bindings[0].offset, 0.1, 0.01);
    EXPECT_NEAR(bindings[1].offset, -0.1, 0.02);
}

TEST(Detail, nothing_to_hang_on_is_an_error) {
    const std::vector<Vec3> points{{0, 0, 0}};
    EXPECT_THROW(bind_detail(points, {}, {}, {}, {}), Error);
    const std::vector<Vec3> flat{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, normals(3);
    EXPECT_THROW(bind_detail(points, {}, flat, normals, std::vector<Triangle>{{0, 1, 2}}), Error);
    const Mesh coarse = tetrahedron();
    const std::vector<Vec3> nowhere{{std::numeric_limits<double>::quiet_NaN(), 0, 0}};
    EXPECT_THROW(bind_detail(nowhere, {}, coarse.vertices,
                             normals_of(coarse.vertices, coarse.triangles), coarse.triangles),
                 Error);
}

TEST(Detail, bake_binds_the_display_mesh_in_the_mesh_s_own_coordinates) {
    const Vec3 offset{10, 5, -3};
    const Mesh coarse = moved(shapes::torus(1, 0.4, 24, 12), offset);
    const Mesh fine = moved(wavy(shapes::torus(1, 0.4, 60, 30), 0.02), offset);
    std::vector<std::uint32_t> order(coarse.vertices.size());
    std::iota(order.rbegin(), order.rend(), 0);
    const auto asset = make_body_asset(coarse, order, &fine);
    EXPECT_EQ(asset->detail()->triangles, fine.triangles);
    ASSERT_EQ(asset->detail()->bindings.size(), fine.vertices.size());
    std::vector<Vec3> points(fine.vertices.size());
    place_detail(asset->detail()->bindings, asset->rest, normals_of(asset->rest, asset->triangles),
                 asset->triangles, points);
    for (Vec3& p : points) p += asset->rest_centre;
    EXPECT_LT(largest_difference(points, fine.vertices), 1e-13);
}

}  // namespace
}  // namespace turgor
