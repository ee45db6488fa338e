#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"
#include "contact/collision_surface.hpp"
#include "contact/contact_constraint.hpp"
#include "elastic/surface/surface.hpp"
#include "mesh/triangle_tree.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// A baked mesh, placed and dented at random.
struct Placed {
    std::shared_ptr<const BodyAsset> asset;
    std::shared_ptr<const CollisionTree> tree;
    CollisionBoxes boxes;
    AlignedVector<Quad> x;
    Vec3 origin;

    Placed(const Mesh& mesh, Vec3 at, double dents, std::uint64_t seed) : origin(at) {
        asset = bake_surface(mesh, {.omega = 1}).asset;
        tree = make_collision_tree(*asset);
        Random random(seed);
        for (const Vec3& p : asset->rest)
            x.push_back(to_quad(p + dents * asset->contact_length * random.in_cube()));
    }
    CollisionSurface surface() {
        const CollisionSurface s{asset.get(), tree.get(), &boxes, origin, x, {}};
        s.refit();
        return s;
    }
};

TEST(NearVertices, are_those_that_asking_every_triangle_finds) {
    const std::vector<Mesh> meshes{shapes::uv_sphere(0.5, 20, 19), shapes::torus(0.4, 0.2, 24, 12),
                                   shapes::cube(0.8, 6), shapes::rubber_duck(1, 400)};
    std::size_t found_in_all = 0;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        for (std::size_t j = 0; j < meshes.size(); ++j) {
            Placed a(meshes[i], {0.55, 0.1, 0.2}, 0.1, 1), b(meshes[j], {-0.05, 0, 0}, 0.1, 2);
            const CollisionSurface sa = a.surface(), sb = b.surface();
            const double margin = 0.3 * b.asset->contact_length,
                         depth = 0.8 * b.asset->contact_length;
            std::vector<NearVertex> fast, slow;
            find_near_vertices(sa, sb, margin, depth, fast);
            find_near_vertices_reference(sa, sb, margin, depth, slow);
            const auto by_vertex = [](const auto& p, const auto& q) { return p.vertex < q.vertex; };
            std::ranges::sort(fast, by_vertex);
            std::ranges::sort(slow, by_vertex);
            ASSERT_EQ(fast.size(), slow.size());
            for (std::size_t k = 0; k < fast.size(); ++k) {
                EXPECT_EQ(fast[k].vertex, slow[k].vertex);
                EXPECT_NEAR(fast[k].distance, slow[k].distance, 1e-6 * b.asset->contact_length);
            }
            found_in_all += fast.size();
        }
    EXPECT_GT(found_in_all, 300u);
}

TEST(NearVertices, know_inside_from_outside) {
    Placed duck(shapes::rubber_duck(1, 500), {1, 2, 3}, 0.1, 3);
    Placed cloud(shapes::icosphere(0.6, 4), {1, 2, 3}, 1, 4);
    const CollisionSurface surface = duck.surface(), points = cloud.surface();
    std::vector<Vec3> x;
    for (const Quad& q : duck.x) x.push_back(duck.origin + q.xyz());
    const TriangleTree oracle(x, duck.asset->triangles);
    std::vector<NearVertex> found;
    find_near_vertices(points, surface, 1, 1, found);
    std::map<std::uint32_t, NearVertex> nearest;
    for (const NearVertex& n : found) {
        const auto [known, is_first] = nearest.insert({n.vertex, n});
        if (is_first) continue;
        // Caught between two parts: outside of both, and they look at each other.
        EXPECT_GE(known->second.distance, 0);
        EXPECT_GE(n.distance, known->second.distance);
        EXPECT_LE(dot(n.normal, known->second.normal), -0.3);
    }
    EXPECT_GT(found.size(), nearest.size());
    ASSERT_EQ(nearest.size(), points.asset->rest.size());
    for (const auto& [vertex, n] : nearest) {
        const Vec3 p = points.at(vertex);
        EXPECT_EQ(n.distance<0, oracle.winding_number(p)> 0.5);
        EXPECT_EQ(is_inside(surface, p), n.distance < 0);
        EXPECT_NEAR(std::abs(n.distance), oracle.nearest(p).distance, 1e-6);
        EXPECT_NEAR(norm(n.normal), 1, 1e-12);
        // The normal points where the distance grows.
        const double further = oracle.nearest(p + 1e-5 * n.normal).distance;
        EXPECT_GT((n.distance < 0 ? -1 : 1) * (further - std::abs(n.distance)), 0);
    }
}

TEST(NearEdges, are_found_where_two_boxes_cross_edge_over_edge) {
    const Mesh bar = shapes::bar({1, 0.4, 0.4}, 2);
    const Mesh on_edge = transformed(bar, {}, 1, Quat::about({1, 0, 0}, 0.7853981634));
    const Mesh across = transformed(on_edge, {}, 1, Quat::about({0, 1, 0}, 1.5707963268));
    const double half = 0.4 / std::sqrt(2.0);
    for (const double gap : {0.02, -0.02}) {
        Placed a(across, {0, 2 * half + gap, 0}, 0, 1), b(on_edge, {}, 0, 1);
        std::vector<NearEdgePair> found;
        find_near_edges(a.surface(), b.surface(), 0.05, 0.05, found);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].distance, gap, 1e-6);
        EXPECT_NEAR(found[0].normal.y, 1, 1e-6);
        std::vector<NearVertex> vertices;
        find_near_vertices(a.surface(), b.surface(), 0.05, 0.05, vertices);
        EXPECT_TRUE(vertices.empty());
    }
}

