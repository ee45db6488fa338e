#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>

#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

struct Soup {
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;

    void add(Vec3 a, Vec3 b, Vec3 c) {
        const auto n = static_cast<std::uint32_t>(vertices.size());
        vertices.insert(vertices.end(), {a, b, c});
        triangles.push_back({n, n + 1, n + 2});
    }
    Vec3 corner(std::uint32_t t, int k) const {
        return vertices[triangles[t][static_cast<std::size_t>(k)]];
    }
    TriangleTree tree() const { return {vertices, triangles}; }
};

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double number(double least = -1, double most = 1) {
        return std::uniform_real_distribution<double>(least, most)(engine_);
    }
    Vec3 point(double size = 1) {
        return {number(-size, size), number(-size, size), number(-size, size)};
    }

private:
    std::mt19937 engine_;
};

Soup random_soup(int count, double size, unsigned seed) {
    Random random(seed);
    Soup soup;
    for (int i = 0; i < count; ++i) {
        const Vec3 p = random.point();
        soup.add(p + random.point(size), p + random.point(size), p + random.point(size));
    }
    return soup;
}

/// A closed sphere of shared vertices, wound outwards.
Soup sphere(int segments, int rings) {
    Soup s;
    const auto index = [&](int i, int j) {
        return static_cast<std::uint32_t>(j * segments + i % segments);
    };
    for (int j = 0; j < rings; ++j)
        for (int i = 0; i < segments; ++i) {
            const double theta = std::numbers::pi * (j + 1) / (rings + 1),
                         phi = 2 * std::numbers::pi * i / segments;
            s.vertices.push_back({std::sin(theta) * std::sin(phi), std::cos(theta),
                                  std::sin(theta) * std::cos(phi)});
        }
    const auto top = static_cast<std::uint32_t>(s.vertices.size()), bottom = top + 1;
    s.vertices.insert(s.vertices.end(), {{0, 1, 0}, {0, -1, 0}});
    for (int i = 0; i < segments; ++i) {
        s.triangles.push_back({top, index(i, 0), index(i + 1, 0)});
        s.triangles.push_back({bottom, index(i + 1, rings - 1), index(i, rings - 1)});
        for (int j = 0; j + 1 < rings; ++j) {
            s.triangles.push_back({index(i, j), index(i, j + 1), index(i + 1, j)});
            s.triangles.push_back({index(i + 1, j), index(i, j + 1), index(i + 1, j + 1)});
        }
    }
    return s;
}

/// The distance by a way of its own: minimise over a triangle by projecting on the plane, else on
/// each edge.
double plain_distance(const Soup& s, std::uint32_t t, Vec3 p) {
    const Vec3 a = s.corner(t, 0), b = s.corner(t, 1), c = s.corner(t, 2);
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [u, v] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
        const double length2 = dot(v - u, v - u);
        const double at = length2 > 0 ? std::clamp(dot(p - u, v - u) / length2, 0.0, 1.0) : 0;
        best = std::min(best, norm(p - u - at * (v - u)));
    }
    const Vec3 n = normalized(cross(b - a, c - a));
    const Vec3 q = p - dot(p - a, n) * n;
    if (n != Vec3{} && dot(cross(b - a, q - a), n) >= 0 && dot(cross(c - b, q - b), n) >= 0 &&
        dot(cross(a - c, q - c), n) >= 0)
        best = std::min(best, norm(p - q));
    return best;
}

double plain_nearest(const Soup& s, Vec3 p) {
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t t = 0; t < s.triangles.size(); ++t)
        best = std::min(best, plain_distance(s, t, p));
    return best;
}

/// Möller and Trumbore; infinity for a miss.
double plain_ray(const Soup& s, std::uint32_t t, Vec3 o, Vec3 d) {
    const Vec3 a = s.corner(t, 0), e1 = s.corner(t, 1) - a, e2 = s.corner(t, 2) - a,
               p = cross(d, e2);
    const double det = dot(e1, p);
    const double u = dot(o - a, p) / det, v = dot(d, cross(o - a, e1)) / det;
    if (det == 0 || u < 0 || v < 0 || u + v > 1) return std::numeric_limits<double>::infinity();
    return dot(e2, cross(o - a, e1)) / det;
}

/// The sum over all triangles of the solid angle by Girard's theorem: angles between the planes.
double plain_winding(const Soup& s, Vec3 p) {
    double total = 0;
    for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
        const Vec3 a = normalized(s.corner(t, 0) - p), b = normalized(s.corner(t, 1) - p),
                   c = normalized(s.corner(t, 2) - p);
        const auto angle = [](Vec3 at, Vec3 u, Vec3 v) {
            const Vec3 x = cross(at, u), y = cross(at, v);
            return std::atan2(norm(cross(x, y)), dot(x, y));
        };
        const double excess = angle(a, b, c) + angle(b, c, a) + angle(c, a, b) - std::numbers::pi;
        total += dot(a, cross(b, c)) >= 0 ? excess : -excess;
    }
    return total / (4 * std::numbers::pi);
}

void expect_is_own_point(const Soup& s, const TriangleTree::Hit& hit) {
    ASSERT_LT(hit.triangle, s.triangles.size());
    Vec3 p;
    for (int k = 0; k < 3; ++k) p += hit.weight[k] * s.corner(hit.triangle, k);
    EXPECT_LT(norm(p - hit.point), 1e-9);
    EXPECT_NEAR(hit.weight[0] + hit.weight[1] + hit.weight[2], 1, 1e-12);
    for (const double w : hit.weight) EXPECT_GE(w, -1e-12);
}

struct Case {
    int count;
    double size;
};

class RandomSoup : public testing::TestWithParam<Case> {};

TEST_P(RandomSoup, nearest_agrees_with_all_triangles) {
    const Soup s = random_soup(GetParam().count, GetParam().size, 7);
    const TriangleTree tree = s.tree();
    Random random(11);
    for (int i = 0; i < 300; ++i) {
        const Vec3 p = random.point(2);
        const auto hit = tree.nearest(p);
        expect_is_own_point(s, hit);
        EXPECT_NEAR(hit.distance, norm(p - hit.point), 1e-12);
        EXPECT_NEAR(hit.distance, plain_nearest(s, p), 1e-9);
    }
}

TEST_P(RandomSoup, nearest_respects_the_filter) {
    const Soup s = random_soup(GetParam().count, GetParam().size, 8);
    const TriangleTree tree = s.tree();
    Random random(12);
    for (int i = 0; i < 100; ++i) {
        const Vec3 p = random.point(2);
        double best = std::numeric_limits<double>::infinity();
        for (std::uint32_t t = 0; t < s.triangles.size(); t += 2)
            best = std::min(best, plain_distance(s, t, p));
        const auto hit = tree.nearest(p, [](std::uint32_t t) { return t % 2 == 0; });
        EXPECT_EQ(hit.triangle % 2, 0u);
        EXPECT_NEAR(hit.distance, best, 1e-9);
    }
}

TEST_P(RandomSoup, first_hit_agrees_with_all_triangles) {
    const Soup s = random_soup(GetParam().count, GetParam().size, 9);
    const TriangleTree tree = s.tree();
    Random random(13);
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
        const Vec3 o = random.point(2), d = 3.0 * random.point(i % 3 == 0 ? 0.5 : 1) - 0.5 * o;
        const double least = i % 2 == 0 ? 0 : random.number(0, 1);
        double best = std::numeric_limits<double>::infinity();
        for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
            const double at = plain_ray(s, t, o, d);
            if (at > least && t % 5 != 4) best = std::min(best, at);
        }
        const auto hit = tree.first_hit(o, d, least, [](std::uint32_t t) { return t % 5 != 4; });
        ASSERT_EQ(hit.has_value(), std::isfinite(best)) << "ray " << i;
        if (!hit) continue;
        ++hits;
        expect_is_own_point(s, *hit);
        EXPECT_NEAR(hit->distance, best, 1e-9);
        EXPECT_LT(norm(o + hit->distance * d - hit->point), 1e-9);
    }
    if (GetParam().count > 100) {
        EXPECT_GT(hits, 20);
    }
}

TEST_P(RandomSoup, winding_number_agrees_with_the_sum_of_solid_angles) {
    const Soup s = random_soup(GetParam().count, GetParam().size, 10);
    const TriangleTree tree = s.tree();
    Random random(14);
    for (int i = 0; i < 200; ++i) {
        const Vec3 p = random.point(1.5);
        const double exact = plain_winding(s, p);
        EXPECT_NEAR(tree.winding_number(p), exact, 2e-3 + 2e-3 * std::abs(exact));
    }
}