/// A heavy particle that falls on a light triangle.
struct Drop {
    ContactConstraints constraints;
    SolverParticles particles;
    std::vector<SolverBody> bodies{{}, {}};

    Drop() {
        particles.resize(4);
        particles.x_start = {{0.2, 0.01, 0.3}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
        particles.x = particles.x_start;
        particles.x[0] += Vec3{0.02, -0.05, 0};
        particles.v.assign(4, {});
        particles.per_mass = {0.5, 2, 1, 4};
        particles.normal.assign(4, {});
        particles.pressure_response.assign(4, {});
        bodies[0].count = 1;
        bodies[1].first = 1;
        bodies[1].count = 3;
        ContactConstraint m;
        m.body[0] = 0;
        m.body[1] = 1;
        m.count = 4;
        m.of_first = 1;
        for (std::uint32_t k = 0; k < 4; ++k) m.particle[k] = k;
        const double weights[] = {1, -0.5, -0.3, -0.2};
        std::copy(weights, weights + 4, m.weight);
        m.normal = {0, 1, 0};
        m.friction = 0.5;
        constraints.clear();
        constraints.all.push_back(m);
        constraints.end_batch();
        constraints.end_colour();
    }
    Vec3 momentum(const std::vector<Vec3>& a, const std::vector<Vec3>& b) const {
        Vec3 sum;
        for (std::size_t i = 0; i < 4; ++i) sum += (a[i] - b[i]) / particles.per_mass[i];
        return sum;
    }
};

TEST(ContactConstraints, part_what_is_too_close_and_keep_the_momentum) {
    Drop drop;
    const std::vector<Vec3> before = drop.particles.x;
    recover_overlaps(drop.constraints, drop.particles, 0.1, 1, nullptr);
    solve_positions(drop.constraints, drop.bodies, drop.particles, 8, 0, nullptr);
    EXPECT_NEAR(gap_of(drop.constraints.all[0], drop.particles), 0, 1e-12);
    EXPECT_TRUE(drop.constraints.all[0].touching());
    EXPECT_LT(norm(drop.momentum(drop.particles.x, before)), 1e-12);
    // Friction is at most its share of the push.
    const ContactConstraint& m = drop.constraints.all[0];
    EXPECT_LE(norm(m.friction_push), m.friction * m.push * (1 + 1e-12));
    EXPECT_GT(norm(m.friction_push), 0);
}

TEST(ContactConstraints, stop_what_closes_and_keep_the_momentum) {
    Drop drop;
    recover_overlaps(drop.constraints, drop.particles, 0.1, 1, nullptr);
    solve_positions(drop.constraints, drop.bodies, drop.particles, 8, 0, nullptr);
    drop.particles.v = {{1, -3, 0}, {0, 1, 0}, {0, 0, 1}, {}};
    const std::vector<Vec3> before = drop.particles.v;
    solve_velocities(drop.constraints, drop.particles, 0.01, 10, 8, nullptr);
    Vec3 relative;
    for (std::uint32_t k = 0; k < 4; ++k)
        relative += drop.constraints.all[0].weight[k] * drop.particles.v[k];
    EXPECT_NEAR(relative.y, 0, 1e-12);
    EXPECT_LT(norm(drop.momentum(drop.particles.v, before)), 1e-12);
}

TEST(ContactConstraints, come_apart_gently_without_speed) {
    Drop drop;
    for (Vec3* p : {&drop.particles.x_start[0], &drop.particles.x[0]}) p->y = -0.1;
    const auto way = [&] {
        std::vector<Vec3> v;
        for (std::size_t i = 0; i < 4; ++i)
            v.push_back(drop.particles.x[i] - drop.particles.x_start[i]);
        return v;
    };
    const std::vector<Vec3> before = way();
    recover_overlaps(drop.constraints, drop.particles, 0.25, 1, nullptr);
    EXPECT_NEAR(drop.constraints.all[0].slack, 0.075, 1e-12);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(norm(way()[i] - before[i]), 1e-15);
    // What is left is let be.
    solve_positions(drop.constraints, drop.bodies, drop.particles, 8, 0, nullptr);
    EXPECT_FALSE(drop.constraints.all[0].touching());
}

TEST(ContactConstraints, pressure_makes_up_for_the_volume_that_contacts_take) {
    Drop drop;
    SolverBody& body = drop.bodies[1];
    for (std::size_t i = 1; i < 4; ++i) {
        drop.particles.normal[i] = {0, 0.1, 0};
        drop.particles.pressure_response[i] = drop.particles.per_mass[i] * drop.particles.normal[i];
    }
    body.compliance = 0.1;  // most of it elsewhere
    body.max_pressure = 1e9;
    const std::vector<Vec3> before = drop.particles.x;
    recover_overlaps(drop.constraints, drop.particles, 0.1, 1, nullptr);
    solve_positions(drop.constraints, drop.bodies, drop.particles, 50, 0, nullptr);
    double grown = body.pressure * body.elsewhere;
    for (std::size_t i = 1; i < 4; ++i)
        grown += dot(drop.particles.normal[i], drop.particles.x[i] - before[i]) / 3;
    EXPECT_GT(body.pressure, 0);
    EXPECT_NEAR(grown, 0, 1e-9);
    EXPECT_NEAR(gap_of(drop.constraints.all[0], drop.particles), 0, 1e-9);
}

}  // namespace
}  // namespace turgor