TEST_P(RandomSoup, boxes_find_every_triangle_once) {
    const Soup s = random_soup(GetParam().count, GetParam().size, 15);
    const TriangleTree tree = s.tree();
    Random random(16);
    for (int i = 0; i < 50; ++i) {
        Bounds box;
        box.add(random.point());
        box.add(random.point());
        std::multiset<std::uint32_t> expected, found;
        for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
            bool meets = true;
            for (int k = 0; k < 3; ++k) {
                const auto [low, high] =
                    std::minmax({s.corner(t, 0)[k], s.corner(t, 1)[k], s.corner(t, 2)[k]});
                meets = meets && low <= box.upper[k] && high >= box.lower[k];
            }
            if (meets) expected.insert(t);
        }
        tree.for_each_in(box, [&](std::uint32_t t) { found.insert(t); });
        EXPECT_EQ(found, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(sizes, RandomSoup,
                         testing::Values(Case{1, 1}, Case{2, 1}, Case{5, 0.5}, Case{300, 0.3},
                                         Case{3000, 0.05}, Case{1000, 1}));

TEST(TriangleTree, no_ray_slips_through_a_closed_surface) {
    const Soup s = sphere(40, 39);
    const TriangleTree tree = s.tree();
    Random random(3);
    // At vertices, at the middles of edges, along axes and anywhere.
    std::vector<Vec3> targets = s.vertices;
    for (const Triangle& t : s.triangles)
        targets.push_back(0.5 * (s.vertices[t[0]] + s.vertices[t[1]]));
    for (int i = 0; i < 3000; ++i) targets.push_back(random.point());
    for (const Vec3 target : targets)
        for (const Vec3 origin : {Vec3{}, Vec3{0.1, 0.02, -0.3}}) {
            const auto hit = tree.first_hit(origin, target - origin, 0);
            ASSERT_TRUE(hit.has_value()) << target.x << ' ' << target.y << ' ' << target.z;
            EXPECT_NEAR(norm(hit->point), 1, 0.01);
        }
}

TEST(TriangleTree, winding_number_of_a_closed_surface) {
    const Soup s = sphere(100, 99);
    const TriangleTree tree = s.tree();
    Random random(4);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.point(1.3);
        if (std::abs(norm(p) - 1) < 0.01) continue;
        EXPECT_NEAR(tree.winding_number(p), norm(p) < 1 ? 1 : 0, 0.02);
    }
    // A hair's breadth from the surface it is still inside or outside.
    for (const Triangle& t : s.triangles) {
        const Vec3 middle = (s.vertices[t[0]] + s.vertices[t[1]] + s.vertices[t[2]]) / 3;
        EXPECT_NEAR(tree.winding_number(middle * (1 - 1e-6)), 1, 0.02);
        EXPECT_NEAR(tree.winding_number(middle * (1 + 1e-6)), 0, 0.02);
    }
}

TEST(TriangleTree, an_empty_mesh_answers_nothing) {
    const TriangleTree tree({}, {});
    EXPECT_FALSE(tree.first_hit({}, {0, 0, 1}, 0));
    EXPECT_EQ(tree.nearest({}).triangle, TriangleTree::none);
    EXPECT_TRUE(std::isinf(tree.nearest({}).distance));
    EXPECT_EQ(tree.winding_number({}), 0);
    tree.for_each_in({{-1, -1, -1}, {1, 1, 1}}, [](std::uint32_t) { FAIL(); });
}

TEST(TriangleTree, coincident_and_degenerate_triangles) {
    Soup s;
    for (int i = 0; i < 5000; ++i) s.add({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    for (int i = 0; i < 100; ++i) s.add({3, 3, 3}, {3, 3, 3}, {3, 3, 3});
    for (int i = 0; i < 100; ++i) s.add({0, 0, 5}, {1, 0, 5}, {2, 0, 5});
    const TriangleTree tree = s.tree();
    EXPECT_EQ(tree.first_hit({0.2, 0.2, -1}, {0, 0, 2}, 0)->triangle, 0u);
    EXPECT_DOUBLE_EQ(tree.first_hit({0.2, 0.2, -1}, {0, 0, 2}, 0)->distance, 0.5);
    EXPECT_NEAR(tree.nearest({3, 3, 4}).distance, 1, 1e-15);
    EXPECT_NEAR(tree.nearest({1.5, 0.5, 5}).distance, 0.5, 1e-15);
    EXPECT_NEAR(tree.nearest({4, 0, 5}).distance, 2, 1e-15);
    EXPECT_TRUE(std::isfinite(tree.winding_number({3, 3, 3})));
    EXPECT_TRUE(std::isfinite(tree.winding_number({0, 0, 0})));
}

TEST(TriangleTree, triangles_in_a_geometric_series_stay_within_the_stack) {
    Soup s;
    for (int i = 0; i < 1000; ++i) {
        const double at = std::pow(0.5, i);
        s.add({at, 0, 0}, {at * 1.1, 0, 0}, {at, at * 0.1, 0});
    }
    const TriangleTree tree = s.tree();
    EXPECT_EQ(tree.nearest({2, 0, 0}).triangle, 0u);
    EXPECT_EQ(tree.first_hit({0.2501, 0.0001, 1}, {0, 0, -1}, 0)->triangle, 2u);
}

TEST(TriangleTree, values_that_are_not_finite_are_harmless) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    Soup s = random_soup(100, 0.2, 5);
    s.vertices[7] = {nan, 0, 0};
    s.vertices[50] = {inf, -inf, nan};
    const TriangleTree tree = s.tree();
    EXPECT_LT(tree.nearest({}).triangle, 100u);
    EXPECT_EQ(tree.nearest({nan, 0, 0}).triangle, TriangleTree::none);
    EXPECT_FALSE(tree.first_hit({}, {nan, nan, nan}, 0));
    EXPECT_FALSE(tree.first_hit({}, {0, 0, 0}, 0));
    tree.winding_number({nan, 0, 0});
}

TEST(TriangleTree, an_index_out_of_range_is_an_error) {
    const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<Triangle> triangles{{0, 1, 2}, {0, 1, 3}};
    EXPECT_THROW(TriangleTree(vertices, triangles), Error);
}

}  // namespace
}  // namespace turgor
